// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/formats/bodies_file.hpp>

#include <memory>

/// Items of NEMO's structured files (Teuben 1995, "The Stellar Dynamics Toolbox NEMO";
/// `filestruct` in NEMO's sources).
///
/// A binary item is a 16-bit magic number, a type and a tag as strings that end with NUL, for an
/// array the dimensions as 32-bit integers that end with 0, and the values. The magic number tells
/// the byte order. Sets of items are enclosed by items of the types `(` and `)`. The program `tsf`
/// lists the same items as text: `double Mass[2] 0.5 0.5`, `set Particles` ... `tes`.
namespace apsis::formats {

struct NemoItem {
  enum class Kind { values, set, end_of_set };

  Kind kind = Kind::values;
  std::string type{};  ///< "d", "f", "i", "c" ... for values
  std::string tag{};
  std::vector<std::uint64_t> dimensions{};  ///< empty for one value
  std::uint64_t count = 1;                  ///< product of the dimensions
};

/// The items of a file in their order. Counts are checked against the size of the file before
/// memory is allocated. Errors are bad-input errors with the offset or line.
class NemoItems {
 public:
  virtual ~NemoItems() = default;

  /// Reads the next item up to its values, which must be read or skipped. False at the end.
  virtual bool next(NemoItem& item) = 0;
  virtual void read(NemoItem const& item, std::vector<double>& values) = 0;
  virtual void skip(NemoItem const& item) = 0;
  /// "little endian" or "a listing by tsf".
  virtual std::string description() const = 0;
};

/// Items of a binary file or of a listing by tsf. The input must have a known size.
std::unique_ptr<NemoItems> open_nemo(files::Input& input);

/// Reads a snapshot of NEMO from a structured file, or from its listing by tsf: in each set
/// `SnapShot`, Nobj and Time of `Parameters`, and Mass, PhaseSpace (or Position and Velocity) and
/// Key of `Particles`, single or double, in either byte order. Masses may be stored in the first
/// snapshot alone. Keys are ids if they are unique. `time`: the snapshot to choose if there are
/// several. The input must have a known size.
///
/// Throws bad-input errors. Cost: linear in the size. Memory: the bodies twice.
BodiesFile read_nemo(files::Input&& input, CountCheck const& count = {},
                     std::optional<double> time = {});

}  // namespace apsis::formats
