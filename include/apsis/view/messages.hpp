// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What viewers are told in words: JSON texts, each with a member "type".
namespace apsis::view {

enum class Mode {
  run,   ///< one that goes on as it is watched
  play,  ///< of snapshots
  demo,
};

/// Of a run that begins, or of the next one; plots and trails begin anew.
struct Hello {
  Mode mode = Mode::run;
  bool control = false;  ///< whether commands are heeded
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

/// How it stands, some times a second.
struct State {
  enum class Status { running, paused, finished };
  Status status = Status::running;
  std::uint64_t step = 0, steps = 0;
  double time = 0.0;  ///< [time]
  double steps_per_second = 0.0;
  double interactions_per_second = 0.0;
  double flops = 0.0;  ///< a second, as the field counts them
  double wall_seconds = 0.0;
  std::string message;
};
std::string text_of(State const& state);

/// A point of the plot of what is conserved: relative errors, and |P - P0| and |L - L0| as they
/// are.
struct ConservedPoint {
  double time, energy, momentum, angular_momentum;
};
std::string text_of(ConservedPoint const& point);

/// The last of all: why nothing more comes.
std::string farewell(std::string const& words);

}  // namespace apsis::view
