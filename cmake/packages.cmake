# SPDX-License-Identifier: Apache-2.0
# `cmake --build BUILD --target package` makes an archive of the installation and, where Kokkos was built with Apsis, a
# .deb of the program. The archive can be unpacked anywhere.

# Files of the .deb that the installation lacks: its changelog and prerm.
set(apsis_deb_dir "${apsis_generated_dir}/package")
file(MAKE_DIRECTORY "${apsis_deb_dir}")
set(CPACK_PACKAGE_CONTACT "The Apsis maintainers <apsis@example.org>" CACHE STRING "Maintainer in the .deb")
find_program(GIT_EXECUTABLE git)
execute_process(COMMAND "${GIT_EXECUTABLE}" log -1 --format=%cD WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  OUTPUT_VARIABLE apsis_date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT apsis_date)
  string(TIMESTAMP apsis_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
file(CONFIGURE OUTPUT "${apsis_deb_dir}/changelog.Debian" @ONLY CONTENT
"apsis (@PROJECT_VERSION@-1) unstable; urgency=medium

  * Package of Apsis @PROJECT_VERSION@; changelog.gz has the changes of the program.

 -- @CPACK_PACKAGE_CONTACT@  @apsis_date@
")
install(CODE "execute_process(COMMAND gzip -9nkf \"${apsis_deb_dir}/changelog.Debian\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES "${apsis_deb_dir}/changelog.Debian.gz" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT debian EXCLUDE_FROM_ALL)
# Python compiles the module where it is installed if root imports it.
file(CONFIGURE OUTPUT "${apsis_deb_dir}/prerm" @ONLY CONTENT
[[#!/bin/sh
set -e
find /usr/@APSIS_PYTHON_DIR@/apsis -name __pycache__ -prune -exec rm -r {} +
]])
file(CHMOD "${apsis_deb_dir}/prerm" PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_GENERATOR TGZ)
if(NOT UNIX OR NOT EXISTS /etc/debian_version)
  set(apsis_deb ", no .deb (this is no Debian system)")
elseif(apsis_kokkos_place STREQUAL debian)
  set(apsis_deb ", no .deb (Kokkos of Debian's sid brings its own C library; build Kokkos from source, docs/packages.md says how)")
elseif(APSIS_NATIVE AND APSIS_BACKEND MATCHES "serial|openmp")
  set(apsis_deb ", no .deb (APSIS_NATIVE is on, so the program runs on processors like this one only; set APSIS_NATIVE=OFF)")
else()
  list(APPEND CPACK_GENERATOR DEB)
  set(apsis_deb " and .deb")
endif()
message(STATUS "target package: .tar.gz${apsis_deb}")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME apsis)
set(CPACK_PACKAGE_VENDOR "The Apsis maintainers")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "gravitational N-body code with checked conservation laws")
set(CPACK_PACKAGE_DESCRIPTION
"Simulates star clusters, planetary systems and galaxies with all-pairs and fast
multipole solvers, and symplectic, Hermite and Gauss-Radau integrators.
Every run measures its errors of energy and momentum.
.
The package has the command apsis and its Python module.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_FILE_NAME "apsis-${PROJECT_VERSION}-${APSIS_BACKEND}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
# The archive is one installation; the .deb has two of its components.
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program debian)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME apsis)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-numpy")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-h5py, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${apsis_deb_dir}/prerm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
