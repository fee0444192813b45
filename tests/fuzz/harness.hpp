// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// What libFuzzer and the replay call with one input.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace apsis::fuzzing {

/// Ends the process, as a fault that a sanitizer finds does.
inline void require(bool kept, char const* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Whether a reader took its input. It may refuse it in words, and do nothing else: any other
/// exception ends the process.
template <class Read>
bool accepted(Read const& read) {
  try {
    read();
    return true;
  } catch (Error const& error) {
    bool const as_input =
        error.status() == ExitStatus::bad_input || error.status() == ExitStatus::usage;
    require(as_input, error.what());
    require(!error.problems().empty(), "a refusal says what is wrong");
    return false;
  }
}

}  // namespace apsis::fuzzing
