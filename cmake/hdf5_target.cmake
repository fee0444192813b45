# SPDX-License-Identifier: Apache-2.0
# apsis::hdf5 from APSIS_HDF5_LIBRARY (its file), APSIS_HDF5_MORE (libraries that a static one
# needs) and APSIS_HDF5_INCLUDE. Used by the build and, installed beside its files, by
# find_package(apsis).
if(NOT TARGET apsis::hdf5)
  if(APSIS_HDF5_LIBRARY MATCHES "\\.a$")
    add_library(apsis::hdf5 STATIC IMPORTED GLOBAL)
  else()
    add_library(apsis::hdf5 SHARED IMPORTED GLOBAL)
    # The libraries that HDF5 needs are in its directory. Of the two kinds of run-time path only
    # this one also applies to the libraries of libraries.
    target_link_options(apsis::hdf5 INTERFACE LINKER:--disable-new-dtags)
  endif()
  set_target_properties(apsis::hdf5 PROPERTIES
    IMPORTED_LOCATION "${APSIS_HDF5_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "${APSIS_HDF5_MORE}"
    INTERFACE_INCLUDE_DIRECTORIES "${APSIS_HDF5_INCLUDE}")
endif()
