// SPDX-License-Identifier: Apache-2.0
#include "faults/run_files.hpp"
#include "support/comes_true.hpp"
#include "support/executable/commands.hpp"
#include "support/relative.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>

/// Tests of the executable under mpirun, as a user starts it.
using namespace apsis::testing;

namespace {

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// Rows of the log of a run without the wall times.
std::string log_rows(std::filesystem::path const& run) {
  return result_of(files_of(run)).at("conservation.csv");
}

/// Adds the option to share a GPU to commands that use several ranks, because a test machine may
/// have only one GPU.
std::string with_shared_gpus(std::string const& arguments) {
  auto const command = arguments.substr(0, arguments.find(' '));
  bool const shares = command == "run" || command == "verify" || command == "bench";
  if (!on_a_device() || !shares) return arguments;
  return command + " --share-gpus" + arguments.substr(command.size());
}

/// Lines of the log of the run, with its header.
std::size_t lines_of_log(Scratch const& scratch) {
  return occurrences(content(scratch / "run/conservation.csv"), "\n");
}

/// Run of several ranks in the background; `prefix` is inserted before the executable.
class ParallelRun {
 public:
  ParallelRun(Scratch const& scratch, int processes, std::string const& arguments,
              std::string const& prefix = "")
      : scratch_(scratch) {
    std::string const command = "cd '" + scratch.path().string() + "'; exec </dev/null '" +
                                APSIS_TEST_MPIRUN + "' -n " + std::to_string(processes) + " " +
                                prefix + " '" + executable() + "' " + with_shared_gpus(arguments) +
                                " >out 2>err";
    mpirun_ = fork();
    if (mpirun_ == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
  }
  ~ParallelRun() {
    if (mpirun_ == 0) return;
    kill(mpirun_, SIGKILL);
    waitpid(mpirun_, nullptr, 0);
    for (auto const process : processes()) kill(process, SIGKILL);
  }
  ParallelRun(ParallelRun const&) = delete;
  ParallelRun& operator=(ParallelRun const&) = delete;

  pid_t mpirun() const { return mpirun_; }
  /// Whether mpirun has ended.
  bool is_over() const {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(mpirun_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
  }

  /// Running processes of this run, in no order.
  std::vector<pid_t> processes() const {
    std::vector<pid_t> ids;
    for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
      auto const name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::error_code error;
      auto const directory = std::filesystem::read_symlink(entry.path() / "cwd", error);
      auto const runs = std::filesystem::read_symlink(entry.path() / "exe", error);
      if (!error && directory == scratch_.path() && runs == executable()) {
        ids.push_back(static_cast<pid_t>(std::stol(name)));
      }
    }
    return ids;
  }

  /// Waits for the end of the run, fails if it hangs or leaves processes behind, and returns its
  /// result.
  Result wait() {
    int raw = 0;
    auto const started = processes();
    auto lines = lines_of_log(scratch_);
    while (!comes_true([&] { return waitpid(mpirun_, &raw, WNOHANG) != 0; })) {
      auto const before = std::exchange(lines, lines_of_log(scratch_));
      if (lines != before) continue;  // slow, not hanging: other tests share the device
      FAIL("hangs with " << processes().size() << " of " << started.size() << " processes, "
                         << lines << " lines in the log:\n"
                         << content(scratch_ / "out") << content(scratch_ / "err"));
    }
    mpirun_ = 0;
    // A process that is ending has no executable link any more, but still holds its locks.
    auto const is_ended = [](pid_t process) {
      auto const status = content("/proc/" + std::to_string(process) + "/stat");
      auto const state = status.find_first_not_of(' ', status.rfind(')') + 1);
      return status.empty() || (state != std::string::npos && status[state] == 'Z');
    };
    if (!comes_true([&] {
          return processes().empty() && std::all_of(started.begin(), started.end(), is_ended);
        })) {
      FAIL("leaves processes behind");
    }
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw), content(scratch_ / "out"),
            content(scratch_ / "err")};
  }

 private:
  Scratch const& scratch_;
  pid_t mpirun_;
};

Result run_parallel(int processes, std::string const& arguments, Scratch const& scratch,
                    std::string const& prefix = "") {
  return ParallelRun(scratch, processes, arguments, prefix).wait();
}

/// Error messages of the program, without messages of mpirun and warnings about few processors.
std::string errors_in(std::string const& text) {
  std::string errors;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("apsis: error: ", 0) == 0) errors += line + "\n";
  }
  return errors;
}

