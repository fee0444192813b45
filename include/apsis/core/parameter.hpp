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
#include <variant>
#include <vector>

namespace apsis {

class Values;

/// A parameter's value. Integers are signed 64-bit; a record list is an array of small objects.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, Vec3<double>,
                           std::vector<double>, std::vector<Values>, std::shared_ptr<Values const>>;

/// Parameter values by name.
class Values {
 public:
  void set(std::string const& name, Value value);
  bool has(std::string const& name) const { return values_.count(name) != 0; }

  /// Each throws an internal error if the name is missing or of another kind: the table that was
  /// read and the code that asks must agree.
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
  Value const& at(std::string const& name) const;

 private:
  template <class T>
  T const& get(std::string const& name) const {
    auto const* value = std::get_if<T>(&at(name));
    APSIS_EXPECT(value != nullptr, "a parameter was asked for as another kind: " + name);
    return *value;
  }

  std::map<std::string, Value> values_;
};

enum class Kind { text, choice, number, integer, boolean, vector3, numbers, records, object };

struct Parameter;

/// One way to fill in an object.
struct Form {
  std::string selector;  ///< the key that chooses this form; empty if there is one form only
  std::string choice;    ///< the selector's value, a string; empty if its presence alone chooses
  std::string doc;
  std::vector<Parameter> parameters;  ///< without a selector that has a choice
  bool is_default = false;            ///< chosen if no selector is given
  std::vector<std::string> one_of{};  ///< keys of which exactly one is needed
};

/// One line of the declarative table that the deck reader, the JSON Schema, the help and the error
/// messages all read.
struct Parameter {
  Parameter(std::string_view name, Kind kind, std::string_view doc);

  std::string name;
  Kind kind;
  std::string doc;   ///< one line; units in []
  Value fallback{};  ///< the default; std::monostate means that there is none
  /// Whether the default holds only where masses and lengths are numbers without units: in pc and
  /// Msun it would be a guess. There the value is needed, unless others spare it.
  bool natural = false;
  bool (*spared)(Values const& beside) = nullptr;
  bool required = false;
  double minimum = -std::numeric_limits<double>::infinity();
  bool minimum_excluded = false;
  double maximum = std::numeric_limits<double>::infinity();
  bool maximum_excluded = false;
  std::vector<std::string> choices{};  ///< for Kind::choice
  std::vector<Parameter> fields{};     ///< for Kind::records
  std::vector<Form> forms{};           ///< for Kind::object
  bool always = false;                 ///< an object that is not given is one without keys
  std::optional<Dimension> measure{};  ///< of a number [SI] that may be words: "1e10 Msun"
  bool may_change = false;             ///< when a run is resumed: leaves its bodies what they are

  Parameter&& needed() &&;
  Parameter&& or_else(Value value) &&;
  Parameter&& or_else_in_natural_units(Value value) &&;
  Parameter&& unless(bool (*others)(Values const& beside)) &&;
  Parameter&& at_least(double bound) &&;
  Parameter&& above(double bound) &&;
  Parameter&& at_most(double bound) &&;
  Parameter&& below(double bound) &&;
  Parameter&& there_always() &&;
  Parameter&& or_in_words(Dimension of) &&;
  Parameter&& changeable() &&;
};

Parameter number(std::string_view name, std::string_view doc);
Parameter integer(std::string_view name, std::string_view doc);
Parameter boolean(std::string_view name, std::string_view doc);
Parameter text(std::string_view name, std::string_view doc);
Parameter vector3(std::string_view name, std::string_view doc);
Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view doc);
Parameter numbers(std::string_view name, std::string_view doc);
/// A list has at least one record.
Parameter records(std::string_view name, std::vector<Parameter> fields, std::string_view doc);
Parameter object(std::string_view name, std::vector<Form> forms, std::string_view doc);
/// An object of one form.
Parameter object(std::string_view name, std::vector<Parameter> fields, std::string_view doc);

/// The values that a table has if nothing is given: every default, and the default form of every
/// object that is always there. What is required and has no default is missing.
Values defaults(std::vector<Parameter> const& parameters);

/// The form that values which were read have. Throws an internal error if they have none.
Form const& form_of(std::vector<Form> const& forms, Values const& values);

/// What a value of this parameter may be, in words: "a number > 0", "one of 'single', 'double'".
std::string allowed(Parameter const& parameter);

/// Fills in the defaults that hold in natural units, also in parts and in objects, if
/// `are_natural`; else tells of each parameter that is then needed, with its path below `path`.
void complete(std::vector<Parameter> const& parameters, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing);
/// The same of the form that values have.
void complete(std::vector<Form> const& forms, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing);

}  // namespace apsis
