# SPDX-License-Identifier: Apache-2.0
# Where Apsis is the top-level project, its FetchContent_MakeAvailable() asks apsis_provide() first.
include("${CMAKE_CURRENT_LIST_DIR}/provide.cmake")
cmake_language(SET_DEPENDENCY_PROVIDER apsis_provide SUPPORTED_METHODS FETCHCONTENT_MAKEAVAILABLE_SERIAL)
