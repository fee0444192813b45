// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::cli {

/// Makes sure that a process ended by a library (exit(), abort(), or a crash for lack of memory)
/// prints a line and has status 70, like every internal error; status 1 would mean a broken limit.
/// Uses no library. Acts once: called before the constructors of libraries where possible, and in
/// the first line of main.
void report_unintended_exit();

/// Marks the coming exit as intended and returns its status. For return statements of main.
int intend_exit(int status);

}  // namespace apsis::cli
