// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/messages.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace apsis::view {

using SharedText = std::shared_ptr<std::string const>;

/// Texts that were said or appended, numbered in order. Each text is stored once for all viewers; a
/// viewer only remembers two numbers.
class Texts {
 public:
  /// Numbers of the last texts that a viewer has received.
  struct Position {
    std::uint64_t last_said = 0, last_appended = 0;
  };

  void say(std::string const& topic, std::string json);
  /// Beyond `max_texts` texts of a topic, texts are dropped evenly; the first and the last remain.
  void append(std::string const& topic, std::string json);
  void clear(std::string const& topic);
  bool has_said(std::string const& topic) const { return said_.contains(topic); }

  /// Returns the next text for a viewer and advances its position; null if there is none. Texts
  /// that were said come before those that were appended.
  SharedText next(Position& position) const;

  static constexpr std::size_t max_texts = 4096;

 private:
  struct Text {
    std::uint64_t number;
    SharedText json;
    std::uint64_t index;  ///< index among all texts that the topic ever had
  };
  struct GrowingTopic {
    std::vector<Text> texts;
    std::uint64_t count = 0;
  };

  std::uint64_t newest_ = 0;
  std::map<std::string, Text> said_;
  std::map<std::string, GrowingTopic> appended_;
};

/// State shared by the threads of the run and of the server: the newest frame, texts and commands.
/// Thread-safe. The lock is held only while a few pointers are moved.
class Hub {
 public:
  void publish(Frame frame);

  /// Returns a frame newer than the number `last_number`, which is updated; empty if there is none.
  std::optional<Frame> frame_after(std::uint64_t& last_number) const;
  template <class Function>
  auto with_texts(Function const& function) {
    std::lock_guard const lock(mutex_);
    return function(texts_);
  }

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
