// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/files/folder.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apsis::files {

/// Encodes a generation of a checkpoint. File format:
///
///     "APSISCKP" | version, blocks: 2 x uint64 | digest of the 24 bytes before: uint64
///     blocks x ( name bytes, type, bytes: 3 x uint64 | digest of name and bytes: 2 x uint64
///                | digest of the 40 bytes before: uint64 | name | bytes )
///     "APSISEND" | bytes of the file: uint64 | digest of all block digests: uint64
///
/// Numbers are little-endian, digests are XXH64. The digests cover every byte, so any changed or
/// missing byte is detected.
std::string encode_checkpoint(std::vector<StateBlock> const& blocks);

/// Decodes a generation. Throws a bad-input error if the bytes are damaged. Allocates no more than
/// the size of `bytes`, whatever lengths the file states.
std::vector<StateBlock> decode_checkpoint(std::string_view bytes, std::string const& source);

/// Whether `ends`, the first `checkpoint_head` and the last `checkpoint_tail` bytes of a file,
/// belong to a checkpoint of `size` bytes. Does not validate the bytes in between; serves to reject
/// other files without reading them.
inline constexpr std::uint64_t checkpoint_head = 32, checkpoint_tail = 24;
bool has_ends_of_checkpoint(std::string_view ends, std::uint64_t size);

struct Generation {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;   ///< size of the file
  std::uint64_t digest = 0;  ///< digest of the file
};

/// The generations of checkpoints in a directory. The manifest commits them: while there is a
/// manifest, a generation that it does not list counts as absent.
class CheckpointStore {
 public:
  static constexpr std::size_t retained_generations = 2;

  explicit CheckpointStore(Place directory) : directory_(std::move(directory)) {}

  /// The committed generations, newest first. If the manifest is damaged or missing, the
  /// generations with intact files, and an explanation in `remarks`.
  std::vector<Generation> committed(std::vector<std::string>& remarks) const;

  /// Reads a generation and checks every byte. Throws a bad-input or an input/output error.
  std::vector<StateBlock> read(Generation const& generation) const;

  /// Declares this generation the newest valid one. Newer generations are dropped at the next
  /// commit, so that they do not displace valid generations.
  void resume_from(Generation const& generation);

  /// Writes the next generation and commits it: temporary file, fsync, read back, rename, fsync of
  /// the directory; then the manifest in the same way; then removal of old generations. Throws an
  /// input/output error, which leaves the earlier generations intact.
  Generation commit(std::vector<StateBlock> const& blocks);

  Place file_of(Generation const& generation) const;

 private:
  Place manifest() const { return directory_ / "manifest.json"; }
  std::vector<std::uint64_t> numbers_present() const;
  void remove_except(std::vector<Generation> const& retained) const;

  Place directory_;
  std::vector<std::uint64_t> rejected_;  ///< numbers of generations to drop at the next commit
};

}  // namespace apsis::files
