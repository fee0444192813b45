// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "texts.hpp"
#include "view/command.hpp"
#include "view/frame.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace apsis::view {

/// State shared by the threads of the run and of the server: the newest frame, texts and commands.
/// Thread-safe. The lock is held only while a few pointers are moved.
class Hub {
 public:
  void publish(Frame frame);
  void say(std::string const& topic, std::string json);
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);

  /// Returns the frame if it is newer than the number `last_number`, and updates the number; empty
  /// otherwise.
  std::optional<Frame> frame_after(std::uint64_t& last_number) const;
  SharedText text_after(Texts::Position& position) const;
  bool has_said(std::string const& topic) const;

  void put(Command const& command);
  std::optional<Command> take();

  std::atomic<std::uint32_t> wanted_points{0};
  std::atomic<std::size_t> viewers{0};

  static constexpr std::size_t max_commands = 64;

 private:
  mutable std::mutex mutex_;
  Frame frame_;
  std::uint64_t frame_number_ = 0;  ///< 0: no frame yet
  Texts texts_;
  std::deque<Command> commands_;
};

}  // namespace apsis::view
