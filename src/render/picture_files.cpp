// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "files/system_calls.hpp"
#include "render/image.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <fcntl.h>
#include <png.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

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

/// Has no objects with destructors: an error of libpng leaves this function by longjmp.
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

struct FfmpegResult {
  bool started = false;
  int status = 0;
  std::string errors;  ///< end of what ffmpeg wrote to standard error
};

/// Runs ffmpeg without input, printing errors only, until it ends.
FfmpegResult run_ffmpeg(std::vector<std::string> options) {
  options.insert(options.begin(), {"ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error"});
  std::vector<char*> arguments;
  for (auto& option : options) arguments.push_back(option.data());
  arguments.push_back(nullptr);
  std::array<int, 2> pipe{};
  FfmpegResult result;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return result;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t child = -1;
  result.started =
      ::posix_spawnp(&child, "ffmpeg", &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  constexpr std::size_t most_words = 4096;
  std::array<char, 512> buffer{};
  auto const read_some = [&] {
    return files::uninterrupted([&] { return ::read(pipe[0], buffer.data(), buffer.size()); });
  };
  for (ssize_t got = 0; result.started && (got = read_some()) > 0;) {
    result.errors.append(buffer.data(), static_cast<std::size_t>(got));
    if (result.errors.size() > most_words)
      result.errors.erase(0, result.errors.size() - most_words);
  }
  ::close(pipe[0]);
  auto const wait = [&] { return ::waitpid(child, &result.status, 0); };
  if (result.started && files::uninterrupted(wait) != child) result.status = -1;
  return result;
}

/// Thrown when ffmpeg fails; its error output holds the reason.
struct FfmpegFailed {};

[[noreturn]] void fail(std::string const& problem, std::string const& why,
                       std::string const& advice) {
  throw Error(ExitStatus::input_output, Problem{"ffmpeg", problem, why, advice});
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

void expect_film(std::filesystem::path const& film) {
  static constexpr std::array<std::string_view, 6> extensions{".mp4",  ".mkv", ".mov",
                                                              ".webm", ".gif", ".avi"};
  auto const extension = film.extension().string();
  auto const where = "--film " + film.string();
  if (std::find(extensions.begin(), extensions.end(), extension) == extensions.end()) {
    throw Error(ExitStatus::usage,
                Problem{where, "is not the name of a film",
                        extension.empty() ? "it has no extension" : "extension " + extension,
                        "give a name that ends in .mp4, .webm, .gif, .mkv, .mov or .avi"});
  }
  if (film.has_parent_path() && !std::filesystem::is_directory(film.parent_path())) {
    throw Error(ExitStatus::usage, Problem{where, "its directory does not exist", "",
                                           "make the directory, or name another"});
  }
  auto const result = run_ffmpeg({"-version"});
  if (result.started && result.status == 0) return;
  fail("is not installed", "it is needed to make a film of the pictures",
       "install it, or leave out --film and make the film elsewhere");
}

void make_film(std::filesystem::path const& directory, std::string const& name,
               std::size_t pictures, std::filesystem::path const& film, int pictures_per_second) {
  auto const extension = film.extension().string();
  // ffmpeg reads the path as a pattern, in which a percent sign is doubled.
  std::string pattern;
  for (char const c : (directory / name).string()) pattern += c == '%' ? "%%" : std::string(1, c);
  std::vector<std::string> options{"-y",
                                   "-framerate",
                                   std::to_string(pictures_per_second),
                                   "-start_number",
                                   "0",
                                   "-i",
                                   pattern + "_%06d.png",
                                   "-frames:v",
                                   std::to_string(pictures)};
  if (extension == ".gif") {
    options.insert(options.end(), {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"});
  } else if (extension == ".mp4" || extension == ".mkv" || extension == ".mov") {
    // H.264 in yuv420p plays everywhere; it requires even sides.
    options.insert(options.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-vf",
                                   "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
  }
  options.emplace_back();
  FfmpegResult result;
  auto const make = [&](std::filesystem::path const& file) {
    options.back() = file.string();
    result = run_ffmpeg(options);
    if (!result.started || result.status != 0) throw FfmpegFailed{};
  };
  try {
    return files::replace_file_by(film, make);
  } catch (FfmpegFailed const&) {
  }
  auto error_text = result.errors;
  while (!error_text.empty() && error_text.back() == '\n') error_text.pop_back();
  auto const line = error_text.rfind('\n');
  fail("cannot make the film " + film.string(),
       printable(
           shortened(line == std::string::npos ? error_text : error_text.substr(line + 1), 200)),
       "check that the directory is writable and the extension is a format of ffmpeg");
}

}  // namespace apsis::render
