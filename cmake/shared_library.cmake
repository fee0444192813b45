# SPDX-License-Identifier: Apache-2.0
# libapsis.so (BUILD_SHARED_LIBS), and its variants for levels of x86-64 (APSIS_HWCAPS). The loader of glibc 2.33 or newer
# takes the variant of the highest level that the processor has, from glibc-hwcaps/LEVEL/ beside the library.
set(APSIS_LIBRARY_DIR "${CMAKE_INSTALL_LIBDIR}" CACHE STRING "Folder of libapsis.so in an installation")

if(APSIS_HWCAPS)
  set(apsis_hwcaps_problems "")
  if(NOT BUILD_SHARED_LIBS)
    string(APPEND apsis_hwcaps_problems "\n  BUILD_SHARED_LIBS is off (variants are shared libraries); set BUILD_SHARED_LIBS=ON")
  endif()
  if(APSIS_NATIVE)
    string(APPEND apsis_hwcaps_problems "\n  APSIS_NATIVE is on (each variant has its own level); set APSIS_NATIVE=OFF")
  endif()
  if(NOT APSIS_BACKEND MATCHES "serial|openmp" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    string(APPEND apsis_hwcaps_problems
      "\n  the backend ${APSIS_BACKEND} on ${CMAKE_SYSTEM_PROCESSOR} has no such levels (they are those of x86-64 processors); leave APSIS_HWCAPS empty")
  endif()
  foreach(level IN LISTS APSIS_HWCAPS)
    if(NOT level MATCHES "^x86-64-v[2-4]$")
      string(APPEND apsis_hwcaps_problems "\n  '${level}' is no level; it must be one of x86-64-v2, x86-64-v3, x86-64-v4")
    endif()
  endforeach()
  if(apsis_hwcaps_problems)
    message(FATAL_ERROR "APSIS_HWCAPS is '${APSIS_HWCAPS}':${apsis_hwcaps_problems}")
  endif()
endif()

function(apsis_set_soname target)
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endfunction()

# Makes the target libapsis.so. It contains a static Kokkos as a whole, so that a process has one Kokkos: that of the
# library. Static HDF5, libpng and FreeType are hidden: the process may have others of its own.
function(apsis_set_up_shared_library target)
  apsis_set_soname(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME apsis DEFINE_SYMBOL "")
  # Functions of a variant call those of the same variant, never copies in the executable for another level.
  target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)
  set(hidden "")
  foreach(which hdf5 pictures)
    get_target_property(libraries apsis::${which} INTERFACE_LINK_LIBRARIES)
    list(FILTER libraries INCLUDE REGEX "\\.a$")
    foreach(library IN LISTS libraries)
      cmake_path(GET library FILENAME file)
      list(APPEND hidden "${file}")
    endforeach()
  endforeach()
  if(hidden)
    list(JOIN hidden ":" hidden)
    target_link_options(${target} PRIVATE "LINKER:--exclude-libs,${hidden}")
  endif()
  foreach(part kokkoscore kokkoscontainers kokkosalgorithms kokkossimd)
    if(TARGET Kokkos::${part})
      set(library Kokkos::${part})
      get_target_property(alias ${library} ALIASED_TARGET)
      if(alias)
        set(library ${alias})
      endif()
      get_target_property(type ${library} TYPE)
      if(type STREQUAL STATIC_LIBRARY)
        target_link_options(${target} PRIVATE
          "LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive")
      endif()
    endif()
  endforeach()
endfunction()

# apsis_add_variants(LIBRARY FUNCTION): adds a target for each level, from the sources of the library, and sets it up by
# the function. Sources without kernels are those of the lowest level.
function(apsis_add_variants library set_up)
  get_target_property(sources ${library} SOURCES)
  foreach(level IN LISTS APSIS_HWCAPS)
    set(target ${library}_${level})
    add_library(${target} SHARED ${sources})
    cmake_language(CALL ${set_up} ${target})
    set_target_properties(${target} PROPERTIES
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/glibc-hwcaps/${level}")
    target_compile_options(${target} PRIVATE -march=${level} $<$<STREQUAL:${level},x86-64-v4>:-mprefer-vector-width=512>)
    add_dependencies(${library} ${target})
  endforeach()
endfunction()
