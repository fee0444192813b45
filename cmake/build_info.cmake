# SPDX-License-Identifier: Apache-2.0
# Writes generated/apsis_build_info.hpp at every build (not only at configuration), so that the git
# hash in summary.json is that of the code that ran. The file changes only if its content does.
set(apsis_generated_dir "${PROJECT_BINARY_DIR}/generated")

set(apsis_build_info_command
  "${CMAKE_COMMAND}" -D "OUTPUT=${apsis_generated_dir}/apsis_build_info.hpp"
  -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "VERSION=${PROJECT_VERSION}"
  -D "BACKEND=${APSIS_BACKEND}" -D "BUILD_TYPE=${CMAKE_BUILD_TYPE}"
  -D "COMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  -P "${PROJECT_SOURCE_DIR}/cmake/write_build_info.cmake")
execute_process(COMMAND ${apsis_build_info_command})
add_custom_target(apsis_build_info
  COMMAND ${apsis_build_info_command}
  BYPRODUCTS "${apsis_generated_dir}/apsis_build_info.hpp"
  COMMENT "" VERBATIM)
