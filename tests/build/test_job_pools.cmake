# SPDX-License-Identifier: Apache-2.0
# Limit of the number of compiler processes by cores and by memory.
cmake_minimum_required(VERSION 3.25)
include("${SOURCE}/cmake/job_pools.cmake")
foreach(row "2 24000 2" "64 16000 10" "16 8000 5" "4 2000 1" "2 300 1" "1 99999 1")
  separate_arguments(row)
  list(GET row 0 cores)
  list(GET row 1 memory)
  list(GET row 2 expected)
  apsis_compile_jobs(jobs ${cores} ${memory})
  if(NOT jobs EQUAL expected)
    message(SEND_ERROR "${cores} cores and ${memory} MB make ${jobs} jobs, not ${expected}")
  endif()
endforeach()
