// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Effects of a loss of power: bytes without fsync, and renames in unsynced directories, are lost.
/// Files and renames are recorded only if the plan has a loss of power.
namespace apsis::faults {

/// An open file that the process writes.
struct Written {
  int copy;        ///< of the descriptor; it survives close() and rename()
  int descriptor;  ///< -1 after close()
  long synced;     ///< bytes that survive a loss of power
};

void record_written(int descriptor, int flags);
/// Returns the file with this open descriptor, or null.
Written* find_written(int descriptor);

/// Called before a rename: preserves the file that it will replace.
void record_rename(char const* source, char const* destination);
/// Records that the entries of a directory are synced.
void record_synced(char const* directory);

void lose_power();

}  // namespace apsis::faults
