// SPDX-License-Identifier: Apache-2.0
#include "apsis/driver/simulation_view.hpp"

#include <apsis/driver/simulation.hpp>
#include <apsis/forces/precision.hpp>

namespace apsis::driver {

SimulationView::SimulationView(deck::Configuration const& run, Instant& now,
                               view::ServerOptions const& options)
    : server_(options) {
  restart(run, now);
}

void SimulationView::restart(deck::Configuration const& run, Instant& now) {
  auto hello = make_hello(run, run.title.empty() ? "simulation" : run.title);
  // The program decides when it ends, and no limit judges it.
  hello.end_time.reset();
  hello.energy_limit.reset();
  hello.momentum_limit.reset();
  feed_.begin(hello, forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
  feed_.count_from(now.step(), now.interactions());
  conservation_ = {};
  show(now);
  send_state(now, view::State::Status::paused);
}

void SimulationView::follow(Instant& now) {
  followed_ = true;
  if (feed_.is_frame_due()) show(now);
  send_state(now, view::State::Status::running);
}

void SimulationView::arrive(Instant& now) {
  if (followed_) {
    rest(now);
  } else if (feed_.is_interval_over()) {
    show(now);
    send_state(now, view::State::Status::running);
  }
  followed_ = false;
}

void SimulationView::rest(Instant& now) {
  if (now.step() != shown_step_ || now.time() != shown_time_) show(now);
  send_state(now, view::State::Status::paused);
}

void SimulationView::add_measurement(Instant& now) {
  auto const& measurement = now.measure();
  if (!measurement.is_finite()) return;
  conservation_.add(measurement);
  feed_.add(now.time(), conservation_);
}

void SimulationView::end(std::string const& message) {
  feed_.end({message, view::Over::Verdict::unjudged});
}

void SimulationView::show(Instant& now) {
  feed_.show(now);
  shown_step_ = now.step();
  shown_time_ = now.time();
}

void SimulationView::send_state(Instant const& now, view::State::Status status) {
  if (!feed_.is_state_due(status)) return;
  feed_.send_state(
      {.step = now.step(), .steps = 0, .time = now.time(), .interactions = now.interactions()},
      status);
}

}  // namespace apsis::driver
