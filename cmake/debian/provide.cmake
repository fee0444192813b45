# SPDX-License-Identifier: Apache-2.0
# Debian's packages, unpacked into the build tree without root rights. HDF5, libraries for pictures
# and Boost come from the machine's own release; the other packages as well if it is new enough,
# otherwise from sid.
set(apsis_debian_dir "${PROJECT_BINARY_DIR}/_debian")
# Versions with which Apsis was built and tested (2026-11-25, Debian 12). sid changes: the
# configuration reports other versions.
set(apsis_tested_kokkos 5.2.2)
set(apsis_tested_kernels 16.1.0)  # of Trilinos, which contains Kokkos Kernels
set(apsis_tested_cli11 2.6.1)
set(apsis_tested_json 3.12.0)
set(apsis_tested_doctest 2.5.3)

# Unpacks packages once into ${apsis_debian_dir}/<name>; `reason` is empty on success. Options of
# prefix.sh come first.
function(apsis_debian_unpack name reason)
  set(${reason} "" PARENT_SCOPE)
  if(EXISTS "${apsis_debian_dir}/${name}.done")
    return()
  endif()
  set(target "${apsis_debian_dir}/${name}")
  file(REMOVE_RECURSE "${target}" "${target}-runtime")
  file(REMOVE "${target}.versions" "${target}.depends" "${target}.suite")
  set(work apt)
  if("--own-suite" IN_LIST ARGN)
    set(work apt-own)
  endif()
  # Mirrors that did not answer are not tried again in this configuration: without network each
  # attempt takes long.
  get_property(known GLOBAL PROPERTY apsis_debian_without_${work})
  if(known)
    set(${reason} "${known}" PARENT_SCOPE)
    return()
  endif()
  get_property(missing GLOBAL PROPERTY apsis_missing)
  set(check "")
  if(missing)
    set(check --check)
  endif()
  execute_process(
    COMMAND sh "${PROJECT_SOURCE_DIR}/cmake/debian/prefix.sh" "${apsis_debian_dir}/${work}" "${target}" ${check} ${ARGN}
    ERROR_VARIABLE log OUTPUT_VARIABLE log RESULT_VARIABLE status)
  if(status EQUAL 0 AND missing)
    set(${reason} available PARENT_SCOPE)
    return()
  elseif(status EQUAL 0)
    file(TOUCH "${target}.done")
    return()
  endif()
  string(STRIP "${log}" log)
  set(${reason} "${log}" PARENT_SCOPE)
  if(status EQUAL 3)
    string(REGEX REPLACE "\\. apt-get said.*" " (see above)" short "${log}")
    set_property(GLOBAL PROPERTY apsis_debian_without_${work} "${short}")
  endif()
endfunction()

# Unpacks packages of the machine's own release if it satisfies the options `--at-least PACKAGE
# VERSION`, otherwise those of sid.
function(apsis_debian_unpack_new name reason)
  apsis_debian_unpack(${name} own --own-suite ${ARGN})
  set(why "${own}")
  if(own AND NOT own STREQUAL available)
    apsis_debian_unpack(${name} why ${ARGN})
    if(why AND NOT why STREQUAL own)
      set(why "${own}\n  debian: ${why}")
    endif()
  endif()
  set(${reason} "${why}" PARENT_SCOPE)
endfunction()

# Removes the package client's lists, which later calls fetch again if needed.
function(apsis_debian_clean)
  file(REMOVE_RECURSE "${apsis_debian_dir}/apt" "${apsis_debian_dir}/apt-own")
endfunction()

function(apsis_debian_version name package out)
  file(STRINGS "${apsis_debian_dir}/${name}.versions" line REGEX "^${package} ")
  string(REGEX REPLACE "^[^ ]+ " "" version "${line}")
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

function(apsis_debian_suite name out)
  set(suite sid)
  if(EXISTS "${apsis_debian_dir}/${name}.suite")
    file(STRINGS "${apsis_debian_dir}/${name}.suite" suite)
  endif()
  set(${out} "${suite}" PARENT_SCOPE)
endfunction()

# Returns "PACKAGE VERSION of SUITE", and the tested version if sid has another one.
function(apsis_debian_describe name package out)
  apsis_debian_version(${name} ${package} version)
  apsis_debian_suite(${name} suite)
  set(text "${package} ${version} of ${suite}")
  # The upstream version follows an epoch and precedes Debian's own part.
  string(REGEX MATCH "[0-9]+([.][0-9]+)+" upstream "${version}")
  if(suite STREQUAL sid AND DEFINED apsis_tested_${name} AND NOT upstream VERSION_EQUAL apsis_tested_${name})
    string(APPEND text " (tested: ${apsis_tested_${name}})")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Debian's libkokkoscore may need a newer C library than this system's. If a program linked to it
