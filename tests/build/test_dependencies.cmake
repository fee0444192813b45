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
file(REMOVE_RECURSE "${WORK}")
