// SPDX-License-Identifier: Apache-2.0
#include "primaries.hpp"

#include "core/decimal.hpp"
#include <apsis/core/text.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace apsis::initial_conditions {

namespace {

/// Primary that is the centre of mass of all bodies before.
constexpr std::string_view barycentre = "barycentre";

std::string place_in_list(std::size_t index) {
  return "list[" + std::to_string(index) + "]";
}

std::optional<std::uint64_t> id_in(std::string_view word) {
  std::uint64_t id = 0;
  if (read_decimal(word, id) == Numeral::good) return id;
  return std::nullopt;
}

bool orbits_jacobi(Values const& list) {
  return list.has("orbits_about") && list.text("orbits_about") == "jacobi";
}

}  // namespace

/// Indices of bodies by name and id.
class Primaries::Names {
 public:
  Names(std::vector<Values> const& bodies, HostBodies const& before)
      : count_(before.size() + bodies.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (!before.name_of(i).empty()) indices_.emplace(before.name_of(i), i);
    }
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies[i].has("name")) indices_.emplace(bodies[i].text("name"), before.size() + i);
    }
  }

  std::optional<std::size_t> find(std::string const& word) const {
    if (auto const id = id_in(word)) {
      return *id < count_ ? std::optional<std::size_t>(*id) : std::nullopt;
    }
    auto const entry = indices_.find(word);
    return entry != indices_.end() ? std::optional(entry->second) : std::nullopt;
  }

  Problem unknown(std::string const& where, std::string const& word) const {
    if (id_in(word)) {
      return {where, "no body has the id " + word,
              "the ids are 0 to " + std::to_string(count_ - 1) + ", in the order of the bodies",
              "give an existing id or a name"};
    }
    std::vector<std::string> names;
    for (auto const& [name, index] : indices_) names.push_back(name);
    auto const close = nearest(word, names);
    if (names.size() > 12) names.resize(12);
    return {where, "no body has the name '" + word + "'",
            names.empty() ? "no body has a name" : "names: " + quoted_list(names),
            close.empty() ? "give the name or the id of a body" : "did you mean '" + close + "'?"};
  }

 private:
  std::size_t count_;
  std::map<std::string, std::size_t> indices_;
};

std::string primary_of(Values const& list, Values const& body) {
  if (body.has("primary")) return body.text("primary");
  return list.has("primary") ? list.text("primary") : "";
}

Primaries::Primaries(Values const& list, HostBodies const& before)
    : before_(before.size()), bodies_(list.records("list")), centres_(bodies_.size()) {
  Names const names(bodies_, before);
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!has_orbit(bodies_[i])) continue;
    auto const text = primary_of(list, bodies_[i]);
    if (!text.empty()) {
      resolve(i, text, names);
    } else if (i == 0) {
      problems_.push_back({place_in_list(0), "the first body cannot have an orbit",
                           "orbits are about bodies earlier in the list",
                           R"(begin the list with the primary, such as {"mass": 1, )"
                           R"("position": [0, 0, 0]}, or name it as 'primary')"});
    } else {
      centres_[i] = {before_, before_ + (orbits_jacobi(list) ? i : 1), {}};
    }
  }
  if (problems_.empty()) find_order();
}

void Primaries::resolve(std::size_t index, std::string const& text, Names const& names) {
  bool const is_own = bodies_[index].has("primary");
  auto const where = is_own ? place_in_list(index) + ".primary" : "primary";
  auto const add = [&](Problem problem) {
    bool const is_repeated = !is_own && !problems_.empty() && problems_.back().where == where;
    if (!is_repeated) problems_.push_back(std::move(problem));
  };
  if (text == barycentre) {
    centres_[index] = {0, before_ + index, {}};
    if (before_ + index == 0) {
      add({where, "there is no body before", "the barycentre is that of all bodies before",
           "begin with a body that has a position"});
    }
    return;
  }
  auto& members = centres_[index].members;
  for (auto const& word : split_at_commas(text)) {
    auto const number = names.find(word);
    if (!number) {
      add(names.unknown(where, word));
    } else if (std::find(members.begin(), members.end(), *number) != members.end()) {
      add({where, "'" + word + "' is given twice", "it is one body", "name each body once"});
    } else {
      members.push_back(*number);
    }
  }
}

/// Depth-first search without recursion: a chain of moons may be long.
void Primaries::find_order() {
  enum class State : unsigned char { open, active, placed };
  std::vector<State> states(bodies_.size(), State::open);
  std::vector<std::pair<std::size_t, std::size_t>> path;  // body, and its next member to visit
  auto const member = [&](std::size_t index, std::size_t k) -> std::optional<std::size_t> {
    auto const& centre = centres_[index];
    std::size_t const count =
        centre.members.empty() ? centre.last - centre.first : centre.members.size();
    if (k >= count) return std::nullopt;
    return centre.members.empty() ? centre.first + k : centre.members[k];
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (states[i] == State::placed) continue;
    // The bodies of a range before the present one are placed already.
    auto const first_member = [&](std::size_t index) -> std::size_t {
      auto const& centre = centres_[index];
      bool const is_range = centre.members.empty();
      return is_range && before_ + i > centre.first ? before_ + i - centre.first : 0;
    };
    path.emplace_back(i, first_member(i));
    states[i] = State::active;
    while (!path.empty()) {
      auto& [index, next] = path.back();
      auto const number = member(index, next++);
      if (!number) {
        states[index] = State::placed;
        order_.push_back(index);
        path.pop_back();
        continue;
      }
      if (*number < before_) continue;
      std::size_t const inner = *number - before_;
      if (states[inner] == State::placed) continue;
      if (states[inner] == State::active) {
        std::string chain;
        auto begin = std::find_if(path.begin(), path.end(),
                                  [&](auto const& step) { return step.first == inner; });
        for (; begin != path.end(); ++begin) chain += place_in_list(begin->first) + " -> ";
        problems_.push_back({place_in_list(inner) + ".primary", "a cycle of primaries",
                             chain + place_in_list(inner),
                             "give one of these bodies a position or another primary"});
        return;
      }
      states[inner] = State::active;
      path.emplace_back(inner, first_member(inner));
    }
  }
}

bool refers_outside(Values const& list) {
  std::set<std::string> own;
  for (auto const& body : list.records("list")) {
    if (body.has("name")) own.insert(body.text("name"));
  }
  for (auto const& body : list.records("list")) {
    if (!has_orbit(body)) continue;
    auto const text = primary_of(list, body);
    if (text.empty()) continue;
    for (auto const& word : split_at_commas(text)) {
      if (own.count(word) == 0) return true;
    }
  }
  return false;
}

}  // namespace apsis::initial_conditions
