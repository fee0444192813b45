// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <utility>

namespace apsis::deck {

namespace {

bool is_deck_quantity(Parameter const& parameter) {
  return parameter.quantity_dimension && parameter.quantity_units == QuantityUnits::deck;
}

/// Whether a value of this parameter may contain quantities in units of the deck.
bool may_contain_quantities(Parameter const& parameter) {
  auto const any = [](std::vector<Parameter> const& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), may_contain_quantities);
  };
  return is_deck_quantity(parameter) || any(parameter.fields) ||
         std::any_of(parameter.forms.begin(), parameter.forms.end(),
                     [&](Form const& form) { return any(form.parameters); });
}

/// Returns the parameters of the form of an object; null if a wrong value left it without its key.
std::vector<Parameter> const* parameters_of(std::vector<Form> const& forms, Values const& values) {
  for (auto const& form : forms) {
    bool const has_key = form.selector.empty() || values.has(form.selector);
    if (has_key && (form.choice.empty() || values.text(form.selector) == form.choice)) {
      return &form.parameters;
    }
  }
  return nullptr;
}

/// Converts the quantities within the values of objects.
class QuantityConverter {
 public:
  QuantityConverter(std::optional<Units> const& units, DeckProblems& problems)
      : units_(units), problems_(problems) {}

  void convert(std::vector<Parameter> const& parameters, std::string const& path, Values& values) {
    for (auto const& parameter : parameters) {
      if (!values.has(parameter.name) || !may_contain_quantities(parameter)) continue;
      auto const key = path + "." + parameter.name;
      if (parameter.kind == Kind::records) {
        convert_records(parameter, key, values);
      } else if (parameter.kind == Kind::object) {
        Values inner = values.object(parameter.name);
        auto const* const inner_parameters = parameters_of(parameter.forms, inner);
        if (inner_parameters == nullptr) continue;
        convert(*inner_parameters, key, inner);
        values.set(parameter.name, std::make_shared<Values const>(std::move(inner)));
      } else if (auto const* const words =
                     std::get_if<std::string>(&values.value(parameter.name))) {
        values.set(parameter.name, number_of(*words, parameter, key));
      }
    }
  }

 private:
  /// A list of bodies may be long: records without quantities are not copied.
  void convert_records(Parameter const& parameter, std::string const& path, Values& values) {
    auto const& list = values.records(parameter.name);
    bool const any = std::any_of(list.begin(), list.end(), [&](Values const& record) {
      return std::any_of(parameter.fields.begin(), parameter.fields.end(),
                         [&](Parameter const& field) {
                           if (!record.has(field.name) || !may_contain_quantities(field))
                             return false;
                           return !is_deck_quantity(field) ||
                                  std::holds_alternative<std::string>(record.value(field.name));
                         });
    });
    if (!any) return;
    auto records = list;
    for (std::size_t i = 0; i < records.size(); ++i) {
      convert(parameter.fields, path + "[" + std::to_string(i) + "]", records[i]);
    }
    values.set(parameter.name, std::move(records));
  }

  double number_of(std::string const& words, Parameter const& parameter, std::string const& path) {
    auto const quantity = signed_quantity_in(words);
    APSIS_EXPECT(quantity, "a quantity was checked when it was read");
    if (!units_) return quantity->si;  // the units were reported
    auto const unit = units_->value_in_si(*parameter.quantity_dimension);
    if (unit) return quantity->si / *unit;
    problems_.add(
        path, "a quantity with a unit",
        "found '" + shortened(words, 40) + "', and the deck is in units without dimension",
        "set units.system, such as 'solar', or write the number alone");
    return quantity->si;
  }

  std::optional<Units> const& units_;
  DeckProblems& problems_;
};

}  // namespace

void convert_quantities(Deck& deck, std::optional<Units> const& units, DeckProblems& problems) {
  QuantityConverter converter(units, problems);
  for (auto const& section : deck_table().sections) {
    if (!deck.has(section.name) || !may_contain_quantities(section)) continue;
    auto& values = deck.sections[section.name];
    if (auto const* const parameters = parameters_of(section.forms, values)) {
      converter.convert(*parameters, section.name, values);
    }
  }
}

}  // namespace apsis::deck
