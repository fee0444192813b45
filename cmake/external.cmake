# SPDX-License-Identifier: Apache-2.0
# apsis_external(NAME LIBRARIES INCLUDES): defines apsis::NAME, also for an installed find_package(apsis).
function(apsis_external name libraries includes)
  if(NOT TARGET apsis::${name})
    add_library(apsis::${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(apsis::${name} INTERFACE ${libraries})
    target_include_directories(apsis::${name} SYSTEM INTERFACE ${includes})
    foreach(library IN LISTS libraries)
      # The libraries that these need are in the same directory. Of the two kinds of run-time path only this one also
      # applies to the libraries of libraries.
      if(library MATCHES "\\.so" AND NOT library MATCHES "^/(usr/)?lib")
        target_link_options(apsis::${name} INTERFACE LINKER:--disable-new-dtags)
      endif()
    endforeach()
  endif()
endfunction()
