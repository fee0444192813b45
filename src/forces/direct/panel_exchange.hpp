// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "panel_pairs.hpp"
#include "sum_of_parts.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/// Sharing of the pairs of panels among ranks. Each rank evaluates a contiguous range of the pairs
/// of a PanelLoop, which yields partial sums for bodies of any rank; then each rank receives the
/// partial sums of its own bodies.
///
///   panels 0 ... 3, ranks A, B            rows for bodies of panel 0 (rank A owns panels 0 and 1):
///
///         b  0   1   2   3                  from panel   0   1   2   3
///    a  0    A   A   A   B                  computed by  A   A   A   B  -> B sends row 3 to A
///       1        A   A   B                rows for bodies of panel 2 (rank B owns panels 2 and 3):
///       2            B   B                  from panel   0   1   2   3
///       3                B                  computed by  A   A   B   B  -> A sends rows 0 and 1 to
///       B
///
///   Each rank then adds up the rows of its bodies in the order of sum_of_parts(). If a rank has
///   all rows of a group (8 panels) or block (64 panels), it sends their sum as a single row: the
///   same bits as on one rank, with less traffic.
namespace apsis::forces {

/// Partial sums of the bodies begin ... begin + count - 1 from one panel, or the sum from several.
struct Fragment {
  std::size_t panel, panels, begin, count;

  bool operator==(Fragment const&) const = default;
};

/// Distribution of the pairs: each rank gets about the same work, in the order of
/// pair_from_index().
class PanelShares {
 public:
  PanelShares(std::size_t bodies, std::size_t panels, std::size_t length, std::size_t ranks)
      : bodies_(bodies), panels_(panels), length_(length), ranks_(ranks) {}

  std::size_t bodies() const { return bodies_; }
  std::size_t panels() const { return panels_; }
  std::size_t length() const { return length_; }
  std::size_t ranks() const { return ranks_; }

  /// Index of the first pair of a rank; for the rank after the last, the number of pairs.
  std::size_t first_pair(std::size_t rank) const {
    std::size_t const pairs = panel_pairs(panels_);
    std::size_t const wanted = work_before(pairs) * rank / ranks_;
    std::size_t first = 0, end = pairs;
    while (first < end) {
      std::size_t const middle = first + (end - first) / 2;
      if (work_before(middle) < wanted) {
        first = middle + 1;
      } else {
        end = middle;
      }
    }
    return first;
  }

  /// Partial sums that the sender computes for bodies of the receiver, in an order that both know:
  /// sums of the groups and blocks of panels (see sum_of_parts()) that the sender holds completely,
  /// single panels otherwise. O(panels^2).
  std::vector<Fragment> fragments(std::size_t sender, std::size_t receiver) const {
    std::vector<Fragment> result;
    auto const receiver_bodies = share_of(bodies_, receiver, ranks_);
    std::size_t const first = first_pair(sender), last = first_pair(sender + 1);
    for (std::size_t body_panel = 0; body_panel < panels_; ++body_panel) {
      std::size_t const begin = std::max(body_panel * length_, receiver_bodies.first);
      std::size_t const end = std::min(
          {(body_panel + 1) * length_, bodies_, receiver_bodies.first + receiver_bodies.count});
      if (begin >= end) continue;
      auto const append = [&](auto const& recurse, std::size_t panel, std::size_t size) -> void {
        std::size_t const end_panel = std::min(panel + size, panels_);
        std::size_t held_count = 0;
        for (std::size_t k = panel; k < end_panel; ++k) {
          held_count += index_of_pair(k, body_panel) >= first && index_of_pair(k, body_panel) < last
                            ? 1u
                            : 0u;
        }
        if (held_count == 0) return;
        if (held_count == end_panel - panel)
          return result.push_back({panel, held_count, begin, end - begin});
        std::size_t const smaller_size = size == parts_of_block ? parts_of_group : 1;
        for (std::size_t k = panel; k < end_panel; k += smaller_size)
          recurse(recurse, k, smaller_size);
      };
      for (std::size_t panel = 0; panel < panels_; panel += parts_of_block) {
        append(append, panel, parts_of_block);
      }
    }
    return result;
  }

