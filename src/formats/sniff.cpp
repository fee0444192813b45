// SPDX-License-Identifier: Apache-2.0
#include "sniff.hpp"

#include "tipsy.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace apsis::formats {

namespace {

using namespace std::string_view_literals;

/// A signature at the beginning of a file.
struct Signature {
  std::string_view bytes;
  char const* name;
  char const* advice;
};

constexpr char const* unpack = "unpack it first";
constexpr char const* no_bodies = "name a file of bodies";
constexpr char const* as_text =
    "convert it to a text table, one line per body: mass x y z vx vy vz, or to GADGET's HDF5";

constexpr Signature signatures[] = {
    {"\x1f\x8b"sv, "gzip", unpack},
    {"BZh"sv, "bzip2", unpack},
    {"\xfd"
     "7zXZ\0"sv,
     "xz", unpack},
    {"\x28\xb5\x2f\xfd"sv, "zstd", unpack},
    {"7z\xbc\xaf\x27\x1c"sv, "7z", unpack},
    {"PK\x03\x04"sv, "zip (also of numpy's .npz and of spreadsheets)", unpack},
    {"\x89PNG\r\n\x1a\n"sv, "PNG, a picture", no_bodies},
    {"\xff\xd8\xff"sv, "JPEG, a picture", no_bodies},
    {"GIF8"sv, "GIF, a picture", no_bodies},
    {"%PDF-"sv, "PDF", no_bodies},
    {"\x7f"
     "ELF"sv,
     "a program (ELF)", no_bodies},
    {"SQLite format 3\0"sv, "SQLite", as_text},
    {"\x93NUMPY"sv, "numpy's .npy", "write it as text with numpy.savetxt"},
    {"SIMPLE  ="sv, "FITS", as_text},
    {"REBOUND Binary File"sv, "an archive of REBOUND",
     "write it as text with a loop over sim.particles"},
    {"CDF\x01"sv, "netCDF", as_text},
    {"CDF\x02"sv, "netCDF", as_text},
};

/// Detects texts of planetary dynamics.
std::optional<FileKind> sniff_planets(std::string_view bytes) {
  if (bytes.starts_with(")O+_06"sv)) {
    return FileKind{"a file of mercury6", "its first line", "name its format: mercury", "mercury",
                    true};
  }
  auto const begin = bytes.substr(std::min(bytes.find_first_not_of(" \r\n\t"), bytes.size()));
  std::string_view const stars = begin.substr(0, std::min<std::size_t>(60, begin.size()));
  bool const is_boxed = stars.size() == 60 && stars.find_first_not_of('*') == stars.npos;
  bool const is_from_api =
      begin.starts_with("API VERSION"sv) && begin.find("Horizons"sv) != begin.npos;
  if (is_boxed || is_from_api || begin.find("$$SOE"sv) != begin.npos) {
    return FileKind{"a table of JPL Horizons", "its first lines", "name its format: horizons",
                    "horizons", true};
  }
  return std::nullopt;
}

std::uint32_t word_at(std::string_view bytes, std::size_t place, bool little) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word = (word << 8) | static_cast<unsigned char>(bytes[place + (little ? 3 - i : i)]);
  }
  return word;
}

std::string order_name(bool little) {
  return little ? "little endian" : "big endian";
}

/// Detects the binary formats of GADGET. Blocks are Fortran records, with their length before and
/// after them. The header has 256 bytes; in format 2 a record of 8 bytes names each block.
std::optional<FileKind> sniff_gadget(std::string_view bytes) {
  constexpr char const* advice = "name its format: gadget";
  for (bool const little : {true, false}) {
    if (bytes.size() < 8) return std::nullopt;
    auto const first = word_at(bytes, 0, little);
    if (first == 8 && bytes.substr(4, 4) == "HEAD"sv) {
      return FileKind{"GADGET-2 (format 2)", "first word 8, then 'HEAD', " + order_name(little),
                      advice, "gadget"};
    }
    bool const closed = bytes.size() < 264 || word_at(bytes, 260, little) == 256;
    if (first == 256 && closed) {
      return FileKind{"GADGET-1", "first word 256, " + order_name(little), advice, "gadget"};
    }
  }
  return std::nullopt;
}

