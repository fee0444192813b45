# SPDX-License-Identifier: Apache-2.0
# MPI is never downloaded, so it is searched before anything that may be.
if(APSIS_ENABLE_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # only its C interface is used
  find_package(MPI 3.0 QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    set(apsis_reason "no MPI is installed")
    if(MPI_CXX_COMPILER)
      set(apsis_reason "no program compiles with that of ${MPI_CXX_COMPILER} (see CMakeFiles in the build tree; remove the build tree to try again)")
    endif()
    if(MPI_CXX_VERSION)
      set(apsis_reason "MPI ${MPI_CXX_VERSION} is installed, 3.0 or newer is needed")
    endif()
    message(FATAL_ERROR "APSIS_ENABLE_MPI is ON, but ${apsis_reason}.\n"
      "  To do: install Debian's packages libopenmpi-dev and openmpi-bin (or libmpich-dev and mpich), name the compiler "
      "wrapper of an installation with -D MPI_CXX_COMPILER=/path/to/mpicxx, or configure without: the same preset without -mpi, "
      "or -D APSIS_ENABLE_MPI=OFF")
  endif()
  message(STATUS "MPI: ${MPI_CXX_VERSION}, ${MPI_CXX_HEADER_DIR}")
endif()
