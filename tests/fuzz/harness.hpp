// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

/// Entry point that libFuzzer and the replay call with one input.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace apsis::fuzzing {

/// Aborts the process if a promise is broken, like an error that a sanitizer finds.
inline void require(bool condition, char const* promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// Whether a reader accepts its input. It may reject it with an input or usage error; any other
/// exception ends the process.
template <class Read>
bool accepted(Read const& read) {
  try {
    read();
    return true;
  } catch (Error const& error) {
    bool const is_rejection =
        error.status() == ExitStatus::bad_input || error.status() == ExitStatus::usage;
    require(is_rejection, error.what());
    require(!error.problems().empty(), "a rejection states the problem");
    return false;
  }
}

}  // namespace apsis::fuzzing
