// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/henon_units.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/forces/pair.hpp>
#include <apsis/forces/solver.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::driver {

namespace {

/// A model whose numbers overflow on the way may make anything.
std::string in_words(double value) {
  return std::isfinite(value) ? shortest(value) : "that is not finite";
}

/// Refuses bodies that the run's precision cannot work with, before anything is written for them.
template <class Real>
void check_representable(HostBodies const& bodies, forces::Gravity const& gravity) {
  auto const precision = sizeof(Real) == sizeof(float) ? "single" : "double";
  auto const refuse = [&](std::size_t i, std::string const& problem, std::string const& why) {
    throw Error(ExitStatus::bad_input, Problem{"body " + std::to_string(i), problem,
                                               why + " in " + precision + " precision",
                                               "choose other units or precision"});
  };
  double const eps_cubed = std::pow(gravity.softening, 3);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    double const m = bodies.mass[i];
    auto const x = bodies.position[i];
    auto const v = bodies.velocity[i];
    bool const vanishes = m != 0.0 && static_cast<Real>(m) == Real(0);
    bool const overflows = !std::isfinite(static_cast<Real>(m));
    if (vanishes || overflows) refuse(i, "mass " + in_words(m), "it is no number");
    for (double const coordinate : {x.x, x.y, x.z}) {
      bool const fits = std::abs(coordinate) <= forces::largest_length<Real>;
      if (!fits) refuse(i, "coordinate " + in_words(coordinate), "its square overflows");
    }
    for (double const component : {v.x, v.y, v.z}) {
      bool const fits = std::isfinite(static_cast<Real>(component));
      if (!fits) refuse(i, "velocity " + in_words(component), "it is no number");
    }
    bool const soft = gravity.softening == 0.0 || std::isfinite(static_cast<Real>(m / eps_cubed));
    if (!soft) refuse(i, "mass " + shortest(m), "mass / softening^3 overflows");
  }
}

/// Refuses bodies most of which are so far from each other that the inverse cubes of their
/// distances vanish: they would not pull each other.
template <class Real>
void check_distances(HostBodies const& bodies) {
  double const most = std::pow(static_cast<double>(std::numeric_limits<Real>::min()), -1.0 / 3.0);
  constexpr std::size_t few = 2;  // one may be meant to have left
  if (bodies.size() <= few) return;
  Vec3<double> middle{};
  std::vector<double> along;
  for (auto const axis : {&Vec3<double>::x, &Vec3<double>::y, &Vec3<double>::z}) {
    along.clear();
    for (auto const& x : bodies.position) along.push_back(x.*axis);
    auto const half = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 2);
    std::nth_element(along.begin(), half, along.end());
    middle.*axis = *half;
  }
  auto const far =
      std::count_if(bodies.position.begin(), bodies.position.end(), [&](auto const& x) {
        auto const way = x - middle;
        return std::max({std::abs(way.x), std::abs(way.y), std::abs(way.z)}) > most;
      });
  bool const good = 2 * static_cast<std::size_t>(far) <= bodies.size();
  APSIS_VALIDATE(
      good,
      {"bodies", "most are further than " + formatted("%.2g", most) + " from their middle",
       std::string("the inverse cubes of such distances vanish in ") +
           (sizeof(Real) == sizeof(float) ? "single" : "double") + " precision, and so do pulls",
       "choose other units or precision"});
}

HostBodies made(BodiesChoice const& choice, double G) {
  if (choice.file) {
    auto bodies = choice.file->bodies;
    if (initial_conditions::is_centred(choice.model_values)) initial_conditions::centre(bodies);
    return bodies;
  }
  if (choice.parts.empty()) return choice.model->make(choice.model_values, G);
  std::vector<HostBodies> parts;
  for (auto const& part : choice.parts) parts.push_back(made(part, G));
  return choice.model->compose(choice.model_values, parts, G);
}

}  // namespace

namespace {
void expect_species(std::string const& where, std::uint8_t species, HostBodies const& bodies) {
  APSIS_VALIDATE(
      bodies.size() == 0 || bodies.has_species(species),
      {where, "no body is of the species '" + std::string(species_types::names.at(species)) + "'",
       "it would show nothing", "give another, or none for all bodies"});
}

/// What a deck asks of bodies by their ids is known to be there before a run begins.
void expect_chosen(Configuration const& run, HostBodies const& bodies) {
  for (auto const& plan : run.diagnostics) {
    if (plan.entry->check != nullptr) plan.entry->check(plan.values, bodies);
  }
  for (auto const& series : run.pictures) {
    auto const& shot = series.shot;
    if (shot.species) {
      expect_species("output.render '" + shot.name + "'", *shot.species, bodies);
    }
    auto problems = render::problems_of(shot, bodies.size());
    for (auto& problem : problems) problem.where = "output.render: " + problem.where;
    if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
    bool const there = shot.follow != render::Follow::body ||
                       std::find(bodies.id.begin(), bodies.id.end(), *shot.body) != bodies.id.end();
    APSIS_VALIDATE(there, {"output.render", "no body has the id " + std::to_string(*shot.body),
                           "series '" + shot.name + "' follows it", "give an id that there is"});
  }
}
}  // namespace

HostBodies make_bodies(Configuration const& run) {
  auto bodies = made(run, run.gravity.G);
  if (run.henon_units) {
    // A model has its place from the deck; a file may have its origin anywhere.
    if (run.file) initial_conditions::centre(bodies);
    auto* const ratio = run.model->virial_ratio;
    auto demand = run.demand(run);
    demand.precision = forces::Precision::double_precision;
    auto const solver = run.solver->make<double>(demand);
    scale_to_henon_units(execution_space_for(bodies.size(), run.use_all_threads), bodies, *solver,
                         ratio != nullptr ? std::optional(ratio(run.model_values)) : std::nullopt);
  }
  // Mixed precision stores more, but a pair is evaluated in single.
  if (run.precision == Precision::double_precision) {
    check_representable<double>(bodies, run.gravity);
    check_distances<double>(bodies);
  } else {
    check_representable<float>(bodies, run.gravity);
    check_distances<float>(bodies);
  }
  expect_chosen(run, bodies);
  return bodies;
}

}  // namespace apsis::driver
