# SPDX-License-Identifier: Apache-2.0
# Functions with which the rooms list their sources, and ways to compile these in less time.

# apsis_sources(TARGET NAME...): adds NAME.cpp of this directory to the target.
function(apsis_sources target)
  list(TRANSFORM ARGN APPEND .cpp)
  target_sources(${target} PRIVATE ${ARGN})
endfunction()

# apsis_instantiate(NAME "HEADER..." NAMESPACE DECLARATION...): adds a source to the library that instantiates templates
# of the headers: `template DECLARATION;` in NAMESPACE.
macro(apsis_instantiate)
  apsis_instantiate_in(apsis ${ARGV})
endmacro()
# apsis_instantiate_in(TARGET NAME ...): the same for a target.
function(apsis_instantiate_in target name headers namespace)
  string(TOLOWER "${name}" name)
  string(REGEX REPLACE "([^ ]+) *" "#include \"\\1\"\n" includes "${headers}")
  set(instances "")
  foreach(declaration IN LISTS ARGN)
    string(APPEND instances "template ${declaration};\n")
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT
    "@includes@\nnamespace @namespace@ {\n\n@instances@\n}  // namespace @namespace@\n")
  target_sources(${target} PRIVATE "${source}")
  apsis_compile_alone(${target} "${source}")
endfunction()

# apsis_embed(TARGET NAMESPACE NAME FILE...): adds a source to the target with a function NAME that returns the files as
# a span of Embedded. Regenerated when a file changes.
function(apsis_embed target namespace name)
  set(arrays "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    cmake_path(GET file FILENAME base)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "constexpr unsigned char bytes_${number}[] = {${bytes}};\n")
    string(APPEND entries "    {\"${base}\", bytes_${number}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(source "${PROJECT_BINARY_DIR}/generated/embedded_${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include "core/embedded.hpp"

namespace @namespace@ {
namespace {
@arrays@constexpr Embedded embedded[] = {
@entries@};
}
std::span<Embedded const> @name@() {
  return embedded;
}
}  // namespace @namespace@
]])
  target_sources(${target} PRIVATE "${source}")
  apsis_compile_alone(${target} "${source}")
endfunction()

# Two ways to read headers fewer times. Every file still includes what it uses (the preset "debug" has no units).

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

# Compiles small files together, `batch` of them in one unit.
option(APSIS_UNITY "Compile small files together" ON)
function(apsis_compile_together target batch)
  if(APSIS_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
# The same for files that include Kokkos: a device compiler reads its headers three times, which takes 13 s (nvcc 13.0).
function(apsis_compile_kernels_together target batch)
  if(NOT APSIS_BACKEND MATCHES "serial|openmp")
    math(EXPR batch "3 * ${batch}")
  endif()
  apsis_compile_together(${target} ${batch})
endfunction()
# apsis_compile_alone(TARGET FILE...): files that gain nothing from it: with many kernels or with their own options.
function(apsis_compile_alone target)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
