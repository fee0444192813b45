// SPDX-License-Identifier: Apache-2.0
#include "forces/pair.hpp"
#include "resolve.hpp"
#include <apsis/core/text.hpp>

#include <cmath>
#include <limits>

namespace apsis::deck {

namespace {

constexpr char const* by_species_key = "gravity.softening_by_species";

std::vector<std::pair<std::string, double>> softening_lengths(Values const& gravity) {
  std::vector<std::pair<std::string, double>> lengths;
  if (auto const eps = optional_number(gravity, "softening")) {
    lengths.emplace_back("gravity.softening", *eps);
  }
  if (!gravity.has("softening_by_species")) return lengths;
  auto const& by_species = gravity.object("softening_by_species");
  for (auto const* species : species_types::names) {
    if (auto const eps = optional_number(by_species, species)) {
      lengths.emplace_back(std::string(by_species_key) + "." + species, *eps);
    }
  }
  return lengths;
}

void set_softening(Values const& gravity, forces::Gravity& law) {
  law.softening = optional_number(gravity, "softening").value_or(law.softening);
  if (!gravity.has("softening_by_species")) return;
  auto const& by_species = gravity.object("softening_by_species");
  auto& lengths = law.softening_by_species.emplace();
  for (std::size_t k = 0; k < species_types::count; ++k) {
    lengths[k] = optional_number(by_species, species_types::names[k]).value_or(law.softening);
  }
}

/// Adds problems for softening lengths that the precision cannot represent.
void check_softening(GravityPlan const& plan, DeckProblems& problems) {
  // Mixed precision stores doubles, but evaluates pairs in single precision.
  bool const single = plan.precision != Precision::double_precision;
  double const smallest =
      single ? forces::smallest_softening<float> : forces::smallest_softening<double>;
  double const largest = single ? forces::largest_length<float> : forces::largest_length<double>;
  for (auto const& [key, softening] : softening_lengths(plan.values)) {
    if (softening > 0.0 && softening < smallest) {
      problems.add(key, "too small",
                   "its third power underflows in " + name_of(plan.precision) + " precision",
                   "set 0 or at least " + shortest(smallest));
    }
    if (softening > largest) {
      problems.add(key, "too large",
                   "its square overflows in " + name_of(plan.precision) + " precision",
                   "set at most " + shortest(largest));
    }
  }
}

void check_solver(GravityPlan const& plan, IntegratorPlan const& integrator,
                  DeckProblems& problems) {
  if (plan.solver == nullptr) return;
  auto const demand = plan.demand(integrator);
  if (demand.derivatives > plan.solver->derivatives) {
    problems.add("gravity.solver", "contradicts integrator.name",
                 "'" + demand.integrator_name + "' needs derivatives of the acceleration",
                 "choose another solver or integrator");
  }
  if (demand.needs_exact_forces && demand.precision != Precision::double_precision) {
    problems.add("gravity.precision", "contradicts integrator.name",
                 "'" + demand.integrator_name + "' needs forces that are exact to rounding",
                 "set it to 'double' or choose another integrator");
  }
  problems.add_all("", plan.solver->check(demand));
}

/// Adds problems for a law or a precision that the integrator does not support.
void check_integrator(GravityPlan const& plan, IntegratorPlan const& integrator,
                      DeckProblems& problems) {
  if (integrator.entry == nullptr) return;
  auto const& entry = *integrator.entry;
  auto const name = "'" + entry.name + "'";
  if (entry.needs_double && plan.precision != Precision::double_precision) {
    problems.add("gravity.precision", "contradicts integrator.name",
                 name + " computes in double precision", "set it to 'double'");
  }
  auto const softening = forces::largest_softening_length(plan.law);
  auto const key = plan.law.softening_by_species ? by_species_key : "gravity.softening";
  if (entry.needs_dominant_body && softening > 0.0) {
    problems.add(key, "contradicts integrator.name",
                 name + " moves bodies on Kepler orbits, which have no softening",
                 "set it to 0 or choose another integrator");
  } else if (entry.has_own_steps() && plan.law.softening_by_species) {
    problems.add(key, "contradicts integrator.name", name + " has one softening length",
                 "set gravity.softening alone or choose another integrator");
  }
}

void check_single_range(std::string const& path, double value, DeckProblems& problems) {
  bool const vanishes = value != 0.0 && static_cast<float>(value) == 0.0f;
  if (!vanishes && std::abs(value) <= std::numeric_limits<float>::max()) return;
  problems.add(path, "out of range", shortest(value) + " is no number in single precision",
               "set gravity.precision to 'double'");
}

}  // namespace

GravityPlan resolve_gravity(Values const& gravity, double G, IntegratorPlan const& integrator,
                            DeckProblems& problems) {
  GravityPlan plan;
  plan.solver = entry_named(forces::solvers(), gravity, "solver");
  plan.values = gravity;
  plan.law.G = G;
  set_softening(gravity, plan.law);
  if (gravity.has("softening_kernel")) {
    plan.law.softening_kernel =
        forces::softening_kernels().get(gravity.text("softening_kernel")).kernel;
    for (auto const& [key, softening] : softening_lengths(gravity)) {
      if (plan.law.softening_kernel != forces::SofteningKernel::none || softening == 0.0) continue;
      problems.add(key, "contradicts gravity.softening_kernel", "the kernel 'none' softens nothing",
                   "set it to 0 or choose a kernel");
    }
  }
  if (gravity.has("precision")) {
    plan.precision = forces::precisions().get(gravity.text("precision")).precision;
  }
  check_solver(plan, integrator, problems);
  check_integrator(plan, integrator, problems);
  check_softening(plan, problems);
  if (plan.precision != Precision::double_precision) {
    check_single_range("gravity.G", G, problems);
    for (auto const& [key, softening] : softening_lengths(gravity)) {
      check_single_range(key, softening, problems);
    }
    check_single_range("integrator.time_step", integrator.time_step, problems);
  }
  return plan;
}

}  // namespace apsis::deck
