# SPDX-License-Identifier: Apache-2.0
# The target `site` builds the documentation site; without its tools it prints the packages to install.
if(APSIS_PYTHON)
  set(apsis_site_build "${APSIS_PYTHON}" "${PROJECT_SOURCE_DIR}/docs/site/build.py"
    "${PROJECT_SOURCE_DIR}" "$<TARGET_FILE:apsis_executable>" "${PROJECT_BINARY_DIR}/site")
else()
  set(apsis_site_build "${CMAKE_COMMAND}" -E echo "site: not built (no python3); sudo apt-get install python3")
endif()
add_custom_target(site COMMAND ${apsis_site_build} USES_TERMINAL VERBATIM COMMENT "Building the documentation site")
add_dependencies(site apsis_executable)