# does not start with the system's loader, the packages' own loader and libraries are used with it.
function(apsis_debian_choose_loader root)
  file(GLOB library "${root}/kokkos/usr/lib/*/libkokkoscore.so")
  get_filename_component(library_dir "${library}" DIRECTORY)
  set(probe "${PROJECT_BINARY_DIR}/_probe_loader")
  file(MAKE_DIRECTORY "${probe}")
  file(WRITE "${probe}/probe.cpp" "int main() {}\n")
  execute_process(
    COMMAND "${CMAKE_CXX_COMPILER}" "${probe}/probe.cpp" -o "${probe}/probe" -Wl,--no-as-needed
            "${library}" "-Wl,-rpath,${library_dir}" -Wl,--allow-shlib-undefined
    RESULT_VARIABLE linked OUTPUT_QUIET ERROR_QUIET)
  execute_process(COMMAND "${probe}/probe" RESULT_VARIABLE ran OUTPUT_QUIET ERROR_QUIET)
  file(REMOVE_RECURSE "${probe}")
  if(linked EQUAL 0 AND ran EQUAL 0)
    file(REMOVE_RECURSE "${root}/kokkos-runtime")
  endif()
endfunction()

# Kokkos Kernels as plain headers: its Trilinos build declares instantiations and BLAS libraries
# that are neither available nor needed here, so this copy declares none. (Changed in place: the
# headers include each other with quotes, which search the includer's directory before any include
# path.)
function(apsis_debian_prepare_kernels root)
  set(trilinos "${root}/kernels/usr/include/trilinos")
  file(GLOB specializations "${trilinos}/generated_specializations_hpp/*")
  foreach(header IN LISTS specializations)
    file(WRITE "${header}" "")
  endforeach()
  file(READ "${trilinos}/KokkosKernels_config.h" config)
  string(REGEX REPLACE
    "#define (KOKKOSKERNELS_INST_|KOKKOSKERNELS_ENABLE_TPL_|KOKKOSKERNELS_TEST_ETI)" "// \\1"
    config "${config}")
  file(WRITE "${trilinos}/KokkosKernels_config.h" "${config}")
endfunction()

function(apsis_kokkos_from_debian found)
  set(${found} "" PARENT_SCOPE)
  if(NOT APSIS_BACKEND STREQUAL openmp)
    set(found_reason "Debian's Kokkos has the OpenMP backend only" PARENT_SCOPE)
    return()
  endif()
  apsis_debian_unpack_new(kokkos reason --at-least libkokkos-dev ${apsis_kokkos_minimum}
    --at-least libtrilinos-kokkos-kernels-dev 16.1 --closure libkokkos-dev)
  if(NOT reason)
    # Of the same release.
    set(own --own-suite)
    apsis_debian_suite(kokkos suite)
    if(suite STREQUAL sid)
      set(own "")
    endif()
    apsis_debian_unpack(kernels reason ${own} libtrilinos-kokkos-kernels-dev)
  endif()
  if(reason)
    set(found_reason "${reason}" PARENT_SCOPE)
    return()
  endif()
  if(NOT EXISTS "${apsis_debian_dir}/prepared")
    apsis_debian_choose_loader("${apsis_debian_dir}")
    apsis_debian_prepare_kernels("${apsis_debian_dir}")
    file(TOUCH "${apsis_debian_dir}/prepared")
  endif()
  set(APSIS_DEBIAN_ROOT "${apsis_debian_dir}")
  include("${PROJECT_SOURCE_DIR}/cmake/debian/targets.cmake")
  apsis_debian_describe(kokkos libkokkos-dev kokkos)
  apsis_debian_describe(kernels libtrilinos-kokkos-kernels-dev kernels)
  set(loader "with the system's C library")
  if(EXISTS "${apsis_debian_dir}/kokkos-runtime")
    set(loader "with their own C library")
  endif()
  set(${found} "${kokkos}, ${kernels}, ${loader}"
    PARENT_SCOPE)
endfunction()

function(apsis_debian_header_library found target name package minimum)
  set(${found} "" PARENT_SCOPE)
  apsis_debian_unpack_new(${name} reason --at-least ${package} ${minimum} ${package})
  if(reason)
    set(found_reason "${reason}" PARENT_SCOPE)
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE "${apsis_debian_dir}/${name}/usr/include")
  apsis_debian_describe(${name} ${package} description)
  set(${found} "${description}" PARENT_SCOPE)
endfunction()

macro(apsis_header_library_from_debian found)
  apsis_debian_header_library(apsis_found ${ARGN})
  set(${found} "${apsis_found}" PARENT_SCOPE)
  set(found_reason "${found_reason}" PARENT_SCOPE)
endmacro()

function(apsis_cli11_from_debian found)
  apsis_header_library_from_debian(${found} CLI11::CLI11 cli11 libcli11-dev ${apsis_cli11_minimum})
endfunction()

function(apsis_json_from_debian found)
  apsis_header_library_from_debian(${found} nlohmann_json::nlohmann_json json nlohmann-json3-dev ${apsis_json_minimum})
endfunction()

function(apsis_doctest_from_debian found)
  apsis_header_library_from_debian(${found} doctest::doctest doctest doctest-dev ${apsis_doctest_minimum})
