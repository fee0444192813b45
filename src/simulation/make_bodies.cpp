// SPDX-License-Identifier: Apache-2.0
#include "collisions.hpp"
#include "core/execution_space_for.hpp"
#include "forces/pair.hpp"
#include "henon_units.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/system_scales.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/forces/few_bodies.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace apsis::simulation {

namespace {

/// Returns a number as text. It may not be finite, since values that a model computes can overflow.
std::string value_text(double value) {
  return std::isfinite(value) ? shortest(value) : "that is not finite";
}

/// Refuses bodies that the precision of the run cannot represent, before any file is written.
template <class Real>
void check_representable(HostBodies const& bodies, forces::Gravity const& gravity) {
  bool const is_single = sizeof(Real) == sizeof(float);
  auto const precision = is_single ? "single" : "double";
  auto const refuse = [&](std::size_t i, std::string const& problem, std::string const& why) {
    throw Error(
        ExitStatus::bad_input,
        Problem{"body " + std::to_string(i), problem, why + " in " + precision + " precision",
                is_single ? "set gravity.precision to 'double', or choose other units"
                          : "choose other units"});
  };
  bool any_distant = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const m = bodies.mass[i];
    auto const x = bodies.position[i];
    auto const v = bodies.velocity[i];
    bool const vanishes = m != 0.0 && static_cast<Real>(m) == Real(0);
    bool const overflows = !std::isfinite(static_cast<Real>(m));
    if (vanishes || overflows) refuse(i, "mass " + value_text(m), "it overflows or underflows");
    for (double const coordinate : {x.x, x.y, x.z}) {
      bool const fits = std::abs(coordinate) <= forces::largest_length<Real>;
      if (!fits) refuse(i, "coordinate " + value_text(coordinate), "its square overflows");
      any_distant = any_distant || std::abs(coordinate) > forces::largest_force_distance<Real>;
    }
    for (double const component : {v.x, v.y, v.z}) {
      bool const fits = std::isfinite(static_cast<Real>(component));
      if (!fits) refuse(i, "velocity " + value_text(component), "it overflows");
    }
    double const eps = gravity.softening_of(bodies.species_of(i));
    bool const is_representable =
        eps == 0.0 || std::isfinite(static_cast<Real>(m / std::pow(eps, 3)));
    if (!is_representable) refuse(i, "mass " + shortest(m), "mass / softening^3 overflows");
  }
  // Single distant bodies are accepted. If half of the bodies are so distant, accelerations vanish.
  if (!any_distant) return;
  double const radius = diagnostics::system_scales(bodies, gravity.G).half_number_radius;
  APSIS_VALIDATE(
      radius <= forces::largest_force_distance<Real>,
      {"bodies",
       "half of them are farther than " + formatted("%.2g", radius) + " from their centre",
       std::string("accelerations by bodies beyond ") +
           formatted("%.2g", forces::largest_force_distance<Real>) + " vanish in " + precision +
           " precision",
       "choose other units or precision"});
}

/// Makes the bodies of a deck, of its parts first, and scales them by their energies.
class BodiesMaker {
 public:
  explicit BodiesMaker(deck::Configuration const& run) : run_(run) {}

  HostBodies make(deck::BodiesPlan const& plan, std::string const& where) const {
    auto bodies = unscaled(plan, where);
    if (auto const ratio = plan.virial_ratio()) {
      if (plan.henon_units) {
        check_motion(bodies, where + ".virial_ratio");
      } else {
        scale_to_virial_ratio(space(bodies), bodies, *make_solver(bodies), *ratio,
                              where + ".virial_ratio");
      }
    }
    if (plan.henon_units) {
      // A model has its position from the deck; the origin of a file is arbitrary.
      if (plan.file) initial_conditions::centre(bodies);
      auto* const ratio = plan.model->virial_ratio;
      scale_to_henon_units(
          space(bodies), bodies, *make_solver(bodies),
          ratio != nullptr ? std::optional(ratio(plan.values)) : plan.virial_ratio());
    }
    return bodies;
  }

