// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/saved_state.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace apsis::simulation {

/// Names of all bodies of a run, one per body ("" for none), or nothing if no body has a name. They
/// never change, so copies of the bodies share them. On the leader rank only.
class BodyNames {
 public:
  using List = std::vector<std::string>;

  void set(List names, std::size_t bodies) {
    APSIS_VALIDATE(names.empty() || names.size() == bodies,
                   {"names", "not one for each body", "", "give one for each, or none"});
    list_ = std::make_shared<List const>(std::move(names));
  }
  std::shared_ptr<List const> const& list() const { return list_; }

  void exchange(SavedState& state, std::size_t bodies) {
    List names = *list_;
    state.exchange("bodies/names", names);
    if (state.restores()) set(std::move(names), bodies);
  }

 private:
  std::shared_ptr<List const> list_ = std::make_shared<List const>();
};

}  // namespace apsis::simulation
