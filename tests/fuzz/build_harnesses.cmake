# SPDX-License-Identifier: Apache-2.0
# Builds the harnesses with sanitizers, for the replay of seeds and for the search.
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  "-DSANITIZERS=${SANITIZERS}" "-DLIBFUZZER=${LIBFUZZER}" "-DINCLUDES=${INCLUDES}"
  "-DHDF5=${HDF5}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2 COMMAND_ERROR_IS_FATAL ANY)
