// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_input.hpp"
#include <apsis/io/snapshot.hpp>

#include <string>

namespace apsis::io {

/// Reads a snapshot that `access` opens, of a file or an image of so many bytes; the bodies'
/// numbers are not looked at. `where` is its name, for the library and in errors; `count` is told
/// how many bodies there are before anything is taken for them. Failures of the library are
/// bad-input errors.
Snapshot read_open(hid_t access, std::uint64_t file_bytes, std::string const& where,
                   CountCheck const& count);

}  // namespace apsis::io
