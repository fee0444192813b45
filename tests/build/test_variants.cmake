# SPDX-License-Identifier: Apache-2.0
# A small library in the place of Apsis, built by cmake/shared_library.cmake: the loader takes the variant of the highest
# level, the library exports all of a static Kokkos, and nothing of a static HDF5.
cmake_minimum_required(VERSION 3.25)
set(loader /lib64/ld-linux-x86-64.so.2)
set(help "")
if(EXISTS "${loader}")
  execute_process(COMMAND "${loader}" --help OUTPUT_VARIABLE help ERROR_QUIET)
endif()
if(NOT help MATCHES "x86-64-v3 [^\n]*searched")
  message("skipped: the loader searches no x86-64-v3 on this machine")
  return()
endif()
file(REMOVE_RECURSE "${WORK}")
file(WRITE "${WORK}/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(apsis VERSION 2.5.7 LANGUAGES CXX)
include(GNUInstallDirs)
include("${SOURCE}/cmake/shared_library.cmake")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(kokkoscore STATIC kokkos.cpp)
add_library(Kokkos::kokkoscore ALIAS kokkoscore)
add_library(hidden STATIC hidden.cpp)
foreach(which hdf5 pictures)
  add_library(apsis_${which} INTERFACE)
  add_library(apsis::${which} ALIAS apsis_${which})
endforeach()
target_link_libraries(apsis_hdf5 INTERFACE "${CMAKE_BINARY_DIR}/libhidden.a")
function(apsis_set_up_library target)
  target_link_libraries(${target} PUBLIC kokkoscore PRIVATE apsis_hdf5)
  add_dependencies(${target} hidden)
  apsis_set_up_shared_library(${target})
endfunction()
add_library(apsis level.cpp)
apsis_set_up_library(apsis)
apsis_add_variants(apsis apsis_set_up_library)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE apsis)
]])
file(WRITE "${WORK}/kokkos.cpp" "int state = 0;\nint unused_by_library() { return ++state; }\n")
file(WRITE "${WORK}/hidden.cpp" "int hidden_function() { return 1; }\n")
file(WRITE "${WORK}/level.cpp" [[
int hidden_function();
// In the program too, for the lowest level.
inline char const* set() {
#if defined(__AVX512F__)
  return "v4";
#elif defined(__AVX2__)
  return "v3";
#else
  return "base";
#endif
}
char const* level() { return hidden_function() == 1 ? set() : ""; }
]])
file(WRITE "${WORK}/program.cpp" [[
#include <cstdio>
char const* level();
int unused_by_library();
inline char const* set() { return "that of the program"; }
char const* (*volatile used)() = set;
int main() { std::printf("%s %d %s", level(), unused_by_library(), used()); }
]])
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${WORK}" -B "${WORK}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DSOURCE=${SOURCE}" -DAPSIS_BACKEND=openmp -DAPSIS_NATIVE=OFF -DBUILD_SHARED_LIBS=ON "-DAPSIS_HWCAPS=x86-64-v3;x86-64-v4"
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

set(best v3)
if(help MATCHES "x86-64-v4 [^\n]*searched")
  set(best v4)
endif()
foreach(row ":${best}" "-AVX512F:v3" "-AVX512F,-AVX2:base")
  string(REPLACE ":" ";" row "${row}")
  list(POP_FRONT row masked expected)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "GLIBC_TUNABLES=glibc.cpu.hwcaps=${masked}" "${WORK}/build/program"
    OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said STREQUAL "${expected} 1 that of the program")
    message(SEND_ERROR "with '${masked}' masked the program says '${said}', not '${expected} 1 that of the program'")
  endif()
endforeach()

find_program(NM nm REQUIRED)
find_program(READELF readelf REQUIRED)
foreach(library libapsis.so glibc-hwcaps/x86-64-v3/libapsis.so glibc-hwcaps/x86-64-v4/libapsis.so)
  execute_process(COMMAND "${READELF}" -d "${WORK}/build/lib/${library}" OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${NM}" -DC --defined-only "${WORK}/build/lib/${library}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "soname: \\[libapsis\\.so\\.2\\.5\\]")
    message(SEND_ERROR "${library} has another soname than libapsis.so.2.5: ${dynamic}")
  endif()
  if(NOT symbols MATCHES "unused_by_library" OR symbols MATCHES "hidden_function")
    message(SEND_ERROR "${library} must export unused_by_library (Kokkos) and hide hidden_function (HDF5): ${symbols}")
  endif()
endforeach()
file(REMOVE_RECURSE "${WORK}")
