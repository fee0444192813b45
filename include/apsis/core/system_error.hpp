// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

namespace apsis {

/// Whether this errno reports an exhausted limit of the process or of the machine: open files,
/// memory, processes.
bool is_system_limit(int code);

/// Error of a system call that failed with this errno. The text of errno becomes `why`.
/// An exhausted system limit is an internal error, with advice on which limit to raise; any other
/// failure is an input/output error.
Error system_error(int code, Problem problem);

}  // namespace apsis
