// SPDX-License-Identifier: Apache-2.0
#include "render/image.hpp"
#include <apsis/core/error.hpp>

#include <csetjmp>
#include <png.h>

namespace apsis::render {

namespace {

struct Sink {
  std::string bytes;
  std::string reason;
  bool out_of_memory = false;
};

void write(png_structp png, png_bytep data, png_size_t length) {
  auto& sink = *static_cast<Sink*>(png_get_io_ptr(png));
  // Exceptions must not pass through a C library.
  try {
    sink.bytes.append(reinterpret_cast<char const*>(data), length);
  } catch (std::bad_alloc const&) {
    sink.out_of_memory = true;
  }
  if (sink.out_of_memory) png_error(png, "out of memory");
}

void flush(png_structp) {}

[[noreturn]] void fail(png_structp png, png_const_charp reason) {
  auto& sink = *static_cast<Sink*>(png_get_error_ptr(png));
  try {
    sink.reason = reason;
  } catch (std::bad_alloc const&) {
    sink.out_of_memory = true;
  }
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

/// Objects with destructors belong to the caller, because an error of libpng leaves this function
/// by longjmp.
bool encode(png_structp png, png_infop info, Image const& image, std::vector<png_text>& texts,
            std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.size.width),
               static_cast<png_uint_32>(image.size.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  // Pictures are mostly dark: fast compression settings lose little.
  png_set_compression_level(png, 3);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  if (!texts.empty()) png_set_text(png, info, texts.data(), static_cast<int>(texts.size()));
  png_write_info(png, info);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

std::string png_of(Image const& image, Notes const& notes) {
  static_assert(sizeof(Pixel) == 3, "rows of pixels are rows of bytes");
  Sink sink;
  std::vector<png_text> texts;
  for (auto const& [keyword, text] : notes) {
    png_text entry{};
    entry.compression = PNG_ITXT_COMPRESSION_zTXt;
    entry.key = const_cast<char*>(keyword.c_str());
    entry.text = const_cast<char*>(text.c_str());
    entry.itxt_length = text.size();
    entry.lang = const_cast<char*>("");
    entry.lang_key = const_cast<char*>("");
    texts.push_back(entry);
  }
  auto const width = static_cast<std::size_t>(image.size.width);
  std::vector<png_bytep> rows;
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.size.height); ++y) {
    rows.push_back(reinterpret_cast<png_bytep>(const_cast<Pixel*>(&image.pixels[y * width])));
  }
  auto* png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, fail, ignore_warning);
  auto* info = png != nullptr ? png_create_info_struct(png) : nullptr;
  bool good = info != nullptr;
  if (good) {
    png_set_write_fn(png, &sink, write, flush);
    good = encode(png, info, image, texts, rows);
  }
  png_destroy_write_struct(&png, &info);
  if (sink.out_of_memory) throw std::bad_alloc();
  APSIS_EXPECT(good, "libpng: " + sink.reason);
  return std::move(sink.bytes);
}

}  // namespace apsis::render
