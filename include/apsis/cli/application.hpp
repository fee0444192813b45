// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::cli {

/// The apsis command: reads the command line and does what it says. Returns the exit status of a
/// run that was done; everything else that is wrong is thrown as apsis::Error.
int application(int argc, char** argv);

/// Prints the exception in flight to standard error, one line a problem, and returns its exit
/// status. For main's catch.
int report_exception() noexcept;

}  // namespace apsis::cli
