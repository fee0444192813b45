# SPDX-License-Identifier: Apache-2.0
# Two ways to read headers fewer times. Every file still includes what it uses: it compiles with -D
# APSIS_UNITY=OFF -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON. (The preset "debug" has no units, GPUs
# have no precompiled header.)

# Precompiled headers, if the compiler is the host's own.
set(apsis_standard_headers
  <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <iostream> <map> <memory> <optional>
  <span> <sstream> <string> <variant> <vector>)
set(apsis_kokkos_headers <Kokkos_Core.hpp> ${apsis_standard_headers})

# apsis_precompile(TARGET LIST): precompiles the headers in the list for all sources of the target.
function(apsis_precompile target headers)
  if(APSIS_BACKEND MATCHES "serial|openmp")
    target_precompile_headers(${target} PRIVATE ${${headers}})
  endif()
endfunction()

# Compiles small files together, `batch` of them in one unit: with nvcc each file that includes
# Kokkos costs ten seconds before its first line. An edit recompiles the whole unit; -D
# APSIS_UNITY=OFF avoids that.
option(APSIS_UNITY "Compile small files together" ON)
function(apsis_compile_together target batch)
  if(APSIS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
# Files that gain nothing from it: those with many kernels or with options of their own.
function(apsis_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
