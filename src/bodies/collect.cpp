// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/collect.hpp>
#include <apsis/bodies/share.hpp>
#include <apsis/core/rows.hpp>

#include <cstring>
#include <type_traits>

namespace apsis {

namespace {

/// A copy is made of what is not alone already.
template <class View>
View collected_column(Context const& context, View const& own) {
  using Value = typename View::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(own);
  Kokkos::deep_copy(context.space, host, own);
  context.space.fence("apsis::bodies::collected: the host gives a column");
  std::span<Value const> const here(host.data(), host.span());
  auto const bytes = collect_rows(*context.communicator, std::as_bytes(here), own.extent(1));
  View all(Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing, own.label()),
           bytes.size() / sizeof(Value) / own.extent(1));
  auto const table = Kokkos::create_mirror_view(all);
  if (!bytes.empty()) std::memcpy(table.data(), bytes.data(), bytes.size());
  Kokkos::deep_copy(context.space, all, table);
  context.space.fence("apsis::bodies::collected: what came is freed");
  return all;
}

template <class T>
void distribute(Context const& context, std::vector<T> const& all, std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  distribute_rows(*context.communicator, std::as_bytes(std::span(all)),
                  std::as_writable_bytes(std::span(own)), 1);
}

}  // namespace

template <class Real>
Bodies<Real> collected(Context const& context, Bodies<Real> const& own) {
  if (!is_shared(context)) return own;
  return {collected_column(context, own.position),
          collected_column(context, own.velocity),
          collected_column(context, own.acceleration),
          collected_column(context, own.mass),
          collected_column(context, own.id),
          0,
          own.total};
}

template <class Value>
Column<Value> collected(Context const& context, Column<Value> const& own) {
  return is_shared(context) ? collected_column(context, own) : own;
}

HostBodies distributed(Context const& context, HostBodies const& all, std::size_t total) {
  auto const share = share_of(total, context.communicator->rank(), context.communicator->size());
  HostBodies own(share.count);
  distribute(context, all.mass, own.mass);
  distribute(context, all.position, own.position);
  distribute(context, all.velocity, own.velocity);
  distribute(context, all.id, own.id);
  return own;
}

template Bodies<float> collected(Context const&, Bodies<float> const&);
template Bodies<double> collected(Context const&, Bodies<double> const&);
template Column<float> collected(Context const&, Column<float> const&);
template Column<double> collected(Context const&, Column<double> const&);
template Column<std::uint64_t> collected(Context const&, Column<std::uint64_t> const&);

}  // namespace apsis
