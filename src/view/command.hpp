// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace apsis::view {

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

/// Message of a viewer.
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
