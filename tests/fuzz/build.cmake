# SPDX-License-Identifier: Apache-2.0
# Builds the harnesses with sanitizers in WORK/build: for the replay of seeds, and with LIBFUZZER for the search.
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DLIBFUZZER=${LIBFUZZER}"
  "-DINCLUDES=${INCLUDES}" "-DHDF5=${HDF5}" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" --parallel 2 COMMAND_ERROR_IS_FATAL ANY)
