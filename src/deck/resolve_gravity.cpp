// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/core/text.hpp>
#include <apsis/forces/pair.hpp>

#include <cmath>
#include <limits>

namespace apsis::deck {

namespace {

/// Adds problems for requirements that the solver does not support.
void check_solver(GravityChoice const& choice, IntegratorChoice const& integrator,
                  DeckProblems& problems) {
  if (choice.solver == nullptr) return;
  auto const demand = choice.demand(integrator);
  if (demand.derivatives > choice.solver->derivatives) {
    problems.add("gravity.solver", "contradicts integrator.name",
                 "'" + demand.integrator_name + "' needs derivatives of the acceleration",
                 "choose another solver or integrator");
  }
  if (demand.needs_exact_forces && demand.precision != Precision::double_precision) {
    problems.add("gravity.precision", "contradicts integrator.name",
                 "'" + demand.integrator_name + "' needs forces that are exact to rounding",
                 "set it to 'double' or choose another integrator");
  }
  for (auto const& problem : choice.solver->check(demand)) {
    problems.add(problem.where, problem.problem, problem.why, problem.advice);
  }
}

void check_single_range(std::string const& path, double value, DeckProblems& problems) {
  bool const vanishes = value != 0.0 && static_cast<float>(value) == 0.0f;
  if (!vanishes && std::abs(value) <= std::numeric_limits<float>::max()) return;
  problems.add(path, "out of range", shortest(value) + " is no number in single precision",
               "set gravity.precision to 'double'");
}

}  // namespace

GravityChoice resolve_gravity(Values const& gravity, double G, IntegratorChoice const& integrator,
                              DeckProblems& problems) {
  GravityChoice choice;
  choice.solver = entry_named(forces::solvers(), gravity, "solver");
  choice.solver_values = gravity;
  choice.gravity.G = G;
  double const softening = optional_number(gravity, "softening").value_or(choice.gravity.softening);
  choice.gravity.softening = softening;
  if (gravity.has("softening_kernel")) {
    choice.gravity.softening_kernel =
        forces::softening_kernels().get(gravity.text("softening_kernel")).kernel;
    if (choice.gravity.softening_kernel == forces::SofteningKernel::none && softening > 0.0) {
      problems.add("gravity.softening", "contradicts gravity.softening_kernel",
                   "the kernel 'none' softens nothing", "set it to 0 or choose a kernel");
    }
  }
  if (gravity.has("precision")) {
    choice.precision = forces::precisions().get(gravity.text("precision")).precision;
  }
  check_solver(choice, integrator, problems);
  // Mixed precision stores doubles, but evaluates pairs in single precision.
  bool const single = choice.precision != Precision::double_precision;
  double const smallest =
      single ? forces::smallest_softening<float> : forces::smallest_softening<double>;
  double const largest = single ? forces::largest_length<float> : forces::largest_length<double>;
  if (softening > 0.0 && softening < smallest) {
    problems.add("gravity.softening", "too small",
                 "its third power underflows in " + name_of(choice.precision) + " precision",
                 "set 0 or at least " + shortest(smallest));
  }
  if (softening > largest) {
    problems.add("gravity.softening", "too large",
                 "its square overflows in " + name_of(choice.precision) + " precision",
                 "set at most " + shortest(largest));
  }
  if (single) {
    check_single_range("gravity.G", G, problems);
    check_single_range("gravity.softening", softening, problems);
    check_single_range("integrator.time_step", integrator.time_step, problems);
  }
  return choice;
}

}  // namespace apsis::deck
