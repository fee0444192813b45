// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace apsis::cli {

/// From now on a process that a library ends, by exit(), abort() or a crash where it gets no
/// memory, says so in a line and has status 70, as every internal error: 1 would be a broken limit.
/// Needs no library and acts once: called before the constructors of libraries where that can be,
/// and in main's first line.
void keep_last_words();

/// The status that main returns: what the process ends with is what it meant.
int meant(int status);

}  // namespace apsis::cli
