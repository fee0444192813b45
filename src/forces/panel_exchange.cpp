// SPDX-License-Identifier: Apache-2.0
#include "panel_exchange.hpp"

#include <apsis/core/error.hpp>

#include <cstring>

namespace apsis::forces {

namespace {

/// Copies fragments of a column, which has a row for each panel and body, to or from a buffer that
/// has nothing else.
template <class ColumnView, class Buffer>
void move_fragments(ExecutionSpace const& space, std::vector<Fragment> const& fragments,
                    std::size_t bodies, ColumnView const& column, Buffer const& buffer, bool out) {
  using Table = Kokkos::View<std::size_t* [3], Kokkos::LayoutRight, MemorySpace>;
  if (fragments.empty()) return;
  Table const table(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                       "apsis::forces::panel_exchange::fragments"),
                    fragments.size());
  auto const host = Kokkos::create_mirror_view(table);
  std::size_t place = 0;
  for (std::size_t k = 0; k < fragments.size(); ++k) {
    host(k, 0) = fragments[k].panel * bodies + fragments[k].begin;
    host(k, 1) = fragments[k].count;
    host(k, 2) = place;
    place += fragments[k].count;
  }
  Kokkos::deep_copy(space, table, host);
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  Kokkos::parallel_for(
      "apsis::forces::panel_exchange::move",
      Policy(space, static_cast<int>(fragments.size()), Kokkos::AUTO),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        auto const k = static_cast<std::size_t>(team.league_rank());
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, table(k, 1)), [&](std::size_t i) {
          if (out) {
            buffer(table(k, 2) + i) = column(table(k, 0) + i);
          } else {
            column(table(k, 0) + i) = buffer(table(k, 2) + i);
          }
        });
      });
  space.fence("apsis::forces::panel_exchange: the table of fragments is freed");
}

std::size_t rows_of(std::vector<Fragment> const& fragments) {
  std::size_t rows = 0;
  for (auto const& each : fragments) rows += each.count;
  return rows;
}

/// Gives and gets fragments of columns of one type.
template <class ColumnView>
void exchange_fragments(Context const& context, PanelShares const& shares, std::size_t bodies,
                        std::vector<ColumnView> const& columns) {
  using Value = typename ColumnView::non_const_value_type;
  using Buffer = Kokkos::View<Value*, MemorySpace>;
  auto const& with = *context.communicator;
  auto const buffer_of = [&](std::size_t rows) {
    return Buffer(Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing,
                                     "apsis::forces::panel_exchange::buffer"),
                  rows);
  };
  std::vector<std::vector<std::byte>> pieces(with.size());
  for (std::size_t to = 0; to < with.size(); ++to) {
    if (to == with.rank()) continue;
    auto const fragments = shares.fragments(with.rank(), to);
    std::size_t const rows = rows_of(fragments), bytes = rows * sizeof(Value);
    pieces[to].resize(bytes * columns.size());
    auto const buffer = buffer_of(rows);
    for (std::size_t k = 0; k < columns.size() && rows > 0; ++k) {
      move_fragments(context.space, fragments, bodies, columns[k], buffer, true);
      auto const host = Kokkos::create_mirror_view(buffer);
      Kokkos::deep_copy(context.space, host, buffer);
      context.space.fence("apsis::forces::panel_exchange: the host gives fragments");
      std::memcpy(pieces[to].data() + k * bytes, host.data(), bytes);
    }
  }
  auto const got = with.exchange(pieces);
  for (std::size_t from = 0; from < with.size(); ++from) {
    if (from == with.rank()) continue;
    auto const fragments = shares.fragments(from, with.rank());
    std::size_t const rows = rows_of(fragments), bytes = rows * sizeof(Value);
    APSIS_EXPECT(got[from].size() == bytes * columns.size(),
                 "processes disagree about what they share");
    auto const buffer = buffer_of(rows);
    for (std::size_t k = 0; k < columns.size() && rows > 0; ++k) {
      auto const host = Kokkos::create_mirror_view(buffer);
      std::memcpy(host.data(), got[from].data() + k * bytes, bytes);
      Kokkos::deep_copy(context.space, buffer, host);
      move_fragments(context.space, fragments, bodies, columns[k], buffer, false);
    }
  }
}

}  // namespace

template <class Stored>
void exchange_panels(Context const& context, PanelShares const& shares, std::size_t bodies,
                     Field<Stored> const& rows) {
  using OneColumn = decltype(Kokkos::subview(rows.acceleration, Kokkos::ALL, 0));
  std::vector<OneColumn> columns;
  auto const add = [&](VectorColumns<Stored> const& of) {
    for (int axis = 0; axis < 3 && of.extent(0) != 0; ++axis) {
      columns.push_back(Kokkos::subview(of, Kokkos::ALL, axis));
    }
  };
  add(rows.acceleration);
  add(rows.jerk);
  add(rows.snap);
  exchange_fragments(context, shares, bodies, columns);
  if (!rows.has_potential()) return;
  exchange_fragments(context, shares, bodies, std::vector<Column<double>>{rows.potential});
}

template void exchange_panels(Context const&, PanelShares const&, std::size_t, Field<float> const&);
template void exchange_panels(Context const&, PanelShares const&, std::size_t,
                              Field<double> const&);

}  // namespace apsis::forces
