// SPDX-License-Identifier: Apache-2.0
#include "option_form.hpp"

#include "core/decimal.hpp"
#include <apsis/core/text.hpp>

#include <cstdint>
#include <type_traits>

namespace apsis::cli {

namespace {

template <class Value, class Number>
void describe(OptionForm& form, IntegerRange<Value, Number> const& range) {
  form.value = "N";
  form.range = "from " + std::to_string(static_cast<std::uint64_t>(range.least)) + " to " +
               std::to_string(static_cast<std::uint64_t>(range.most));
  if constexpr (std::is_same_v<Value, Number>) form.default_text = std::to_string(*range.value);
}
void describe(OptionForm&, bool*) {}
void describe(OptionForm& form, std::string const* value) {
  form.value = "TEXT";
  form.default_text = *value;
}
void describe(OptionForm& form, double const* value) {
  form.value = "NUMBER";
  form.default_text = shortest(*value);
}
void describe(OptionForm& form, std::optional<double> const*) {
  form.value = "NUMBER";
}
void describe(OptionForm& form, TextList const&) {
  form.value = "TEXT";
  form.is_repeatable = true;
}
void describe(OptionForm& form, OptionalNumber const&) {
  form.value = "N";
}

}  // namespace

OptionForm form_of(Option const& option) {
  OptionForm form;
  form.name = option.name.front() == '!' ? option.name.substr(1) : option.name;
  form.is_operand = option.name.find("--") == std::string::npos;
  std::visit([&](auto const& value) { describe(form, value); }, option.value);
  if (!option.type.empty()) form.value = option.type;
  form.is_required = form.is_operand && !option.is_optional_operand && !form.is_repeatable;
  return form;
}

std::string synopsis_of(Command const& command) {
  std::string line = command.name + " [OPTIONS]";
  for (auto const& option : command.options) {
    auto const form = form_of(option);
    if (!form.is_operand) continue;
    line += " " + (form.is_required ? form.name : "[" + form.name + "]") +
            (form.is_repeatable ? "..." : "");
  }
  return line;
}

}  // namespace apsis::cli
