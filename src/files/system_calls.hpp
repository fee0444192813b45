// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>

/// Calls of the system on files, and their failures.
namespace apsis::files {

/// Repeats a system call while it is interrupted by a signal. Not for close(), which releases the
/// descriptor even if it fails.
template <class Call>
auto uninterrupted(Call const& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

inline constexpr char const* check_space = "check free space and permissions";

/// Throws an input/output error about a file, or an internal error if a system limit is exhausted.
/// `code`: errno, or 0 for none.
[[noreturn]] inline void fail_file(std::filesystem::path const& shown, std::string const& problem,
                                   int code, std::string const& advice = check_space) {
  throw system_error(code, {shown.string(), problem, "", advice});
}

/// Writes the whole text. Errors are about `shown`.
inline void write_all(int descriptor, std::string_view text, std::filesystem::path const& shown) {
  while (!text.empty()) {
    auto const count = uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (count < 0) fail_file(shown, "cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

/// 16 random hexadecimal digits, for a unique file name.
inline std::string random_token() {
  std::random_device random;
  return formatted("%08x%08x", static_cast<unsigned>(random()), static_cast<unsigned>(random()));
}

}  // namespace apsis::files
