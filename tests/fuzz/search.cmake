# SPDX-License-Identifier: Apache-2.0
# Searches with each harness for inputs that break a promise, for SECONDS in total.
file(GLOB harnesses RELATIVE "${SOURCE}/seeds" "${SOURCE}/seeds/*")
list(LENGTH harnesses count)
if(DEFINED ENV{APSIS_TEST_FULL})
  set(SECONDS 600)
endif()
math(EXPR seconds "${SECONDS} / ${count}")
foreach(harness IN LISTS harnesses)
  # The search continues from the inputs that earlier runs found in this build tree.
  file(MAKE_DIRECTORY "${WORK}/corpus/${harness}")
  # The memory limit is meant for the reader, so the quarantine of freed memory by the sanitizer is kept small.
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env "ASAN_OPTIONS=$ENV{ASAN_OPTIONS}:quarantine_size_mb=16"
      "${WORK}/build/fuzz_${harness}" "${WORK}/corpus/${harness}" "${SOURCE}/seeds/${harness}"
      -verbosity=0 -print_final_stats=1 -max_total_time=${seconds} -max_len=4096 -timeout=5
      -rss_limit_mb=512 -malloc_limit_mb=64 "-artifact_prefix=${WORK}/${harness}-"
    RESULT_VARIABLE status WORKING_DIRECTORY "${WORK}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "fuzz_${harness} failed (${status})")
  endif()
endforeach()
