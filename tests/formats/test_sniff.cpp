// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/sniff.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"
#include <apsis/deck/configuration.hpp>

#include <doctest/doctest.h>

using namespace apsis;
using testing::contains;
using testing::refusal;
using testing::Scratch;

namespace {

std::string word_of(unsigned value, bool little) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>((value >> 8 * (little ? i : 3 - i)) & 255U);
  }
  return bytes;
}

std::string gadget_1(bool little) {
  return word_of(256, little) + std::string(256, '\0') + word_of(256, little) + word_of(12, little);
}
std::string gadget_2(bool little) {
  return word_of(8, little) + "HEAD" + word_of(264, little) + word_of(8, little) + gadget_1(little);
}
std::string tipsy_header(bool little) {
  return std::string(8, '\0') + word_of(2, little) + word_of(3, little) + word_of(0, little) +
         word_of(2, little) + word_of(0, little) + std::string(76, '\0');
}

struct KindRow {
  std::string bytes;
  char const* name;
  char const* evidence;
  char const* advice;
};

std::vector<KindRow> const& kinds() {
  using namespace std::string_literals;
  static std::vector<KindRow> const rows{
      {gadget_1(true), "GADGET-1", "first word 256, little endian", "gadget"},
      {gadget_1(false), "GADGET-1", "first word 256, big endian", "gadget"},
      {gadget_1(true).substr(0, 100), "GADGET-1", "first word 256, little endian", "gadget"},
      {gadget_2(true), "GADGET-2", "first word 8, then 'HEAD', little endian", "gadget"},
      {gadget_2(false), "GADGET-2", "first word 8, then 'HEAD', big endian", "gadget"},
      {"\x92\x0b"
       "c\0History\0S"s,
       "NEMO", "magic number, little endian", "nemo"},
      {"\x0b\x92"
       "c\0History\0S"s,
       "NEMO", "magic number, big endian", "nemo"},
      {"char History[30] \"mkplummer\"\n", "NEMO's tsf", "char History[", "nemo"},
      {"\x89HDF\r\n\x1a\n\0\0"s, "HDF5", "signature", "hdf5"},
      {tipsy_header(true), "tipsy", "2 bodies, little endian", "tipsy"},
      {tipsy_header(false), "tipsy", "2 bodies, big endian", "tipsy"},
      {"\x1f\x8b\x08\0\0"s, "gzip", "signature", "unpack"},
      {"\x89PNG\r\n\x1a\n\0"s, "PNG", "signature", "name a file of bodies"},
      {"\x93NUMPY\x01\0v\0"s, "numpy", "signature", "numpy.savetxt"},
      {"SIMPLE  =                    T", "FITS", "signature", "text"},
      {"\xff\xfe"
       "1\0 \0"s,
       "text in UTF-16", "byte order mark", "iconv"},
  };
  return rows;
}

}  // namespace

TEST_CASE("every reader recognises files of other kinds") {
  Scratch const folder;
  for (auto const& row : kinds()) {
    CAPTURE(row.name);
    auto const kind = formats::sniff(std::string_view(row.bytes));
    REQUIRE(kind);
    for (auto const& format : formats::body_formats()) {
      if (format.name == kind->format) continue;
      CAPTURE(format.name);
      auto const path = folder / (format.extensions.empty() ? std::string("bodies")
                                                            : "bodies" + format.extensions.front());
      files::write_file(path, row.bytes);
      auto const message = refusal([&] { formats::read_bodies(path, format.name); });
      CHECK(contains(message, path.string() + ": " + (kind->is_text ? "" : "binary file, ")));
      CHECK(contains(message, "looks like " + kind->name));
      for (auto const* part : {row.name, row.evidence, row.advice}) CHECK(contains(message, part));
      CHECK_FALSE(contains(message, "line 1"));
    }
    // A file with an unknown extension, and a file in place of a deck.
    files::write_file(folder / "bodies.xyz", row.bytes);
    if (kind->format.empty()) {
      CHECK(contains(refusal([&] { formats::format_of(folder / "bodies.xyz"); }), row.name));
    } else {
      CHECK(formats::format_of(folder / "bodies.xyz") == kind->format);
    }
    auto const deck = refusal([&] { deck::read_deck_file(folder / "bodies.xyz"); });
    CHECK(contains(deck, kind->format.empty() ? row.name : "is a file of bodies and no deck"));
    // Bytes from a pipe.
    if (kind->format != "text") {
      CHECK(contains(refusal([&] { formats::read_text_bodies({row.bytes, "pipe"}); }), row.name));
    }
  }
}

TEST_CASE("unknown binary files are not read as text, and text is not read as tipsy") {
  using namespace std::string_literals;
  CHECK_FALSE(formats::sniff(std::string_view("1 2 3 4 5 6 7\n")));
  CHECK_FALSE(formats::sniff(std::string_view("")));
  CHECK_FALSE(formats::sniff(std::string_view(std::string(512, '\0'))));
  auto const nul = refusal([] { formats::read_text_bodies({"1 2 3 4 5 6 7\n1 2\0;4"s, "f"}); });
  CHECK(contains(nul, "f: binary file of an unknown kind (byte 3 of line 2 is NUL)"));
  Scratch const folder;
  files::write_file(folder / "bodies.bin", "1 0 0 0 0 0 0\n1 1 0 0 0 0 1\n");
  CHECK(contains(refusal([&] { formats::read_bodies(folder / "bodies.bin", "tipsy"); }),
                 "in either byte order; it looks like text)"));
}
