// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"

#include <apsis/view/simulation_view.hpp>

#include <utility>

namespace apsis::python {

namespace {

view::ServerOptions options_of(std::uint16_t port, std::vector<std::string> const& frames) {
  view::ServerOptions options;
  options.port = port;
  options.token = view::new_token();
  options.frame_ancestors = frames;
  return options;
}

}  // namespace

LiveView::LiveView(simulation::SteeredSimulation& simulation, std::uint16_t port,
                   std::vector<std::string> const& frames)
    : view_(std::make_shared<view::SimulationView>(simulation.deck().configuration,
                                                   simulation.now(), options_of(port, frames))) {}

LiveView::~LiveView() {
  if (!is_forked()) {
    close("the view is gone");
    return;
  }
  // The destructor of the server would wait for a thread that does not exist here.
  new std::shared_ptr<view::SimulationView>(std::move(view_));
}

void LiveView::use(std::function<void(view::SimulationView&)> const& function) {
  if (is_forked()) return;
  std::scoped_lock const lock(mutex_);
  if (view_) function(*view_);
}

bool LiveView::is_open() {
  bool result = false;
  use([&](auto&) { result = true; });
  return result;
}

std::string LiveView::url() {
  std::string result;
  use([&](auto& view) { result = view.url(); });
  return result;
}

std::size_t LiveView::viewers() {
  std::size_t result = 0;
  use([&](auto& view) { result = view.viewers(); });
  return result;
}

void LiveView::follow(simulation::Instant& now) {
  use([&](auto& view) { view.follow(now); });
}

void LiveView::arrive(simulation::Instant& now) {
  use([&](auto& view) { view.arrive(now); });
}

void LiveView::rest(simulation::Instant& now) {
  use([&](auto& view) { view.rest(now); });
}

void LiveView::restart(simulation::SteeredSimulation& simulation) {
  use([&](auto& view) { view.restart(simulation.deck().configuration, simulation.now()); });
}

void LiveView::add_measurement(simulation::Instant& now) {
  use([&](auto& view) { view.add_measurement(now); });
}

void LiveView::close(std::string const& message) {
  use([&](auto& view) {
    view.end(message);
    view_.reset();
  });
}

}  // namespace apsis::python
