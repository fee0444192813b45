// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>

#include <string>
#include <string_view>

/// The units of a file of bodies in words: "astrophysical: length 3.08e+16 m, mass 1.98e+30 kg,
/// time 3.15e+13 s". The numbers are left out where there are none, the name likewise.
namespace apsis::io {

/// Empty if the file names no units.
std::string units_text(BodiesFile const& file);

/// Reads what units_text() writes, or only the name of a system that has one. False if it is
/// neither.
bool read_units_text(std::string_view text, BodiesFile& file);

}  // namespace apsis::io
