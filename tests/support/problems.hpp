// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace apsis::testing {

/// What a call that must fail as bad input says, all lines of it.
template <class Call>
std::string refusal(Call const& call) {
  try {
    call();
  } catch (Error const& error) {
    CHECK(error.status() == ExitStatus::bad_input);
    return error.what();
  }
  FAIL_CHECK("it was not refused");
  return {};
}

}  // namespace apsis::testing
