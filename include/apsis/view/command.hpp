// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace apsis::view {

/// What a viewer asks of a run, or of a player.
struct Command {
  enum class Kind {
    pause,
    go_on,
    single_step,
    restart,
    next,   ///< preset of a demonstration
    stop,   ///< with a checkpoint
    speed,  ///< of a player: `value` times the usual one
    seek,   ///< of a player: to `value` of the way, 0 to 1
  };
  Kind kind;
  double value = 0.0;
};

/// What a viewer says.
struct Said {
  /// It has drawn what it got and can take a frame of so many points; 0: none.
  std::optional<std::uint32_t> ready;
  std::optional<Command> command;
};

/// Longer messages are refused before they are read.
inline constexpr std::size_t longest_message = 1024;

/// Understands a message, a JSON object such as {"ready": 100000} or {"do": "speed", "value": 2};
/// nothing if it is none of those. Never throws, takes memory in proportion to the message.
std::optional<Said> understand(std::string_view message);

}  // namespace apsis::view
