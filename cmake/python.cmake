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

# Defines the target from a folder with nanobind's include/ and src/, and one with robin-map's headers. Sets `found` to
# the version and `description`, or `reason`.
function(apsis_use_nanobind folder robin_map description)
  set(found "")
  set(reason "")
  if(NOT EXISTS "${folder}/src/nb_combined.cpp" OR NOT EXISTS "${robin_map}/tsl/robin_map.h")
    set(reason "no src/nb_combined.cpp in '${folder}', or no tsl/robin_map.h in '${robin_map}'")
    return(PROPAGATE found reason)
  endif()
  file(STRINGS "${folder}/include/nanobind/nanobind.h" lines REGEX "define NB_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" version "${lines}")
  list(JOIN version "." version)
  if(version VERSION_LESS way_MINIMUM)
    set(reason "nanobind ${version} is there, ${way_MINIMUM} or newer is needed")
    return(PROPAGATE found reason)
  endif()
  add_library(apsis::nanobind INTERFACE IMPORTED GLOBAL)
  target_include_directories(apsis::nanobind INTERFACE "${folder}/include" "${robin_map}")
  set_target_properties(apsis::nanobind PROPERTIES apsis_core "${folder}/src/nb_combined.cpp")
  set(found "${version}, ${description}")
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_system)
  set(installed "")
  if(Python_EXECUTABLE)
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c "import nanobind, os; print(os.path.dirname(nanobind.__file__))"
      OUTPUT_VARIABLE installed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  set(reason "no nanobind is installed")
  foreach(folder IN ITEMS "${nanobind_ROOT}" "${installed}" /usr/share/nanobind)
    if(folder AND EXISTS "${folder}/src/nb_combined.cpp")
      set(robin_map "${folder}/ext/robin_map/include")
      if(NOT EXISTS "${robin_map}")
        set(robin_map /usr/include)
      endif()
      apsis_use_nanobind("${folder}" "${robin_map}" "${folder}")
      break()
    endif()
  endforeach()
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_source)
  apsis_declare_release(nanobind wjakob/nanobind v2.12.0)
  if(NOT origin)
    return(PROPAGATE reason)
  endif()
  set(folder "${source}")
  set(nanobind_origin "${origin}")
  set(robin_map "${folder}/ext/robin_map")  # a submodule, which a checkout may have
  if(NOT EXISTS "${robin_map}/include")
    apsis_declare_release(robin_map Tessil/robin-map v1.4.1)
    if(NOT origin)
      return(PROPAGATE reason)
    endif()
    set(robin_map "${source}")
  endif()
  apsis_use_nanobind("${folder}" "${robin_map}/include" "${nanobind_origin}")
  return(PROPAGATE found reason)
endfunction()

function(apsis_nanobind_from_debian)
  apsis_debian_unpack_new(nanobind --at-least nanobind-dev ${way_MINIMUM} nanobind-dev robin-map-dev)
  if(NOT reason)
    apsis_debian_describe(nanobind nanobind-dev)
    set(prefix "${apsis_debian_dir}/nanobind/usr")
    apsis_use_nanobind("${prefix}/share/nanobind" "${prefix}/include" "${description}")
  endif()
  return(PROPAGATE found reason)
endfunction()

apsis_provide(nanobind nanobind MINIMUM 2.4 CHECKOUTS NANOBIND ROBIN_MAP ROOTS nanobind_ROOT
  PACKAGES "nanobind-dev (2.4 or newer)")
