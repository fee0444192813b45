// SPDX-License-Identifier: Apache-2.0
#include "kernel_problems.hpp"

#include <apsis/forces/kernel.hpp>

namespace apsis::forces {

std::vector<Problem> kernel_problems(Demand const& demand, std::string const& kernel) {
  std::vector<Problem> problems;
  auto const add = [&](std::string problem, std::string why, std::string advice) {
    problems.push_back({"gravity.kernel", std::move(problem), std::move(why), std::move(advice)});
  };
  auto const* entry = kernels().find(kernel);
  auto const missing = entry != nullptr ? entry->unavailable : "there is no kernel of that name";
  if (!missing.empty()) {
    add("'" + kernel + "' is not available", missing, "choose another, or leave it to 'auto'");
  }
  if (demand.derivatives > 0 && kernel != "auto") {
    add("contradicts integrator.name", "'" + demand.integrator_name + "' has kernels of its own",
        "leave it to 'auto'");
  }
  if (has_size(demand.gravity) && kernel != "auto" && kernel != compact_kernel) {
    add("contradicts gravity.softening_kernel", "'" + kernel + "' supports point sources only",
        "choose '" + std::string(compact_kernel) + "' or leave it to 'auto'");
  }
  return problems;
}

}  // namespace apsis::forces
