// SPDX-License-Identifier: Apache-2.0
#include "application.hpp"
#include "benchmark_options.hpp"
#include "core/program.hpp"
#include "run/directory/run_record.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace apsis::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view identity_variable = "APSIS_BENCH_STARTED_BY";

/// Arguments of main. Set before the constructors of this program, so it must have none.
constinit std::span<char*> arguments{};

std::string program_name() {
  return "apsis-bench." + build_info().backend;
}

/// The program of bench/, and the words of the loader that a script named to start this program.
struct Place {
  std::vector<std::string> loader;
  fs::path program;
};

Place find_program() {
  std::vector<std::string> words;  // of the system, which include those of a loader
  if (auto* const file = std::fopen("/proc/self/cmdline", "r")) {
    char* word = nullptr;
    std::size_t size = 0;
    while (::getdelim(&word, &size, '\0', file) > 0) words.emplace_back(word);
    std::free(word);
    std::fclose(file);
  }
  bool const has_loader = !arguments.empty() && words.size() > arguments.size();
  words.resize(has_loader ? words.size() - arguments.size() : 0);
  std::error_code ignored;
  auto const path =
      has_loader ? fs::path(arguments[0]) : fs::read_symlink("/proc/self/exe", ignored);
  return {std::move(words), path.parent_path() / program_name()};
}

/// Whether a command line may need the program. A false alarm is harmless: it can do everything.
bool may_need_program(std::span<char*> words) {
  bool is_bench = false, needs = false;
  for (std::string_view const word : words.subspan(std::min<std::size_t>(1, words.size()))) {
    is_bench = is_bench || word == "bench";
    for (auto const* option :
         {"--few", "--strong", "--weak", "--predict", "--render", "--sweep", "--snapshots"}) {
      needs = needs || word.starts_with(option);
    }
    // Names of kernels.
    needs = needs || word.find("all") != word.npos || word.find("reference") != word.npos;
  }
  return is_bench && needs;
}

/// Command that builds these targets; empty if this program is not in a build tree.
std::string build_command(std::string const& targets) {
  auto const folder = find_program().program.parent_path();
  std::error_code ignored;
  if (!fs::exists(folder / "CMakeCache.txt", ignored)) return "";
  auto const relative = fs::proximate(folder, ignored);
  auto const shown = relative.empty() || *relative.begin() == ".." ? folder : relative;
  return quoted_command("cmake --build " + shell_path(shown.string()) + " --target " + targets);
}

}  // namespace

void start_bench_program(int argc, char** argv, char** environment) {
  arguments = {argv, static_cast<std::size_t>(argc)};
  if (!may_need_program(arguments)) return;
  auto [words, program] = find_program();
  auto const path = program.string();
  if (::access(path.c_str(), X_OK) != 0) return;
  std::vector<char*> command;
  for (auto& word : words) command.push_back(word.data());
  // A loader takes the path of the program; otherwise the program has the name that the user typed.
  command.push_back(words.empty() ? arguments[0] : const_cast<char*>(path.c_str()));
  command.insert(command.end(), arguments.begin() + 1, arguments.end());
  command.push_back(nullptr);
  auto identity = std::string(identity_variable) + "=" + this_executable();
  std::vector<char*> variables{identity.data()};
  for (auto** variable = environment; *variable != nullptr; ++variable) {
    variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  ::execve(words.empty() ? path.c_str() : words[0].c_str(), command.data(), variables.data());
}

void refuse_without_program(std::string const& option) {
  auto const command = build_command("apsis_bench");
  throw Error(ExitStatus::usage,
              Problem{"bench " + option, "needs the program " + program_name(),
                      (command.empty() ? "it is not in " : "it is not built in ") +
                          find_program().program.parent_path().string(),
                      command.empty() ? "install Apsis again, with its component 'program'"
                                      : "build it with " + command});
}

void check_starting_program(int argc, char** argv) {
  arguments = {argv, static_cast<std::size_t>(argc)};
  auto const* const variable = std::getenv(identity_variable.data());
  std::string const starter = variable != nullptr ? variable : this_executable();
  ::unsetenv(identity_variable.data());  // programs that this one starts do not get it
  if (starter == this_executable()) return;
  auto const command = build_command("apsis_executable apsis_bench");
  throw Error(
      ExitStatus::internal,
      Problem{"bench", program_name() + " is of another build than the program that started it",
              "it is " + this_executable() + ", and was started by " + starter,
              command.empty() ? "install Apsis again" : "build both with " + command});
}

}  // namespace apsis::cli
