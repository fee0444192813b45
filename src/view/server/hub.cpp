// SPDX-License-Identifier: Apache-2.0
#include "hub.hpp"

#include <utility>

namespace apsis::view {

void Hub::publish(Frame frame) {
  {
    std::lock_guard const lock(mutex_);
    std::swap(frame_, frame);
    ++frame_number_;
  }
  // `frame` may now be the last owner of the previous frame's memory, which is freed here, after
  // the lock is released.
}

void Hub::say(std::string const& topic, std::string json) {
  std::lock_guard const lock(mutex_);
  texts_.say(topic, std::move(json));
}

void Hub::append(std::string const& topic, std::string json) {
  std::lock_guard const lock(mutex_);
  texts_.append(topic, std::move(json));
}

void Hub::clear(std::string const& topic) {
  std::lock_guard const lock(mutex_);
  texts_.clear(topic);
}

std::optional<Frame> Hub::frame_after(std::uint64_t& last_number) const {
  std::lock_guard const lock(mutex_);
  if (frame_number_ <= last_number) return {};
  last_number = frame_number_;
  return frame_;
}

SharedText Hub::text_after(Texts::Position& position) const {
  std::lock_guard const lock(mutex_);
  return texts_.next(position);
}

bool Hub::has_said(std::string const& topic) const {
  std::lock_guard const lock(mutex_);
  return texts_.has_said(topic);
}

void Hub::put(Command const& command) {
  std::lock_guard const lock(mutex_);
  if (commands_.size() < max_commands) commands_.push_back(command);
}

std::optional<Command> Hub::take() {
  std::lock_guard const lock(mutex_);
  if (commands_.empty()) return {};
  auto const command = commands_.front();
  commands_.pop_front();
  return command;
}

}  // namespace apsis::view
