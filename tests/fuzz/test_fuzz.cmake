# SPDX-License-Identifier: Apache-2.0
# Builds the harnesses and replays their seeds, or, with LIBFUZZER, searches for SECONDS in all.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status WORKING_DIRECTORY "${WORK}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(MAKE_DIRECTORY "${WORK}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
  "-DSANITIZERS=${SANITIZERS}" "-DLIBFUZZER=${LIBFUZZER}" "-DINCLUDES=${INCLUDES}"
  "-DHDF5=${HDF5}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")

file(GLOB harnesses RELATIVE "${SOURCE}/seeds" "${SOURCE}/seeds/*")
list(LENGTH harnesses count)
foreach(harness IN LISTS harnesses)
  set(command "${WORK}/build/fuzz_${harness}")
  set(seeds "${SOURCE}/seeds/${harness}")
  if(NOT LIBFUZZER)
    run("${command}" "${seeds}")
    continue()
  endif()
  # What earlier runs found in this build tree is where the search goes on.
  file(MAKE_DIRECTORY "${WORK}/corpus/${harness}")
  math(EXPR seconds "${SECONDS} / ${count}")
  # The limit is the reader's: freed memory that the sanitizer holds back would be most of it.
  run("${CMAKE_COMMAND}" -E env "ASAN_OPTIONS=$ENV{ASAN_OPTIONS}:quarantine_size_mb=16" "${command}"
    "${WORK}/corpus/${harness}" "${seeds}" -verbosity=0 -print_final_stats=1
    -max_total_time=${seconds} -max_len=4096 -timeout=5 -rss_limit_mb=512 -malloc_limit_mb=64
    "-artifact_prefix=${WORK}/${harness}-")
endforeach()
