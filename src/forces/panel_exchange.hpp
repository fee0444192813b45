// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sum_of_parts.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/context.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

/// Pairs of panels that processes share. Each works through some of the pairs of a PanelLoop and
/// holds what they give to any bodies; then each gets what was given to its own.
namespace apsis::forces {

/// What the bodies begin ... begin + count - 1 get from a panel, or from several panels
/// together.
struct Fragment {
  std::size_t panel, panels, begin, count;

  bool operator==(Fragment const&) const = default;
};

/// Who has which pairs, numbered as PanelLoop numbers them: that of panels i < j is
/// j (j - 1) / 2 + i, and behind all of those come the pairs within a panel.
class PanelShares {
 public:
  PanelShares(std::size_t bodies, std::size_t panels, std::size_t length, std::size_t processes)
      : bodies_(bodies), panels_(panels), length_(length), processes_(processes) {}

  std::size_t bodies() const { return bodies_; }
  std::size_t processes() const { return processes_; }

  /// The number of the first pair of a process; that of the process behind the last is their count.
  /// Two panels on each other take four thirds of the time of one on itself, in both orders.
  std::size_t first_pair(std::size_t process) const {
    constexpr std::size_t between = 4, within = 3;
    std::size_t const mixed = panels_ * (panels_ - 1) / 2;
    std::size_t const work = (mixed * between + panels_ * within) * process / processes_;
    return work <= mixed * between ? work / between : mixed + (work - mixed * between) / within;
  }

  /// What a process finds for the bodies of another, in an order that both know: the sums of groups
  /// and blocks of panels (see sum_of_parts()) of which it has all, the others one by one.
  /// O(panels^2).
  std::vector<Fragment> fragments(std::size_t from, std::size_t to) const {
    std::vector<Fragment> all;
    auto const own = share_of(bodies_, to, processes_);
    std::size_t const first = first_pair(from), last = first_pair(from + 1);
    for (std::size_t of = 0; of < panels_; ++of) {
      std::size_t const begin = std::max(of * length_, own.first);
      std::size_t const end = std::min({(of + 1) * length_, bodies_, own.first + own.count});
      if (begin >= end) continue;
      auto const add = [&](auto const& again, std::size_t panel, std::size_t size) -> void {
        std::size_t const behind = std::min(panel + size, panels_);
        std::size_t found = 0;
        for (std::size_t k = panel; k < behind; ++k) {
          found += pair_of(k, of) >= first && pair_of(k, of) < last ? 1u : 0u;
        }
        if (found == 0) return;
        if (found == behind - panel) return all.push_back({panel, found, begin, end - begin});
        std::size_t const part = size == parts_of_block ? parts_of_group : 1;
        for (std::size_t k = panel; k < behind; k += part) again(again, k, part);
      };
      for (std::size_t panel = 0; panel < panels_; panel += parts_of_block) {
        add(add, panel, parts_of_block);
      }
    }
    return all;
  }

  bool operator==(PanelShares const&) const = default;

 private:
  std::size_t pair_of(std::size_t a, std::size_t b) const {
    std::size_t const i = std::min(a, b), j = std::max(a, b);
    return i < j ? j * (j - 1) / 2 + i : panels_ * (panels_ - 1) / 2 + i;
  }

  std::size_t bodies_, panels_, length_, processes_;
};

/// Where fragments are in messages: those for each other process follow each other, column by
/// column.
struct MessagePlan {
  /// Of each piece of a fragment: its first row in the columns, how many there are, of how many
  /// panels (which are `bodies` rows apart), where they begin in their message, where that message
  /// begins, and how many rows it has.
  using Pieces = Kokkos::View<std::size_t* [6], Kokkos::LayoutRight, MemorySpace>;
  Pieces pieces;
  std::size_t bodies = 0;
  std::vector<std::size_t> rows;  ///< of the message of each process
  std::size_t all_rows = 0;
};

/// Gives every process what this one has for its bodies, and takes what it gets to its place. Keeps
/// what depends on nothing but the numbers of bodies, panels and processes.
template <class Stored>
class PanelExchange {
 public:
  /// Of the columns of `into`, which have a row for each panel and body. One message for each other
  /// process.
  void exchange(Context const& context, PanelShares const& shares, Field<Stored> const& into);

 private:
  void plan(Context const& context, PanelShares const& shares);

  std::optional<PanelShares> planned_;
  MessagePlan out_, in_;
  /// Messages of what is stored as bodies are, and of potentials.
  Column<Stored> out_vectors_, in_vectors_;
  Column<double> out_potentials_, in_potentials_;
};

extern template class PanelExchange<float>;
extern template class PanelExchange<double>;

}  // namespace apsis::forces
