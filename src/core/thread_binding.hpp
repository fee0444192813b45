// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// Binds every OpenMP thread to one processor, so that the scheduler does not move two threads to
/// the same core during a run. Applies only if the user did not set OMP_PROC_BIND and there are as
/// many threads as processors that this process may use: a run with fewer threads shares the
/// machine, and its threads are left to the scheduler.
///
/// Construct before Kokkos is initialised (Kokkos reads the environment); call bind() after.
class ThreadBinding {
 public:
  ThreadBinding();
  void bind() const;

 private:
  [[maybe_unused]] bool wanted_ = false;  // unused without OpenMP
};

/// Restores the affinity of the calling thread to all processors that this process could use before
/// bind(). Needed because a new thread inherits the single processor of the thread that starts it.
void unbind_this_thread();

/// Environment variable with a value that the OpenMP runtime does not accept.
struct RefusedVariable {
  std::string name, value;
  std::string accepted;  ///< accepted values
};

/// Whether `is_good` holds for each word of a list such as "4,2". Blanks around words are ignored
/// (OpenMP 5.2, section 21).
bool all_words(std::string_view list, std::function<bool(std::string_view)> const& is_good);

/// Returns the OpenMP variables of this process with invalid values.
std::vector<RefusedVariable> refused_openmp_variables();

/// Removes variables with invalid values from `environment`, a list of "NAME=value" that ends with
/// a null pointer, and stores them for refused_openmp_variables(). Must be called before the OpenMP
/// runtime is loaded, which would print its own message for each of them. Allocates nothing.
void hide_refused_openmp_variables(char** environment);

}  // namespace apsis
