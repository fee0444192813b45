// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/conservation.hpp>
#include <apsis/view/server.hpp>
#include <apsis/view/viewer_feed.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::view {

/// Live view of a simulation that a program advances: the server of a page, and what it shows. Only
/// in builds with APSIS_ENABLE_VIEW.
///
///     SimulationView view(steered.deck().configuration, steered.now(), {});
///     std::cout << view.url() << std::endl;
///     steered.advance_to(1.0, [&](double) { view.follow(steered.now()); });
///     view.rest(steered.now());
///
/// One thread at a time may use it. Without viewers, calls within the minimum interval of frames
/// cost one reading of the clock.
class SimulationView {
 public:
  /// Serves the page at once, with the present state. Throws as view::Server does.
  SimulationView(deck::Configuration const& run, simulation::Instant& now,
                 view::ServerOptions const& options);

  std::string url() const { return server_.url(); }
  std::size_t viewers() const { return server_.viewers(); }

  /// Shows the state between two steps of a call of advance() if a viewer waits for a frame.
  void follow(simulation::Instant& now);
  /// Shows the state at the end of a call of advance(). If such calls follow each other within
  /// milliseconds, only some of their states are shown.
  void arrive(simulation::Instant& now);
  /// Shows the present state if it is not shown yet: the program does something else now.
  void rest(simulation::Instant& now);

  /// Continues with other bodies. Viewers clear their plots and trails.
  void restart(deck::Configuration const& run, simulation::Instant& now);
  /// Adds the conserved quantities, which are measured, to the plot.
  void add_measurement(simulation::Instant& now);
  /// Tells viewers why the view ends. Call before the destructor.
  void end(std::string const& message);

 private:
  void show(simulation::Instant& now);
  void send_state(simulation::Instant const& now, view::State::Status status);

  view::Server server_;
  ViewerFeed feed_{server_};
  diagnostics::Conservation conservation_;
  bool followed_ = false;  ///< follow() was called since the last arrive()
  std::uint64_t shown_step_ = 0;
  double shown_time_ = 0.0;  ///< of the last frame [time]
};

}  // namespace apsis::view
