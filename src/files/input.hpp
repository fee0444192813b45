// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/files/folder.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace apsis::files {

/// Sequential input from a file or from memory. Opening never blocks. A file must be regular, or a
/// pipe that this process inherited (`/dev/stdin`, `/dev/fd/N`), because other kinds may never
/// respond or never end. Every failure is an input/output error, or an internal error if a system
/// limit is exhausted.
class Input {
 public:
  explicit Input(Place const& place);
  /// Input from memory. `name` is used in errors. The bytes must outlive this object.
  Input(std::string_view bytes, std::string name)
      : name_(std::move(name)), all_(bytes), bytes_(bytes), size_(bytes.size()) {}
  Input(Input const&) = delete;
  Input& operator=(Input const&) = delete;
  ~Input();

  std::string const& name() const { return name_; }
  /// Size [bytes]; nothing for a pipe.
  std::optional<std::uint64_t> size() const { return size_; }
  /// Reads the next bytes. Returns their number: less than the buffer only at the end of the input.
  std::size_t read(std::span<char> buffer);
  /// Continues reading at this offset. Not for pipes.
  void seek(std::uint64_t byte);

 private:
  [[noreturn]] void fail(std::string const& why) const;
  [[noreturn]] void fail(int code) const;  ///< `code` is an errno

  std::string name_;
  std::string_view all_;    ///< bytes of an input from memory
  std::string_view bytes_;  ///< remaining bytes of an input from memory
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;
};

}  // namespace apsis::files
