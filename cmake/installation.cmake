# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives the executable, the library, its headers and find_package(apsis).
include(CMakePackageConfigHelpers)
set(apsis_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/apsis")

install(TARGETS apsis EXPORT apsisTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(APSIS_ENABLE_MPI)
  install(TARGETS apsis_domain EXPORT apsisTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
# What is inside the kernels stays at home: it depends on compiler flags that a user may not have.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/apsis" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  REGEX "/(simd|over_cubed_root|lane_exchange|lane_group|lane_mask|register_lanes|warp_lanes|transpose|tile_loop|panel_loop|shapes|motion_shapes|pair|softening)\\.hpp$"
  EXCLUDE)
install(EXPORT apsisTargets NAMESPACE apsis:: DESTINATION "${apsis_package_dir}")
configure_package_config_file(cmake/apsisConfig.cmake.in "${apsis_generated_dir}/apsisConfig.cmake"
  INSTALL_DESTINATION "${apsis_package_dir}")
write_basic_package_version_file("${apsis_generated_dir}/apsisConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${apsis_generated_dir}/apsisConfig.cmake"
              "${apsis_generated_dir}/apsisConfigVersion.cmake"
  DESTINATION "${apsis_package_dir}")

# HDF5 that this build tree holds goes along, too.
set(apsis_private_dir "${CMAKE_INSTALL_LIBDIR}/apsis")
install(FILES cmake/hdf5_target.cmake cmake/pictures_target.cmake DESTINATION "${apsis_package_dir}")
if(NOT apsis_hdf5_place STREQUAL system)
  install(DIRECTORY "${apsis_hdf5_dir}/" DESTINATION "${apsis_private_dir}/hdf5"
    FILES_MATCHING PATTERN "*.so*" PATTERN "*.a" PATTERN "*.debug" EXCLUDE)
endif()
if(NOT apsis_pictures_place STREQUAL system)
  foreach(library IN LISTS apsis_picture_libraries)
    if(IS_ABSOLUTE "${library}")
      get_filename_component(directory "${library}" DIRECTORY)
      install(DIRECTORY "${directory}/" DESTINATION "${apsis_private_dir}/pictures"
        FILES_MATCHING PATTERN "*.so*" PATTERN "*.a")
    endif()
  endforeach()
endif()
set_target_properties(apsis_executable PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
set(apsis_own_libraries "")
foreach(which hdf5 pictures)
  if(apsis_${which}_place STREQUAL debian)
    file(RELATIVE_PATH apsis_up "/${CMAKE_INSTALL_BINDIR}" "/${apsis_private_dir}/${which}")
    list(APPEND apsis_own_libraries "$ORIGIN/${apsis_up}")
  endif()
endforeach()
if(apsis_own_libraries)
  set_target_properties(apsis_executable PROPERTIES
    INSTALL_RPATH "${apsis_own_libraries}" INSTALL_RPATH_USE_LINK_PATH OFF)
endif()

if(apsis_kokkos_place STREQUAL debian)
  include(debian/installation)
else()
  install(TARGETS apsis_executable RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
