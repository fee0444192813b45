// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// Species of all bodies of a run: one per body, or none at all. Only the leader rank has them.
/// They never change, so copies of the bodies share them.
class Species {
 public:
  using Kinds = std::vector<std::uint8_t>;

  void set(Kinds kinds, std::size_t bodies) {
    bool const is_valid = (kinds.empty() || kinds.size() == bodies) &&
                          std::all_of(kinds.begin(), kinds.end(), [](std::uint8_t kind) {
                            return kind < species_types::count;
                          });
    APSIS_VALIDATE(is_valid, {"species", "not one for each body", "", "give one for each, 0 to 5"});
    kinds_ = std::make_shared<Kinds const>(std::move(kinds));
  }
  std::shared_ptr<Kinds const> const& kinds() const { return kinds_; }

  void exchange(SavedState& state, std::size_t bodies) {
    std::string digits;  // one digit per body
    for (auto const kind : *kinds_) digits += static_cast<char>('0' + kind);
    state.exchange("bodies/species", digits);
    if (!state.restores()) return;
    Kinds restored;
    for (char const digit : digits) restored.push_back(static_cast<std::uint8_t>(digit - '0'));
    set(std::move(restored), bodies);
  }

 private:
  std::shared_ptr<Kinds const> kinds_ = std::make_shared<Kinds const>();
};

}  // namespace apsis::simulation
