# SPDX-License-Identifier: Apache-2.0
# Installs Apsis into an empty directory and builds a project that uses only this installation. Then
# moves the installation, runs its executable, and starts the project's program with it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
# Installed files must not need files that are not installed, nor depend on compiler flags.
set(include "${WORK}/prefix/include")
file(GLOB_RECURSE headers "${include}/apsis/*.hpp")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" lines REGEX "#include (<apsis/|\")|native_lanes")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "#include <(.*)>.*" "\\1" name "${line}")
    if(NOT EXISTS "${include}/${name}")
      message(FATAL_ERROR "${header} is installed, but not what it needs: ${line}")
    endif()
  endforeach()
endforeach()
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_EXE_LINKER_FLAGS=${FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK}/build")
if(RUN)
  run("${WORK}/build/consume")
  file(RENAME "${WORK}/prefix" "${WORK}/moved")
  run("${WORK}/moved/bin/apsis.${BACKEND}" info)
  if(EXISTS "${WORK}/moved/bin/apsis-start")
    run("${WORK}/moved/bin/apsis-start" "${WORK}/build/consume")
  else()
    run("${WORK}/build/consume")  # all libraries are the system's
  endif()
  # Its messages name a command that works.
  execute_process(COMMAND "${WORK}/moved/bin/apsis.${BACKEND}" list nothing ERROR_VARIABLE said)
  if(NOT said MATCHES "see '${WORK}/moved/bin/apsis.${BACKEND} list'")
    message(FATAL_ERROR "the installed program calls itself otherwise: ${said}")
  endif()
  run("${WORK}/moved/bin/apsis.${BACKEND}" run "${DECK}" --output "${WORK}/out" --quiet)
endif()
