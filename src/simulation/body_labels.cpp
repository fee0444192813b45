// SPDX-License-Identifier: Apache-2.0
#include "body_labels.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>
#include <utility>

namespace apsis::simulation {

void BodyLabels::set_species(Species species, std::size_t bodies) {
  bool const is_valid = (species.empty() || species.size() == bodies) &&
                        std::all_of(species.begin(), species.end(),
                                    [](std::uint8_t kind) { return kind < species_types::count; });
  APSIS_VALIDATE(is_valid, {"species", "not one for each body", "", "give one for each, 0 to 5"});
  species_ = std::make_shared<Species const>(std::move(species));
}

void BodyLabels::set_names(Names names, std::size_t bodies) {
  APSIS_VALIDATE(names.empty() || names.size() == bodies,
                 {"names", "not one for each body", "", "give one for each, or none"});
  names_ = std::make_shared<Names const>(std::move(names));
}

void BodyLabels::exchange(SavedState& state, std::size_t bodies) {
  std::string digits;  // one digit per body
  for (auto const kind : *species_) digits += static_cast<char>('0' + kind);
  auto names = *names_;
  state.exchange("bodies/species", digits);
  state.exchange("bodies/names", names);
  if (!state.restores()) return;
  Species species;
  for (char const digit : digits) species.push_back(static_cast<std::uint8_t>(digit - '0'));
  set_species(std::move(species), bodies);
  set_names(std::move(names), bodies);
}

}  // namespace apsis::simulation
