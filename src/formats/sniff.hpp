// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>

namespace apsis::formats {

/// Kind of a file, detected from its first bytes.
struct FileKind {
  std::string name;      ///< "GADGET-1"
  std::string evidence;  ///< "first word 256, little endian"
  std::string advice;    ///< how to read its bodies
  std::string format{};  ///< name of the entry of body_formats() that reads it; empty if none does
  bool is_text = false;
};

/// Number of bytes that sniff() needs to detect every kind.
inline constexpr std::size_t sniffed_bytes = 512;

/// Returns the kind of a file that begins with these bytes, or nothing if no signature matches.
/// Plain text tables have no signature.
std::optional<FileKind> sniff(std::string_view first_bytes);

/// Returns the kind of a file, or nothing if it has no signature, cannot be read or is not regular.
std::optional<FileKind> sniff_file(std::filesystem::path const& path);

/// Whether a regular file begins as a text of bodies: printable, and no JSON, XML or HTML.
bool is_plain_text(std::filesystem::path const& path);

/// Error for a file of another kind than the requested format.
Problem wrong_kind(std::string const& source, FileKind const& kind);

}  // namespace apsis::formats
