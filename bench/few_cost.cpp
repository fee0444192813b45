// SPDX-License-Identifier: Apache-2.0
#include "few_cost.hpp"

#include "files/file.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <limits>
#include <sstream>
#include <unistd.h>

namespace apsis::benchmark {

namespace {

/// Processor time of all threads of the process [s].
double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double processor_seconds_of(Work const& work) {
  double const begin = processor_seconds();
  work();
  return processor_seconds() - begin;
}

std::string vector_text(Vec3<double> const& v) {
  return "[" + shortest(v.x) + ", " + shortest(v.y) + ", " + shortest(v.z) + "]";
}

/// The deck of a case; `integrator`: keys of the integrator but the time step.
std::string deck_text(FewBodyCase const& problem, std::string const& integrator, double time_step) {
  std::string list;
  for (std::size_t i = 0; i < problem.start.size(); ++i) {
    list += (i > 0 ? ", " : "") + std::string(R"({"mass": )") + shortest(problem.start.mass[i]) +
            R"(, "position": )" + vector_text(problem.start.position[i]) + R"(, "velocity": )" +
            vector_text(problem.start.velocity[i]) + "}";
  }
  return R"({"bodies": {"list": [)" + list + R"(]}, "integrator": {)" + integrator +
         R"(, "time_step": )" + shortest(time_step) + R"(}, "run": {"steps": 1}})";
}

std::unique_ptr<simulation::Simulation> make_run(FewBodyCase const& problem,
                                                 std::string const& integrator, double time_step) {
  auto const configured =
      deck::configure(deck_text(problem, integrator, time_step), "bench --few", {});
  auto simulation = simulation::make_simulation(configured.configuration,
                                                simulation::make_bodies(configured.configuration));
  simulation->advance(0);
  return simulation;
}

double forces_of(simulation::Simulation const& simulation) {
  auto const count = static_cast<double>(simulation.count());
  return simulation.interactions() / (count * count);
}

/// An integrator with parameters, and the settings with which it is measured.
struct FewScheme {
  std::string name;                       ///< as printed
  std::string keys;                       ///< keys of the integrator in the deck
  std::vector<std::string> settings{};    ///< further keys, one run each; empty: one run
  std::vector<std::uint64_t> advances{};  ///< numbers of advances, one run each
};

std::string keys_of(std::string const& integrator, std::string const& more = "") {
  return R"("name": ")" + integrator + "\"" + (more.empty() ? "" : ", " + more);
}

constexpr char const* few_corrections = R"("corrections": 2)";
constexpr char const* lazy_corrector = R"("corrector": 17, "kernel": "lazy", "substeps": 50)";

std::vector<FewScheme> schemes_of_steps() {
  std::vector<FewScheme> schemes;
  for (std::string const name :
       {"leapfrog_kdk", "blanes_casas8", "sofroniou_spaletta10", "rk4", "hermite4", "hermite6"}) {
    schemes.push_back({name, keys_of(name)});
  }
  schemes.push_back({"wisdom_holman", keys_of("wisdom_holman")});
  schemes.push_back({"wisdom_holman/50", keys_of("wisdom_holman", R"("substeps": 50)")});
  schemes.push_back({"gauss_radau15", keys_of("gauss_radau15")});
  return schemes;
}

std::vector<std::uint64_t> doublings(std::uint64_t first, int count, std::uint64_t factor = 2) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < count; ++i, first *= factor) numbers.push_back(first);
  return numbers;
}

std::vector<std::string> own_steps() {
  std::vector<std::string> settings;
  for (auto const* epsilon : {"1e-5", "1e-6", "1e-7", "1e-8", "1e-9", "1e-10"}) {
    settings.push_back(std::string(R"("stepping": {"mode": "own", "epsilon": )") + epsilon + "}");
  }
  return settings;
}

std::vector<std::string> adaptive_steps(std::vector<std::string> const& etas) {
  std::vector<std::string> settings;
  for (auto const& eta : etas) {
    settings.push_back(R"("stepping": {"mode": "adaptive", "eta": )" + eta + "}");
  }
  return settings;
}

/// The schemes that suit a case. A fixed step does not resolve close encounters.
std::vector<FewScheme> schemes_of(FewBodyCase const& problem) {
  std::vector<FewScheme> schemes;
  schemes.push_back({"gauss_radau15", keys_of("gauss_radau15"), own_steps(), {1}});
  schemes.push_back({"hermite6 adaptive",
                     keys_of("hermite6", few_corrections),
                     adaptive_steps({"0.4", "0.2", "0.1", "0.05", "0.025"}),
                     {256}});
  if (problem.name != "outer_planets" && problem.name != "crossing_planets") return schemes;
  std::uint64_t const finer = problem.name == "crossing_planets" ? 4 : 1;
  schemes.push_back({"leapfrog_kdk", keys_of("leapfrog_kdk"), {}, doublings(16000 * finer, 4, 4)});
  schemes.push_back({"blanes_casas8", keys_of("blanes_casas8"), {}, doublings(1000 * finer, 6)});
  schemes.push_back(
      {"sofroniou_spaletta10", keys_of("sofroniou_spaletta10"), {}, doublings(500 * finer, 6)});
  schemes.push_back(
      {"hermite6", keys_of("hermite6", few_corrections), {}, doublings(4000 * finer, 5)});
  if (problem.name == "outer_planets") {
    schemes.push_back(
        {"wisdom_holman", keys_of("wisdom_holman", R"("substeps": 50)"), {}, doublings(20, 8, 4)});
    schemes.push_back(
        {"wisdom_holman c17 lazy", keys_of("wisdom_holman", lazy_corrector), {}, doublings(20, 8)});
  }
  return schemes;
}

