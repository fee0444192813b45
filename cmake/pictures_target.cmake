# SPDX-License-Identifier: Apache-2.0
# apsis::pictures, libpng and FreeType, from APSIS_PICTURE_LIBRARIES (their files, and libraries
# that static ones need) and APSIS_PICTURE_INCLUDES. Used by the build and, installed beside its
# files, by find_package(apsis).
if(NOT TARGET apsis::pictures)
  add_library(apsis::pictures INTERFACE IMPORTED GLOBAL)
  target_link_libraries(apsis::pictures INTERFACE ${APSIS_PICTURE_LIBRARIES})
  target_include_directories(apsis::pictures SYSTEM INTERFACE ${APSIS_PICTURE_INCLUDES})
  foreach(library IN LISTS APSIS_PICTURE_LIBRARIES)
    # The libraries that these need are in the same directory, as with HDF5.
    if(library MATCHES "\\.so" AND NOT library MATCHES "^/(usr/)?lib")
      target_link_options(apsis::pictures INTERFACE LINKER:--disable-new-dtags)
    endif()
  endforeach()
endif()
