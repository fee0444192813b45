// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace apsis {

/// Element type of a state block. The numbers are part of the checkpoint format.
enum class BlockType : std::uint32_t { text = 0, float32 = 1, float64 = 2, int32 = 3, uint64 = 4 };

constexpr std::size_t bytes_of(BlockType type) {
  switch (type) {
    case BlockType::text:
      return 1;
    case BlockType::float32:
    case BlockType::int32:
      return 4;
    case BlockType::float64:
    case BlockType::uint64:
      return 8;
  }
  return 0;
}

/// One named field of the state of a run, as stored in a checkpoint.
struct StateBlock {
  std::string name;
  BlockType type = BlockType::text;
  std::vector<std::byte> bytes;  ///< a whole number of elements

  std::size_t count() const { return bytes.size() / bytes_of(type); }
};

template <class T>
constexpr BlockType block_type_of() {
  if constexpr (std::same_as<T, float>) {
    return BlockType::float32;
  } else if constexpr (std::same_as<T, double>) {
    return BlockType::float64;
  } else if constexpr (std::same_as<T, int>) {
    return BlockType::int32;
  } else {
    static_assert(std::same_as<T, std::uint64_t>, "a state block cannot hold this type");
    return BlockType::uint64;
  }
}

/// The in-memory state of a run that affects its next step, as a list of named blocks. Each
/// component with such state has one function `exchange(state)`, which both saves and restores it,
/// so the saved and the restored fields cannot differ.
///
/// In a run on several ranks, rank 0 holds the blocks, which are the same as those of a run on one
/// rank. The follower ranks take part only in walk_collectively(), with an empty state.
class SavedState {
 public:
  /// An empty state to save into.
  SavedState() = default;
  /// A state to restore from. Blocks that are not restored are an error; see finish().
  explicit SavedState(std::vector<StateBlock> blocks)
      : blocks_(std::move(blocks)), restores_(true) {}

  bool restores() const { return restores_; }
  /// Whether the next block to restore has this name. For blocks that only some runs have.
  bool offers(std::string const& name) const {
    return restores_ && next_ < blocks_.size() && blocks_[next_].name == name;
  }

  template <class T>
  void exchange(std::string const& name, T& value) {
    exchange_raw(name, block_type_of<T>(), &value, 1);
  }
  void exchange(std::string const& name, bool& value);
  void exchange(std::string const& name, std::string& text);
  void exchange(std::string const& name, std::vector<std::string>& lines);

  /// Saves or restores a Kokkos View with one row per body. To restore, the View must have the size
  /// that it had when it was saved. In walk_collectively() each rank has the rows of its bodies.
  /// Fences `space`. (Kokkos functions are found by argument-dependent lookup, because sources
  /// without Kokkos include this header too.)
  template <class Space, class View>
  void exchange(Space const& space, std::string const& name, View const& view) {
    exchange_view(space, view, [&](auto const& host) {
      exchange_rows(name, block_type_of<typename View::non_const_value_type>(), host.data(),
                    host.span(), view.extent(1));
    });
  }

  /// Saves or restores a View that is replicated: identical on all ranks. To restore, it must have
  /// the size that it had when it was saved. Fences `space`.
  template <class Space, class View>
  void exchange_replicated(Space const& space, std::string const& name, View const& view) {
    exchange_view(space, view, [&](auto const& host) {
      exchange_raw(name, block_type_of<typename View::non_const_value_type>(), host.data(),
                   host.span());
    });
  }

  /// Runs `walk` collectively: scalars and replicated Views are those of rank 0, rows are gathered
  /// from or scattered to all ranks. A null communicator stands for a run on one rank.
  template <class Walk>
  void walk_collectively(std::shared_ptr<Communicator const> communicator, Walk const& walk) {
    communicator_ = std::move(communicator);
    walk(*this);
    communicator_ = nullptr;
  }

  /// Call after restoring: throws a bad-input error if a block was not restored.
  void finish() const;

  std::vector<StateBlock> const& blocks() const { return blocks_; }

  /// Position of a floating-point number that is NaN or infinite.
  struct NotFinite {
    std::string block;
    std::size_t index;  ///< element within the block
  };
  /// The first number that is not finite; nothing if all are finite.
  std::optional<NotFinite> not_finite() const;

 private:
  template <class Space, class View, class Exchange>
  void exchange_view(Space const& space, View const& view, Exchange const& exchange_host) {
    auto const host = create_mirror_view(view);
    if (!restores_) {
      deep_copy(space, host, view);
      space.fence("apsis::SavedState: the host reads");
    }
    exchange_host(host);
    if (restores_) {
      deep_copy(space, view, host);
      space.fence("apsis::SavedState: the mirror is freed on return");
    }
  }

  /// Saves or restores one block. Throws a bad-input error if the block to restore is missing or
  /// has another type or size.
  void exchange_raw(std::string const& name, BlockType type, void* data, std::size_t count);
  /// Saves or restores a table of rows, stored column by column.
  void exchange_rows(std::string const& name, BlockType type, void* data, std::size_t count,
                     std::size_t columns);
  /// The bytes of the next block to restore, which must have `count` elements; empty on follower
  /// ranks.
  std::span<std::byte const> next(std::string const& name, BlockType type,
                                  std::optional<std::size_t> count = {});
  /// Whether this is a follower rank, which holds no blocks.
  bool is_follower() const { return communicator_ && communicator_->rank() != 0; }

  std::vector<StateBlock> blocks_;
  bool restores_ = false;
  std::shared_ptr<Communicator const> communicator_;
  std::size_t next_ = 0;  ///< index of the next block to restore
};

}  // namespace apsis
