// SPDX-License-Identifier: Apache-2.0
#include "forces/direct/panel_exchange.hpp"

#include "core/transport.hpp"
#include "forces/sweep.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace apsis::forces {

namespace detail {

/// The columns of some vectors, or one scalar column.
template <class Value>
struct PanelColumns {
  Kokkos::Array<VectorColumns<Value>, 3> vectors;
  Column<Value> numbers;
  unsigned count = 0;  ///< number of vectors; 0: the scalar column

  KOKKOS_FUNCTION unsigned columns() const { return count > 0 ? 3 * count : 1; }
  KOKKOS_FUNCTION Value& operator()(std::size_t row, unsigned column) const {
    return count > 0 ? vectors[column / 3](row, column % 3) : numbers(row);
  }
};

}  // namespace detail

namespace {

/// Small, so that a few sums of many panels use all of a GPU.
constexpr int rows_of_piece = 128;

/// Packs sums of rows of the columns into the buffer of a plan (`is_sending`), or unpacks a
/// received buffer into the first of those rows.
template <class Value>
void move_fragments(ExecutionSpace const& space, MessagePlan const& plan,
                    detail::PanelColumns<Value> const& columns, Column<Value> const& buffer,
                    bool is_sending) {
  if (plan.all_rows == 0) return;
  auto const pieces = plan.pieces;
  std::size_t const bodies = plan.bodies;
  unsigned const width = columns.columns();
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "apsis::forces::panel_exchange::move",
      Policy(space, static_cast<int>(pieces.extent(0) * width), by_backend(1, rows_of_piece)),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        auto const rank = static_cast<unsigned>(team.league_rank());
        unsigned const k = rank / width, c = rank % width;
        auto const piece = pieces(k);
        std::size_t const target =
            piece.message_first * width + c * piece.message_rows + piece.offset;
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, piece.count), [&](std::size_t i) {
          auto& value = columns(piece.first + i, c);
          if (is_sending) {
            buffer(target + i) = sum_of_parts(&value, bodies, piece.panels);
          } else {
            value = buffer(target + i);
          }
        });
      });
}

/// Appends the message of each rank in a buffer of a plan.
template <class Message, class Value>
void append(std::vector<Message>& messages, MessagePlan const& plan, Column<Value> const& buffer,
            std::size_t columns) {
  std::size_t begin = 0;
  for (std::size_t rank = 0; rank < plan.rows.size(); ++rank) {
    std::size_t const length = plan.rows[rank] * columns;
    if (length == 0) continue;
    messages.push_back({rank, std::as_writable_bytes(std::span(buffer.data() + begin, length))});
    begin += length;
  }
}

/// Builds a plan; `fragments_of(other)` are the fragments exchanged with another rank.
template <class FragmentsOf>
MessagePlan make_plan(ExecutionSpace const& space, PanelShares const& shares, std::size_t rank,
                      FragmentsOf const& fragments_of) {
  MessagePlan plan;
  plan.bodies = shares.bodies();
  std::vector<MessagePlan::Piece> pieces;
  for (std::size_t other = 0; other < shares.ranks(); ++other) {
    std::vector<Fragment> const message =
        other == rank ? std::vector<Fragment>() : fragments_of(other);
    std::size_t rows = 0, offset = 0;
    for (auto const& fragment : message) rows += fragment.count;
    for (auto const& fragment : message) {
      for (std::size_t begin = 0; begin < fragment.count; begin += rows_of_piece) {
        std::size_t const count = std::min<std::size_t>(rows_of_piece, fragment.count - begin);
        pieces.push_back({fragment.panel * shares.bodies() + fragment.begin + begin, count,
                          fragment.panels, offset, plan.all_rows, rows});
        offset += count;
      }
    }
    plan.rows.push_back(rows);
    plan.all_rows += rows;
  }
  plan.pieces = copy_to_device(space, pieces, "apsis::forces::panel_exchange::plan");
  space.fence("apsis::forces::panel_exchange: what was copied is freed");
  return plan;
}

HeldRows held_rows(ExecutionSpace const& space, PanelShares const& shares, std::size_t rank) {
  auto const bits = shares.held(rank);
  std::size_t const blocks = bits.size() / shares.panels();
  HeldRows held;
  held.length = shares.length();
  held.blocks_per_panel = blocks;
  held.blocks = copy_to_device(space, bits, "apsis::forces::panel_exchange::held");
  space.fence("apsis::forces::panel_exchange: what was copied is freed");
  return held;
}

}  // namespace

template <class Stored>
void PanelExchange<Stored>::plan(Context const& context, PanelShares const& shares) {
  if (planned_ == shares) return;
  std::size_t const rank = context.communicator->rank();
  out_ = make_plan(context.space, shares, rank,
                   [&](std::size_t receiver) { return shares.fragments(rank, receiver); });
  in_ = make_plan(context.space, shares, rank,
                  [&](std::size_t sender) { return shares.fragments(sender, rank); });
  held_ = held_rows(context.space, shares, rank);
  planned_ = shares;
}

template <class Stored>
void PanelExchange<Stored>::exchange(Context const& context, PanelShares const& shares,
                                     Field<Stored> const& output) {
  auto const& space = context.space;
  plan(context, shares);
  detail::PanelColumns<Stored> vectors;
  auto const add = [&](Wants result, VectorColumns<Stored> const& column) {
    if (output.has(result)) vectors.vectors[vectors.count++] = column;
  };
  add(Wants::acceleration, output.acceleration);
  add(Wants::jerk, output.jerk);
  add(Wants::snap, output.snap);
  bool const has_potential = output.has(Wants::potential);
  detail::PanelColumns<double> potentials;
  potentials.numbers = output.potential;

  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  auto const prepare = [&](auto const& columns, auto& out, auto& in) {
    std::size_t const width = columns.columns();
    grow(space, out, "apsis::forces::panel_exchange::out", out_.all_rows * width);
    grow(space, in, "apsis::forces::panel_exchange::in", in_.all_rows * width);
    move_fragments(space, out_, columns, out, true);
    append(outgoing, out_, out, width);
    append(incoming, in_, in, width);
  };
  if (vectors.count > 0) prepare(vectors, out_vectors_, in_vectors_);
  if (has_potential) prepare(potentials, out_potentials_, in_potentials_);
  context.communicator->transport().exchange(space, outgoing, incoming);
  if (vectors.count > 0) move_fragments(space, in_, vectors, in_vectors_, false);
  if (has_potential) move_fragments(space, in_, potentials, in_potentials_, false);
}

template class PanelExchange<float>;
template class PanelExchange<double>;

}  // namespace apsis::forces