/// Deck with five blocks of 128 bodies; each of up to four ranks has some.
std::string const deck = R"({
  "bodies": {"generator": "plummer", "count": 600, "seed": 3},
  "gravity": {"softening": 0.03125},
  "integrator": {"name": "hermite4", "time_step": 0.015625, "stepping": {"mode": "block"}},
  "diagnostics": {"structure": {"interval": 0.25}, "pair_distances": {"interval": 0.25},
                  "lagrangian_radii": {"interval": 0.25},
                  "trajectories": {"interval": 0.25, "bodies": [0, 599]},
                  "force_error_sample": {"interval": 0.25, "seed": 1, "bodies": 50},
                  "potential_error_sample": {"interval": 0.25, "seed": 1, "bodies": 50}},
  "output": {"conservation_interval": 0.03125, "checkpoint_interval": 0.125,
             "checkpoint_wall_interval": 0, "snapshot_interval": 0.25,
             "snapshot_accelerations": true, "snapshot_potentials": true,
             "render": [{"interval": 0.25, "width": 96, "height": 54}]},
  "run": {"steps": 48}
})";

bool wait_for_checkpoint(Scratch const& scratch) {
  return comes_true([&] { return !committed(files_of(scratch / "run")).empty(); });
}

/// Result files of the deck on one rank.
Files expected_result(Scratch const& scratch, std::string const& options = "") {
  scratch.write("deck.json", deck);
  auto const alone = run_apsis("run deck.json --output alone --quiet" + options, scratch);
  INFO(alone.err);
  REQUIRE(alone.status == 0);
  return result_of(files_of(scratch / "alone"));
}

}  // namespace

TEST_CASE("promise: every file has the bytes of a run on one rank, for any number of ranks") {
  Scratch const scratch;
  auto const expected = expected_result(scratch);
  CHECK(expected.size() > 30);
  for (int const processes : {1, 2, 3, 4}) {
    CAPTURE(processes);
    auto const result = run_parallel(processes, "run deck.json --output run --force", scratch);
    CHECK(result.status == 0);
    CHECK(errors_in(result.err) == "");
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
    auto const summary = nlohmann::json::parse(content(scratch / "run/summary.json"));
    auto const text = std::to_string(processes) + " processes: ";
    CHECK(occurrences(result.out, text) == (processes > 1 ? 1 : 0));
    CHECK(summary.value("processes", 1) == processes);
    if (processes > 1) {
      CHECK(contains(summary["process_places"], std::to_string(processes) + " x"));
      std::string const transport = summary["transport"];
      CHECK((contains(transport, "MPI") || contains(transport, "CCL ")));
    }
  }
}

TEST_CASE("promise: a run resumed with another number of ranks gives the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const in_parts = [&](std::string const& output, std::array<int, 4> const& processes) {
    std::string const steps[]{"11", "20", "37", "48"};
    for (int part = 0; part < 4; ++part) {
      auto const result = run_parallel(processes[part],
                                       "run deck.json --output " + output +
                                           " --resume-if-possible --set run.steps=" + steps[part],
                                       scratch);
      INFO(result.err);
      REQUIRE(result.status == 0);
      CHECK(occurrences(result.out, "resumes from generation ") == (part > 0));
    }
    return result_of(files_of(scratch / output));
  };
  CHECK(difference(in_parts("alone", {1, 1, 1, 1}), in_parts("run", {3, 1, 4, 2})) == "");
  CHECK(occurrences(run_parallel(2, "run deck.json --output run --resume", scratch).out,
                    "is finished") == 1);
}

TEST_CASE("promise: ranks without bodies write and resume checkpoints with compensated sums") {
  Scratch const scratch;
  scratch.write("deck.json", R"({"bodies": {"generator": "plummer", "count": 200, "seed": 3},
    "gravity": {"softening": 0.03125}, "run": {"steps": 24},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.015625, "compensated": true,
                   "stepping": {"mode": "block"}},
    "output": {"conservation_interval": 0.0625, "checkpoint_interval": 0.0625,
               "checkpoint_wall_interval": 0}})");
  REQUIRE(run_apsis("run deck.json --output alone --quiet", scratch).status == 0);
  // Two blocks: at least one of three ranks has no bodies.
  for (auto const& [ranks, steps] : {std::pair(3, "7"), std::pair(4, "13"), std::pair(1, "24")}) {
    CAPTURE(ranks);
    auto const result = run_parallel(
        ranks,
        std::string("run deck.json --output run --resume-if-possible --set run.steps=") + steps,
        scratch);
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK(occurrences(result.out, "ranks have no bodies") == (ranks > 1));
  }
  CHECK(log_rows(scratch / "run") == log_rows(scratch / "alone"));
}

