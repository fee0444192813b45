# SPDX-License-Identifier: Apache-2.0
# Configures Apsis in ways that cannot work and checks that all reasons are reported at once and
# nothing is downloaded.
# There is no network: apt's sources are empty, upstream is a missing folder (or one that a test
# provides).
file(REMOVE_RECURSE "${WORK}-apt" "${WORK}-upstream")
file(MAKE_DIRECTORY "${WORK}-apt/etc")
file(WRITE "${WORK}-apt/apt.conf"
  "Dir::Etc::SourceList \"${WORK}-apt/etc/sources.list\";\nDir::Etc::SourceParts \"${WORK}-apt/etc\";\n")
set(ENV{APT_CONFIG} "${WORK}-apt/apt.conf")
set(upstream "${WORK}-upstream")

# expect_refusal(MESSAGES ARGUMENT...): expects each of the messages.
function(expect_refusal messages)
  file(REMOVE_RECURSE "${WORK}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DAPSIS_UPSTREAM=file://${upstream}" ${ARGN}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \n]+" " " log "${log}")
  if(status EQUAL 0)
    message(SEND_ERROR "configured with ${ARGN}, which cannot work")
  endif()
  foreach(message IN LISTS messages)
    string(FIND "${log}" "${message}" place)
    if(place EQUAL -1)
      message(SEND_ERROR "with ${ARGN} the error does not say '${message}':\n${log}")
    endif()
  endforeach()
  set(log "${log}" PARENT_SCOPE)
endfunction()
# The build tree must contain no package and no release.
function(expect_no_downloads)
  file(GLOB begun "${WORK}/_debian/*.versions" "${WORK}/_upstream/*")
  if(begun)
    message(SEND_ERROR "refused, but it has begun with ${begun}")
  endif()
endfunction()

expect_refusal("APSIS_BACKEND is 'fortran'" -DAPSIS_BACKEND=fortran)
expect_refusal("APSIS_DEPENDENCIES is 'luck'" -DAPSIS_DEPENDENCIES=luck)
expect_refusal("APSIS_HWCAPS is 'x86-64-v9';BUILD_SHARED_LIBS is off;APSIS_NATIVE is on;'x86-64-v9' is no level"
  -DAPSIS_HWCAPS=x86-64-v9)
# Debian's packages serve one backend and are not used for another.
expect_refusal("Debian's Kokkos has the OpenMP backend only"
  -DAPSIS_DEPENDENCIES=debian -DAPSIS_BACKEND=cuda)
expect_refusal("Debian's Kokkos has the OpenMP backend only"
  -DAPSIS_DEPENDENCIES=debian -DAPSIS_BACKEND=serial)
# A forced place is not replaced by another.
expect_refusal("system: no Kokkos 4.6 or newer is installed"
  -DAPSIS_DEPENDENCIES=system -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
# An invalid checkout is reported by name.
expect_refusal("holds no CMakeLists.txt" -DFETCHCONTENT_SOURCE_DIR_KOKKOS=/nonexistent)

# Without network: everything that is missing at once, with the version found, the minimum, and
# advice.
set(nothing "")
foreach(package Kokkos HDF5 PNG Freetype Boost CLI11 nlohmann_json doctest)
  list(APPEND nothing -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
expect_refusal("Kokkos cannot be provided;HDF5 cannot be provided;libpng and FreeType cannot be provided;Boost cannot be provided;\
CLI11 cannot be provided;nlohmann_json cannot be provided;doctest cannot be provided;\
no Kokkos 4.6 or newer is installed;no serial HDF5 1.10.8 or newer;no Boost 1.74 or newer;no CLI11 2.4.1 or newer;\
install libhdf5-dev (1.10.8 or newer);install libpng-dev and libfreetype-dev;install libcli11-dev (2.4.1 or newer);\
-D FETCHCONTENT_SOURCE_DIR_KOKKOS and -D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS;upstream cannot be reached;\
apt's sources name no mirror" -DAPSIS_BACKEND=openmp ${nothing})
expect_no_downloads()
# An installed library that is too old is reported with its version. (Packages are searched below
# one root only: this machine may have a newer one.)
set(old "${WORK}-old/usr/lib/cmake/CLI11")
file(WRITE "${old}/CLI11Config.cmake" "")
file(WRITE "${old}/CLI11ConfigVersion.cmake" "set(PACKAGE_VERSION 2.1.2)\n")
expect_refusal("CLI11 2.1.2 is installed, 2.4.1 or newer is needed" -DAPSIS_DEPENDENCIES=system
  "-DCMAKE_FIND_ROOT_PATH=${WORK}-old" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
file(REMOVE_RECURSE "${WORK}-old")
# GPU builds make their own Kokkos: the advice must not be to install one.
expect_refusal("Kokkos cannot be provided for the cuda backend;\
To do: name a checkout with -D FETCHCONTENT_SOURCE_DIR_KOKKOS and -D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS HDF5"
  -DAPSIS_BACKEND=cuda ${nothing})
if(log MATCHES "Kokkos_ROOT")
  message(SEND_ERROR "Kokkos_ROOT is advised, which GPU builds do not use:\n${log}")
endif()

# MPI is searched before anything that is downloaded.
expect_refusal("no MPI is installed;libopenmpi-dev and openmpi-bin" -DAPSIS_ENABLE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON)
if(log MATCHES "Kokkos:|cannot be reached")
  message(SEND_ERROR "MPI is missing, but other things were looked for before:\n${log}")
endif()
expect_no_downloads()

# In the source tree: nothing is generated there, and files that CMake itself leaves are named.
set(WORK_BEFORE "${WORK}")
set(WORK "${WORK}-source")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
file(COPY "${SOURCE}/CMakeLists.txt" "${SOURCE}/cmake" DESTINATION "${WORK}")
file(GLOB before RELATIVE "${WORK}" "${WORK}/*")
execute_process(COMMAND "${CMAKE_COMMAND}" . WORKING_DIRECTORY "${WORK}"
  OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
string(REGEX REPLACE "[ \n]+" " " log "${log}")
file(GLOB after RELATIVE "${WORK}" "${WORK}/*")
list(REMOVE_ITEM after ${before} CMakeCache.txt CMakeFiles)
if(status EQUAL 0 OR after OR NOT log MATCHES "rm -r CMakeCache.txt CMakeFiles")
  message(SEND_ERROR "in the source tree: status ${status}, leaves ${after}:\n${log}")
endif()
file(REMOVE_RECURSE "${WORK}")
set(WORK "${WORK_BEFORE}")

# If upstream answers but does not deliver, the configuration must continue: an empty copy, then one whose archive differs
# from the pinned one.
file(MAKE_DIRECTORY "${upstream}")
expect_refusal("download of kokkos/kokkos 5.1.0 failed" -DAPSIS_DEPENDENCIES=source)
file(WRITE "${upstream}/kokkos/kokkos/releases/download/5.1.0/kokkos-5.1.0.tar.gz" "something else")
expect_refusal("is not the pinned release" -DAPSIS_DEPENDENCIES=source)
file(REMOVE_RECURSE "${upstream}" "${WORK}-apt" "${WORK}")
