# SPDX-License-Identifier: Apache-2.0
# `cmake --install` installs the executable, its manual pages and completions, the library, its headers,
# find_package(apsis) and the Python module. The component `program` has the files that users of the program need; the
# .deb has it and the component `debian`. All other files belong to `development`, the default (CMakeLists.txt), also those
# of a Kokkos from source.
include(CMakePackageConfigHelpers)
set(APSIS_PYTHON_DIR "${CMAKE_INSTALL_LIBDIR}/apsis/python" CACHE STRING
  "Folder of the Python module in an installation")
set(apsis_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/apsis")

set(apsis_libraries apsis)
if(APSIS_ENABLE_MPI)
  list(APPEND apsis_libraries apsis_domain)
endif()
install(TARGETS ${apsis_libraries} EXPORT apsisTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${APSIS_LIBRARY_DIR}" COMPONENT program NAMELINK_COMPONENT development)
foreach(level IN LISTS APSIS_HWCAPS)
  list(APPEND apsis_libraries apsis_${level})
  install(TARGETS apsis_${level}
    LIBRARY DESTINATION "${APSIS_LIBRARY_DIR}/glibc-hwcaps/${level}" COMPONENT program NAMELINK_SKIP)
endforeach()
# The program of bench/, which no other program links.
set(apsis_bench_libraries "")
if(BUILD_SHARED_LIBS)
  set(apsis_bench_libraries apsis_measures)
  install(TARGETS apsis_measures
    LIBRARY DESTINATION "${APSIS_LIBRARY_DIR}" COMPONENT program NAMELINK_SKIP)
  foreach(level IN LISTS APSIS_HWCAPS)
    list(APPEND apsis_bench_libraries apsis_measures_${level})
    install(TARGETS apsis_measures_${level}
      LIBRARY DESTINATION "${APSIS_LIBRARY_DIR}/glibc-hwcaps/${level}" COMPONENT program NAMELINK_SKIP)
  endforeach()
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/apsis" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
# The Python module, for PYTHONPATH. It finds the executable in bin/ of the same prefix.
apsis_install_python("${APSIS_PYTHON_DIR}" COMPONENT program)
if(APSIS_ENABLE_PYTHON)
  install(TARGETS apsis_python LIBRARY DESTINATION "${APSIS_PYTHON_DIR}" COMPONENT program)
  install(FILES "${PROJECT_SOURCE_DIR}/python/_apsis.pyi" DESTINATION "${APSIS_PYTHON_DIR}" COMPONENT program)
endif()
install(EXPORT apsisTargets NAMESPACE apsis:: DESTINATION "${apsis_package_dir}")
write_basic_package_version_file("${apsis_generated_dir}/apsisConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${apsis_generated_dir}/apsisConfig.cmake"
              "${apsis_generated_dir}/apsisConfigVersion.cmake"
  DESTINATION "${apsis_package_dir}")

# Libraries from this build tree are installed as well, in directories of their own below the private one, and
# find_package(apsis) names them there. The executable finds them relative to its own path.
set(apsis_private_dir "${CMAKE_INSTALL_LIBDIR}/apsis")
set(apsis_own_libraries "")
foreach(which hdf5 pictures)
  set(apsis_installed_${which} "")
  get_target_property(libraries apsis::${which} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${library}" is_own)
    if(is_own)
      cmake_path(GET library PARENT_PATH directory)
      cmake_path(GET library FILENAME file)
      install(DIRECTORY "${directory}/" DESTINATION "${apsis_private_dir}/${which}" COMPONENT program
        FILES_MATCHING PATTERN "*.so*" PATTERN "*.debug" EXCLUDE)
      install(DIRECTORY "${directory}/" DESTINATION "${apsis_private_dir}/${which}"
        FILES_MATCHING PATTERN "*.a")
      set(library "\${PACKAGE_PREFIX_DIR}/${apsis_private_dir}/${which}/${file}")
      if(file MATCHES "\\.so")
        list(APPEND apsis_own_libraries ${which})
      endif()
    endif()
    list(APPEND apsis_installed_${which} "${library}")
  endforeach()
endforeach()
list(REMOVE_DUPLICATES apsis_own_libraries)
configure_package_config_file(cmake/apsisConfig.cmake.in "${apsis_generated_dir}/apsisConfig.cmake"
  INSTALL_DESTINATION "${apsis_package_dir}")
install(FILES cmake/external.cmake DESTINATION "${apsis_package_dir}")
set(apsis_loader "")
if(apsis_kokkos_place STREQUAL debian)
  include(debian/installation)
endif()
# apsis_find_libraries_from(FOLDER TARGET...): targets installed in this folder find their libraries relative to it.
function(apsis_find_libraries_from folder)
  list(TRANSFORM apsis_own_libraries PREPEND "${apsis_private_dir}/" OUTPUT_VARIABLE directories)
  if(BUILD_SHARED_LIBS)
    list(APPEND directories "${APSIS_LIBRARY_DIR}")
  endif()
  set(rpath "")
  foreach(directory IN LISTS directories)
    file(RELATIVE_PATH up "/${folder}" "/${directory}")
    list(APPEND rpath "$ORIGIN/${up}")
  endforeach()
  set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "${rpath}" INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
set(apsis_program_dir "${CMAKE_INSTALL_BINDIR}")
if(apsis_loader)
  # An executable names its loader by an absolute path, which an installation must not: a script starts it.
  set(apsis_program_dir "${apsis_private_dir}")
endif()
set(apsis_check_bench "
if(NOT EXISTS \"$<TARGET_FILE:apsis_bench>\")
  message(FATAL_ERROR \"install: the program of 'apsis bench' is not built (the demo does not need it); run cmake --build '${PROJECT_BINARY_DIR}' --target apsis_bench\")
endif()")
install(CODE "${apsis_check_bench}" COMPONENT program)
apsis_find_libraries_from("${apsis_program_dir}" apsis_executable apsis_bench)
install(TARGETS apsis_executable apsis_bench RUNTIME DESTINATION "${apsis_program_dir}" COMPONENT program)
if(APSIS_ENABLE_PYTHON)
  apsis_find_libraries_from("${APSIS_PYTHON_DIR}" apsis_python)
endif()
if(BUILD_SHARED_LIBS)
  foreach(library IN LISTS apsis_libraries apsis_bench_libraries)
    set(folder "${APSIS_LIBRARY_DIR}")
    if(library MATCHES "_(x86-64-.*)")
      string(APPEND folder "/glibc-hwcaps/${CMAKE_MATCH_1}")
    endif()
    apsis_find_libraries_from("${folder}" ${library})
  endforeach()
endif()

# `apsis-start` starts a program linked with an installed Apsis with the present paths of the libraries and the loader.
if(apsis_own_libraries)
  list(TRANSFORM apsis_own_libraries PREPEND "$private/" OUTPUT_VARIABLE apsis_library_path)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH apsis_up "/${apsis_private_dir}" "/${APSIS_LIBRARY_DIR}")
    list(APPEND apsis_library_path "$private/${apsis_up}")
  endif()
  list(JOIN apsis_library_path ":" apsis_library_path)
  set(apsis_start [[exec env LD_LIBRARY_PATH="@apsis_library_path@${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$program" "$@"]])
  if(apsis_loader)
    set(apsis_start [[exec "$private/@apsis_loader@" --library-path "@apsis_library_path@${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$program" "$@"]])
  endif()
  string(CONFIGURE "${apsis_start}" apsis_start @ONLY)
  file(RELATIVE_PATH apsis_private_up "/${CMAKE_INSTALL_BINDIR}" "/${apsis_private_dir}")
  file(CONFIGURE OUTPUT "${apsis_generated_dir}/apsis-start" @ONLY CONTENT [[
#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# apsis-start PROGRAM [ARGUMENT...]: starts a program that is linked with this Apsis, wherever either was moved to.
if [ $# = 0 ]; then
  echo "apsis-start: error: command line: no program (nothing to start); give PROGRAM [ARGUMENT...]" >&2
  exit 64
fi
private=$(dirname "$(readlink -f "$0")")/@apsis_private_up@
program=$1; shift
case $program in */*) ;; *) program=$(command -v "$program" || echo "./$program") ;; esac
# The loader starts programs, and no scripts, such as the python3 of pyenv.
if [ "$(head -c 2 "$program" 2> /dev/null)" = "#!" ]; then
  script=$program
  case ${script##*/} in python*) program=$("$script" -c "import sys; print(sys.executable)") ;; *) program= ;; esac
  if [ ! -x "$program" ]; then
    echo "apsis-start: error: $script: is a script (a program is started); name its interpreter, and the script behind it" >&2
    exit 64
  fi
fi
@apsis_start@
]])
  install(PROGRAMS "${apsis_generated_dir}/apsis-start" DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endif()

if(apsis_loader)
  file(CONFIGURE OUTPUT "${apsis_generated_dir}/apsis.${APSIS_BACKEND}" @ONLY CONTENT [[
#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Starts Apsis with the C library that came with its Kokkos.
here=$(dirname "$(readlink -f "$0")")
export APSIS_STARTED_AS="$0"  # name of the program in messages
exec "$here/apsis-start" "$here/@apsis_private_up@/apsis.@APSIS_BACKEND@" "$@"
]])
  install(PROGRAMS "${apsis_generated_dir}/apsis.${APSIS_BACKEND}" DESTINATION "${CMAKE_INSTALL_BINDIR}"
    COMPONENT program)
endif()

# The plain command is a link to the executable of the backend installed last, as the library is.
set(apsis_link "${apsis_generated_dir}/command/apsis")
file(MAKE_DIRECTORY "${apsis_generated_dir}/command")
file(CREATE_LINK "apsis.${APSIS_BACKEND}" "${apsis_link}" SYMBOLIC)
install(FILES "${apsis_link}" DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)

# Module file of Environment Modules and Lmod.
configure_file(cmake/modulefile.in "${apsis_generated_dir}/modulefile" @ONLY)
install(FILES "${apsis_generated_dir}/modulefile" DESTINATION "share/modulefiles/apsis" RENAME "${PROJECT_VERSION}")

# The wheel (pyproject.toml, python/make_wheel.py): the package, and the executable and the extension beside it. They must
# need nothing of this build tree.
apsis_install_python(. COMPONENT wheel EXCLUDE_FROM_ALL)
if(NOT apsis_own_libraries AND NOT BUILD_SHARED_LIBS)
  install(CODE "${apsis_check_bench}" COMPONENT wheel EXCLUDE_FROM_ALL)
  install(TARGETS apsis_executable apsis_bench RUNTIME DESTINATION apsis/bin COMPONENT wheel EXCLUDE_FROM_ALL)
  if(APSIS_ENABLE_PYTHON)
    install(TARGETS apsis_python LIBRARY DESTINATION . COMPONENT wheel EXCLUDE_FROM_ALL)
  endif()
elseif(SKBUILD)
  if(BUILD_SHARED_LIBS)
    message(FATAL_ERROR "wheel: BUILD_SHARED_LIBS is ON (a wheel needs a static library); set BUILD_SHARED_LIBS=OFF")
  endif()
  message(FATAL_ERROR "wheel: libraries of the build tree would be missing (${apsis_own_libraries}); name checkouts of them, as"
    " FETCHCONTENT_SOURCE_DIR_KOKKOS, see docs/packages.md")
endif()

# Licence and changes.
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
file(READ src/render/font/LICENSE apsis_font_licence)
string(REGEX MATCH "Copyright: .*\nFiles: debian" apsis_font_licence "${apsis_font_licence}")
string(REGEX REPLACE "\nFiles: debian$" "" apsis_font_licence "${apsis_font_licence}")
file(READ cmake/package/copyright.in apsis_copyright)
string(REGEX REPLACE "^#[^\n]*\n" "" apsis_copyright "${apsis_copyright}")
file(CONFIGURE OUTPUT "${apsis_generated_dir}/copyright" @ONLY CONTENT "${apsis_copyright}")
install(FILES "${apsis_generated_dir}/copyright" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT program)

# Manual pages, completions and the compressed changelog, written by the executable and gzip at installation.
set(apsis_zsh_dir share/zsh/site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL /usr AND EXISTS /etc/debian_version)
  set(apsis_zsh_dir share/zsh/vendor-completions)  # Debian's zsh searches this one below /usr
endif()
install(CODE "
set(apsis_backend ${APSIS_BACKEND})
set(apsis_zsh_dir ${apsis_zsh_dir})
set(apsis_executable \"$<TARGET_FILE:apsis_executable>\")
set(apsis_pages \"${PROJECT_BINARY_DIR}/pages\")
set(apsis_changelog \"${PROJECT_SOURCE_DIR}/CHANGELOG.md\")
set(apsis_doc_dir \"${CMAKE_INSTALL_DOCDIR}\")
set(apsis_man_dir \"${CMAKE_INSTALL_MANDIR}\")" COMPONENT program)
install(SCRIPT cmake/package/install_pages.cmake COMPONENT program)
