// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace apsis::formats {

/// Bytes of an input of known size, read in blocks.
class NemoBytes {
 public:
  explicit NemoBytes(files::Input& input) : input_(input) {
    APSIS_VALIDATE(input.size(),
                   {input.name(), "unknown size",
                    "it is a pipe, and counts are checked against the size", "name a file"});
    left_ = *input.size();
  }

  std::string const& name() const { return input_.name(); }
  std::uint64_t offset() const { return offset_; }
  /// Bytes up to the end.
  std::uint64_t left() const { return left_; }

  /// The next byte without reading it; nothing at the end.
  std::optional<unsigned char> peek() {
    if (left_ == 0) return std::nullopt;
    if (place_ == buffer_.size()) fill();
    return static_cast<unsigned char>(buffer_[place_]);
  }
  /// Reads the next byte. Throws at the end.
  unsigned char get() {
    auto const byte = peek();
    if (!byte) refuse("ends within an item", "there are no more bytes");
    ++place_;
    ++offset_;
    --left_;
    return *byte;
  }
  void skip(std::uint64_t count) {
    for (; count > 0; --count) get();
  }

  [[noreturn]] void refuse(std::string what, std::string why) const {
    throw Error(ExitStatus::bad_input,
                Problem{input_.name() + ": byte " + std::to_string(offset_), std::move(what),
                        std::move(why), "check that it is a whole file of NEMO"});
  }

 private:
  void fill() {
    constexpr std::uint64_t block_bytes = 1 << 16;
    buffer_.resize(static_cast<std::size_t>(std::min(block_bytes, left_)));
    place_ = 0;
    if (input_.read(buffer_) < buffer_.size()) {
      refuse("became shorter while it was read", "its size has changed");
    }
  }

  files::Input& input_;
  std::string buffer_{};
  std::size_t place_ = 0;
  std::uint64_t offset_ = 0, left_ = 0;
};

}  // namespace apsis::formats
