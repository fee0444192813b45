// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/formats/bodies_file.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace apsis::formats {

/// Reads a snapshot of NEMO from a structured file, or from its listing by tsf: in each set
/// `SnapShot`, Nobj and Time of `Parameters`, and Mass, PhaseSpace (or Position and Velocity) and
/// Key of `Particles`, single or double, in either byte order. Masses may be stored in the first
/// snapshot alone. Keys are ids if they are unique. `time`: the snapshot to choose if there are
/// several. The input must have a known size.
///
/// Throws bad-input errors. Cost: linear in the size. Memory: the bodies twice.
BodiesFile read_nemo(files::Input& input, CountCheck const& count = {},
                     std::optional<double> time = {});
BodiesFile read_nemo(std::string_view bytes, std::string const& source,
                     std::optional<double> time = {});

}  // namespace apsis::formats