TEST_CASE("promise: a signal to mpirun or to any rank stops all ranks with a checkpoint") {
  Scratch const scratch;
  // Long enough for a signal, where ranks share a device with other tests too.
  std::string const longer = std::string(" --set run.steps=") + (on_a_device() ? "160" : "480");
  auto const expected = expected_result(scratch, longer);
  std::mt19937_64 random(7);
  for (int round = 0; round < 4; ++round) {
    CAPTURE(round);
    std::filesystem::remove_all(scratch / "run");
    ParallelRun run(scratch, 3, "run deck.json --output run" + longer);
    REQUIRE(wait_for_checkpoint(scratch));
    auto const processes = run.processes();
    REQUIRE(processes.size() == 3);
    // mpirun forwards SIGUSR2 but handles SIGTERM itself.
    kill(round == 0 ? run.mpirun() : processes[random() % 3], round == 3 ? SIGTERM : SIGUSR2);
    auto const ended = run.wait();
    CHECK(ended.status == 75);
    CHECK(errors_in(ended.err) == "");  // a requested stop is no error
    CHECK(occurrences(ended.err, "apsis: note: signal: stopped ") == 1);
    CHECK(contains(ended.err, round == 3 ? "by SIGTERM" : "by SIGUSR2"));
    auto const last =
        run_parallel(2, "run deck.json --output run --resume --quiet" + longer, scratch);
    CHECK(last.status == 0);
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
  }
}

TEST_CASE("promise: SIGUSR1 to any rank writes one checkpoint and the run continues") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  ParallelRun run(
      scratch, 3,
      "run deck.json --output run --set run.steps=480 --set output.checkpoint_interval=null");
  REQUIRE(comes_true([&] { return lines_of_log(scratch) >= 3; }));
  auto const processes = run.processes();
  REQUIRE(processes.size() == 3);
  for (auto const process : processes) kill(process, SIGUSR1);
  auto const ended = run.wait();
  CHECK(ended.status == 0);
  auto const count = occurrences(ended.out, "checkpoint after step");
  CHECK((count >= 1 && count <= 3));  // the signals may arrive in different steps
}

TEST_CASE("ranks with different arguments are rejected, too many threads are warned about") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const other = run_parallel(2,
                                  "run deck.json --output run : -n 1 '" + executable() + "' " +
                                      with_shared_gpus("run deck.json --output two"),
                                  scratch);
  CHECK(other.status == 70);
  CHECK(contains(errors_in(other.err), "was started with another command line ('run "));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
  if (!on_threads()) return;
  auto const crowd =
      run_parallel(2, "run deck.json --output run --set run.steps=1 --threads 4", scratch);
  bool const crowded = std::thread::hardware_concurrency() < 8;
  CHECK(crowd.status == 0);
  CHECK(occurrences(crowd.err, "apsis: warning: ranks: share processors") == (crowded ? 1 : 0));
}

TEST_CASE(
    "promise: kill -9 of any rank at any time ends all; fewer ranks resume to the same bits") {
  Scratch const scratch;
  auto const expected = expected_result(scratch);
  std::mt19937_64 random(11);
  int kills = 0;
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    std::filesystem::remove_all(scratch / "run");
    for (int processes = 4; processes > 1; --processes) {
      CAPTURE(processes);
      ParallelRun run(scratch, processes, "run deck.json --output run --resume-if-possible");
      auto const count = static_cast<std::size_t>(processes);
      auto const lines = lines_of_log(scratch) + random() % 6;
      REQUIRE(comes_true([&] {
        auto const running = run.processes().size();
        return (running == count && lines_of_log(scratch) >= lines) || run.is_over();
      }));
      auto const running = run.processes();
      if (running.empty()) break;  // the run has already ended
      kill(running[random() % running.size()], SIGKILL);
      auto const ended = run.wait();
      CHECK((ended.status == 137 || ended.status == 0));
      kills += ended.status == 137;
    }
    auto const last = run_apsis("run deck.json --output run --resume-if-possible", scratch);
    INFO(last.err);
    CHECK(last.status == 0);
    CHECK(difference(expected, result_of(files_of(scratch / "run"))) == "");
  }
  MESSAGE(kills << " kills");
  CHECK(kills >= 3);
}

