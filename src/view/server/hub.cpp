// SPDX-License-Identifier: Apache-2.0
#include "hub.hpp"

#include <algorithm>
#include <utility>

namespace apsis::view {

void Texts::say(std::string const& topic, std::string json) {
  said_[topic] = {++newest_, std::make_shared<std::string const>(std::move(json)), 0};
}

void Texts::append(std::string const& topic, std::string json) {
  auto& [texts, count] = appended_[topic];
  texts.push_back({++newest_, std::make_shared<std::string const>(std::move(json)), count++});
  if (texts.size() <= max_texts) return;
  // The stride counts from the first text ever, so that old texts stay evenly spaced.
  std::uint64_t stride = 2;
  while (count / stride >= max_texts / 2) stride *= 2;
  auto const newest = newest_;
  std::erase_if(
      texts, [&](Text const& text) { return text.index % stride != 0 && text.number != newest; });
}

void Texts::clear(std::string const& topic) {
  appended_.erase(topic);
}

SharedText Texts::next(Position& position) const {
  Text const* first = nullptr;
  auto const consider = [&](Text const& text) {
    if (first == nullptr || text.number < first->number) first = &text;
  };
  for (auto const& [topic, text] : said_) {
    if (text.number > position.last_said) consider(text);
  }
  if (first != nullptr) {
    position.last_said = first->number;
    return first->json;
  }
  for (auto const& [topic, grown] : appended_) {
    auto const& texts = grown.texts;
    auto const unseen = std::partition_point(texts.begin(), texts.end(), [&](Text const& text) {
      return text.number <= position.last_appended;
    });
    if (unseen != texts.end()) consider(*unseen);
  }
  if (first == nullptr) return {};
  position.last_appended = first->number;
  return first->json;
}

void Hub::publish(Frame frame) {
  {
    std::lock_guard const lock(mutex_);
    std::swap(frame_, frame);
    ++frame_number_;
  }
  // The previous frame's memory may be freed here, after the lock is released.
}

std::optional<Frame> Hub::frame_after(std::uint64_t& last_number) const {
  std::lock_guard const lock(mutex_);
  if (frame_number_ <= last_number) return {};
  last_number = frame_number_;
  return frame_;
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
