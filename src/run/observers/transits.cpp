// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include "core/decimal.hpp"
#include <apsis/core/text.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/stepping.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace apsis::run {

namespace {

/// Motion of a body relative to the star, split into the plane of the sky and the line of sight.
struct SkyMotion {
  Vec3<double> position, velocity;  ///< on the sky [length, length / time]
  double height;                    ///< above the star, towards the observer [length]

  /// d/dt of half the squared distance on the sky: 0 at mid-transit.
  double phase() const { return dot(position, velocity); }
};

SkyMotion sky_motion(HostBodies const& bodies, std::size_t star, std::size_t body,
                     Vec3<double> const& observer) {
  auto const x = bodies.position[body] - bodies.position[star];
  auto const v = bodies.velocity[body] - bodies.velocity[star];
  double const height = dot(x, observer);
  return {x - height * observer, v - dot(v, observer) * observer, height};
}

/// Returns the bodies that move the star and one body, these two first.
HostBodies attracting_bodies(HostBodies const& bodies, std::size_t star, std::size_t body) {
  HostBodies chosen;
  auto const add = [&](std::size_t i) {
    chosen.mass.push_back(bodies.mass[i]);
    chosen.position.push_back(bodies.position[i]);
    chosen.velocity.push_back(bodies.velocity[i]);
    chosen.id.push_back(chosen.id.size());
  };
  add(star);
  add(body);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i != star && i != body && bodies.mass[i] > 0.0) add(i);
  }
  return chosen;
}

/// Configuration of a run with the law of gravity of `run`, pair sums in double precision, and the
/// scheme that chooses its steps itself.
deck::Configuration exact_motion(deck::Configuration const& run) {
  auto const& schemes = integrators::integrators();
  auto const scheme = std::find_if(schemes.begin(), schemes.end(),
                                   [](auto const& entry) { return entry.has_own_steps(); });
  auto parameters = scheme->parameters;
  parameters.push_back(integrators::stepping_parameter(*scheme));
  auto const& solver = forces::solvers().front();
  deck::Configuration exact;
  exact.units = run.units;
  exact.gravity = {&solver, defaults(solver.parameters), run.gravity.law,
                   forces::Precision::double_precision};
  exact.integrator = {&*scheme, defaults(parameters), run.integrator.time_step};
  return exact;
}

struct Transit {
  double offset;  ///< from the end of the step, towards its beginning [time]
  double impact;  ///< distance on the sky [length]
  double speed;   ///< on the sky [length / time]
  bool is_in_front;
};

/// Finds the time of mid-transit before the present time. Newton's method on the phase, whose slope
/// is that of an orbit about the star alone; the motion is integrated to rounding.
Transit find_transit(deck::Configuration const& exact, HostBodies const& bodies, std::size_t star,
                     std::size_t body, Vec3<double> const& observer, double step) {
  auto const start = attracting_bodies(bodies, star, body);
  double const gravity = exact.gravity.law.G * (start.mass[0] + start.mass[1]);
  auto const simulation = simulation::make_simulation(exact, start);
  double offset = 0.0;
  for (int iteration = 0;; ++iteration) {
    auto const& now = simulation->bodies();
    auto const sky = sky_motion(now, 0, 1, observer);
    double const distance = norm(now.position[1] - now.position[0]);
    double const slope = dot(sky.velocity, sky.velocity) -
                         gravity * dot(sky.position, sky.position) / std::pow(distance, 3);
    double change = -sky.phase() / slope;
    bool const is_converged = !(std::abs(change) > 1e-15 * std::abs(step));
    constexpr int most_iterations = 30;
    if (is_converged || iteration == most_iterations) {
      return {offset, norm(sky.position), norm(sky.velocity), sky.height > 0.0};
    }
    change = std::clamp(change, -std::abs(step), std::abs(step));
    simulation->set_time_step(change);
    simulation->advance(1);
    offset += change;
  }
}

Vec3<double> direction_to_observer(Values const& values) {
  auto const direction = values.vector3("observer");
  return (1.0 / norm(direction)) * direction;
}

/// Row of the primary; nothing if it is gone.
std::optional<std::size_t> star_of(Values const& values, HostBodies const& bodies) {
  return values.has("primary") ? find_body(bodies, values.text("primary"))
                               : std::optional<std::size_t>(0);
}

/// Rows of the transits of some bodies.
class Transits final : public StepRows {
 public:
  Transits(Values const& values, deck::Configuration const& run)
      : values_(values),
        observer_(direction_to_observer(values)),
        step_(run.integrator.time_step),
        exact_(exact_motion(run)) {}

