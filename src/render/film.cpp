// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/file.hpp>
#include <apsis/io/uninterrupted.hpp>
#include <apsis/render/film.hpp>

#include <array>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace apsis::render {

namespace {

struct Ended {
  bool started = false;
  int status = 0;
  std::string words;  ///< what it wrote to its errors, the last of it
};

/// Runs ffmpeg, which reads nothing and is quiet, to its end.
Ended run_ffmpeg(std::vector<std::string> words) {
  words.insert(words.begin(), {"ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "error"});
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> pipe{};
  Ended ended;
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return ended;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t child = -1;
  ended.started =
      ::posix_spawnp(&child, "ffmpeg", &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  constexpr std::size_t most_words = 4096;
  std::array<char, 512> buffer{};
  auto const read_some = [&] {
    return io::uninterrupted([&] { return ::read(pipe[0], buffer.data(), buffer.size()); });
  };
  for (ssize_t got = 0; ended.started && (got = read_some()) > 0;) {
    ended.words.append(buffer.data(), static_cast<std::size_t>(got));
    if (ended.words.size() > most_words) ended.words.erase(0, ended.words.size() - most_words);
  }
  ::close(pipe[0]);
  auto const wait = [&] { return ::waitpid(child, &ended.status, 0); };
  if (ended.started && io::uninterrupted(wait) != child) ended.status = -1;
  return ended;
}

/// Says nothing more: what ffmpeg wrote does.
struct NotMade {};

[[noreturn]] void fail(std::string const& problem, std::string const& why,
                       std::string const& advice) {
  throw Error(ExitStatus::input_output, Problem{"ffmpeg", problem, why, advice});
}

}  // namespace

void expect_ffmpeg() {
  auto const ended = run_ffmpeg({"-version"});
  if (ended.started && ended.status == 0) return;
  fail("is not installed", "it makes films of pictures",
       "install it, or leave the film out and make it elsewhere");
}

void make_film(std::filesystem::path const& directory, std::string const& name,
               std::size_t pictures, std::filesystem::path const& film, int pictures_per_second) {
  auto const extension = film.extension().string();
  // In its pattern of names a percent sign is doubled.
  std::string pattern;
  for (char const c : (directory / name).string()) pattern += c == '%' ? "%%" : std::string(1, c);
  std::vector<std::string> words{"-y",
                                 "-framerate",
                                 std::to_string(pictures_per_second),
                                 "-start_number",
                                 "0",
                                 "-i",
                                 pattern + "_%06d.png",
                                 "-frames:v",
                                 std::to_string(pictures)};
  if (extension == ".gif") {
    words.insert(words.end(), {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse"});
  } else if (extension == ".mp4" || extension == ".mkv" || extension == ".mov") {
    // Every player knows this one, whose sides are even.
    words.insert(words.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-vf",
                               "pad=ceil(iw/2)*2:ceil(ih/2)*2"});
  }
  words.emplace_back();
  Ended ended;
  auto const make = [&](std::filesystem::path const& file) {
    words.back() = file.string();
    ended = run_ffmpeg(words);
    if (!ended.started || ended.status != 0) throw NotMade{};
  };
  try {
    return io::replace_file_by(film, make);
  } catch (NotMade const&) {
  }
  auto said = ended.words;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  auto const line = said.rfind('\n');
  fail("made no film " + film.string(),
       printable(shortened(line == std::string::npos ? said : said.substr(line + 1), 200)),
       "see whether the place can be written to and the extension names a format");
}

}  // namespace apsis::render
