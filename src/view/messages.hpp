// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text messages to viewers: JSON, each with a member "type".
namespace apsis::view {

/// A body as a viewer draws it, in eight bytes: x, y, z in 1/65536 of the box, counted from its
/// lower corner; speed in 1/64 of the frame's speed (255: as fast or faster); species, or
/// no_species. x = y = z = 65535: outside the box, not drawn.
struct Point {
  std::uint16_t x, y, z;
  std::uint8_t speed, species;
};
static_assert(sizeof(Point) == 8);

/// Species of bodies in a system without species.
inline constexpr std::uint8_t no_species = 6;

/// A body with full digits, so that orbits of few bodies can be drawn: eight doubles.
struct BodyDetails {
  double id;           ///< exact below 2^53
  double mass;         ///< [mass]
  double position[3];  ///< [length]
  double velocity[3];  ///< [length / time]
};
static_assert(sizeof(BodyDetails) == 64);

/// Largest number of bodies for which a frame has details.
inline constexpr std::uint64_t max_detailed_bodies = 50;

/// Bodies at one time, or a subset of them that is the same in every frame. For every n the first n
/// points are a fair sample.
struct Frame {
  std::uint64_t step = 0;         ///< step of a run, or number of the snapshot that is played
  double time = 0.0;              ///< [time]
  std::uint64_t bodies = 0;       ///< number of bodies of the run; the points are a subset of them
  std::array<float, 3> centre{};  ///< of the box [length]
  float half = 1.0F;              ///< half of the edge of the box [length]
  float speed = 1.0F;             ///< unit of Point::speed, times 64 [length / time]
  std::span<Point const> points{};  ///< in ...
  std::shared_ptr<void const>
      memory{};  ///< ... memory that lives as long as the frame is being sent
  /// Details of the points, in their order; null for more than max_detailed_bodies bodies.
  std::shared_ptr<std::vector<BodyDetails> const> details{};
};

/// Returns the number of details in a message with `points` of the frame's points.
std::uint32_t detail_count(Frame const& frame, std::uint32_t points);

/// Returns the header that precedes `points` of the frame's points in a message; see Server.
std::array<unsigned char, 64> frame_header(Frame const& frame, std::uint32_t points);

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

/// Point of the conservation plot: relative energy error, |P - P0| and |L - L0|.
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

/// Command of a viewer to a run or to a player.
struct Command {
  enum class Kind {
    pause,
    go_on,
    single_step,
    restart,
    next,  ///< preset of a demonstration
    previous,
    hold,       ///< a demonstration stays with its preset; `value` 1: yes, 0: no
    softening,  ///< of a demonstration, from now on [length]
    time_step,  ///< of a demonstration, from now on [time]
    damping,    ///< of a demonstration: factor on the velocities in each step
    stop,       ///< after writing a checkpoint
    speed,      ///< of a player: `value` times the default speed
    seek,       ///< of a player: to the fraction `value` of the snapshots, 0 to 1
  };
  Kind kind;
  double value = 0.0;
};

struct ViewerMessage {
  /// The viewer has drawn the last frame and can take one of so many points; 0: none.
  std::optional<std::uint32_t> ready;
  std::optional<Command> command;
};

/// Longer messages are refused before they are read.
inline constexpr std::size_t max_message_bytes = 1024;

/// Parses a message, a JSON object such as {"ready": 100000} or {"do": "speed", "value": 2}. Empty
/// if the message is invalid. Never throws; needs memory in proportion to the message.
std::optional<ViewerMessage> parse_message(std::string_view message);

}  // namespace apsis::view
