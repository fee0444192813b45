// SPDX-License-Identifier: Apache-2.0
#include "apsis/render/film.hpp"

#include "io/system_calls.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/file.hpp>

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace apsis::render {

namespace {

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
    return io::uninterrupted([&] { return ::read(pipe[0], buffer.data(), buffer.size()); });
  };
  for (ssize_t got = 0; result.started && (got = read_some()) > 0;) {
    result.errors.append(buffer.data(), static_cast<std::size_t>(got));
    if (result.errors.size() > most_words)
      result.errors.erase(0, result.errors.size() - most_words);
  }
  ::close(pipe[0]);
  auto const wait = [&] { return ::waitpid(child, &result.status, 0); };
  if (result.started && io::uninterrupted(wait) != child) result.status = -1;
  return result;
}

/// Thrown when ffmpeg fails; its error output holds the reason.
struct FfmpegFailed {};

[[noreturn]] void fail(std::string const& problem, std::string const& why,
                       std::string const& advice) {
  throw Error(ExitStatus::input_output, Problem{"ffmpeg", problem, why, advice});
}

}  // namespace

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
    return io::replace_file_by(film, make);
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
