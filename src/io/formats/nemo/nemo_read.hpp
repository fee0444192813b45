// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>
#include <apsis/io/input.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace apsis::io {

/// Reads a snapshot of NEMO from a structured file, or from its listing by tsf: in each set
/// `SnapShot`, Nobj and Time of `Parameters`, and Mass, PhaseSpace (or Position and Velocity) and
/// Key of `Particles`, single or double, in either byte order. Masses may be stored in the first
/// snapshot alone. Keys are ids if they are unique. `time`: the snapshot to choose if there are
/// several. The input must have a known size.
///
/// Throws bad-input errors. Cost: linear in the size. Memory: the bodies twice.
BodiesFile read_nemo(Input& input, CountCheck const& count = {}, std::optional<double> time = {});
BodiesFile read_nemo(std::string_view bytes, std::string const& source,
                     std::optional<double> time = {});

}  // namespace apsis::io
