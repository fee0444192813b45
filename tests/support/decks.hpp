// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace apsis::testing {

/// Valid decks: a sphere, and two bodies.
inline std::string const sphere_deck = R"({
  "bodies": {"generator": "plummer", "count": 100},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.01},
  "run": {"end_time": 1.0}
})";

inline std::string const two_listed = R"({
  "bodies": {"list": [{"mass": 1, "position": [1, 0, 0]}, {"mass": 1, "position": [0, 0, 0]}]},
  "integrator": {"time_step": 0.01}, "run": {"steps": 1}
})";

inline deck::Configuration configured(std::string const& json,
                                      std::vector<std::string> const& overrides) {
  return deck::configure(json, "deck", overrides).configuration;
}

/// Returns the problems of a deck, one per line; empty if it is valid.
inline std::string problems_of(std::string const& json, std::vector<std::string> const& overrides) {
  try {
    deck::configure(json, "deck", overrides);
  } catch (Error const& error) {
    CHECK(static_cast<int>(error.status()) == 65);
    return error.what();
  }
  return "";
}

}  // namespace apsis::testing
