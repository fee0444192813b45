# SPDX-License-Identifier: Apache-2.0
# Copies the tests and the page to WORK, installs their npm packages there, and runs them.
file(MAKE_DIRECTORY "${WORK}/tests" "${WORK}/src/view")
file(COPY "${SOURCE}/tests/page" DESTINATION "${WORK}/tests" PATTERN node_modules EXCLUDE)
file(COPY "${SOURCE}/src/view/page" DESTINATION "${WORK}/src/view")
file(COPY "${SOURCE}/inputs" DESTINATION "${WORK}")
file(SHA256 "${WORK}/tests/page/package-lock.json" wanted)
set(stamp "${WORK}/tests/page/node_modules/.apsis")
set(brought "")
if(EXISTS "${stamp}")
  file(READ "${stamp}" brought)
endif()
if(NOT brought STREQUAL wanted)
  execute_process(COMMAND "${NPM}" ci --no-audit --no-fund --ignore-scripts
    WORKING_DIRECTORY "${WORK}/tests/page" RESULT_VARIABLE failed TIMEOUT 100)
  if(failed)
    if(DEFINED ENV{CI})
      message(FATAL_ERROR "npm ci failed")
    endif()
    message("skipped: npm could not bring what the tests need")
    return()
  endif()
  file(WRITE "${stamp}" "${wanted}")
endif()
set(ENV{CHROMIUM} "${CHROMIUM}")
set(ENV{APSIS} "${APSIS}")
execute_process(COMMAND "${NODE}" --test --test-concurrency=1 functions.test.mjs page.test.mjs phone.test.mjs
  planets.test.mjs simulator.test.mjs
  WORKING_DIRECTORY "${WORK}/tests/page" COMMAND_ERROR_IS_FATAL ANY)
