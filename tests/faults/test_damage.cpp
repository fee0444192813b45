// SPDX-License-Identifier: Apache-2.0
#include "faults/fault_runs.hpp"

using namespace apsis::testing;

namespace {

/// Returns the files of a run killed between the second and the third commit, just before the
/// manifest is written.
Files make_killed_run(Experiment const& run) {
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
  auto files = killed_at(before);
  REQUIRE(committed(files) == std::vector<std::uint64_t>{2, 1});
  return files;
}

Files make_finished_run(Experiment const& run) {
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
  std::size_t offset;
  int flip;          ///< -1: the file ends there
  bool must_resume;  ///< because an older generation does not depend on this byte
};

constexpr int flips[]{0x01, 0xff, 0x80};

/// Returns damages of all files that a resumed run depends on: every `stride`-th byte is flipped,
/// or the file is cut there.
std::vector<Damage> list_damages(Files const& files, std::size_t stride) {
  std::vector<Damage> damages;
  auto const generations = committed(files);
  auto const older = blocks_of(files.at(generation_file(generations.at(1))));
  for (auto const& [name, bytes] : files) {
    bool const table = name.ends_with(".csv");
    bool const in_checkpoint = name.rfind("checkpoint/", 0) == 0;
    if (!table && !in_checkpoint) continue;
    std::size_t const used_bytes = table ? number_in(older.at("run/" + name + "/bytes")) : 0;
    // Bytes that are read only if something else is damaged too need fewer trials.
    bool const first_read =
        table || name == "checkpoint/manifest.json" || name == generation_file(generations.at(0));
    std::size_t const step = first_read ? stride : stride * 16;
    for (std::size_t offset = 0; offset < bytes.size(); offset += step) {
      for (int const flip : {-1, flips[offset % 3]}) {
        damages.push_back({name, offset, flip, offset >= used_bytes});
      }
    }
  }
  return damages;
}

void damage_everywhere(Experiment const& run, std::string const& description, Files const& whole,
                       std::size_t stride) {
  auto const damages = list_damages(whole, stride);
  run_cases("damage of " + description, damages.size(), [&](ApsisServer& server, std::size_t k) {
    auto const& damage = damages[k];
    auto const text = damage.file + " at " + std::to_string(damage.offset) +
                      (damage.flip < 0 ? " cut" : " xor " + std::to_string(damage.flip)) + ": ";
    auto files = whole;
    auto& bytes = files.at(damage.file);
    if (damage.flip < 0) {
      bytes.resize(damage.offset);
    } else {
      bytes[damage.offset] = static_cast<char>(bytes[damage.offset] ^ damage.flip);
    }
    put_files(Experiment::directory(server), files);
    auto const ended = run.run(server, {"--resume", "--quiet"});
    expect_grammar(ended);
    if (ended.status() == 0) {
      run.expect_result(server, text + ended.err);
      return;
    }
    expect(!damage.must_resume, text + "an older generation is whole: " + ended.text());
    expect(ended.status() == 65 || ended.status() == 74, text + ended.text());
  });
}

}  // namespace

TEST_CASE(
    "promise: a flipped byte or a cut anywhere leads to the older generation or to an error, never "
    "to other numbers") {
  auto const& run = leapfrog_run();
  // The unit tests flip each byte of a generation. Here every seventh byte, so that every position
  // in a word and each kind of block and file is hit.
  damage_everywhere(run, "a run that was killed", make_killed_run(run), is_full() ? 1 : 7);
  damage_everywhere(run, "a run that is done", make_finished_run(run), 23);
  damage_everywhere(hermite_run(), "another integrator", make_killed_run(hermite_run()), 37);
  damage_everywhere(cells_run(), "what cells are opened by", make_killed_run(cells_run()), 499);
}

TEST_CASE("promise: a damaged generation is not kept in place of an intact one") {
  auto const& run = leapfrog_run();
  auto whole = make_killed_run(run);
  auto const newest = generation_file(committed(whole).at(0));
  whole.at(newest)[100] ^= 1;
  long commits = 0;
  run_cases("kill at every call after a damage", static_cast<std::size_t>(run.calls),
            [&](ApsisServer& server, std::size_t k) {
              put_files(Experiment::directory(server), whole);
              auto const resumed =
                  run.run(server, {"--resume", "--quiet"},
                          {"APSIS_FAULT=kill", "APSIS_FAULT_CALL=" + std::to_string(k + 1)});
              if (!resumed.killed()) return;
              auto files = files_of(Experiment::directory(server));
              // The newest generation is now damaged as well: the previous one must be used.
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
