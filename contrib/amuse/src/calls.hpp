// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model.hpp"

#include <string>
#include <type_traits>

/// Calls from AMUSE's dispatcher, which exceptions must not reach.
namespace apsis::amuse {

/// Results of AMUSE's functions besides 0.
inline constexpr int failure = -1, unsupported = -2;

/// The model of this process.
Model& model();
/// Replaces the model by a new one.
void replace_model();

/// Writes the text of a problem to the standard error stream, unless it is that of the last one: a
/// call for many particles may fail in the same way for each.
void report(std::string const& text);
/// Reports the exception that is being handled. Returns `failure`.
int report_exception() noexcept;

/// Calls a function that returns nothing, or an AMUSE result; returns that result.
template <class Function>
int guarded(Function const& function) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return 0;
    } else {
      return function();
    }
  } catch (...) {
    return report_exception();
  }
}

template <class Value>
int get_value(Value const& source, Value* value) {
  *value = source;
  return 0;
}

}  // namespace apsis::amuse