std::vector<Vec3<double>> positions(simulation::Simulation& simulation) {
  return simulation.bodies().position;
}

FewErrorCost measure_error(FewBodyCase const& problem, std::string const& scheme,
                           std::string const& keys, std::uint64_t advances, int repeats) {
  FewErrorCost cost{problem.name, "apsis", scheme, 0, std::numeric_limits<double>::infinity(), 0.0};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    auto const run = make_run(problem, keys, problem.end / static_cast<double>(advances));
    cost.seconds = std::min(cost.seconds, processor_seconds_of([&] { run->advance(advances); }));
    cost.steps = run->state().integrator_steps;
    cost.error = error_at_end(problem, positions(*run));
  }
  return cost;
}

constexpr double shortest_run = 0.02;  ///< [s]
constexpr double step_of_planets = 0.01;

/// Number of steps that take about shortest_run, found by doubling. `seconds_of(n)` makes n steps.
template <class SecondsOf>
double seconds_per_step(int repeats, SecondsOf const& seconds_of) {
  std::uint64_t steps = 64;
  while (seconds_of(steps) < shortest_run && steps < (std::uint64_t{1} << 30)) steps *= 2;
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat) least = std::min(least, seconds_of(steps));
  return least / static_cast<double>(steps);
}

void measure_steps(FewBodyCase const& problem, int repeats,
                   std::function<void(FewStepCost const&)> const& output) {
  for (auto const& scheme : schemes_of_steps()) {
    auto const run = make_run(problem, scheme.keys, step_of_planets);
    double const advance = seconds_per_step(repeats, [&](std::uint64_t steps) {
      return processor_seconds_of([&] { run->advance(steps); });
    });
    auto const state = run->state();
    // A scheme with steps of its own makes some of them per advance.
    double const advances_per_step =
        static_cast<double>(state.step) / static_cast<double>(state.integrator_steps);
    double const step = advance * advances_per_step;
    FewStepCost cost{problem.start.size(), "apsis", scheme.name, step,
                     forces_of(*run) / static_cast<double>(state.integrator_steps)};
    auto const loop = plain_loop(scheme.name);
    if (!loop) {
      output(cost);
      continue;
    }
    auto bodies = problem.start;
    double const plain = seconds_per_step(repeats, [&](std::uint64_t steps) {
      return processor_seconds_of([&] { (*loop)(bodies, step_of_planets, steps); });
    });
    cost.over_plain = step / plain;
    output(cost);
    output({problem.start.size(), "plain loop", scheme.name, plain, cost.forces_step});
  }
}

struct OtherRun {
  std::string scheme;
  std::uint64_t steps;
  double seconds;
  std::vector<Vec3<double>> position;
};

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

/// Runs another program, `command FILE`, on a case. The file has one line "end steps repeats",
/// the time at which to end, or 0 and a number of steps of 0.01; then one line "m x y z vx vy vz"
/// for each body, with G = 1. The program prints one line for each run it makes: "scheme steps
/// seconds x y z x y z ...", the name of the scheme without spaces, its number of steps, the least
/// processor time of so many repetitions [s], and the positions at the end. Throws an input/output
/// error if the program fails or prints anything else.
std::vector<OtherRun> run_other_program(std::string const& command, FewBodyCase const& problem,
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

}  // namespace

void few_costs(FewRequest const& request, std::function<void(FewStepCost const&)> const& step,
               std::function<void(FewErrorCost const&)> const& error) {
  constexpr std::uint64_t steps_of_other = 20000;
  // The file name of the program, without its arguments.
  auto const name =
      std::filesystem::path(request.beside.substr(0, request.beside.find(' '))).filename().string();
  for (std::size_t const bodies : {2, 3, 6, 10}) {
    auto const problem = planets_case(bodies);
    measure_steps(problem, request.repeats, step);
    if (request.beside.empty()) continue;
    for (auto const& run :
         run_other_program(request.beside, problem, steps_of_other, request.repeats)) {
      step({bodies, name, run.scheme, run.seconds / static_cast<double>(run.steps), 0.0});
    }
  }
  for (auto const& problem : few_body_cases()) {
    for (auto const& scheme : schemes_of(problem)) {
      auto const settings =
          scheme.settings.empty() ? std::vector<std::string>{""} : scheme.settings;
      for (auto const& setting : settings) {
        auto const keys = scheme.keys + (setting.empty() ? "" : ", " + setting);
        for (auto const advances : scheme.advances) {
          error(measure_error(problem, scheme.name, keys, advances, request.repeats));
        }
      }
    }
    if (request.beside.empty()) continue;
    for (auto const& run : run_other_program(request.beside, problem, 0, request.repeats)) {
      error({problem.name, name, run.scheme, run.steps, run.seconds,
             error_at_end(problem, run.position)});
    }
  }
}

}  // namespace apsis::benchmark
