// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/error.hpp>

#include <cstddef>
#include <span>

namespace apsis::forces {

/// One column of each process, one after the other. Fences.
template <class Own, class All>
void gather_column(Context const& context, Own const& own, All const& all) {
  using Stored = typename All::non_const_value_type;
  auto const host = Kokkos::create_mirror_view(own);
  Kokkos::deep_copy(context.space, host, own);
  context.space.fence("apsis::forces::gather_column: the host gives a column");
  auto const bytes =
      context.communicator->gather(std::as_bytes(std::span(host.data(), host.extent(0))));
  APSIS_EXPECT(bytes.size() == all.extent(0) * sizeof(Stored),
               "the processes have other bodies than all together");
  using OnHost =
      Kokkos::View<Stored const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Kokkos::deep_copy(context.space, all,
                    OnHost(reinterpret_cast<Stored const*>(bytes.data()), all.extent(0)));
  context.space.fence("apsis::forces::gather_column: what was gathered is freed");
}

}  // namespace apsis::forces