endfunction()

# Where /lib is a link to /usr/lib, some packages still name the former.
function(apsis_debian_join_libraries name)
  set(root "${apsis_debian_dir}/${name}")
  file(GLOB split RELATIVE "${root}/lib" "${root}/lib/*-linux-gnu*/*")
  foreach(library IN LISTS split)
    file(RENAME "${root}/lib/${library}" "${root}/usr/lib/${library}")
  endforeach()
endfunction()

# HDF5 does not depend on the backend. The machine's own release works with its C library and with
# the newer one that Debian's Kokkos may bring.
function(apsis_hdf5_from_debian found)
  set(${found} "" PARENT_SCOPE)
  apsis_debian_unpack(hdf5 reason --own-suite --closure "^libhdf5-[0-9]+(-[0-9]+)?(t64)?$")
  if(NOT reason)
    apsis_debian_unpack(hdf5-dev reason --own-suite libhdf5-dev)
  endif()
  if(reason)
    set(found_reason "${reason}" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE "${apsis_debian_dir}/hdf5-runtime")  # use the system's, or Kokkos'
  # The expression also matches an empty package that brings the libraries of other languages.
  file(GLOB other "${apsis_debian_dir}/hdf5/usr/lib/*/libhdf5_serial[_h]*"
    "${apsis_debian_dir}/hdf5/usr/lib/*/libgfortran*" "${apsis_debian_dir}/hdf5/usr/lib/*/libquadmath*")
  if(other)
    file(REMOVE ${other})
  endif()
  apsis_debian_join_libraries(hdf5)
  file(GLOB libraries "${apsis_debian_dir}/hdf5/usr/lib/*/libhdf5_serial.so.*[0-9]")
  list(FILTER libraries INCLUDE REGEX "\\.so\\.[0-9]+$")
  list(POP_BACK libraries library)
  if(NOT library)
    set(found_reason "its packages hold no libhdf5_serial.so" PARENT_SCOPE)
    return()
  endif()
  apsis_use_hdf5("${library}" "" "${apsis_debian_dir}/hdf5-dev/usr/include/hdf5/serial")
  apsis_debian_version(hdf5-dev libhdf5-dev version)
  if(hdf5_version)
    set(${found} "libhdf5-dev ${version} of this machine's release" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()

# libpng and FreeType of the machine's own release, like HDF5 and for the same reason.
function(apsis_pictures_from_debian found)
  set(${found} "" PARENT_SCOPE)
  apsis_debian_unpack(pictures reason --own-suite --closure "^libpng16-16(t64)?$" "^libfreetype6(t64)?$")
  if(NOT reason)
    apsis_debian_unpack(pictures-dev reason --own-suite libpng-dev libfreetype-dev)
  endif()
  if(reason)
    set(found_reason "${reason}" PARENT_SCOPE)
    return()
  endif()
  file(REMOVE_RECURSE "${apsis_debian_dir}/pictures-runtime")  # use the system's, or Kokkos'
  apsis_debian_join_libraries(pictures)
  file(GLOB libraries "${apsis_debian_dir}/pictures/usr/lib/*/libpng16.so.16"
    "${apsis_debian_dir}/pictures/usr/lib/*/libfreetype.so.6")
  list(LENGTH libraries found_libraries)
  if(NOT found_libraries EQUAL 2)
    set(found_reason "its packages hold no libpng16.so.16 and libfreetype.so.6" PARENT_SCOPE)
    return()
  endif()
  apsis_use_pictures("${libraries}"
    "${apsis_debian_dir}/pictures-dev/usr/include;${apsis_debian_dir}/pictures-dev/usr/include/freetype2")
  if(pictures_version)
    set(${found} "${pictures_version} of this machine's release" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()

# Boost's headers, also of the machine's own release. libboost-dev is an empty package that depends
# on the one with the headers, whose name contains the version.
function(apsis_beast_from_debian found)
  set(${found} "" PARENT_SCOPE)
  apsis_debian_unpack(boost-name reason --own-suite libboost-dev)
  if(NOT reason)
    set(depends "")
    if(EXISTS "${apsis_debian_dir}/boost-name.depends")
      file(STRINGS "${apsis_debian_dir}/boost-name.depends" depends)
    endif()
    string(REGEX MATCH "libboost[0-9.]+-dev" package "${depends}")
    if(NOT package)
      set(reason "libboost-dev names no package with the headers")
    endif()
  endif()
  if(NOT reason)
    apsis_debian_unpack(boost reason --own-suite ${package})
  endif()
  if(reason)
    set(found_reason "${reason}" PARENT_SCOPE)
    return()
  endif()
  apsis_use_beast("${apsis_debian_dir}/boost/usr/include")
  if(beast_version)
    apsis_debian_version(boost ${package} version)
    set(${found} "${package} ${version} of this machine's release" PARENT_SCOPE)
  endif()
  set(found_reason "${found_reason}" PARENT_SCOPE)
endfunction()