  std::vector<std::vector<deck::Cell>> rows(simulation::Instant& now,
                                            RunStatus const& status) override {
    auto const& bodies = now.bodies();
    auto const primary = star_of(values_, bodies);
    if (!primary) return {};
    std::size_t const star = *primary;
    // Backwards in time the phase runs from positive to negative.
    double const direction = step_ < 0.0 ? -1.0 : 1.0;
    std::vector<std::vector<deck::Cell>> result;
    for (std::size_t const row : rows_of(bodies, values_.numbers("bodies"))) {
      if (row == star) continue;
      auto const [entry, is_start] = present_.try_emplace(bodies.id[row]);
      auto& state = entry->second;
      double const phase = direction * sky_motion(bodies, star, row, observer_).phase();
      bool const has_passed = !is_start && state.phase < 0.0 && phase >= 0.0;
      state.phase = phase;
      if (!has_passed) continue;
      auto const transit = find_transit(exact_, bodies, star, row, observer_, step_);
      if (!transit.is_in_front) continue;
      result.push_back({status.step, status.time + transit.offset, bodies.id[row], state.transits++,
                        transit.impact, transit.speed});
      if (has_names(values_)) result.back().emplace_back(bodies.name_of(row));
    }
    return result;
  }

  void commit() override { committed_ = present_; }
  void discard() override { present_ = committed_; }

  void exchange(SavedState& state) override {
    for (auto* const bodies : {&present_, &committed_}) {
      bool const is_present = bodies == &present_;
      std::vector<std::string> lines;
      for (auto const& [id, body] : *bodies) {
        lines.push_back(std::to_string(id) + " " + shortest(body.phase) + " " +
                        std::to_string(body.transits));
      }
      state.exchange(is_present ? "transits/present" : "transits/committed", lines);
      if (!state.restores()) continue;
      bodies->clear();
      for (auto const& line : lines) {
        std::string_view const words = line;
        auto const first = words.find(' '), last = words.rfind(' ');
        std::uint64_t id = 0;
        State body;
        bool const is_sound =
            first < last && read_decimal(words.substr(0, first), id) == Numeral::good &&
            read_decimal(words.substr(first + 1, last - first - 1), body.phase) == Numeral::good &&
            read_decimal(words.substr(last + 1), body.transits) == Numeral::good;
        APSIS_VALIDATE(is_sound, {"transits", "a damaged state", "'" + line + "'",
                                  "resume from another checkpoint"});
        bodies->emplace(id, body);
      }
    }
  }

 private:
  struct State {
    double phase = 0.0;  ///< after the previous step, times the direction of time
    std::uint64_t transits = 0;
  };

  Values const& values_;
  Vec3<double> observer_;
  double step_;  ///< [time]
  deck::Configuration exact_;
  std::map<std::uint64_t, State> present_, committed_;  ///< by the ids of the bodies
};

std::vector<TableColumn> transit_columns(Values const& values) {
  std::vector<TableColumn> columns{
      id_column(),
      {"transit", "number of the transit of this body, from 0", dimension::none, "", true},
      {"impact", "distance from the primary on the sky at mid-transit", dimension::length},
      {"speed", "relative to the primary on the sky at mid-transit", dimension::velocity}};
  if (has_names(values)) columns.push_back(name_column());
  return columns;
}

void check_transits(Values const& values, HostBodies const& bodies) {
  check_ids(bodies, values.numbers("bodies"), "transits.bodies");
  if (bodies.size() > 0 && values.has("primary")) {
    check_body(bodies, values.text("primary"), "transits.primary");
  }
  APSIS_VALIDATE(norm(values.vector3("observer")) > 0.0,
                 {"diagnostics.transits.observer", "no direction", "the vector is 0",
                  "give the direction to the observer, such as [0, 0, 1]"});
}

}  // namespace

deck::DiagnosticEntry transits_table() {
  deck::DiagnosticEntry entry{
      "transits",
      "transits.csv",
      "passages of bodies in front of a primary: a row for each, with `time` at mid-transit, found "
      "to rounding by integration; eight steps or more to a period",
      {body_ids_parameter(),
       text("primary", "id or name of the primary; default: the first body").or_whole_number(),
       vector3("observer", "direction to the observer; the sky is normal to it")
           .with_default(Vec3<double>{0.0, 0.0, 1.0}),
       names_parameter()},
      transit_columns,
      [](Values const&, simulation::Instant&) { return std::vector<std::vector<deck::Cell>>{}; },
      2,
      std::numeric_limits<std::uint64_t>::max(),
      check_transits,
      simulation::measured_bodies};
  entry.follow = [](Values const& values,
                    deck::Configuration const& run) -> std::shared_ptr<StepRows> {
    return std::make_shared<Transits>(values, run);
  };
  return entry;
}

}  // namespace apsis::run
