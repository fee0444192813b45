// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>

#include <doctest/doctest.h>

namespace apsis::testing {

inline driver::Configuration configured(std::string const& json,
                                        std::vector<std::string> const& overrides) {
  return driver::configure(json, "deck", overrides).configuration;
}

/// What is wrong with a deck, a line each; empty if it is good.
inline std::string problems_of(std::string const& json, std::vector<std::string> const& overrides) {
  try {
    driver::configure(json, "deck", overrides);
  } catch (Error const& error) {
    CHECK(static_cast<int>(error.status()) == 65);
    return error.what();
  }
  return "";
}

}  // namespace apsis::testing
