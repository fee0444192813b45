// SPDX-License-Identifier: Apache-2.0
#include "panel_exchange.hpp"

#include "sweep.hpp"
#include <apsis/core/error.hpp>

#include <cstring>

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

using Bytes = std::vector<std::byte>;

/// Between the columns and the buffer, which has the messages of a plan.
template <class Value>
void move_fragments(ExecutionSpace const& space, MessagePlan const& plan,
                    detail::PanelColumns<Value> const& columns, Column<Value> const& buffer,
                    bool out) {
  if (plan.all_rows == 0) return;
  auto const fragments = plan.fragments;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "apsis::forces::panel_exchange::move",
      Policy(space, static_cast<int>(fragments.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        auto const k = static_cast<std::size_t>(team.league_rank());
        std::size_t const first = fragments(k, 0), count = fragments(k, 1);
        std::size_t const behind = fragments(k, 2), message = fragments(k, 3);
        std::size_t const rows = fragments(k, 4);
        unsigned const width = columns.columns();
        for (unsigned c = 0; c < width; ++c) {
          std::size_t const to = message * width + c * rows + behind;
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](std::size_t i) {
            if (out) {
              buffer(to + i) = columns(first + i, c);
            } else {
              columns(first + i, c) = buffer(to + i);
            }
          });
        }
      });
}

/// Adds what a buffer has for each process to its message.
template <class Value>
void append(ExecutionSpace const& space, Column<Value> const& buffer, MessagePlan const& plan,
            std::size_t columns, std::vector<Bytes>& messages) {
  auto const host = Kokkos::create_mirror_view(buffer);
  Kokkos::deep_copy(space, host, buffer);
  space.fence("apsis::forces::panel_exchange: the host gives fragments");
  auto const* from = reinterpret_cast<std::byte const*>(host.data());
  for (std::size_t to = 0; to < messages.size(); ++to) {
    std::size_t const bytes = plan.rows[to] * columns * sizeof(Value);
    messages[to].insert(messages[to].end(), from, from + bytes);
    from += bytes;
  }
}

/// Takes it from there into the buffer, behind what was `taken` of each already.
template <class Value>
void take(ExecutionSpace const& space, Column<Value> const& buffer, MessagePlan const& plan,
          std::size_t columns, std::vector<Bytes> const& messages,
          std::vector<std::size_t>& taken) {
  auto const host = Kokkos::create_mirror_view(buffer);
  auto* to = reinterpret_cast<std::byte*>(host.data());
  for (std::size_t from = 0; from < messages.size(); ++from) {
    std::size_t const bytes = plan.rows[from] * columns * sizeof(Value);
    APSIS_EXPECT(messages[from].size() >= taken[from] + bytes,
                 "processes disagree about what they share");
    if (bytes > 0) std::memcpy(to, messages[from].data() + taken[from], bytes);
    to += bytes;
    taken[from] += bytes;
  }
  Kokkos::deep_copy(space, buffer, host);
  space.fence("apsis::forces::panel_exchange: the mirror is freed on return");
}

/// `of(process)` are the fragments of the message from or to it.
template <class Of>
MessagePlan plan_of(ExecutionSpace const& space, PanelShares const& shares, std::size_t own,
                    Of const& of) {
  MessagePlan plan;
  std::vector<std::vector<Fragment>> fragments(shares.processes());
  std::size_t count = 0;
  for (std::size_t process = 0; process < shares.processes(); ++process) {
    if (process != own) fragments[process] = of(process);
    count += fragments[process].size();
  }
  plan.fragments =
      MessagePlan::Fragments(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                "apsis::forces::panel_exchange::fragments"),
                             count);
  auto const host = Kokkos::create_mirror_view(plan.fragments);
  std::size_t k = 0;
  for (auto const& message : fragments) {
    std::size_t rows = 0, behind = 0;
    for (auto const& each : message) rows += each.count;
    for (auto const& each : message) {
      host(k, 0) = each.panel * shares.bodies() + each.begin;
      host(k, 1) = each.count;
      host(k, 2) = behind;
      host(k, 3) = plan.all_rows;
      host(k, 4) = rows;
      behind += each.count;
      ++k;
    }
    plan.rows.push_back(rows);
    plan.all_rows += rows;
  }
  Kokkos::deep_copy(space, plan.fragments, host);
  space.fence("apsis::forces::panel_exchange: the mirror is freed on return");
  return plan;
}

/// A buffer of this length exactly, for its mirror is copied whole.
template <class Value>
void fit(ExecutionSpace const& space, Column<Value>& buffer, std::size_t length) {
  if (buffer.extent(0) == length) return;
  buffer = {};
  reserve(space, buffer, length, "apsis::forces::panel_exchange::messages");
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

  std::vector<Bytes> given(shares.processes());
  if (vectors.count > 0) {
    fit(space, out_vectors_, out_.all_rows * vectors.columns());
    move_fragments(space, out_, vectors, out_vectors_, true);
    append(space, out_vectors_, out_, vectors.columns(), given);
  }
  if (into.has_potential()) {
    fit(space, out_potentials_, out_.all_rows);
    move_fragments(space, out_, potentials, out_potentials_, true);
    append(space, out_potentials_, out_, 1, given);
  }
  auto const got = context.communicator->exchange(given);
  std::vector<std::size_t> taken(shares.processes(), 0);
  if (vectors.count > 0) {
    fit(space, in_vectors_, in_.all_rows * vectors.columns());
    take(space, in_vectors_, in_, vectors.columns(), got, taken);
    move_fragments(space, in_, vectors, in_vectors_, false);
  }
  if (into.has_potential()) {
    fit(space, in_potentials_, in_.all_rows);
    take(space, in_potentials_, in_, 1, got, taken);
    move_fragments(space, in_, potentials, in_potentials_, false);
  }
}

template class PanelExchange<float>;
template class PanelExchange<double>;

}  // namespace apsis::forces
