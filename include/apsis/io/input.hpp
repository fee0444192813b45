// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/folder.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace apsis::io {

/// Bytes that are read from the first to the last: those of a file, or some in memory. A file is
/// opened without waiting for anybody, and is a regular one or a pipe that this process was started
/// with (`/dev/stdin`, `/dev/fd/N`): whatever else a path can name may never answer, or never end.
/// Every failure is an input/output error, or an internal one if a limit of the system is met.
class Input {
 public:
  explicit Input(Place const& place);
  /// `name`: in errors. The bytes must outlive it.
  Input(std::string_view bytes, std::string name)
      : name_(std::move(name)), bytes_(bytes), size_(bytes.size()) {}
  Input(Input const&) = delete;
  Input& operator=(Input const&) = delete;
  ~Input();

  std::string const& name() const { return name_; }
  /// [bytes]; a pipe's is not known.
  std::optional<std::uint64_t> size() const { return size_; }
  /// Fills `to` with the bytes that come next. Returns how many there were: fewer at the end only.
  std::size_t read(std::span<char> to);
  /// Of a regular file: goes on reading there.
  void go_to(std::uint64_t byte);

 private:
  [[noreturn]] void fail(std::string const& why) const;
  [[noreturn]] void fail(int code) const;  ///< an errno

  std::string name_;
  std::string_view bytes_;  ///< if there is no file
  int descriptor_ = -1;
  std::optional<std::uint64_t> size_;
};

}  // namespace apsis::io