TEST_CASE("promise: a crash of one rank ends all ranks") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  for (int const signal : {SIGABRT, SIGSEGV}) {
    CAPTURE(signal);
    std::filesystem::remove_all(scratch / "run");
    ParallelRun run(scratch, 3, "run deck.json --output run --set run.steps=4800");
    REQUIRE(wait_for_checkpoint(scratch));
    auto const processes = run.processes();
    REQUIRE(processes.size() == 3);
    kill(processes[static_cast<std::size_t>(signal) % 3], signal);
    auto const ended = run.wait();
    CHECK(ended.status == 70);
    CHECK(contains(ended.err, "apsis: error: internal: died in a library"));
  }
}

TEST_CASE("verify on several ranks gives the same bits as on one rank") {
  Scratch const scratch;
  std::string const command =
      "verify --quick --problem cold_collapse --problem figure_eight --problem "
      "block_steps --json ";
  REQUIRE(run_apsis(command + "alone.json", scratch).status == 0);
  auto const rows = nlohmann::json::parse(content(scratch / "alone.json"))["rows"];
  REQUIRE(rows.size() > 5);
  for (auto const processes : {2, 4}) {
    CHECK(run_parallel(processes, command + "together.json", scratch).status == 0);
    CHECK(nlohmann::json::parse(content(scratch / "together.json"))["rows"] == rows);
  }
}

TEST_CASE("an error is reported once and ends all ranks with its exit status") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  struct Case {
    std::string arguments;
    int status;
    std::string text;
    std::string prefix = "";
  };
  for (auto const& each : {
           Case{"run deck.json --set run.steps=-1", 65, "run.steps"},
           Case{"run none.json", 74, "none.json"},
           Case{"run deck.json --nonsense", 64, "--nonsense"},
           Case{"run deck.json --quiet --output " + (scratch / "full").string(), 74,
                "No space left",
                "env LD_PRELOAD=" APSIS_FAULTY_CALLS " APSIS_FAULT=full APSIS_FAULT_CALL=60 "
                "APSIS_FAULT_UNDER=" +
                    (scratch / "full").string()},
           Case{"run deck.json --output far --quiet --set integrator.time_step=1e300 "
                "--set integrator.stepping=null --set run.steps=3 --set diagnostics=null "
                "--set output=null",
                70, "not finite"},
       }) {
    CAPTURE(each.arguments);
    auto const result = run_parallel(3, each.arguments, scratch, each.prefix);
    CHECK(result.status == each.status);
    auto const errors = errors_in(result.err);
    CHECK(occurrences(errors, "\n") == 1);
    CHECK(contains(errors, each.text));
  }
}

TEST_CASE("a rank that cannot start is named, and no file is written") {
  Scratch const scratch;
  scratch.write("deck.json", deck);
  // The last of three ranks requests more threads than possible.
  std::string const command = "run deck.json --output run --quiet";
  auto const result = run_parallel(2,
                                   command + " : -n 1 env OMP_NUM_THREADS=65536 '" + executable() +
                                       "' " + with_shared_gpus(command),
                                   scratch);
  CHECK(result.status == 64);
  CHECK(occurrences(result.err, "apsis: ") == 1);
  CHECK(contains(result.err, "process 2 (" + host_name() +
                                 "): cannot take part (OMP_NUM_THREADS: wrong value in the "
                                 "environment, found '65536'); set a whole number"));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
}

TEST_CASE("promise: ranks check the available memory before they allocate") {
  if (!on_threads()) return;  // the driver of a GPU maps more memory than any limit allows
  Scratch const scratch;
  scratch.write("deck.json", deck);
  auto const run_with = [&](std::string const& limits, std::string const& overrides) {
    auto const command =
        "run deck.json --output run --quiet --force --set output=null --set diagnostics=null --set "
        "run.steps=2 " +
        overrides;
    return run_parallel(1,
                        command + " : -n 1 sh -c 'ulimit " + limits + "; exec \"$@\"' sh '" +
                            executable() + "' " + command,
                        scratch);
  };
  auto const refused = run_with("-v 400000", "--set bodies.count=300000");
  CHECK(refused.status == 65);
  CHECK(occurrences(refused.err, "apsis: ") == 1);
  CHECK(contains(refused.err, "process 1 (" + host_name() +
                                  "): cannot take part (memory: does not fit in memory, 300000 "
                                  "bodies need "));
  CHECK_FALSE(std::filesystem::exists(scratch / "run/conservation.csv"));
  CHECK(run_with("-v 1000000", "").status == 0);
}

