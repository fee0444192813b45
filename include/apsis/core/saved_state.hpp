// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/state_block.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
///
/// Where several processes share a run the first has the blocks, those of one process that has all
/// bodies; the others walk along with an empty state of theirs, in that part of the walk which they
/// share().
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

  /// A Kokkos View of a row for each body, which must be allocated and as large as it was when it
  /// was saved; of processes that share, the bodies of each. Fences `space`. (Kokkos' functions are
  /// found through the arguments: sources without Kokkos see this header, too.)
  template <class Space, class View>
  void exchange(Space const& space, std::string const& name, View const& view) {
    exchange_view(space, view, [&](auto const& host) {
      exchange_rows(name, block_type_of<typename View::non_const_value_type>(), host.data(),
                    host.span(), view.extent(1));
    });
  }

  /// A View that all processes have alike, allocated and as large as it was.
  template <class Space, class View>
  void exchange_alike(Space const& space, std::string const& name, View const& view) {
    exchange_view(space, view, [&](auto const& host) {
      exchange_raw(name, block_type_of<typename View::non_const_value_type>(), host.data(),
                   host.span());
    });
  }

  /// What `walk(*this)` exchanges is that of all processes: what each of them has alike is the
  /// first's, and each has its own rows. Nobody: one process that has all.
  template <class Walk>
  void share(std::shared_ptr<Communicator const> with, Walk const& walk) {
    with_ = std::move(with);
    walk(*this);
    with_ = nullptr;
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
  template <class Space, class View, class Exchange>
  void exchange_view(Space const& space, View const& view, Exchange const& of_host) {
    auto const host = create_mirror_view(view);
    if (!restores_) {
      deep_copy(space, host, view);
      space.fence("apsis::SavedState: the host reads");
    }
    of_host(host);
    if (restores_) {
      deep_copy(space, view, host);
      space.fence("apsis::SavedState: the mirror is freed on return");
    }
  }

  /// Throws a bad-input error if the block that is to be restored is not there or of another kind.
  void exchange_raw(std::string const& name, BlockType type, void* data, std::size_t count);
  /// The same for a table of rows, column by column.
  void exchange_rows(std::string const& name, BlockType type, void* data, std::size_t count,
                     std::size_t columns);
  /// What the next block to restore holds, which must be of so many elements; nothing where it is
  /// the first process that has it.
  std::span<std::byte const> next(std::string const& name, BlockType type,
                                  std::optional<std::size_t> count = {});
  /// Whether the blocks are not here but on the first process.
  bool follows() const { return with_ && with_->rank() != 0; }

  std::vector<StateBlock> blocks_;
  bool restores_ = false;
  std::shared_ptr<Communicator const> with_;
  std::size_t next_ = 0;  ///< block to restore
};

}  // namespace apsis
