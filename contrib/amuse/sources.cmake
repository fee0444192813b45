# SPDX-License-Identifier: Apache-2.0
# Sources of the worker. They include apsis_worker.h, which AMUSE's amusifier makes from interface.py.
set(apsis_amuse_sources)
foreach(file interface.cc interface_parameters.cc src/calls.cpp src/model.cpp src/parameters.cpp src/particles.cpp
    src/stopping.cpp)
  list(APPEND apsis_amuse_sources "${CMAKE_CURRENT_LIST_DIR}/${file}")
endforeach()
