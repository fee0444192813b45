// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"
#include <apsis/core/transport.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace apsis::forces {

namespace detail {

/// The columns of some vectors, or one of numbers.
template <class Value>
struct PanelColumns {
  Kokkos::Array<VectorColumns<Value>, 3> vectors;
  Column<Value> numbers;
  unsigned count = 0;  ///< vectors; 0: the numbers

  KOKKOS_FUNCTION unsigned columns() const { return count > 0 ? 3 * count : 1; }
  KOKKOS_FUNCTION Value& operator()(std::size_t row, unsigned column) const {
    return count > 0 ? vectors[column / 3](row, column % 3) : numbers(row);
  }
};

}  // namespace detail

namespace {

/// Small, so that few sums of many panels reach all of a GPU.
constexpr int rows_of_piece = 128;

/// Sums of rows of the columns to the buffer, which has the messages of a plan, or what came in it
/// to the first of those rows.
template <class Value>
void move_fragments(ExecutionSpace const& space, MessagePlan const& plan,
                    detail::PanelColumns<Value> const& columns, Column<Value> const& buffer,
                    bool out) {
  if (plan.all_rows == 0) return;
  auto const pieces = plan.pieces;
  std::size_t const bodies = plan.bodies;
  unsigned const width = columns.columns();
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "apsis::forces::panel_exchange::move",
      Policy(space, static_cast<int>(pieces.extent(0) * width), bodies_on_host ? 1 : rows_of_piece),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        auto const rank = static_cast<unsigned>(team.league_rank());
        unsigned const k = rank / width, c = rank % width;
        std::size_t const first = pieces(k, 0), count = pieces(k, 1), panels = pieces(k, 2);
        std::size_t const to = pieces(k, 4) * width + c * pieces(k, 5) + pieces(k, 3);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::size_t i) {
          auto& own = columns(first + i, c);
          if (out) {
            buffer(to + i) = sum_of_parts(&own, bodies, panels);
          } else {
            own = buffer(to + i);
          }
        });
      });
}

/// The message of each process in a buffer of a plan.
template <class Message, class Value>
void append(std::vector<Message>& messages, MessagePlan const& plan, Column<Value> const& buffer,
            std::size_t columns) {
  std::size_t begin = 0;
  for (std::size_t process = 0; process < plan.rows.size(); ++process) {
    std::size_t const length = plan.rows[process] * columns;
    if (length == 0) continue;
    messages.push_back({process, std::as_writable_bytes(std::span(buffer.data() + begin, length))});
    begin += length;
  }
}

/// `of(process)` are the fragments of the message from or to it.
template <class Of>
MessagePlan plan_of(ExecutionSpace const& space, PanelShares const& shares, std::size_t own,
                    Of const& of) {
  MessagePlan plan;
  plan.bodies = shares.bodies();
  std::vector<std::array<std::size_t, 6>> pieces;
  for (std::size_t process = 0; process < shares.processes(); ++process) {
    std::vector<Fragment> const message = process == own ? std::vector<Fragment>() : of(process);
    std::size_t rows = 0, behind = 0;
    for (auto const& each : message) rows += each.count;
    for (auto const& each : message) {
      for (std::size_t begin = 0; begin < each.count; begin += rows_of_piece) {
        std::size_t const count = std::min<std::size_t>(rows_of_piece, each.count - begin);
        pieces.push_back({each.panel * shares.bodies() + each.begin + begin, count, each.panels,
                          behind, plan.all_rows, rows});
        behind += count;
      }
    }
    plan.rows.push_back(rows);
    plan.all_rows += rows;
  }
  plan.pieces = MessagePlan::Pieces(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::forces::panel_exchange::plan"),
      pieces.size());
  using OnHost = Kokkos::View<std::size_t const* [6], Kokkos::LayoutRight, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(space, plan.pieces,
                    OnHost(pieces.empty() ? nullptr : pieces.front().data(), pieces.size()));
  space.fence("apsis::forces::panel_exchange: what was copied is freed");
  return plan;
}

HeldRows held_rows(ExecutionSpace const& space, PanelShares const& shares, std::size_t own) {
  auto const bits = shares.held(own);
  std::size_t const blocks = bits.size() / shares.panels();
  HeldRows held;
  held.length = shares.length();
  held.blocks = decltype(held.blocks)(
      Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::forces::panel_exchange::held"),
      shares.panels(), blocks);
  Kokkos::deep_copy(
      space, held.blocks,
      Kokkos::View<std::uint64_t const**, Kokkos::LayoutRight, Kokkos::HostSpace,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(bits.data(), shares.panels(), blocks));
  space.fence("apsis::forces::panel_exchange: what was copied is freed");
  return held;
}

}  // namespace

template <class Stored>
void PanelExchange<Stored>::plan(Context const& context, PanelShares const& shares) {
  if (planned_ == shares) return;
  std::size_t const own = context.communicator->rank();
  out_ = plan_of(context.space, shares, own,
                 [&](std::size_t to) { return shares.fragments(own, to); });
  in_ = plan_of(context.space, shares, own,
                [&](std::size_t from) { return shares.fragments(from, own); });
  held_ = held_rows(context.space, shares, own);
  planned_ = shares;
}

template <class Stored>
void PanelExchange<Stored>::exchange(Context const& context, PanelShares const& shares,
                                     Field<Stored> const& into) {
  auto const& space = context.space;
  plan(context, shares);
  detail::PanelColumns<Stored> vectors;
  for (auto const* of : {&into.acceleration, &into.jerk, &into.snap}) {
    if (of->extent(0) != 0) vectors.vectors[vectors.count++] = *of;
  }
  detail::PanelColumns<double> potentials;
  potentials.numbers = into.potential;

  std::vector<Outgoing> give;
  std::vector<Incoming> take;
  auto const prepare = [&](auto const& columns, auto& out, auto& in) {
    std::size_t const width = columns.columns();
    reserve(space, out, out_.all_rows * width, "apsis::forces::panel_exchange::out");
    reserve(space, in, in_.all_rows * width, "apsis::forces::panel_exchange::in");
    move_fragments(space, out_, columns, out, true);
    append(give, out_, out, width);
    append(take, in_, in, width);
  };
  if (vectors.count > 0) prepare(vectors, out_vectors_, in_vectors_);
  if (into.has_potential()) prepare(potentials, out_potentials_, in_potentials_);
  context.communicator->transport().exchange(space, give, take);
  if (vectors.count > 0) move_fragments(space, in_, vectors, in_vectors_, false);
  if (into.has_potential()) move_fragments(space, in_, potentials, in_potentials_, false);
}

template class PanelExchange<float>;
template class PanelExchange<double>;

}  // namespace apsis::forces
