# SPDX-License-Identifier: Apache-2.0
# Precompiled headers, where the compiler is the host's own. Every file still includes what it uses:
# builds for GPUs, and CMAKE_DISABLE_PRECOMPILE_HEADERS, go without.
set(apsis_standard_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <iostream> <map> <memory> <optional>
  <span> <sstream> <string> <variant> <vector>)
set(apsis_kokkos_headers <Kokkos_Core.hpp> ${apsis_standard_headers})

# apsis_precompile(TARGET LIST): for all sources of the target the headers that the list names.
function(apsis_precompile target headers)
  if(APSIS_BACKEND MATCHES "serial|openmp")
    target_precompile_headers(${target} PRIVATE ${${headers}})
  endif()
endfunction()
