// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Text messages to viewers: JSON, each with a member "type".
namespace apsis::view {

enum class Mode {
  run,   ///< a run in progress
  play,  ///< playback of snapshots
  demo,
};

/// Start of a run, or of the next one. Viewers clear their plots and trails.
struct Hello {
  Mode mode = Mode::run;
  bool control = false;  ///< whether commands of viewers are accepted
  std::string title;
  std::uint64_t bodies = 0;
  std::string backend, device, precision, integrator;
  Units units;
  std::optional<double> end_time;  ///< [time]
  std::optional<double> energy_limit, momentum_limit;
  std::vector<std::string> presets;
  std::size_t preset = 0;
};
std::string text_of(Hello const& hello);

/// Progress of the run, sent a few times per second.
struct State {
  enum class Status { running, paused, finished };
  Status status = Status::running;
  std::uint64_t step = 0, steps = 0;
  double time = 0.0;  ///< [time]
  double steps_per_second = 0.0;
  double interactions_per_second = 0.0;
  double flops = 0.0;  ///< floating-point operations per second, counted as usual in the field
  double wall_seconds = 0.0;
  std::string message;
};
std::string text_of(State const& state);

/// Constants of a system for the orbits and labels of few bodies. Sent when the bodies are known.
struct SystemFacts {
  double G = 1.0;  ///< [length^3 / (mass time^2)]
  std::vector<std::uint64_t> ids{};
  std::vector<std::string> names{};  ///< of these bodies; "" for none
};
std::string text_of(SystemFacts const& facts);

/// Settings of a demonstration that viewers may change during the run.
struct Setup {
  struct Values {
    double softening;               ///< [length]
    double time_step;               ///< [time]
    std::optional<double> damping;  ///< empty: the integrator has none
  };
  bool held = false;  ///< stays with its preset
  Values now;
  Values deck;  ///< at the start of the preset
};
std::string text_of(Setup const& setup);

/// Point of the conservation plot: relative error of the energy, absolute errors |P - P0| and |L -
/// L0|.
struct ConservedPoint {
  double time, energy, momentum, angular_momentum;
};
std::string text_of(ConservedPoint const& point);

/// Last message, which says why the stream ends.
struct Over {
  enum class Verdict {
    good,      ///< the run was conserved
    unjudged,  ///< the run reached its end without a limit that judges it
    bad,       ///< a limit was exceeded, or the run failed
    stopped,   ///< the run was interrupted and can be resumed
  };
  std::string message;
  Verdict verdict = Verdict::unjudged;
};
std::string text_of(Over const& over);

}  // namespace apsis::view
