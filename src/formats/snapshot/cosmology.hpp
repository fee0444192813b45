// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::formats {

/// Cosmological values in the header of a snapshot, in HDF5 or in GADGET's binary format. The
/// defaults are those of a file without cosmology.
struct CosmologyHeader {
  double time = 0.0;  ///< in a comoving run the scale factor
  double redshift = 0.0;
  double scale_factor = 1.0;
  double box_size = 0.0;
  double omega0 = 0.0;
  double omega_lambda = 0.0;
};

/// Reason why a snapshot is in comoving coordinates; empty if it is not. Comoving coordinates are
/// not positions, and the velocities contain powers of the scale factor.
std::string comoving_reason(CosmologyHeader const& header);

/// Problem and advice of the error for a snapshot in comoving coordinates; `reason` goes between
/// them.
inline constexpr char const* comoving_problem = "is a cosmological snapshot";
inline constexpr char const* comoving_why = "; Apsis has no comoving coordinates";
inline constexpr char const* comoving_advice =
    "convert it to physical positions and velocities first";

/// Descriptions of the values that a run does not use.
std::vector<std::string> unused_cosmology(CosmologyHeader const& header);

}  // namespace apsis::formats
