// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sum_of_parts.hpp"
#include <apsis/bodies/share.hpp>
#include <apsis/core/context.hpp>
#include <apsis/forces/panel_pairs.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

/// Who has which pairs: each process as much work, in the order of pair_numbered().
class PanelShares {
 public:
  PanelShares(std::size_t bodies, std::size_t panels, std::size_t length, std::size_t processes)
      : bodies_(bodies), panels_(panels), length_(length), processes_(processes) {}

  std::size_t bodies() const { return bodies_; }
  std::size_t panels() const { return panels_; }
  std::size_t length() const { return length_; }
  std::size_t processes() const { return processes_; }

  /// The number of the first pair of a process; that of the process behind the last is their count.
  std::size_t first_pair(std::size_t process) const {
    std::size_t const pairs = panel_pairs(panels_);
    std::size_t const wanted = work_before(pairs) * process / processes_;
    std::size_t first = 0, behind = pairs;
    while (first < behind) {
      std::size_t const middle = first + (behind - first) / 2;
      if (work_before(middle) < wanted) {
        first = middle + 1;
      } else {
        behind = middle;
      }
    }
    return first;
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
          found += number_of_pair(k, of) >= first && number_of_pair(k, of) < last ? 1u : 0u;
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

  /// What a process adds up when it has got the fragments of the others, each in its first panel: a
  /// bit for each panel and panel of its bodies (see HeldParts), of all that are in no sum of
  /// others.
  std::vector<std::uint64_t> held(std::size_t process) const {
    std::size_t const blocks = (panels_ + parts_of_block - 1) / parts_of_block;
    std::vector<std::uint64_t> bits(panels_ * blocks, ~std::uint64_t{0});
    for (std::size_t from = 0; from < processes_; ++from) {
      if (from == process) continue;
      for (auto const& each : fragments(from, process)) {
        auto* const of_body = &bits[each.begin / length_ * blocks];
        for (std::size_t k = each.panel + 1; k < each.panel + each.panels; ++k) {
          of_body[k / parts_of_block] &= ~(std::uint64_t{1} << k % parts_of_block);
        }
      }
    }
    return bits;
  }

  bool operator==(PanelShares const&) const = default;

 private:
  /// Two panels on each other take four thirds of the time of one on itself, in both orders.
  std::size_t work_before(std::size_t pair) const {
    constexpr std::size_t between = 4, within = 3;
    if (pair == panel_pairs(panels_)) return between * pair - (between - within) * panels_;
    auto const at = pair_numbered(pair, panels_);
    // Of the panels before this one each is behind us with itself, in the same square too.
    std::size_t const first = at.b / panels_of_group * panels_of_group;
    std::size_t const on_themselves = at.a < first ? first : at.b;
    return between * pair - (between - within) * on_themselves;
  }
  std::size_t number_of_pair(std::size_t a, std::size_t b) const {
    return number_of({std::min(a, b), std::max(a, b)}, panels_);
  }

  std::size_t bodies_, panels_, length_, processes_;
};

/// Which of the rows of partial sums hold something for whom.
struct EveryRow {
  KOKKOS_FORCEINLINE_FUNCTION EveryPart of(std::size_t /*body*/) const { return {}; }
};
/// Those that are in no sum of others, by the panel that a body is in.
struct HeldRows {
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, MemorySpace> blocks;
  std::size_t length = 1;  ///< bodies of a panel

  KOKKOS_FORCEINLINE_FUNCTION HeldParts of(std::size_t body) const {
    return {&blocks(body / length, 0)};
  }
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

  /// What that left to add up, of the bodies of this process.
  HeldRows const& held() const { return held_; }

 private:
  void plan(Context const& context, PanelShares const& shares);

  std::optional<PanelShares> planned_;
  MessagePlan out_, in_;
  HeldRows held_;
  /// Messages of what is stored as bodies are, and of potentials.
  Column<Stored> out_vectors_, in_vectors_;
  Column<double> out_potentials_, in_potentials_;
};

extern template class PanelExchange<float>;
extern template class PanelExchange<double>;

}  // namespace apsis::forces
