# SPDX-License-Identifier: Apache-2.0
# The package apsis of Python has three places: python/apsis; analysis/, which is its part apsis.analysis; and in the build
# tree python/apsis, with the modules that are generated from `apsis schema`: apsis.registry and apsis.deck_types. A
# checkout is used as it is (python/apsis/places.py); an installation has all of them in one folder.
find_program(APSIS_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH
  DOC "Python of the distribution, for generated sources, tests and the documentation site")
find_program(APSIS_PYTHON NAMES python3)
set(apsis_generated_module "")
if(APSIS_PYTHON)
  set(apsis_generated_module "${PROJECT_BINARY_DIR}/python/apsis/registry.py")
  add_custom_command(OUTPUT "${apsis_generated_module}"
    COMMAND "${APSIS_PYTHON}" tools/python_sources.py $<TARGET_FILE:apsis_executable> "${PROJECT_BINARY_DIR}/python/apsis"
    DEPENDS apsis_executable tools/python_sources.py tools/deck_types.py python/apsis/deck_schema.py
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM COMMENT "Writing the generated modules of the Python package")
else()
  message(STATUS "Python module: without functions of models, integrators and forces (no python3)")
endif()
add_custom_target(apsis_python_package ALL DEPENDS ${apsis_generated_module})

# apsis_install_python(FOLDER OPTIONS...): installs the package.
function(apsis_install_python folder)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/apsis" DESTINATION "${folder}" ${ARGN} PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/analysis" DESTINATION "${folder}/apsis" ${ARGN}
    FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/python/apsis" DESTINATION "${folder}" ${ARGN} OPTIONAL PATTERN __pycache__ EXCLUDE)
endfunction()
