// SPDX-License-Identifier: Apache-2.0
#include "few_cost.hpp"
#include "files/file.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace apsis::benchmark {

namespace {

std::string case_text(FewBodyCase const& problem, std::uint64_t steps, int repeats) {
  auto text = shortest(steps > 0 ? 0.0 : problem.end) + " " + std::to_string(steps) + " " +
              std::to_string(repeats) + "\n";
  for (std::size_t i = 0; i < problem.start.size(); ++i) {
    auto const &x = problem.start.position[i], &v = problem.start.velocity[i];
    for (double const number : {problem.start.mass[i], x.x, x.y, x.z, v.x, v.y}) {
      text += shortest(number) + " ";
    }
    text += shortest(v.z) + "\n";
  }
  return text;
}

[[noreturn]] void fail(std::string const& command, std::string const& problem,
                       std::string const& why) {
  throw Error(ExitStatus::input_output,
              Problem{"--beside " + command, problem, why,
                      "see the command bench in docs/commands.md for what it has to print"});
}

/// Returns what a command prints on its standard output.
std::string output_of(std::string const& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) fail(command, "cannot be started", "");
  std::string text;
  char buffer[4096];
  while (std::size_t const count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    text.append(buffer, count);
  }
  int const status = ::pclose(pipe);
  if (status != 0) fail(command, "failed", "status " + std::to_string(status));
  return text;
}

}  // namespace

std::vector<OtherRun> few_other_program(std::string const& command, FewBodyCase const& problem,
                                        std::uint64_t steps, int repeats) {
  auto const file = std::filesystem::temp_directory_path() /
                    ("apsis_few_bodies_" + std::to_string(::getpid()) + ".txt");
  files::write_file(file, case_text(problem, steps, repeats));
  std::string text;
  try {
    text = output_of(command + " '" + file.string() + "'");
  } catch (...) {
    std::filesystem::remove(file);
    throw;
  }
  std::filesystem::remove(file);
  std::vector<OtherRun> runs;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    OtherRun run;
    words >> run.scheme >> run.steps >> run.seconds;
    for (std::size_t i = 0; i < problem.start.size(); ++i) {
      Vec3<double> x{};
      words >> x.x >> x.y >> x.z;
      run.position.push_back(x);
    }
    if (!words || run.steps == 0) fail(command, "printed an invalid line", line);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace apsis::benchmark
