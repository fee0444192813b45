// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::cli {

/// Variable of the environment whose value the OpenMP runtime does not accept.
struct RefusedVariable {
  std::string name, value;
  std::string wanted;  ///< values that it accepts
};

/// The OpenMP variables of this process with such values.
std::vector<RefusedVariable> refused_openmp_variables();

/// Takes the variables with such values out of `environment`, a list of "NAME=value" that ends with
/// a null pointer, and keeps them for refused_openmp_variables(). The runtime would print a line of
/// its own for each of them when it is loaded: call this before. Allocates nothing.
void hide_refused_openmp_variables(char** environment);

}  // namespace apsis::cli
