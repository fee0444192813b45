// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/state_block.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis {

template <class T>
constexpr BlockType block_type_of() {
  if constexpr (std::same_as<T, float>) {
    return BlockType::float32;
  } else if constexpr (std::same_as<T, double>) {
    return BlockType::float64;
  } else if constexpr (std::same_as<T, int>) {
    return BlockType::int32;
  } else {
    static_assert(std::same_as<T, std::uint64_t>, "a state block holds no such numbers");
    return BlockType::uint64;
  }
}

/// What a run has in memory that changes its next step. Everything that owns a part of it has one
/// function `exchange(state)`, which names that part once: the same walk saves and restores, so
/// that what is saved cannot differ from what is restored.
class SavedState {
 public:
  /// One to save into.
  SavedState() = default;
  /// One to restore from. Blocks that are left when the walk is over are an error; see finish().
  explicit SavedState(std::vector<StateBlock> blocks)
      : blocks_(std::move(blocks)), restores_(true) {}

  bool restores() const { return restores_; }

  template <class T>
  void exchange(std::string const& name, T& value) {
    exchange_raw(name, block_type_of<T>(), &value, 1);
  }
  void exchange(std::string const& name, bool& value);
  void exchange(std::string const& name, std::string& text);
  void exchange(std::string const& name, std::vector<std::string>& lines);

  /// A Kokkos View, which must be allocated and as large as it was when it was saved. Fences
  /// `space`. (Kokkos' functions are found through the arguments: sources without Kokkos see this
  /// header, too.)
  template <class Space, class View>
  void exchange(Space const& space, std::string const& name, View const& view) {
    auto const host = create_mirror_view(view);
    if (!restores_) {
      deep_copy(space, host, view);
      space.fence("apsis::SavedState: the host reads");
    }
    exchange_raw(name, block_type_of<typename View::non_const_value_type>(), host.data(),
                 host.span());
    if (restores_) {
      deep_copy(space, view, host);
      space.fence("apsis::SavedState: the mirror is freed on return");
    }
  }

  /// After the walk of a restoring state: throws a bad-input error if a block was not asked for.
  void finish() const;

  std::vector<StateBlock> const& blocks() const { return blocks_; }

  /// The first floating-point number that is NaN or infinite: the block and the place in it.
  struct NotFinite {
    std::string block;
    std::size_t index;
  };
  std::optional<NotFinite> not_finite() const;

 private:
  /// Throws a bad-input error if the block that is to be restored is not there or of another kind.
  void exchange_raw(std::string const& name, BlockType type, void* data, std::size_t count);
  StateBlock const& next(std::string const& name, BlockType type);

  std::vector<StateBlock> blocks_;
  bool restores_ = false;
  std::size_t next_ = 0;  ///< block to restore
};

}  // namespace apsis
