// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include <algorithm>
#include <utility>

namespace apsis::view {

void Texts::say(std::string const& topic, std::string json) {
  said_[topic] = {++newest_, std::make_shared<std::string const>(std::move(json))};
}

void Texts::append(std::string const& topic, std::string json) {
  auto& texts = appended_[topic];
  texts.push_back({++newest_, std::make_shared<std::string const>(std::move(json))});
  if (texts.size() <= most) return;
  std::size_t kept = 1;
  for (std::size_t i = 2; i < texts.size(); i += 2) texts[kept++] = std::move(texts[i]);
  if (texts.size() % 2 == 0) texts[kept++] = std::move(texts.back());
  texts.resize(kept);
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
  for (auto const& [topic, texts] : appended_) {
    auto const unseen = std::partition_point(
        texts.begin(), texts.end(), [&](Text const& text) { return text.number <= seen.appended; });
    if (unseen != texts.end()) consider(*unseen);
  }
  if (first == nullptr) return {};
  seen.appended = first->number;
  return first->json;
}

}  // namespace apsis::view
