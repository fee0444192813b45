// SPDX-License-Identifier: Apache-2.0
#include "apsis/view/simulation_view.hpp"

#include "view/server/server.hpp"
#include "viewer_feed.hpp"
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/forces/precision.hpp>
#include <apsis/simulation/simulation.hpp>

namespace apsis::view {

struct SimulationView::View {
  explicit View(ServerOptions const& options) : server(options) {}

  void show(simulation::Instant& now) {
    feed.show(now);
    shown_step = now.step();
    shown_time = now.time();
  }
  void send_state(simulation::Instant const& now, State::Status status) {
    if (!feed.is_state_due(status)) return;
    feed.send_state(
        {.step = now.step(), .steps = 0, .time = now.time(), .interactions = now.interactions()},
        status);
  }

  Server server;
  ViewerFeed feed{server};
  diagnostics::Conservation conservation;
  bool followed = false;  ///< follow() was called since the last arrive()
  std::uint64_t shown_step = 0;
  double shown_time = 0.0;  ///< of the last frame [time]
};

SimulationView::SimulationView(deck::Configuration const& run, simulation::Instant& now,
                               ServerOptions const& options)
    : view_(std::make_unique<View>(options)) {
  restart(run, now);
}

SimulationView::~SimulationView() = default;

std::string SimulationView::url() const {
  return view_->server.url();
}

std::size_t SimulationView::viewers() const {
  return view_->server.viewers();
}

void SimulationView::restart(deck::Configuration const& run, simulation::Instant& now) {
  auto hello = make_hello(run, run.title.empty() ? "simulation" : run.title);
  // The program decides when it ends, and no limit judges it.
  hello.end_time.reset();
  hello.energy_limit.reset();
  hello.momentum_limit.reset();
  auto& feed = view_->feed;
  feed.begin(hello, forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
  feed.count_from(now.step(), now.interactions());
  view_->conservation = {};
  view_->show(now);
  view_->send_state(now, State::Status::paused);
}

void SimulationView::follow(simulation::Instant& now) {
  view_->followed = true;
  if (view_->feed.is_frame_due()) view_->show(now);
  view_->send_state(now, State::Status::running);
}

void SimulationView::arrive(simulation::Instant& now) {
  if (view_->followed) {
    rest(now);
  } else if (view_->feed.is_interval_over()) {
    view_->show(now);
    view_->send_state(now, State::Status::running);
  }
  view_->followed = false;
}

void SimulationView::rest(simulation::Instant& now) {
  if (now.step() != view_->shown_step || now.time() != view_->shown_time) view_->show(now);
  view_->send_state(now, State::Status::paused);
}

void SimulationView::add_measurement(simulation::Instant& now) {
  auto const& measurement = now.measure();
  if (!measurement.is_finite()) return;
  view_->conservation.add(measurement);
  view_->feed.add(now.time(), view_->conservation);
}

void SimulationView::end(std::string const& message) {
  view_->feed.end({message, Over::Verdict::unjudged});
}

}  // namespace apsis::view
