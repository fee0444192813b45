// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/messages.hpp"
#include "view/server/server.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/run/control.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/run/observer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace apsis {
struct HostBodies;
struct Context;
template <class Real>
struct Bodies;
}  // namespace apsis
namespace apsis::view {
class Sampler;
}

namespace apsis::view {

struct ViewedState {
  std::uint64_t step, steps;
  double time;          ///< [time]
  double interactions;  ///< evaluated so far
};

/// Makes the message that describes a run to viewers before it begins.
view::Hello make_hello(deck::Configuration const& run, std::string const& title);

/// Shows one run after the other to the viewers of a server. Sends frames when a viewer is ready
/// for one, at most 60 per second and using at most a tenth of the wall time, and sends the state
/// of the run a few times per second. Without viewers the cost is one read of an atomic variable.
class ViewerFeed {
 public:
  /// `server` must outlive this object.
  explicit ViewerFeed(view::Server& server);
  ~ViewerFeed();

  /// Starts a new run, or the same run from its start. `flops`: floating-point operations of one
  /// interaction, by the convention of the field.
  void begin(view::Hello const& hello, double flops);

  /// Tells viewers the constants and the names of the bodies; nothing but G for many bodies.
  void describe(double G, HostBodies const& bodies);

  void offer(view::Setup const& setup);

  /// Starts the clock of the rates: the steps and interactions before are not counted.
  void count_from(std::uint64_t step, double interactions);

  /// Discards the pending commands of viewers, the message and the request for a frame, so that
  /// those of a finished run do not reach the next one.
  void discard_commands();

  bool is_watched() const { return server_.viewers() > 0; }
  /// Whether take() would return a command.
  bool has_command();
  std::optional<view::Command> take();

  bool is_interval_over() const;
  /// Whether a frame should be sent now: a viewer waits for one and the minimum interval has
  /// passed, or the shown run is about to pause.
  bool is_frame_due();
  void show(simulation::Instant& now);
  void show(Context const& context, Bodies<double> const& bodies,
            std::vector<std::uint8_t> const& species, ViewedState const& moment);
  /// Sends a point of the plot of conserved quantities.
  void add(double time, diagnostics::Conservation const& conserved);
  void add(view::ConservedPoint const& point);
  /// Sends the state of the run if it is due: a quarter of a second has passed since the last one,
  /// or the status or the message has changed. It has the rates since the last state; that of a
  /// finished run its mean rates, pauses excluded.
  void send_state(ViewedState const& moment, view::State::Status status);
  /// The same for a run without a last step.
  void send_state(simulation::Instant const& now, view::State::Status status);
  /// Sets the message that the next state carries.
  void note(std::string const& line) { note_ = line; }
  void end(view::Over const& over);

 private:
  using Clock = std::chrono::steady_clock;

  void publish(view::Frame frame, std::uint64_t step, double time);

  view::Server& server_;
  std::unique_ptr<view::Sampler> sampler_;
  double flops_ = 0.0;                    ///< of one interaction, by the convention of the field
  std::uint32_t points_ = 0;              ///< in the next frame
  bool described_ = false;                ///< describe() was called for this run
  bool frame_needed_ = false;             ///< a pause or a single step was requested
  std::optional<view::Command> command_;  ///< next one, if has_command() has received it
  std::string note_;
  /// Start of the run; times of the last frame and of the last state.
  Clock::time_point start_, frame_sent_, sent_;
  Clock::duration cost_{};  ///< wall time of the last frame
  std::optional<view::State::Status> status_;
  double interactions_ = 0.0;      ///< at the last sent state
  std::uint64_t steps_taken_ = 0;  ///< at the last sent state
  // Sums over the intervals between states in which the run was not paused.
  double active_seconds_ = 0.0, active_steps_ = 0.0, active_interactions_ = 0.0;
};

/// Returns a pace at which a run of few bodies can be watched [time / s]: 60 steps of the deck per
/// second, or faster if the run would take more than ten minutes.
double watchable_pace(deck::Configuration const& run);

/// Makes the observer that shows a run to viewers. The feed must outlive it. `pace`: simulated time
/// per second of wall time [time / s], to which the observer slows the run down; 0: unlimited.
std::unique_ptr<run::Observer> live_view(deck::Configuration const& run, ViewerFeed& viewers,
                                         double pace = 0.0);

/// Returns the last message to the viewers of a run, in words: "done: t = 2000 yr, energy conserved
/// to 4.7e-13, limit 1e-12".
view::Over verdict_of(deck::Configuration const& run, run::Outcome const& outcome);

/// Makes the control that turns commands of viewers into requests to the run.
run::Control viewers(ViewerFeed& feed);

}  // namespace apsis::view
