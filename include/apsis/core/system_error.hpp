// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

namespace apsis {

/// Whether a system call that fails with this errno met a limit of the process or of the machine:
/// open files, memory, processes.
bool is_system_limit(int code);

/// Error of a system call that failed with this errno. `why` of the problem is filled in. A limit
/// of the system is an internal error, and its advice says which to raise; everything else is an
/// input/output error.
Error system_error(int code, Problem problem);

}  // namespace apsis