/// Detects structured files of NEMO: an item begins with a 16-bit magic number and a type letter.
std::optional<FileKind> sniff_nemo(std::string_view bytes) {
  constexpr unsigned single = 0x0992, plural = 0x0b92;
  if (bytes.size() >= 3) {
    for (bool const little : {true, false}) {
      auto const low = static_cast<unsigned char>(bytes[little ? 0 : 1]);
      auto const high = static_cast<unsigned char>(bytes[little ? 1 : 0]);
      unsigned const magic = 256u * high + low;
      bool const typed = "acbsilhfd()"sv.find(bytes[2]) != std::string_view::npos;
      if ((magic == single || magic == plural) && typed) {
        return FileKind{"NEMO", "its magic number, " + order_name(little), "name its format: nemo",
                        "nemo"};
      }
    }
  }
  for (auto const begin : {"char History["sv, "char Headline["sv, "set SnapShot"sv}) {
    if (bytes.starts_with(begin)) {
      return FileKind{"a listing by NEMO's tsf", "it begins with '" + std::string(begin) + "'",
                      "name its format: nemo", "nemo", true};
    }
  }
  return std::nullopt;
}

std::optional<FileKind> sniff_tipsy(std::string_view bytes) {
  if (bytes.size() < tipsy::header_bytes) return std::nullopt;
  for (bool const little : {true, false}) {
    auto const ndim = word_at(bytes, tipsy::ndim_at, little);
    std::uint64_t sum = 0;
    for (std::size_t s = 0; s < tipsy::species.size(); ++s) {
      sum += word_at(bytes, tipsy::counts_at + s * tipsy::word_bytes, little);
    }
    if (ndim >= 1 && ndim <= 3 && sum > 0 && sum == word_at(bytes, tipsy::nbodies_at, little)) {
      return FileKind{"tipsy",
                      "its header counts " + std::to_string(sum) + " bodies, " + order_name(little),
                      "name its format: tipsy", "tipsy"};
    }
  }
  return std::nullopt;
}

/// The first bytes of a regular file; empty if it cannot be read.
std::string first_bytes(std::filesystem::path const& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  std::ifstream in(path, std::ios::binary);
  std::string bytes(sniffed_bytes, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

}  // namespace

std::optional<FileKind> sniff(std::string_view bytes) {
  if (bytes.starts_with("\x89HDF\r\n\x1a\n"sv)) {
    return FileKind{"HDF5", "its signature", "name its format: hdf5", "hdf5"};
  }
  // Counts of a GADGET header may pass as those of tipsy: its first word is part of a time.
  if (auto kind = sniff_gadget(bytes)) return kind;
  // Tipsy comes before the signatures, because its header begins with a time of arbitrary bytes.
  if (auto kind = sniff_tipsy(bytes)) return kind;
  for (auto const& signature : signatures) {
    if (bytes.starts_with(signature.bytes)) {
      return FileKind{signature.name, "its signature", signature.advice};
    }
  }
  for (auto const mark : {"\xff\xfe"sv, "\xfe\xff"sv}) {
    if (bytes.starts_with(mark)) {
      return FileKind{"text in UTF-16", "its byte order mark",
                      "write it as UTF-8: iconv -f UTF-16 -t UTF-8", "", true};
    }
  }
  if (auto kind = sniff_planets(bytes)) return kind;
  return sniff_nemo(bytes);
}

std::optional<FileKind> sniff_file(std::filesystem::path const& path) {
  return sniff(std::string_view(first_bytes(path)));
}

bool is_plain_text(std::filesystem::path const& path) {
  auto const bytes = first_bytes(path);
  auto const begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || "{[<"sv.find(bytes[begin]) != std::string_view::npos) {
    return false;
  }
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || "\t\n\v\f\r"sv.find(c) != std::string_view::npos;
  });
}

Problem wrong_kind(std::string const& source, FileKind const& kind) {
  return {source, (kind.is_text ? "looks like " : "binary file, looks like ") + kind.name,
          kind.evidence, kind.advice};
}

}  // namespace apsis::formats
