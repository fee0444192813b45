// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace apsis::files {

/// Reads numbers of a given byte order from bytes. Offsets are in bytes and must lie inside.
struct OrderedNumbers {
  std::string_view bytes;
  bool little;

  template <class Word>
  Word word(std::size_t offset) const {
    Word value = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      std::size_t const byte = little ? sizeof(Word) - 1 - i : i;
      value = (value << 8) | static_cast<unsigned char>(bytes[offset + byte]);
    }
    return value;
  }
  std::int32_t integer(std::size_t offset) const {
    return std::bit_cast<std::int32_t>(word<std::uint32_t>(offset));
  }
  float single(std::size_t offset) const {
    return std::bit_cast<float>(word<std::uint32_t>(offset));
  }
  double real(std::size_t offset) const {
    return std::bit_cast<double>(word<std::uint64_t>(offset));
  }
  /// A number of 4 or 8 bytes.
  double real(std::size_t offset, std::size_t width) const {
    return width == 4 ? single(offset) : real(offset);
  }
};

/// Appends numbers in a given byte order.
class OrderedOutput {
 public:
  /// `capacity`: expected size [bytes].
  OrderedOutput(bool little, std::size_t capacity) : little_(little) { bytes_.reserve(capacity); }

  template <class Word>
  void word(Word value) {
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      std::size_t const shift = 8 * (little_ ? i : sizeof(Word) - 1 - i);
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
  }
  /// The low 32 bits of a count.
  void count(std::size_t value) { word(static_cast<std::uint32_t>(value)); }
  void real(double value) { word(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view bytes) { bytes_ += bytes; }
  std::size_t size() const { return bytes_.size(); }
  std::string take() && { return std::move(bytes_); }

 private:
  bool little_;
  std::string bytes_;
};

}  // namespace apsis::files
