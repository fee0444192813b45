# SPDX-License-Identifier: Apache-2.0
# Debian's packages, unpacked into the build tree without root rights. HDF5, libraries for pictures and Boost come from
# the machine's own release; the other packages as well if it is new enough, otherwise from sid.
set(apsis_debian_dir "${PROJECT_BINARY_DIR}/_debian")
# Versions of sid with which Apsis was built and tested (2026-11-25, Debian 12). sid changes: the configuration reports
# other versions.
set(apsis_tested_kokkos 5.2.2)
set(apsis_tested_kernels 16.1.0)  # of Trilinos, which contains Kokkos Kernels
set(apsis_tested_cli11 2.6.1)

# Unpacks packages once into ${apsis_debian_dir}/<name>: sets `reason`, which is empty on success. Options of prefix.sh
# come first.
function(apsis_debian_unpack name)
  set(target "${apsis_debian_dir}/${name}")
  set(work apt)
  if("${ARGN}" MATCHES "^--(own-suite|suite;[a-z]+)")
    string(REPLACE ";" "-" work "apt-${CMAKE_MATCH_1}")
  endif()
  set(reason "")
  if(EXISTS "${target}.done")
    return(PROPAGATE reason)
  endif()
  file(REMOVE_RECURSE "${target}" "${target}-runtime")
  file(REMOVE "${target}.versions" "${target}.depends" "${target}.suite")
  # Mirrors that did not answer are not tried again in this configuration: without network each attempt takes long.
  get_property(reason GLOBAL PROPERTY apsis_debian_without_${work})
  if(reason)
    return(PROPAGATE reason)
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
    set(reason available)
  elseif(status EQUAL 0)
    file(TOUCH "${target}.done")
  else()
    string(STRIP "${log}" reason)
    if(status EQUAL 3)
      string(REGEX REPLACE "\\. apt-get said.*" " (see above)" short "${reason}")
      set_property(GLOBAL PROPERTY apsis_debian_without_${work} "${short}")
    endif()
  endif()
  return(PROPAGATE reason)
endfunction()

# Unpacks packages of the machine's own release if it satisfies the options `--at-least PACKAGE VERSION`, otherwise
# those of sid.
function(apsis_debian_unpack_new name)
  apsis_debian_unpack(${name} --own-suite ${ARGN})
  if(reason AND NOT reason STREQUAL available)
    set(release_reason "${reason}")
    apsis_debian_unpack(${name} ${ARGN})
    if(reason AND NOT reason STREQUAL release_reason)
      set(reason "${release_reason}\n  debian: ${reason}")
    endif()
  endif()
  return(PROPAGATE reason)
endfunction()

# Removes the package client's lists, which later calls fetch again if needed.
function(apsis_debian_clean)
  file(GLOB lists "${apsis_debian_dir}/apt-*")
  file(REMOVE_RECURSE "${apsis_debian_dir}/apt" ${lists})
endfunction()

# Sets `suite`, `release_version`, and `description`: "PACKAGE VERSION of SUITE", and the tested version if sid has
# another one.
function(apsis_debian_describe name package)
  set(suite sid)
  if(EXISTS "${apsis_debian_dir}/${name}.suite")
    file(STRINGS "${apsis_debian_dir}/${name}.suite" suite)
  endif()
  file(STRINGS "${apsis_debian_dir}/${name}.versions" line REGEX "^${package} ")
  string(REGEX REPLACE "^[^ ]+ " "" release_version "${line}")
  set(description "${package} ${release_version} of ${suite}")
  # The upstream version follows an epoch and precedes Debian's own part.
  string(REGEX MATCH "[0-9]+([.][0-9]+)+" upstream "${release_version}")
  if(suite STREQUAL sid AND DEFINED apsis_tested_${name} AND NOT upstream VERSION_EQUAL apsis_tested_${name})
    string(APPEND description " (tested: ${apsis_tested_${name}})")
  endif()
  return(PROPAGATE suite release_version description)
endfunction()

# Debian's libkokkoscore may need a newer C library than this system's. If a program linked to it does not start with
# the system's loader, the packages' own loader and libraries are used with it.
function(apsis_debian_choose_loader)
  file(GLOB library "${apsis_debian_dir}/kokkos/usr/lib/*/libkokkoscore.so")
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
    file(REMOVE_RECURSE "${apsis_debian_dir}/kokkos-runtime")
  endif()
endfunction()

# Kokkos Kernels as plain headers: its Trilinos build declares instantiations and BLAS libraries that are neither
# available nor needed here, so this copy declares none. (Changed in place: the headers include each other with quotes,
# which search the includer's directory before any include path.)
function(apsis_debian_prepare_kernels)
  set(trilinos "${apsis_debian_dir}/kernels/usr/include/trilinos")
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

