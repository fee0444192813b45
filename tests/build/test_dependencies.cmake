# SPDX-License-Identifier: Apache-2.0
# Configures Apsis in ways that cannot work and checks that it says why.
function(expect_refusal message)
  file(REMOVE_RECURSE "${WORK}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}"
            "-DCMAKE_CXX_COMPILER=${COMPILER}" ${ARGN}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE status)
  string(REGEX REPLACE "[ \n]+" " " log "${log}")
  if(status EQUAL 0)
    message(FATAL_ERROR "configured with ${ARGN}, which cannot work")
  endif()
  string(FIND "${log}" "${message}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "with ${ARGN} the error does not say '${message}':\n${log}")
  endif()
endfunction()

expect_refusal("APSIS_BACKEND is 'fortran'" -DAPSIS_BACKEND=fortran)
expect_refusal("APSIS_DEPENDENCIES is 'luck'" -DAPSIS_DEPENDENCIES=luck)
# Debian's packages serve one backend, and no other is taken for it.
expect_refusal("Debian's Kokkos has the OpenMP backend only"
  -DAPSIS_DEPENDENCIES=debian -DAPSIS_BACKEND=cuda)
expect_refusal("Debian's Kokkos has the OpenMP backend only"
  -DAPSIS_DEPENDENCIES=debian -DAPSIS_BACKEND=serial)
# A forced place is not replaced by another.
expect_refusal("system: no Kokkos 4.6 or newer is installed"
  -DAPSIS_DEPENDENCIES=system -DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)
# A checkout that is none is named.
expect_refusal("holds no CMakeLists.txt" -DFETCHCONTENT_SOURCE_DIR_KOKKOS=/nonexistent)

# An upstream that answers but does not deliver is a reason to go on, not the end: a copy of it that has
# the tags alone, then one whose archive is another than the pinned one.
find_package(Git REQUIRED)
set(upstream "${WORK}-upstream")
file(REMOVE_RECURSE "${upstream}")
foreach(repository kokkos/kokkos kokkos/kokkos-kernels)
  file(MAKE_DIRECTORY "${upstream}/${repository}")
  foreach(command "init;-q" "commit;-q;--allow-empty;-m;none" "tag;5.1.0")
    execute_process(COMMAND "${GIT_EXECUTABLE}" -c user.name=t -c user.email=t@t.invalid ${command}
      WORKING_DIRECTORY "${upstream}/${repository}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endforeach()
expect_refusal("download of kokkos/kokkos 5.1.0 failed"
  -DAPSIS_DEPENDENCIES=source "-DAPSIS_UPSTREAM=file://${upstream}")
file(WRITE "${upstream}/kokkos/kokkos/releases/download/5.1.0/kokkos-5.1.0.tar.gz" "something else")
expect_refusal("is not the pinned release"
  -DAPSIS_DEPENDENCIES=source "-DAPSIS_UPSTREAM=file://${upstream}")
file(REMOVE_RECURSE "${upstream}")
file(REMOVE_RECURSE "${WORK}")
