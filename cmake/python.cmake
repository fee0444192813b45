# SPDX-License-Identifier: Apache-2.0
# The target apsis::nanobind: headers of nanobind, and the property apsis_core, its source, which is compiled into the
# extension. Python's own headers come from the Python that is found: that of an active environment, otherwise the
# system's, which has the packages of the system.
if(NOT DEFINED Python_EXECUTABLE AND NOT DEFINED ENV{VIRTUAL_ENV} AND NOT DEFINED ENV{CONDA_PREFIX} AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python_FOUND)
  set_property(GLOBAL APPEND_STRING PROPERTY apsis_missing
    "Python's headers are missing, which the extension needs (APSIS_ENABLE_PYTHON)\n  To do: install python3-dev, or name\
 another Python with -D Python_EXECUTABLE\n")
endif()

apsis_declare(nanobind wjakob/nanobind v2.12.0 MINIMUM 2.4 CHECKOUTS NANOBIND ROBIN_MAP PACKAGE nanobind-dev)
apsis_declare(robin_map Tessil/robin-map v1.4.1)

# Defines the target from a folder with nanobind's include/ and src/; robin-map is a submodule of it or in one of the
# folders that follow. Sets `found` to the version and `description`, or `reason`.
function(apsis_use_nanobind folder description)
  find_path(robin_map tsl/robin_map.h PATHS "${folder}/ext/robin_map/include" ${ARGN} NO_DEFAULT_PATH NO_CACHE)
  set(reason "no src/nb_combined.cpp in '${folder}', or no tsl/robin_map.h beside it")
  if(robin_map AND EXISTS "${folder}/src/nb_combined.cpp")
    file(STRINGS "${folder}/include/nanobind/nanobind.h" lines REGEX "define NB_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" version "${lines}")
    list(JOIN version "." version)
    set(reason "nanobind ${version} is there, ${minimum} or newer is needed")
    if(version VERSION_GREATER_EQUAL minimum)
      add_library(apsis::nanobind INTERFACE IMPORTED GLOBAL)
      target_include_directories(apsis::nanobind INTERFACE "${folder}/include" "${robin_map}")
      set_target_properties(apsis::nanobind PROPERTIES apsis_core "${folder}/src/nb_combined.cpp")
      set(found "${version}, ${description}")
    endif()
  endif()
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_system)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c "import nanobind, os; print(os.path.dirname(nanobind.__file__))"
    OUTPUT_VARIABLE installed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(reason "no nanobind is installed")
  foreach(folder IN ITEMS "${nanobind_ROOT}" "${installed}" /usr/share/nanobind)
    if(NOT found AND EXISTS "${folder}/src/nb_combined.cpp")
      apsis_use_nanobind("${folder}" "${folder}" /usr/include)
    endif()
  endforeach()
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_source)
  apsis_fetch(nanobind src/nb_combined.cpp)
  set(folder "${source}")
  set(description "${origin}")
  if(NOT reason AND NOT EXISTS "${folder}/ext/robin_map/include")
    apsis_fetch(robin_map include)
  endif()
  if(NOT reason)
    apsis_use_nanobind("${folder}" "${description}" "${source}/include")
  endif()
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_debian)
  apsis_debian_unpack_new(nanobind --at-least nanobind-dev ${minimum} nanobind-dev robin-map-dev)
  if(NOT reason)
    apsis_debian_describe(nanobind nanobind-dev)
    set(prefix "${apsis_debian_dir}/nanobind/usr")
    apsis_use_nanobind("${prefix}/share/nanobind" "${description}" "${prefix}/include")
  endif()
  return(PROPAGATE found reason)
endfunction()

apsis_provide("" nanobind)
