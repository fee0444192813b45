// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "texts.hpp"
#include <apsis/view/command.hpp>
#include <apsis/view/frame.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace apsis::view {

/// What the run's threads and the server's have in common: the newest frame, texts, commands. Any
/// thread may call any member, and holds the lock for no longer than moving a few pointers takes.
class Hub {
 public:
  void publish(Frame frame);
  void say(std::string const& topic, std::string json);
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);

  /// A frame newer than the number `seen`, which becomes its number; no frame if there is none.
  std::optional<Frame> frame_after(std::uint64_t& seen) const;
  SharedText text_after(Texts::Seen& seen) const;
  bool has_said(std::string const& topic) const;

  void put(Command const& command);
  std::optional<Command> take();

  std::atomic<std::uint32_t> wanted{0};
  std::atomic<std::size_t> viewers{0};

  static constexpr std::size_t most_commands = 64;

 private:
  mutable std::mutex mutex_;
  Frame frame_;
  std::uint64_t frame_number_ = 0;  ///< 0: there is none yet
  Texts texts_;
  std::deque<Command> commands_;
};

}  // namespace apsis::view