TEST_CASE("info lists all ranks, and other commands are executed by one rank") {
  Scratch const scratch;
  auto const info = run_parallel(3, "info", scratch);
  CHECK(info.status == 0);
  for (auto const* line : {"process 0 ", "process 1 ", "process 2 "}) {
    CHECK(occurrences(info.out, line) == 1);
  }
  scratch.write("deck.json", deck);
  auto const check = run_parallel(2, "check deck.json", scratch);
  CHECK(check.status == 0);
  CHECK(occurrences(check.out, "half-mass radius") == 1);
}

TEST_CASE("bench measures the scaling of steps and predicts it by a model") {
  Scratch const scratch;
  std::string const small =
      "bench --strong --weak --bodies 300:1200:4 --precision double --steps 10 --json rows.json";
  auto const result = run_parallel(2, small + " --predict 1,8", scratch);
  CHECK(result.status == 0);
  CHECK(occurrences(result.out, "strong") == 2);
  auto const report = nlohmann::json::parse(content(scratch / "rows.json"));
  CHECK(report["environment"]["complete"] == true);
  CHECK(report["environment"]["message_microseconds"] > 0.0);
  CHECK(report["rows"].size() == 12);
  for (auto const& row : report["rows"]) {
    CHECK(row["milliseconds_step"] > 0.0);
    bool const weak = row["scaling"] == "weak";
    double const alone = row["bodies_alone"], processes = row["processes"];
    CHECK(row["bodies"] == std::round(alone * (weak ? std::sqrt(processes) : 1.0)));
    double const bodies = row["bodies"], rate = row["interactions_per_second"];
    CHECK(rate * 1e-3 * row["milliseconds_step"].get<double>() == approximately(bodies * bodies));
    if (row["kernel"] == "model") {
      CHECK((processes == 1 || processes == 8));
      CHECK(row["efficiency"] <= 1.0 + 1e-12);
      if (processes == 1) CHECK(row["efficiency"] == approximately(1.0));
    } else {
      CHECK(processes == 2);
      CHECK(row["megabytes_gathered"] > 0.0);
      CHECK(row["milliseconds_waiting"] <= row["milliseconds_step"]);
      CHECK(row["milliseconds_waiting"] > 0.0);
    }
  }
  CHECK(run_apsis(small, scratch).status == 0);
  for (auto const* words : {"--predict 8", "--predict 0", "--predict x"}) {
    auto const refused = run_apsis(std::string("bench --bodies 300 ") + words, scratch);
    CHECK(refused.status == 64);
    CHECK(contains(refused.err, "--predict"));
  }
}

TEST_CASE("bench measures the scaling of steps with the solver fmm") {
  Scratch const scratch;
  auto const result = run_parallel(2,
                                   "bench --strong --weak --solver fmm --accuracy 3e-3 --bodies "
                                   "3000 --precision single --json rows.json",
                                   scratch);
  CHECK(result.status == 0);
  CHECK(contains(result.out, "bodies/s"));
  auto const report = nlohmann::json::parse(content(scratch / "rows.json"));
  REQUIRE(report["rows"].size() == 2);
  for (auto const& row : report["rows"]) {
    CHECK(row["kernel"] == "fmm");
    CHECK(row["accuracy"] == 3e-3);
    double const bodies = row["bodies"], rate = row["bodies_per_second"];
    CHECK(bodies == (row["scaling"] == "weak" ? 6000.0 : 3000.0));
    CHECK(rate * 1e-3 * row["milliseconds_step"].get<double>() == approximately(bodies));
    double const work = bodies / row["bodies_alone"].get<double>();
    double const alone = row["milliseconds_alone"], step = row["milliseconds_step"];
    CHECK(row["efficiency"] == approximately(work * alone / (2.0 * step)));
    // Both ranks gather the positions and masses of all bodies and the results of the leaves.
    CHECK(row["megabytes_gathered"].get<double>() * 1e6 >= 28.0 * bodies);
    CHECK_FALSE(row.contains("interactions_per_second"));
  }
  auto const refused = run_parallel(2, "bench --solver fmm --bodies 3000 --predict 8", scratch);
  CHECK(refused.status == 64);
  CHECK(contains(refused.err, "covers direct summation only"));
}
