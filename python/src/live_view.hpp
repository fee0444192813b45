// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module.hpp"
#include <apsis/simulation/steered_simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace apsis::view {
class SimulationView;
}

namespace apsis::python {

/// The live view of a simulation, until it is closed. is_open(), url(), viewers() and close() may
/// be called from any thread, the other members only by the thread that uses the simulation; none
/// needs Python's lock. In a forked process, which has no thread of the server, none has an
/// effect.
class LiveView : Counted {
 public:
  /// Serves the page. `frames`: origins of pages that may show it in a frame. Throws the errors of
  /// view::Server, and a usage error in builds without live views.
  LiveView(simulation::SteeredSimulation& simulation, std::uint16_t port,
           std::vector<std::string> const& frames);
  ~LiveView();
  LiveView(LiveView const&) = delete;
  LiveView& operator=(LiveView const&) = delete;

  bool is_open();
  std::string url();  ///< with the secret; empty if closed
  std::size_t viewers();

  // See view::SimulationView.
  void follow(simulation::Instant& now);
  void arrive(simulation::Instant& now);
  void rest(simulation::Instant& now);
  void restart(simulation::SteeredSimulation& simulation);
  void add_measurement(simulation::Instant& now);

  /// Ends the view; waits up to 1 s for viewers.
  void close(std::string const& message);

 private:
  /// Calls a function with the view if it is open.
  void use(std::function<void(view::SimulationView&)> const& function);

  std::mutex mutex_;
  std::shared_ptr<view::SimulationView> view_;
};

}  // namespace apsis::python
