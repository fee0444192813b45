// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include <algorithm>
#include <utility>

namespace apsis::view {

void Texts::say(std::string const& topic, std::string json) {
  said_[topic] = {++newest_, std::make_shared<std::string const>(std::move(json)), 0};
}

void Texts::append(std::string const& topic, std::string json) {
  auto& [texts, count] = appended_[topic];
  texts.push_back({++newest_, std::make_shared<std::string const>(std::move(json)), count++});
  if (texts.size() <= most) return;
  // Counted from the first one ever, so that those of long ago lie no farther apart than need be.
  std::uint64_t stride = 2;
  while (count / stride >= most / 2) stride *= 2;
  auto const newest = newest_;
  std::erase_if(
      texts, [&](Text const& text) { return text.place % stride != 0 && text.number != newest; });
}

void Texts::clear(std::string const& topic) {
  appended_.erase(topic);
}

SharedText Texts::next(Seen& seen) const {
  Text const* first = nullptr;
  auto const consider = [&](Text const& text) {
    if (first == nullptr || text.number < first->number) first = &text;
  };
  for (auto const& [topic, text] : said_) {
    if (text.number > seen.said) consider(text);
  }
  if (first != nullptr) {
    seen.said = first->number;
    return first->json;
  }
  for (auto const& [topic, grown] : appended_) {
    auto const& texts = grown.texts;
    auto const unseen = std::partition_point(
        texts.begin(), texts.end(), [&](Text const& text) { return text.number <= seen.appended; });
    if (unseen != texts.end()) consider(*unseen);
  }
  if (first == nullptr) return {};
  seen.appended = first->number;
  return first->json;
}

}  // namespace apsis::view
