// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

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

/// Whether a time is this whole number of steps. Decimal fractions are not exact in binary: 0.01 /
/// 0.001 is 10 only to rounding.
bool is_step_count(double time, double time_step, double whole) {
  double const ratio = time / time_step;
  double const allowed = std::min(1e-9 * std::max(1.0, ratio), 1e-3);
  return std::abs(ratio - whole) <= std::max(allowed, 4e-16 * ratio);
}

/// Returns the time of a step with few digits: 3 * 0.01 as 0.03, not 0.030000000000000002.
std::string rounded_time(double whole, double time_step, double start) {
  double const product = start + whole * time_step;
  for (int digits = 1; digits <= 17; ++digits) {
    double const value = std::strtod(formatted("%.*g", digits, product).c_str(), nullptr);
    bool const close = std::abs(value - product) <= 1e-12 * std::abs(product);
    if (close && is_step_count(value - start, time_step, whole)) return shortest(value);
  }
  return shortest(product);
}

std::string since(double start) {
  return start == 0.0 ? "" : ", with run.start_time " + shortest(start) + ",";
}

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

std::optional<std::uint64_t> whole_steps(std::string const& path, double time, double time_step,
                                         double fewest, DeckProblems& problems, double start) {
  double const duration = time - start;
  double const ratio = duration / time_step;
  double const whole = std::max(fewest, std::round(ratio));
  if (ratio < 0.0) {
    problems.add(path, "against the direction of time",
                 "it is " + shortest(time) + since(start) + " and integrator.time_step " +
                     shortest(time_step),
                 start == 0.0 ? "give both the same sign" : "give another end or step");
    return std::nullopt;
  }
  if (!(whole <= 0x1p53)) {
    problems.add(path, "too many steps", shortest(time) + " is " + shortest(ratio) + " time steps",
                 "increase integrator.time_step");
    return std::nullopt;
  }
  if (!is_step_count(duration, time_step, whole)) {
    problems.add(path, "not a whole number of steps",
                 shortest(time) + since(start) + " is " + shortest(ratio) + " time steps of " +
                     shortest(time_step),
                 "the nearest time that is one is " + rounded_time(whole, time_step, start));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(whole);
}

std::vector<std::uint64_t> listed_steps(Values const& values, std::string const& prefix,
                                        std::string const& path, double time_step, double start,
                                        DeckProblems& problems) {
  std::vector<std::uint64_t> steps;
  if (time_step == 0.0) return steps;
  if (values.has(prefix + "times")) {
    auto const& times = values.numbers(prefix + "times");
    for (std::size_t i = 0; i < times.size(); ++i) {
      auto const where = path + prefix + "times[" + std::to_string(i) + "]";
      if (auto const step = whole_steps(where, times[i], time_step, 0.0, problems, start)) {
        steps.push_back(*step);
      }
    }
  }
  if (values.has(prefix + "logarithmic_times")) {
    auto const where = path + prefix + "logarithmic_times";
    auto const& range = values.object(prefix + "logarithmic_times");
    double const first = range.number("first") / time_step, last = range.number("last") / time_step;
    auto const count = range.integer("count");
    double const first_step = start / time_step;
    if (!(first > 0.0 && first >= first_step && last > first && last - first_step <= 0x1p53)) {
      problems.add(where, "no range of times",
                   "first is " + shortest(range.number("first")) + " and last " +
                       shortest(range.number("last")),
                   "give times with the sign of integrator.time_step, not before run.start_time, "
                   "the last farther from 0");
      return steps;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      double const part = static_cast<double>(k) / static_cast<double>(count - 1);
      steps.push_back(static_cast<std::uint64_t>(
          std::llround(first * std::pow(last / first, part) - first_step)));
    }
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace apsis::deck
