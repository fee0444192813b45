# SPDX-License-Identifier: Apache-2.0
# Limits the number of compiler processes to the number of cores, and to those that fit into the memory that is free at
# the first configuration of this build tree. (Ninja would start cores + 2; other generators have no pools.)
set(apsis_compiler_memory 1500)  # [MB] per process; measured: 0.5 to 1.5 GB

# apsis_compile_jobs(OUT CORES MEMORY): number of processes that CORES and MEMORY [MB] allow; at least one.
function(apsis_compile_jobs out cores memory)
  math(EXPR jobs "${memory} / ${apsis_compiler_memory}")
  if(jobs GREATER cores)
    set(jobs ${cores})
  endif()
  if(jobs LESS 1)
    set(jobs 1)
  endif()
  set(${out} ${jobs} PARENT_SCOPE)
endfunction()

# Free memory [MB]: of the machine, or of this process's control group if that is less.
function(apsis_free_memory out)
  cmake_host_system_information(RESULT memory QUERY AVAILABLE_PHYSICAL_MEMORY)
  foreach(limit /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes)
    if(EXISTS "${limit}")
      file(STRINGS "${limit}" bytes LIMIT_COUNT 1)
      if(bytes MATCHES "^[0-9]+$")
        # The value fits in 64 bits; "no limit" is written as "max" or as almost 2^63.
        math(EXPR megabytes "${bytes} / 1000000")
        if(megabytes LESS memory)
          set(memory ${megabytes})
        endif()
      endif()
    endif()
  endforeach()
  set(${out} ${memory} PARENT_SCOPE)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  if(NOT APSIS_COMPILE_JOBS)
    cmake_host_system_information(RESULT apsis_cores QUERY NUMBER_OF_LOGICAL_CORES)
    apsis_free_memory(apsis_memory)
    apsis_compile_jobs(apsis_jobs ${apsis_cores} ${apsis_memory})
    set(APSIS_COMPILE_JOBS ${apsis_jobs} CACHE STRING "Compiler processes that Ninja runs at once")
    message(STATUS "Compiling with ${APSIS_COMPILE_JOBS} processes at once "
      "(${apsis_cores} cores, ${apsis_memory} MB of free memory; APSIS_COMPILE_JOBS)")
  endif()
  set_property(GLOBAL APPEND PROPERTY JOB_POOLS apsis_compile=${APSIS_COMPILE_JOBS})
  if(NOT DEFINED CMAKE_JOB_POOL_COMPILE)
    set(CMAKE_JOB_POOL_COMPILE apsis_compile)
  endif()
endif()
