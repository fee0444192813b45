# SPDX-License-Identifier: Apache-2.0
# Builds the harnesses with clang's libFuzzer, and searches for ten minutes for inputs that break a promise.
if(NOT DEFINED ENV{APSIS_TEST_FULL})
  message("skipped: the search is nightly; APSIS_TEST_FULL=1 starts it")
  return()
endif()
find_program(COMPILER NAMES clang++-14 clang++)
set(probe "${WORK}/probe")
file(WRITE "${probe}.cpp" "extern \"C\" int LLVMFuzzerTestOneInput(unsigned char const*, unsigned long) { return 0; }\n")
execute_process(COMMAND "${COMPILER}" -fsanitize=fuzzer,address,undefined "${probe}.cpp" -o "${probe}"
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(NOT status EQUAL 0)
  message("skipped: no clang++ with libFuzzer; sudo apt-get install clang libclang-rt-dev")
  return()
endif()
set(LIBFUZZER ON)
include("${CMAKE_CURRENT_LIST_DIR}/build.cmake")
set(seeds "${CMAKE_CURRENT_LIST_DIR}/seeds")
file(GLOB harnesses RELATIVE "${seeds}" "${seeds}/*")
list(LENGTH harnesses count)
math(EXPR seconds "600 / ${count}")
foreach(harness IN LISTS harnesses)
  # The search continues from the inputs that earlier runs found in this build tree.
  file(MAKE_DIRECTORY "${WORK}/corpus/${harness}")
  # The memory limit is meant for the reader, so the quarantine of freed memory by the sanitizer is kept small.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "ASAN_OPTIONS=$ENV{ASAN_OPTIONS}:quarantine_size_mb=16"
      "${WORK}/build/fuzz_${harness}" "${WORK}/corpus/${harness}" "${seeds}/${harness}"
      -verbosity=0 -print_final_stats=1 -max_total_time=${seconds} -max_len=4096 -timeout=5
      -rss_limit_mb=512 -malloc_limit_mb=64 "-artifact_prefix=${WORK}/${harness}-"
    RESULT_VARIABLE status WORKING_DIRECTORY "${WORK}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "fuzz_${harness} failed (${status})")
  endif()
endforeach()
