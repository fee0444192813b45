// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/units.hpp>
#include <apsis/core/vec3.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace apsis {

class Values;

/// Value of a parameter. Integers are signed 64-bit; a list of records is an array of small
/// objects.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Vec3<double>,
                           std::vector<double>, std::vector<Values>, std::shared_ptr<Values const>>;

/// Parameter values by name.
class Values {
 public:
  void set(std::string const& name, Value value);
  bool has(std::string const& name) const { return values_.count(name) != 0; }

  /// Accessors by kind. Each throws an internal error if the name is missing or its value has
  /// another kind: the table of parameters and the calling code must agree.
  double number(std::string const& name) const { return get<double>(name); }
  std::int64_t integer(std::string const& name) const { return get<std::int64_t>(name); }
  bool boolean(std::string const& name) const { return get<bool>(name); }
  std::string const& text(std::string const& name) const { return get<std::string>(name); }
  Vec3<double> vector3(std::string const& name) const { return get<Vec3<double>>(name); }
  std::vector<double> const& numbers(std::string const& name) const {
    return get<std::vector<double>>(name);
  }
  std::vector<Values> const& records(std::string const& name) const {
    return get<std::vector<Values>>(name);
  }
  Values const& object(std::string const& name) const {
    return *get<std::shared_ptr<Values const>>(name);
  }
  Value const& value(std::string const& name) const;

 private:
  template <class T>
  T const& get(std::string const& name) const {
    auto const* typed = std::get_if<T>(&value(name));
    APSIS_EXPECT(typed != nullptr, "a parameter was requested as another kind: " + name);
    return *typed;
  }

  std::map<std::string, Value> values_;
};

/// Units to which a number with a unit is converted: SI, as for the units of a deck, or the units
/// of the deck.
enum class QuantityUnits { si, deck };

enum class Kind { text, choice, number, integer, boolean, vector3, numbers, records, object };

struct Parameter;

/// One of the alternative sets of keys that an object may have.
struct Form {
  std::string selector;  ///< key that selects this form; empty if the object has only one form
  std::string choice;    ///< string value of the selector; empty if its presence selects the form
  std::string doc;
  std::vector<Parameter> parameters;  ///< not including a selector that has a choice
  bool is_default = false;            ///< selected if the object has no selector
  std::vector<std::string> one_of{};  ///< keys of which exactly one is required
};

/// Condition on the values of an object: one of `keys` is given; or, with `choices`, the choice at
/// the only one of `keys`, "masses.function", is among them.
struct Condition {
  std::vector<std::string> keys{};
  std::vector<std::string> choices{};

  bool holds(Values const& values) const;
  /// "half_mass_radius or core_radius is given", "masses.function is 'kroupa' or 'power_law'";
  /// empty if the condition never holds.
  std::string words() const;
};

/// One entry of the declarative table of keys that the deck reader, the JSON Schema, the help and
/// the error messages use.
struct Parameter {
  Parameter(std::string_view name, Kind kind, std::string_view doc);

  std::string name;
  Kind kind;
  std::string doc;   ///< one line; units in []
  Value fallback{};  ///< the default; std::monostate means that there is none
  /// The default applies only in dimensionless units. With physical units, where it would be a
  /// guess, the key is required unless `replaced_if` holds for the values of the same object.
  bool natural = false;
  Condition replaced_if{};
  bool required = false;
  double minimum = -std::numeric_limits<double>::infinity();
  bool minimum_excluded = false;
  double maximum = std::numeric_limits<double>::infinity();
  bool maximum_excluded = false;
  std::vector<std::string> choices{};  ///< for Kind::choice; words instead of a number
  std::vector<Parameter> fields{};     ///< for Kind::records
  std::vector<Form> forms{};           ///< for Kind::object
  bool is_always_present = false;      ///< for objects: an omitted object is read as an empty one
  /// Dimension of a number that may also be written as a quantity: "1e10 Msun".
  std::optional<Dimension> quantity_dimension{};
  QuantityUnits quantity_units = QuantityUnits::si;
  /// For Kind::text: also accepts a whole number >= 0, which is read as its digits.
  bool accepts_whole_number = false;
  bool may_change = false;  ///< may differ when a run is resumed: does not affect the bodies

  Parameter&& needed() && { return with(&Parameter::required, true); }
  Parameter&& with_default(Value value) &&;
  Parameter&& with_default_in_natural_units(Value value) &&;
  Parameter&& needed_unless(std::vector<std::string> keys,
                            std::vector<std::string> choices = {}) &&;
  Parameter&& at_least(double bound) && { return with(&Parameter::minimum, bound); }
  Parameter&& above(double bound) &&;
  Parameter&& at_most(double bound) && { return with(&Parameter::maximum, bound); }
  Parameter&& below(double bound) &&;
  Parameter&& always_present() && { return with(&Parameter::is_always_present, true); }
  Parameter&& or_quantity(Dimension dimension, QuantityUnits units = QuantityUnits::si) &&;
  Parameter&& or_whole_number() && { return with(&Parameter::accepts_whole_number, true); }
  Parameter&& changeable() && { return with(&Parameter::may_change, true); }

 private:
  template <class Member>
  Parameter&& with(Member Parameter::*member, Member new_value) {
    this->*member = new_value;
    return std::move(*this);
  }
};

Parameter number(std::string_view name, std::string_view doc);
/// A number above 0.
Parameter positive(std::string_view name, std::string_view doc);
Parameter integer(std::string_view name, std::string_view doc);
Parameter boolean(std::string_view name, std::string_view doc);
Parameter text(std::string_view name, std::string_view doc);
Parameter vector3(std::string_view name, std::string_view doc);
Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view doc);
Parameter numbers(std::string_view name, std::string_view doc);
/// A list of at least one record.
Parameter records(std::string_view name, std::vector<Parameter> fields, std::string_view doc);
Parameter object(std::string_view name, std::vector<Form> forms, std::string_view doc);
/// An object with a single form.
Parameter object(std::string_view name, std::vector<Parameter> fields, std::string_view doc);

/// The values of a table if no key is given: all defaults, and the default form of each object that
/// is always present. Keys without a default are missing.
Values defaults(std::vector<Parameter> const& parameters);

/// The form of an object with these values. Throws an internal error if no form matches.
Form const& form_of(std::vector<Form> const& forms, Values const& values);

/// Describes the allowed values of a parameter: "a finite number > 0", "one of 'single', 'double'".
std::string allowed(Parameter const& parameter);

/// With `are_natural`, fills in the defaults that apply only in dimensionless units, in nested
/// records and objects too. Otherwise calls missing(path, parameter) for each of these parameters
/// that is absent and not implied; the path begins with `path`.
void complete(std::vector<Parameter> const& parameters, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing);
/// Completes the values of an object according to its form.
void complete(std::vector<Form> const& forms, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing);

/// One column of a table that a run writes. Both the header line of the file and its metadata are
/// generated from a list of columns.
struct TableColumn {
  std::string name;
  std::string doc;  ///< one line
  Dimension dimension = dimension::none;
  std::string fixed_unit{};  ///< unit of a column outside the run's units, such as wall time
  bool whole = false;        ///< whether the values are integers
  /// With physical units, a second column gives the value in km/s, as is usual for this quantity.
  bool also_in_km_s = false;
  bool text = false;  ///< whether the values are texts
};

/// The column names separated by commas.
inline std::string header_line(std::vector<TableColumn> const& columns) {
  std::string line;
  for (auto const& column : columns) line += (line.empty() ? "" : ",") + column.name;
  return line;
}

}  // namespace apsis
