// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace apsis::deck {
struct Configuration;
}
namespace apsis::simulation {
class Instant;
}

namespace apsis::view {

/// Address and permissions of the server of a live view.
struct ServerOptions {
  std::string address = "127.0.0.1";  ///< an IP address of this machine
  std::uint16_t port = 0;             ///< 0: any free port
  /// Whether viewers may send commands other than `stop`. They may always watch.
  bool control = false;
  /// Whether viewers may also send `stop`, which ends the command that runs the server.
  bool stop = false;
  /// Secret that every request must contain; required for addresses other than loopback, see
  /// new_token().
  std::string token;
  /// Origins of pages that may show this page in a frame, such as a notebook; needs a token. Empty:
  /// none may.
  std::vector<std::string> frame_ancestors{};
};

/// Returns 128 random bits as hexadecimal digits, for ServerOptions::token.
std::string new_token();

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
  /// Serves the page at once, with the present state. Throws as Server does.
  SimulationView(deck::Configuration const& run, simulation::Instant& now,
                 ServerOptions const& options);

  SimulationView(SimulationView const&) = delete;
  SimulationView& operator=(SimulationView const&) = delete;
  ~SimulationView();

  std::string url() const;
  std::size_t viewers() const;

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
  struct View;
  std::unique_ptr<View> view_;
};

}  // namespace apsis::view