  /// Rows that a rank adds up after it has received all fragments, each stored in its first panel:
  /// a bit for each panel and each panel of bodies (see HeldParts), cleared for panels that are
  /// included in the sum of a fragment.
  std::vector<std::uint64_t> held(std::size_t rank) const {
    std::size_t const blocks = (panels_ + parts_of_block - 1) / parts_of_block;
    std::vector<std::uint64_t> bits(panels_ * blocks, ~std::uint64_t{0});
    for (std::size_t sender = 0; sender < ranks_; ++sender) {
      if (sender == rank) continue;
      for (auto const& each : fragments(sender, rank)) {
        auto* const body_blocks = &bits[each.begin / length_ * blocks];
        for (std::size_t k = each.panel + 1; k < each.panel + each.panels; ++k) {
          body_blocks[k / parts_of_block] &= ~(std::uint64_t{1} << k % parts_of_block);
        }
      }
    }
    return bits;
  }

  bool operator==(PanelShares const&) const = default;

 private:
  /// A pair of different panels takes four thirds of the time of a panel with itself, in both
  /// orders.
  std::size_t work_before(std::size_t index) const {
    constexpr std::size_t between = 4, within = 3;
    if (index == panel_pairs(panels_)) return between * index - (between - within) * panels_;
    auto const pair = pair_from_index(index, panels_);
    // Earlier panels paired with themselves, also those of the same square.
    std::size_t const first = pair.b / panels_of_group * panels_of_group;
    std::size_t const diagonal_pairs = pair.a < first ? first : pair.b;
    return between * index - (between - within) * diagonal_pairs;
  }
  std::size_t index_of_pair(std::size_t a, std::size_t b) const {
    return pair_index({std::min(a, b), std::max(a, b)}, panels_);
  }

  std::size_t bodies_, panels_, length_, ranks_;
};

/// All rows of partial sums hold a value.
struct EveryRow {
  KOKKOS_FORCEINLINE_FUNCTION EveryPart parts(std::size_t /*body*/) const { return {}; }
};
/// Rows that are not included in another sum, by the panel of the body.
struct HeldRows {
  Column<std::uint64_t> blocks;  ///< masks of the blocks of each panel
  std::size_t length = 1;        ///< bodies per panel
  std::size_t blocks_per_panel = 1;

  KOKKOS_FORCEINLINE_FUNCTION HeldParts parts(std::size_t body) const {
    return {&blocks(body / length * blocks_per_panel)};
  }
};

/// Layout of fragments in messages: those for one rank are contiguous, column by column.
struct MessagePlan {
  /// A piece of a fragment: rows of the columns, `bodies` rows apart in several panels.
  struct Piece {
    std::size_t first, count, panels;
    std::size_t offset;                       ///< within the message
    std::size_t message_first, message_rows;  ///< rows of the message in the buffer
  };
  Column<Piece> pieces;
  std::size_t bodies = 0;
  std::vector<std::size_t> rows;  ///< of the message of each rank
  std::size_t all_rows = 0;
};

/// Exchanges the partial sums: sends those of other ranks' bodies, and stores the received ones.
/// Keeps the plan, which depends only on the numbers of bodies, panels and ranks.
template <class Stored>
class PanelExchange {
 public:
  /// Exchanges the columns of `output`, which have a row for each panel and body. One message per
  /// other rank.
  void exchange(Context const& context, PanelShares const& shares, Field<Stored> const& output);

  /// Rows that remain to be added up for the bodies of this rank.
  HeldRows const& held() const { return held_; }

 private:
  void plan(Context const& context, PanelShares const& shares);

  std::optional<PanelShares> planned_;
  MessagePlan out_, in_;
  HeldRows held_;
  /// Messages of vectors, in the precision of the bodies, and of potentials.
  Column<Stored> out_vectors_, in_vectors_;
  Column<double> out_potentials_, in_potentials_;
};

extern template class PanelExchange<float>;
extern template class PanelExchange<double>;

}  // namespace apsis::forces
