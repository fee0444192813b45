// SPDX-License-Identifier: Apache-2.0
#include "profiling_region.hpp"

#include <Kokkos_Core.hpp>

namespace apsis {

ProfilingRegion::ProfilingRegion(char const* name)
    : is_open_(Kokkos::Profiling::profileLibraryLoaded()) {
  if (is_open_) Kokkos::Profiling::pushRegion(name);
}

ProfilingRegion::~ProfilingRegion() {
  if (is_open_) Kokkos::Profiling::popRegion();
}

}  // namespace apsis
