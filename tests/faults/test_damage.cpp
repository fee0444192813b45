// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_runs.hpp"

using namespace apsis::testing;

namespace {

/// What a kill left between the second and the third commit, the last time before the manifest.
Files stopped(Experiment const& run) {
  ApsisServer server;
  auto const killed_at = [&](long call) {
    run.start(server, {"APSIS_FAULT=kill", "APSIS_FAULT_CALL=" + std::to_string(call)});
    return files_of(Experiment::directory(server));
  };
  long before = 0, after = run.calls;  // the third commit
  while (after - before > 1) {
    long const middle = (before + after) / 2;
    auto const generations = committed(killed_at(middle));
    (generations.empty() || generations.front() < 3 ? before : after) = middle;
  }
  auto found = killed_at(before);
  REQUIRE(committed(found) == std::vector<std::uint64_t>{2, 1});
  return found;
}

Files finished(Experiment const& run) {
  ApsisServer server;
  run.start(server, {});
  return files_of(Experiment::directory(server));
}

std::uint64_t number_in(std::string const& block) {
  std::uint64_t value = 0;
  REQUIRE(block.size() == sizeof(value));
  std::memcpy(&value, block.data(), sizeof(value));
  return value;
}

struct Damage {
  std::string file;
  std::size_t at;
  int flip;         ///< -1: the file ends there
  bool must_go_on;  ///< since an older generation does not rely on it
};

constexpr int flips[]{0x01, 0xff, 0x80};

/// Bytes of what a run that resumes relies on, so far apart, are flipped, or are the first that are
/// missing.
std::vector<Damage> damages(Files const& files, std::size_t apart) {
  std::vector<Damage> all;
  auto const generations = committed(files);
  auto const older = blocks_of(files.at(generation_file(generations.at(1))));
  for (auto const& [name, bytes] : files) {
    bool const table = name.ends_with(".csv");
    bool const in_checkpoint = name.rfind("checkpoint/", 0) == 0;
    if (!table && !in_checkpoint) continue;
    std::size_t const relied_on = table ? number_in(older.at("run/" + name + "/bytes")) : 0;
    // What is not read unless something else is damaged too needs not be tried everywhere.
    bool const first_read =
        table || name == "checkpoint/manifest.json" || name == generation_file(generations.at(0));
    std::size_t const step = first_read ? apart : apart * 16;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      for (int const flip : {-1, flips[at % 3]}) {
        all.push_back({name, at, flip, at >= relied_on});
      }
    }
  }
  return all;
}

void damage_everywhere(Experiment const& run, std::string const& what, Files const& whole,
                       std::size_t apart) {
  auto const all = damages(whole, apart);
  for_all("damage of " + what, all.size(), [&](ApsisServer& server, std::size_t k) {
    auto const& damage = all[k];
    auto const text = damage.file + " at " + std::to_string(damage.at) +
                      (damage.flip < 0 ? " cut" : " xor " + std::to_string(damage.flip)) + ": ";
    auto files = whole;
    auto& bytes = files.at(damage.file);
    if (damage.flip < 0) {
      bytes.resize(damage.at);
    } else {
      bytes[damage.at] = static_cast<char>(bytes[damage.at] ^ damage.flip);
    }
    put_files(Experiment::directory(server), files);
    auto const ended = run.run(server, {"--resume", "--quiet"});
    expect_grammar(ended);
    if (ended.status() == 0) {
      run.expect_result(server, text + ended.err);
      return;
    }
    expect(!damage.must_go_on, text + "an older generation is whole: " + ended.text());
    expect(ended.status() == 65 || ended.status() == 74, text + ended.text());
  });
}

}  // namespace

TEST_CASE(
    "promise: a flip or a cut anywhere gives the older generation or an error, no other numbers") {
  auto const& run = leapfrog_run();
  // Each byte of a generation is flipped in the unit tests. Here one in seven, in turn at each
  // place in a word, so that each kind of block and file is met.
  damage_everywhere(run, "a run that was killed", stopped(run), is_full() ? 1 : 7);
  damage_everywhere(run, "a run that is done", finished(run), 23);
  damage_everywhere(hermite_run(), "another integrator", stopped(hermite_run()), 37);
  damage_everywhere(cells_run(), "what cells are opened by", stopped(cells_run()), 499);
}

TEST_CASE("promise: a generation that was damaged is not kept in the place of one that is whole") {
  auto const& run = leapfrog_run();
  auto whole = stopped(run);
  auto const newest = generation_file(committed(whole).at(0));
  whole.at(newest)[100] ^= 1;
  long commits = 0;
  for_all("kill at every call after a damage", static_cast<std::size_t>(run.calls),
          [&](ApsisServer& server, std::size_t k) {
            put_files(Experiment::directory(server), whole);
            auto const resumed =
                run.run(server, {"--resume", "--quiet"},
                        {"APSIS_FAULT=kill", "APSIS_FAULT_CALL=" + std::to_string(k + 1)});
            if (!resumed.killed()) return;
            auto files = files_of(Experiment::directory(server));
            // Whatever is now the newest is damaged too: the one before must do.
            auto const generations = committed(files);
            if (generations.at(0) <= committed(whole).at(0)) return;
            files.at(generation_file(generations.at(0)))[100] ^= 1;
            put_files(Experiment::directory(server), files);
            auto const again = run.run(server, {"--resume", "--quiet"});
            expect(again.status() == 0, again.text());
            run.expect_result(server, again.err);
            static std::mutex counting;
            std::lock_guard const guard(counting);
            ++commits;
          });
  CHECK(commits > 0);
}
