// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis {

/// Environment variable with a value that the OpenMP runtime does not accept.
struct RefusedVariable {
  std::string name, value;
  std::string accepted;  ///< accepted values
};

/// Returns the OpenMP variables of this process with invalid values.
std::vector<RefusedVariable> refused_openmp_variables();

/// Removes variables with invalid values from `environment`, a list of "NAME=value" that ends with
/// a null pointer, and stores them for refused_openmp_variables(). Must be called before the OpenMP
/// runtime is loaded, which would print its own message for each of them. Allocates nothing.
void hide_refused_openmp_variables(char** environment);

}  // namespace apsis