 private:
  HostBodies unscaled(deck::BodiesPlan const& plan, std::string const& where) const {
    if (plan.file) {
      auto bodies = plan.file->bodies;
      if (initial_conditions::is_centred(plan.values)) initial_conditions::centre(bodies);
      return bodies;
    }
    double const G = run_.gravity.law.G;
    if (plan.parts.empty()) return plan.model->make(plan.values, G);
    std::vector<HostBodies> parts;
    for (std::size_t k = 0; k < plan.parts.size(); ++k) {
      auto const& part = plan.parts[k];
      bool const is_composed = initial_conditions::needs_bodies_before(part.values);
      parts.push_back(is_composed ? HostBodies()
                                  : make(part, where + ".parts[" + std::to_string(k) + "].bodies"));
    }
    auto bodies = plan.model->compose(plan.values, parts, G);
    bool const is_frame_fixed =
        std::any_of(run_.forces.begin(), run_.forces.end(),
                    [](auto const& force) { return forces::fixes_frame(*force.entry); });
    if (!is_frame_fixed) initial_conditions::bring_to_rest(bodies);
    return bodies;
  }

  ExecutionSpace space(HostBodies const& bodies) const {
    return execution_space_for(bodies.size(), run_.use_all_threads);
  }

  /// Makes a solver as that of the run, in double precision.
  std::unique_ptr<forces::Solver<double>> make_solver(HostBodies const& bodies) const {
    auto demand = run_.gravity.demand(run_.integrator);
    demand.precision = forces::Precision::double_precision;
    auto solver = run_.gravity.solver->make<double>(demand);
    solver->set_species(Context(space(bodies)), {bodies.species, 0, bodies.size(), bodies.size()});
    return solver;
  }

  deck::Configuration const& run_;
};

/// Throws unless a body has this species.
void check_species(std::string const& where, std::uint8_t species, HostBodies const& bodies) {
  APSIS_VALIDATE(
      bodies.size() == 0 || bodies.has_species(species),
      {where, "no body is of the species '" + std::string(species_types::names.at(species)) + "'",
       "it would show nothing", "give another, or none for all bodies"});
}

/// Checks that all bodies that the deck selects by id or species exist, before the run begins.
void check_selections(deck::Configuration const& run, HostBodies const& bodies) {
  for (auto const& plan : run.diagnostics) {
    if (plan.entry->check != nullptr) plan.entry->check(plan.values, bodies);
  }
  for (auto const& series : run.output.pictures) {
    auto const& shot = series.shot;
    if (shot.species) {
      check_species("output.render '" + shot.name + "'", *shot.species, bodies);
    }
    auto problems = render::problems_of(shot, bodies.size());
    for (auto& problem : problems) problem.where = "output.render: " + problem.where;
    if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
    bool const exists =
        shot.follow != render::Follow::body ||
        std::find(bodies.id.begin(), bodies.id.end(), *shot.body) != bodies.id.end();
    APSIS_VALIDATE(exists, {"output.render", "no body has the id " + std::to_string(*shot.body),
                            "series '" + shot.name + "' follows it", "give an existing id"});
  }
}

/// Checks that the bodies that forces name exist, and that the integrator applies forces to all
/// bodies.
void check_forces(deck::Configuration const& run, HostBodies const& bodies) {
  if (run.forces.empty()) return;
  for (auto const& force : run.forces) {
    force.make(run.force_setting)->check(bodies.id, bodies.mass);
  }
  auto const& entry = *run.integrator.entry;
  if (entry.extra_forces.massless) return;
  bool const has_massless =
      std::find(bodies.mass.begin(), bodies.mass.end(), 0.0) != bodies.mass.end();
  APSIS_VALIDATE(
      !has_massless && bodies.size() <= forces::max_few_bodies,
      {"forces", "contradicts integrator.name",
       "'" + entry.name + "' applies them to at most " + std::to_string(forces::max_few_bodies) +
           " bodies with mass" + (has_massless ? ", and some bodies are massless" : ""),
       "choose another integrator, such as 'gauss_radau15'"});
}
}  // namespace

HostBodies make_bodies(deck::Configuration const& run) {
  auto bodies = BodiesMaker(run).make(run.bodies, "bodies");
  // Mixed precision stores doubles, but evaluates pairs in single precision.
  if (run.gravity.precision == forces::Precision::double_precision) {
    check_representable<double>(bodies, run.gravity.law);
  } else {
    check_representable<float>(bodies, run.gravity.law);
  }
  check_selections(run, bodies);
  check_forces(run, bodies);
  check_events(run, bodies);
  if (run.integrator.entry->check_masses != nullptr)
    run.integrator.entry->check_masses(bodies.mass);
  return bodies;
}

}  // namespace apsis::simulation
