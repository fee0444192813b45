# SPDX-License-Identifier: Apache-2.0
# Builds the harnesses with sanitizers, for the replay of seeds and for the search.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${WORK}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  "-DSANITIZERS=${SANITIZERS}" "-DLIBFUZZER=${LIBFUZZER}" "-DINCLUDES=${INCLUDES}"
  "-DHDF5=${HDF5}")
run("${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2)
