// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace apsis::io {

/// Kind of a file, by its first bytes.
struct FileKind {
  std::string name;      ///< "GADGET-1"
  std::string evidence;  ///< "first word 256, little endian"
  std::string advice;    ///< what to do to have its bodies read
  std::string format{};  ///< the entry of body_formats() that reads it; empty if none does
  bool is_text = false;
};

/// Number of bytes that sniff() needs to know every kind.
inline constexpr std::size_t sniffed_bytes = 512;

/// Returns the kind of file that begins with these bytes, or nothing if no signature matches. Plain
/// tables of text have no signature.
std::optional<FileKind> sniff(std::string_view first_bytes);

/// The same for a file. Returns nothing if it cannot be read or is not a regular file.
std::optional<FileKind> sniff_file(std::filesystem::path const& path);

/// Error of a reader of `format` that was given a file of another kind.
Problem wrong_kind(std::string const& source, FileKind const& kind);

}  // namespace apsis::io
