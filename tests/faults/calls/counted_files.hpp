// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// The files whose calls count.
namespace apsis::faults {

constexpr int most_files = 1024;
constexpr std::size_t most_letters = 512;

/// State of open files, by descriptor.
enum Watch : unsigned char { ignored = 0, counted = 1, written_to = 2 };
extern Watch watched[most_files];
/// Paths of open directories, for calls that name a file relative to a directory's descriptor.
extern char directories[most_files][most_letters];

bool is_counted_file(char const* path);
bool is_counted_file(int descriptor);
/// Whether a path names an entry of a directory.
bool is_in(char const* directory, char const* path);

/// Returns the path of a file that a call names relative to a directory's descriptor, in `buffer`
/// if needed, as the process spells it: paths below the directory are absolute.
char const* path_at(int where, char const* path, char* buffer);

/// Records the path of an open directory below APSIS_FAULT_UNDER, whether or not its files count.
void record_directory(int descriptor, char const* path, int flags);

}  // namespace apsis::faults
