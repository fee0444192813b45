// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/formats/bodies_file.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Tipsy, the binary format of the N-Body Shop's program `tipsy` (its `tipsydefs.h`): a header
/// {f64 time; i32 nbodies, ndim, nsph, ndark, nstar}, with or without a pad of four bytes, then the
/// records of gas, dark and star bodies, which consist of 32-bit numbers. In the variants of
/// PKDGRAV and ChaNGa positions, or positions and velocities, have 64 bits.
namespace apsis::formats {

/// Interpretation of the last field of a record: the potential, or ids as in the CUDA sample
/// `nbody`.
enum class TipsyIds {
  automatic,  ///< ids if all are >= 0 as integers and unique (potentials are negative), else none
  integers,   ///< 32-bit ids
  none,       ///< potentials
};

/// Reads a whole tipsy file.
///
/// - Byte order: the one in which `ndim` is 1, 2 or 3.
/// - Pad: detected from the file size. A file with a pad that lost its last four bytes cannot be
///   distinguished from a file without one.
/// - Size of positions and velocities: from the file size. 64-bit velocities with 32-bit positions
///   cannot be distinguished from the reverse, which is assumed.
/// - Records always have three components. All are read even if `ndim` is below three, which is
///   noted in `unused`.
/// - Gas, dark and star bodies are all read, in file order.
/// - Softening lengths, potentials, metals, formation times and gas quantities are not used. If any
///   is not zero, their values are described in `unused`.
///
/// Throws bad-input errors; if counts and file size disagree, before it allocates. Cost O(N log N).
/// Memory: the bodies and a copy of their ids.
BodiesFile read_tipsy(files::Input& input, TipsyIds ids = TipsyIds::automatic,
                      CountCheck const& count = {});
BodiesFile read_tipsy(std::string_view bytes, std::string const& source,
                      TipsyIds ids = TipsyIds::automatic);

/// Variants of the format. The defaults are standard tipsy.
struct TipsyOptions {
  bool little_endian = false;
  bool pad = true;
  bool integer_ids = false;        ///< ids in place of the potentials
  double softening = 0.0;          ///< softening length of every body [length]
  bool double_positions = false;   ///< 64-bit positions
  bool double_velocities = false;  ///< 64-bit velocities; only with 64-bit positions
};

/// Size of a file of `count` dark bodies [bytes]. Throws a bad-input error if `count` does not fit
/// the 32-bit counts of the header.
std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target);

/// The bodies as a tipsy file, with potentials and the quantities of gas and stars set to zero.
/// Bodies of the species `gas` and `stars` are gas and star bodies, all others dark bodies.
/// Descriptions of data that the format cannot hold are added to `lost`. Throws a bad-input error
/// for values that do not fit in 32 bits.
std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost);

}  // namespace apsis::formats
