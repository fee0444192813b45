// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <string_view>

/// The units of a file of bodies as text: "astrophysical: length 3.08e+16 m, mass 1.98e+30 kg, time
/// 3.15e+13 s". The name or the values are omitted if the file does not have them.
namespace apsis::formats {

std::string units_text(BodiesFile const& file);

/// Parses the output of units_text(), or the name of a system alone; false for other texts.
bool read_units_text(std::string_view text, BodiesFile& file);

}  // namespace apsis::formats
