// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_input.hpp"
#include "parts.hpp"
#include <apsis/formats/snapshot.hpp>

#include <string>

namespace apsis::formats {

/// Reads a snapshot through `access`, from a file or a memory image of `file_bytes` bytes. Does not
/// check the values of the bodies. `where` is the file name, for the library and for errors.
/// `count` is called with the number of bodies, of all files of the snapshot, before memory is
/// allocated for them. `header`: that of this file. Failures of the library are bad-input errors.
Snapshot read_open(hid_t access, std::uint64_t file_bytes, std::string const& where,
                   CountCheck const& count, PartHeader& header);

}  // namespace apsis::formats
