// SPDX-License-Identifier: Apache-2.0
#include "units_text.hpp"

#include <apsis/core/text.hpp>

#include <charconv>
#include <cmath>

namespace apsis::io {

namespace {

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Takes a word from the front of the text, with the blanks before it.
bool take(std::string_view& text, std::string_view word) {
  skip_blanks(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// Takes "length 1.5 m".
bool take_unit(std::string_view& text, std::string_view what, std::string_view unit,
               double& value) {
  if (!take(text, what)) return false;
  skip_blanks(text);
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value > 0.0 && std::isfinite(value))) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return take(text, unit);
}

}  // namespace

std::string units_text(BodiesFile const& file) {
  bool const named = unit_systems().find(file.unit_system) != nullptr;
  std::string const name = named ? file.unit_system : "";
  if (!file.units) return name;
  return name + (named ? ": " : "") + "length " + shortest(file.units->length) + " m, mass " +
         shortest(file.units->mass) + " kg, time " + shortest(file.units->time) + " s";
}

bool read_units_text(std::string_view text, BodiesFile& file) {
  skip_blanks(text);
  auto const name = text.substr(0, text.find_first_of(": \t"));
  auto const* system = unit_systems().find(lower_case(name));
  if (system != nullptr) {
    text.remove_prefix(name.size());
    take(text, ":");
    skip_blanks(text);
    file.unit_system = system->system;
    file.units = system->si;
    if (text.empty()) return true;
  }
  Units::Si si{};
  bool const whole = take_unit(text, "length", "m", si.length) && take(text, ",") &&
                     take_unit(text, "mass", "kg", si.mass) && take(text, ",") &&
                     take_unit(text, "time", "s", si.time);
  skip_blanks(text);
  if (!whole || !text.empty()) return false;
  file.units = si;
  return true;
}

}  // namespace apsis::io
