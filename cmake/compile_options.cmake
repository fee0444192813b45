# SPDX-License-Identifier: Apache-2.0
# Compiler options of Apsis' own code, as interface targets that only its targets link (privately).

add_library(apsis_compile_options INTERFACE)  # for all code of Apsis
add_library(apsis_kernel_options INTERFACE)   # for code that includes Kokkos
add_library(apsis_plain_options INTERFACE)    # for code that never includes it, in targets of its own
target_link_libraries(apsis_kernel_options INTERFACE apsis_compile_options)
target_link_libraries(apsis_plain_options INTERFACE apsis_compile_options)
target_compile_definitions(apsis_plain_options INTERFACE APSIS_WITHOUT_KOKKOS)
target_include_directories(apsis_plain_options INTERFACE "${PROJECT_SOURCE_DIR}/include")
target_include_directories(apsis_compile_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(apsis_compile_options INTERFACE APSIS_ENABLE_VIEW=$<BOOL:${APSIS_ENABLE_VIEW}>)
if(APSIS_BACKEND STREQUAL hip)
  # hipcc treats every source as HIP and compiles it for its default GPU as well.
  target_compile_options(apsis_plain_options INTERFACE "SHELL:-x c++")
endif()

if(APSIS_BACKEND STREQUAL cuda)
  # nvcc repeats host warnings for generated code, where they are meaningless.
  target_compile_options(apsis_compile_options INTERFACE -Wall)
  # Denormals are flushed to zero on the device: otherwise every reciprocal square root in float would scale them.
  target_compile_options(apsis_kernel_options INTERFACE --ftz=true)
else()
  target_compile_options(apsis_compile_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Calling convention of packs wider than the machine's registers: irrelevant, because packs are passed to inline
  # functions only. (Eight 32-bit numbers as 64-bit ones, with AVX2.)
  target_compile_options(apsis_compile_options INTERFACE -Wno-psabi)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC bugs 105651 and 105329: false warnings from std::string's operator+, triggered by a precompiled header.
    target_compile_options(apsis_compile_options INTERFACE
      -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  else()
    # False warning: a look-up by a temporary name is taken for a reference to that name.
    target_compile_options(apsis_compile_options INTERFACE -Wno-dangling-reference)
  endif()
endif()
if(APSIS_WARNINGS_AS_ERRORS)
  target_compile_options(apsis_compile_options INTERFACE -Werror)
endif()

# Position-independent code may call functions as directly as an executable does: nobody replaces them at run time.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT APSIS_BACKEND STREQUAL cuda)
  target_compile_options(apsis_compile_options INTERFACE -fno-semantic-interposition)
endif()

# Contraction is set explicitly: results must be bitwise reproducible for one compiler. errno is never read; NaN and
# infinity keep their meaning (no -ffast-math).
target_compile_options(apsis_compile_options INTERFACE -ffp-contract=fast -fno-math-errno)

# GCC 12 miscompiles a double rounded to float and back in straight-line code (its SLP vectoriser drops the rounding of
# the first elements; tests/bodies detects it). The kernels are vectorised by hand and lose nothing without that pass.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(apsis_compile_options INTERFACE -fno-tree-slp-vectorize)
endif()
# Tuned for AMD's Zen, GCC omits some contractions in chains of sums, depending on the surrounding loop: a pair rounds
# differently where a tile holds the target, and bits depend on the number of ranks (domain_*_shared_runs).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND APSIS_BACKEND MATCHES "serial|openmp")
  target_compile_options(apsis_compile_options INTERFACE
    "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:SHELL:--param avoid-fma-max-bits=0>")
endif()

if(APSIS_NATIVE AND APSIS_BACKEND MATCHES "serial|openmp")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(apsis_compile_options INTERFACE -march=native -mprefer-vector-width=512)
  else()
    target_compile_options(apsis_compile_options INTERFACE -mcpu=native)
  endif()
endif()

if(APSIS_DEBUG_CHECKS)
  target_compile_definitions(apsis_compile_options INTERFACE _GLIBCXX_ASSERTIONS)
  if(apsis_kokkos_place STREQUAL debian)
    # Affects headers only: needs no Kokkos library built with it.
    target_compile_definitions(apsis_compile_options INTERFACE KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK)
  endif()
endif()

if(APSIS_SANITIZERS)
  target_compile_options(apsis_compile_options INTERFACE
    -fsanitize=${APSIS_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(apsis_compile_options INTERFACE -fsanitize=${APSIS_SANITIZERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # According to GCC's manual the sanitizers cause false warnings of this kind.
    target_compile_options(apsis_compile_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
