// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace apsis::testing {

/// Returns the message of the error of a call that must fail with this status, all lines.
template <class Call>
std::string refusal(Call const& call, ExitStatus status = ExitStatus::bad_input) {
  try {
    call();
  } catch (Error const& error) {
    CHECK(error.status() == status);
    return error.what();
  }
  FAIL_CHECK("it was not refused");
  return {};
}

/// Returns the message of an input/output error of a call.
template <class Call>
std::string file_refusal(Call const& call) {
  return refusal(call, ExitStatus::input_output);
}

}  // namespace apsis::testing