function(apsis_Kokkos_from_debian)
  if(NOT APSIS_BACKEND STREQUAL openmp)
    set(reason "Debian's Kokkos has the OpenMP backend only")
    return(PROPAGATE reason)
  endif()
  apsis_debian_unpack_new(kokkos --at-least libkokkos-dev ${minimum}
    --at-least libtrilinos-kokkos-kernels-dev 16.1 --closure libkokkos-dev)
  if(NOT reason)
    apsis_debian_describe(kokkos libkokkos-dev)
    set(found "${description}")
    set(own --own-suite)  # of the same release
    if(suite STREQUAL sid)
      set(own "")
    endif()
    apsis_debian_unpack(kernels ${own} libtrilinos-kokkos-kernels-dev)
  endif()
  if(reason)
    set(found "")
    return(PROPAGATE found reason)
  endif()
  if(NOT EXISTS "${apsis_debian_dir}/prepared")
    apsis_debian_choose_loader()
    apsis_debian_prepare_kernels()
    file(TOUCH "${apsis_debian_dir}/prepared")
  endif()
  set(APSIS_DEBIAN_ROOT "${apsis_debian_dir}")
  include("${PROJECT_SOURCE_DIR}/cmake/debian/targets.cmake")
  apsis_debian_describe(kernels libtrilinos-kokkos-kernels-dev)
  set(loader "with the system's C library")
  if(EXISTS "${apsis_debian_dir}/kokkos-runtime")
    set(loader "with their own C library")
  endif()
  set(found "${found}, ${description}, ${loader}")
  return(PROPAGATE found)
endfunction()

function(apsis_package_from_debian)
  set(package ${apsis_${name}_PACKAGE})
  string(TOLOWER ${name} folder)
  apsis_debian_unpack_new(${folder} --at-least ${package} ${minimum} ${package})
  if(NOT reason)
    add_library(${name}::${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${name}::${name} INTERFACE "${apsis_debian_dir}/${folder}/usr/include")
    apsis_debian_describe(${folder} ${package})
    set(found "${description}")
  endif()
  return(PROPAGATE found reason)
endfunction()

# Libraries of the machine's own release, which do not depend on the backend: they work with its C library and with the
# newer one that Debian's Kokkos may bring. RUNTIME are packages to unpack with their dependencies, DEVELOPMENT those
# with headers, whose FOLDERS are relative to usr/include. FILES: the libraries, as patterns.
function(apsis_library_from_debian name)
  cmake_parse_arguments(PARSE_ARGV 1 own "" "" "RUNTIME;DEVELOPMENT;FOLDERS;FILES")
  apsis_debian_unpack(${name} --own-suite --closure ${own_RUNTIME})
  if(NOT reason)
    apsis_debian_unpack(${name}-dev --own-suite ${own_DEVELOPMENT})
  endif()
  if(reason)
    return(PROPAGATE reason)
  endif()
  set(root "${apsis_debian_dir}/${name}")
  file(REMOVE_RECURSE "${root}-runtime")  # use the system's, or Kokkos'
  # HDF5's expression also matches an empty package that brings the libraries of other languages.
  file(GLOB other "${root}/usr/lib/*/libhdf5_serial[_h]*" "${root}/usr/lib/*/libgfortran*" "${root}/usr/lib/*/libquadmath*")
  if(other)
    file(REMOVE ${other})
  endif()
  # Where /lib is a link to /usr/lib, some packages still name the former.
  file(GLOB split RELATIVE "${root}/lib" "${root}/lib/*-linux-gnu*/*")
  foreach(library IN LISTS split)
    file(RENAME "${root}/lib/${library}" "${root}/usr/lib/${library}")
  endforeach()
  set(libraries "")
  foreach(pattern IN LISTS own_FILES)
    file(GLOB library "${root}/usr/lib/*/${pattern}")
    list(FILTER library INCLUDE REGEX "\\.so\\.[0-9]+$")
    if(NOT library)
      set(reason "its packages hold no ${pattern}")
      return(PROPAGATE reason)
    endif()
    list(GET library -1 library)
    list(APPEND libraries "${library}")
  endforeach()
  list(TRANSFORM own_FOLDERS PREPEND "${root}-dev/usr/include/")
  apsis_try(${name} "${libraries}" "${own_FOLDERS}" " of this machine's release")
  return(PROPAGATE found reason)
endfunction()

function(apsis_HDF5_from_debian)
  apsis_library_from_debian(hdf5 RUNTIME "^libhdf5-[0-9]+(-[0-9]+)?(t64)?$" DEVELOPMENT libhdf5-dev
    FOLDERS hdf5/serial FILES "libhdf5_serial.so.*[0-9]")
  return(PROPAGATE found reason)
endfunction()

function(apsis_pictures_from_debian)
  apsis_library_from_debian(pictures RUNTIME "^libpng16-16(t64)?$" "^libfreetype6(t64)?$"
    DEVELOPMENT libpng-dev libfreetype-dev FOLDERS . freetype2 FILES libpng16.so.16 libfreetype.so.6)
  return(PROPAGATE found reason)
endfunction()

# Boost's headers, also of the machine's own release. libboost-dev is an empty package that depends on the one with the
# headers, whose name contains the version.
function(apsis_Boost_from_debian)
  apsis_debian_unpack(boost-name --own-suite libboost-dev)
  if(NOT reason)
    file(STRINGS "${apsis_debian_dir}/boost-name.depends" depends)
    string(REGEX MATCH "libboost[0-9.]+-dev" package "${depends}")
    apsis_debian_unpack(boost --own-suite ${package})
  endif()
  if(NOT reason)
    apsis_use_boost(", ${package} of this machine's release" "${apsis_debian_dir}/boost/usr/include")
  endif()
  return(PROPAGATE found reason)
endfunction()
