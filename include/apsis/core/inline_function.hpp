// SPDX-License-Identifier: Apache-2.0
#pragma once

/// APSIS_INLINE_FUNCTION marks functions for host and device in headers that sources without Kokkos
/// include too. Such sources are compiled with APSIS_WITHOUT_KOKKOS.
#if defined(APSIS_WITHOUT_KOKKOS)
#define APSIS_INLINE_FUNCTION inline
#else
#include <Kokkos_Macros.hpp>
#define APSIS_INLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#endif
