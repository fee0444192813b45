// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/control.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/view/messages.hpp>
#include <apsis/view/server.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

namespace apsis {
struct Context;
template <class Real>
struct Bodies;
}  // namespace apsis
namespace apsis::view {
class Sampler;
}

namespace apsis::driver {

/// Of a run that is shown.
struct Moment {
  std::uint64_t step, steps;
  double time;          ///< [time]
  double interactions;  ///< so far
};

/// What viewers hear of a run before it begins.
view::Hello hello_of(Configuration const& run, std::string const& title);

/// Shows one run after the other to the viewers of a server: frames when a viewer is ready for one,
/// at most sixty a second and for at most a tenth of the time, and how the run stands some times a
/// second. Costs a look at an atomic
/// where nobody watches.
class Broadcast {
 public:
  /// The server must outlive it.
  explicit Broadcast(view::Server& server);
  ~Broadcast();

  /// Another run, or the same from its start. `flops` of an interaction, as the field counts them.
  void begin(view::Hello const& hello, double flops);

  /// What viewers asked of a run that is over is not asked of the next one.
  void forget_commands();

  bool is_watched() const { return server_.viewers() > 0; }
  /// What a viewer asks for next.
  std::optional<view::Command> take();

  /// Whether a viewer waits for a frame and may have it by now, or what comes now is to stand
  /// still.
  bool wants_frame();
  /// Sends one of this moment.
  void show(Instant& now);
  void show(Context const& context, Bodies<double> const& bodies,
            std::vector<std::uint8_t> const& species, Moment const& at);
  /// A point of the plot of what is conserved.
  void add(double time, diagnostics::Conservation const& conserved);
  void add(view::ConservedPoint const& point);
  /// Whether how it stands was not said within a quarter of a second, or has changed.
  bool has_to_tell(view::State::Status status) const;
  /// How it stands.
  void tell(Moment const& at, view::State::Status status);
  /// Words for the next time it is told.
  void note(std::string const& line) { note_ = line; }
  /// It is over: how it went.
  void end(Outcome const& outcome);

 private:
  using Clock = std::chrono::steady_clock;

  void publish(view::Frame frame, std::uint64_t step, double time);

  view::Server& server_;
  std::unique_ptr<view::Sampler> sampler_;
  double flops_ = 0.0;  ///< of an interaction, as the field counts them
  std::uint32_t points_ = 0;
  bool stands_still_ = false;  ///< the next state, or the present one
  std::string note_;
  Clock::time_point begun_, shown_, told_;
  Clock::duration cost_{};  ///< of the last frame
  std::optional<view::State::Status> status_;
  double interactions_ = 0.0;      ///< when it was told last
  std::uint64_t steps_taken_ = 0;  ///< likewise
};

/// Shows a run that goes on to viewers. The broadcast must outlive it.
std::unique_ptr<Observer> live_view(Configuration const& run, Broadcast& to);

/// What viewers may ask of a run.
Control viewers(Broadcast& of);

}  // namespace apsis::driver
