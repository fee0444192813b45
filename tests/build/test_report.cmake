# SPDX-License-Identifier: Apache-2.0
# The report of tests at the end of the configuration: every kind of test has a line, with a reason
# and a package.
cmake_minimum_required(VERSION 3.25)
include("${SOURCE}/cmake/test_report.cmake")

function(expect text line)
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(FIND "${text}\n" "${line}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "the block lacks '${line}':\n${text}")
  endif()
endfunction()
# Returns the text after "tested:" or "not tested:".
function(part name text out)
  string(REGEX REPLACE "\n +not tested:.*" "" tested "${text}")
  string(REPLACE "${tested}" "" untested "${text}")
  if(name STREQUAL tested)
    set(${out} "${tested}" PARENT_SCOPE)
  else()
    set(${out} "${untested}" PARENT_SCOPE)
  endif()
endfunction()

set(all_tests run faults_kills watched page domain_2_processes snapshot_readers plots python documents site fuzz_replay_address fuzz
  consume dependencies)
set(all_needs python3 numpy h5py matplotlib PIL yt clang++ libFuzzer MPI node npm chromium site)
apsis_describe_tests(text TESTS ${all_tests} HAVE ${all_needs})
if(text MATCHES "not tested|apt-get")
  message(SEND_ERROR "all is tested, but the block says\n${text}")
endif()

# A bare machine: every kind is still listed, with its package.
apsis_describe_tests(text TESTS run faults_kills watched fuzz_replay_address consume
  OFF "mpi=APSIS_ENABLE_MPI is OFF (APSIS_ENABLE_MPI=ON)")
part(untested "${text}" untested)
expect("${untested}" "(page*): no node, npm, chromium; install nodejs npm chromium\n")
expect("${untested}" "(domain_*): APSIS_ENABLE_MPI is OFF (APSIS_ENABLE_MPI=ON); needs libopenmpi-dev openmpi-bin\n")
expect("${untested}" "(snapshot_readers): no python3, numpy, h5py; install python3 python3-numpy python3-h5py\n")
expect("${untested}" "(documents): no python3; install python3\n")
expect("${untested}" "(site): no python3, numpy, matplotlib, chromium, site; install python3 python3-numpy python3-matplotlib chromium doxygen libjs-katex python3-sphinx python3-myst-parser furo python3-breathe python3-sphinx-gallery\n")
expect("${untested}" "(fuzz): no clang++, libFuzzer; install clang libclang-rt-dev\n")
expect("${untested}" "apt-get install nodejs npm chromium python3 python3-numpy python3-h5py python3-yt python3-matplotlib python3-pil doxygen libjs-katex python3-sphinx python3-myst-parser furo python3-breathe python3-sphinx-gallery clang libclang-rt-dev\n")
foreach(name page domain_ snapshot_readers plots python documents fuzz)
  if(NOT untested MATCHES "\\(([^)]*, )?${name}")
    message(SEND_ERROR "nothing says that ${name} is not tested:\n${text}")
  endif()
endforeach()

# Each need missing alone: it is listed with its package, whatever else is installed.
foreach(need IN LISTS all_needs)
  set(others ${all_needs})
  list(REMOVE_ITEM others ${need})
  apsis_describe_tests(text TESTS ${all_tests} HAVE ${others})
  part(untested "${text}" untested)
  expect("${untested}" ": no ${need}; install ${apsis_package_of_${need}}\n")
endforeach()
