// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/kokkos_session.hpp>
#include <apsis/core/text.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace apsis::amuse {

namespace {

void require(bool condition, char const* function, std::string const& why,
             std::string const& advice) {
  if (condition) return;
  throw Error(ExitStatus::usage, {function, "not in this state", why, advice});
}

/// Starts Kokkos once in a process and never ends it: a worker may be initialised again.
void start_kokkos(int threads) {
  KokkosOptions options;
  if (threads > 0) options.threads = threads;
  static auto* const session = new std::shared_ptr<void>;
  if (auto owner = start_kokkos(options)) *session = std::move(owner);
}

}  // namespace

Particles& Model::edit() {
  require(state_ != State::initialized, "particles", "the parameters are not committed",
          "call commit_parameters first");
  if (is_committed()) state_ = State::update;
  return particles_;
}

void Model::commit_parameters() {
  check(parameters);
  start_kokkos(parameters.number_of_threads);
  if (state_ != State::initialized) return;
  time_ = parameters.begin_time;
  state_ = State::edit;
}

void Model::recommit_parameters() {
  require(state_ != State::initialized, "recommit_parameters", "there are none so far",
          "call commit_parameters first");
  check(parameters);
  start_kokkos(parameters.number_of_threads);
  if (!is_committed()) time_ = parameters.begin_time;
  if (is_committed() && state_ != State::update) rebuild();
}

void Model::commit_particles() {
  require(state_ == State::edit, "commit_particles",
          state_ == State::initialized ? "the parameters are not committed"
                                       : "particles are committed already",
          state_ == State::initialized ? "call commit_parameters first"
                                       : "call recommit_particles instead");
  rebuild();
  state_ = State::run;
}

void Model::recommit_particles() {
  require(is_committed(), "recommit_particles", "particles are not committed",
          "call commit_particles first");
  if (state_ == State::update) rebuild();
  state_ = State::run;
}

void Model::synchronize() {
  require(is_committed(), "synchronize_model", "particles are not committed",
          "call commit_particles first");
  if (state_ == State::evolved) state_ = State::run;
}

void Model::rebuild() {
  std::unique_ptr<simulation::SteeredSimulation> fresh;
  if (particles_.count() > 0) {
    fresh = std::make_unique<simulation::SteeredSimulation>(
        configure(parameters, particles_.bodies(), time_));
  }
  particles_.compact();
  simulation_ = std::move(fresh);
  accelerations_.clear();
}

simulation::SteeredSimulation* Model::simulation() {
  require(is_committed(), "particles", "they are not committed", "call commit_particles first");
  require(state_ != State::update, "particles", "they have been changed",
          "call recommit_particles first");
  return simulation_.get();
}

void Model::synchronize_particles() {
  auto& now = simulation_->now();
  time_ = now.time();
  particles_.take_motion(now.bodies());
  accelerations_.clear();
}

void Model::evolve(double time) {
  auto* const steered = simulation();
  APSIS_VALIDATE(std::isfinite(time),
                 {"evolve_model", "not finite", "the time is " + shortest(time), "give a number"});
  APSIS_VALIDATE(time >= time_ || parameters.is_time_reversed_allowed,
                 {"evolve_model", "time " + shortest(time) + " is in the past",
                  "the model is at " + shortest(time_), "set is_time_reversed_allowed"});
  stopping.clear();
  state_ = State::evolved;
  if (steered == nullptr) time_ = time;
  if (time == time_) return;
  auto& now = steered->now();
  if ((time - time_) * now.state().time_step < 0.0) now.reverse_time();
  bool is_finite = false;
  try {
    is_finite = stopping.any() ? step_to(time) : steered->advance_to(time);
  } catch (...) {
    synchronize_particles();
    throw;
  }
  synchronize_particles();
  if (is_finite) return;
  auto const failed = now.not_finite();
  throw Error(ExitStatus::internal, {"evolve_model", "a particle is not finite",
                                     failed ? failed->what + " of particle " +
                                                  std::to_string(particles_.index_of(failed->index))
                                            : "at time " + shortest(time_),
                                     "use a smaller time step or a softening length"});
}

bool Model::step_to(double time) {
  constexpr double whole_step = 1.0 + 1e-9;
  auto& now = simulation_->now();
  Stopwatch const watch;
  for (std::uint64_t steps = 1; now.time() != time; ++steps) {
    bool const is_last = (time - now.time()) / now.state().time_step <= whole_step;
    bool const is_made = is_last ? simulation_->advance_to(time) : simulation_->advance(1) == 1;
    if (!is_made || now.not_finite()) return false;
    synchronize_particles();
    if (stopping.check(particles_, {steps, watch.seconds()}) || is_last) break;
  }
  return true;
}

std::vector<Vec3<double>> const& Model::accelerations() {
  auto* const steered = simulation();
  if (steered == nullptr || !accelerations_.empty()) return accelerations_;
  simulation::on_whole(steered->now().with_accelerations(), [&](Context const& context,
                                                                auto const& bodies, auto const&) {
    context.space.fence("apsis::amuse: accelerations");
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
    accelerations_.resize(a.extent(0));
    for (std::size_t i = 0; i < accelerations_.size(); ++i) {
      accelerations_[i] = {a(i, 0), a(i, 1), a(i, 2)};
    }
  });
  return accelerations_;
}

simulation::FieldAtPoints Model::field(std::vector<double> const& lengths,
                                       std::vector<Vec3<double>> const& points) {
  simulation::FieldAtPoints field{std::vector<Vec3<double>>(points.size()),
                                  std::vector<double>(points.size())};
  auto* const steered = simulation();
  APSIS_VALIDATE(std::all_of(lengths.begin(), lengths.end(),
                             [](double length) { return std::isfinite(length) && length >= 0.0; }),
                 {"eps", "out of range", "a softening length of a point is below 0 or not finite",
                  "give lengths of at least 0"});
  if (steered == nullptr) return field;
  auto distinct = lengths;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (double const length : distinct) {
    std::vector<std::size_t> rows;
    std::vector<Vec3<double>> places;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (lengths[i] != length) continue;
      rows.push_back(i);
      places.push_back(points[i]);
    }
    auto const part =
        simulation::field_at(steered->now(), places, softening_at_point(parameters, length));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      field.acceleration[rows[k]] = part.acceleration[k];
      field.potential[rows[k]] = part.potential[k];
    }
  }
  return field;
}

}  // namespace apsis::amuse
