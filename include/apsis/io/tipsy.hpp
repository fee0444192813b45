// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>
#include <apsis/io/input.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Tipsy, the binary format of the N-Body Shop's `tipsy` and of its many readers (its
/// `tipsydefs.h`): a header {f64 time; i32 nbodies, ndim, nsph, ndark, nstar}, with or without a
/// pad of four bytes, then the records of gas, dark and star bodies, of 32-bit numbers throughout.
namespace apsis::io {

/// What stands in a record's last place, the potential's. The CUDA sample `nbody` has ids there.
enum class TipsyIds {
  automatic,  ///< ids, if as integers all are >= 0 and unique (potentials are negative), else none
  integers,   ///< 32-bit ids
  none,       ///< potentials
};

/// Reads a whole tipsy file: either byte order (`ndim` must read 1, 2 or 3 in it), with the pad or
/// without (as the file's size says; a file with a pad that lost its last four bytes cannot be told
/// from one without). A record always has three components; with an `ndim` below
/// three they are all read, and `unused` says so. Gas, dark and star bodies become bodies like any
/// other, in the file's order. Softenings, potentials, metals, formation times and the quantities
/// of gas are not used; `unused` tells their values if any is not zero.
/// Throws bad-input errors, before it allocates where the counts and the size disagree.
/// O(N log N); memory: the bodies and their ids once more.
BodiesFile read_tipsy(Input& input, TipsyIds ids = TipsyIds::automatic,
                      CountCheck const& count = {});
BodiesFile read_tipsy(std::string_view bytes, std::string const& source,
                      TipsyIds ids = TipsyIds::automatic);

/// The defaults are standard tipsy.
struct TipsyOptions {
  bool little_endian = false;
  bool pad = true;
  bool integer_ids = false;  ///< ids in the place of the potentials
  double softening = 0.0;    ///< of every body [length]
};

/// The size of a file of `count` bodies. Throws a bad-input error if its 32-bit counts cannot hold
/// them.
std::size_t tipsy_bytes(std::size_t count, TipsyOptions const& options, std::string const& target);

/// The file, all bodies as dark ones without potentials; what is lost is added to `lost` in words.
/// Throws a bad-input error for values that 32 bits cannot hold.
std::string write_tipsy(BodiesFile const& file, TipsyOptions const& options,
                        std::string const& target, std::vector<std::string>& lost);

}  // namespace apsis::io
