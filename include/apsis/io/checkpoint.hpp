// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/state_block.hpp>
#include <apsis/io/folder.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apsis::io {

/// The bytes of a generation of a checkpoint:
///
///     "APSISCKP" | version, blocks: 2 x uint64 | digest of the 24 bytes before: uint64
///     blocks x ( name bytes, type, bytes: 3 x uint64 | digest of name and bytes: 2 x uint64
///                | digest of the 40 bytes before: uint64 | name | bytes )
///     "APSISEND" | bytes of the file: uint64 | digest of all block digests: uint64
///
/// little-endian, digests XXH64. Every byte is covered: a flip or a cut anywhere is noticed.
std::string encode_checkpoint(std::vector<StateBlock> const& blocks);

/// Back again. Throws a bad-input error if anything is not as it was written; allocates no more
/// than the size of `bytes`, whatever the numbers in it say.
std::vector<StateBlock> decode_checkpoint(std::string_view bytes, std::string const& source);

/// Whether the first `checkpoint_head` and the last `checkpoint_tail` bytes of a file of `size`
/// bytes, one after the other, are those of a checkpoint of that size. What they enclose is not
/// known by it; that it needs not be read if not, is.
inline constexpr std::uint64_t checkpoint_head = 32, checkpoint_tail = 24;
bool has_ends_of_checkpoint(std::string_view ends, std::uint64_t size);

/// One state of a run that can be gone back to.
struct Generation {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;   ///< of the file
  std::uint64_t digest = 0;  ///< of all its bytes
};

/// The generations of checkpoints in a directory. The manifest is the commit: a generation that it
/// does not name does not exist as long as there is one.
class CheckpointStore {
 public:
  static constexpr std::size_t generations_kept = 2;

  explicit CheckpointStore(Place directory) : directory_(std::move(directory)) {}

  /// The generations that are committed, the newest first. If the manifest is damaged or missing,
  /// those whose files are there, and a word about it in `remarks`: a file of a generation proves
  /// itself.
  std::vector<Generation> committed(std::vector<std::string>& remarks) const;

  /// Reads one and checks every byte. Throws a bad-input or an input/output error.
  std::vector<StateBlock> read(Generation const& generation) const;

  /// The newest generation that is good for anything: those that were committed after it are not
  /// kept by the next commit, which would drop a whole one for them.
  void go_on_from(Generation const& generation);

  /// Writes the next generation and commits it: temporary, fsync, read back, rename, fsync of the
  /// directory; then the manifest in the same way; then those that are too old are removed. Throws
  /// an input/output error; the generations before are then as good as they were.
  Generation commit(std::vector<StateBlock> const& blocks);

  Place file_of(Generation const& generation) const;

 private:
  Place manifest() const { return directory_ / "manifest.json"; }
  std::vector<std::uint64_t> numbers_present() const;
  void remove_all_but(std::vector<Generation> const& kept) const;

  Place directory_;
  std::vector<std::uint64_t> refused_;  ///< numbers of generations
};

}  // namespace apsis::io
