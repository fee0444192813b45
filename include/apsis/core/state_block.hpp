// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace apsis
