// SPDX-License-Identifier: Apache-2.0
#include "support/executable/background.hpp"

#include <csignal>
#include <functional>
#include <map>
#include <vector>

using namespace apsis::testing;

namespace {

namespace fs = std::filesystem;

/// A run that writes all kinds of files.
std::string const full_deck = R"({
  "bodies": {"generator": "plummer", "count": 32, "seed": 3},
  "gravity": {"softening": 0.05},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625},
  "run": {"steps": 8},
  "output": {"conservation_interval": 0.125, "checkpoint_interval": 0.125,
             "snapshot_interval": 0.125,
             "render": [{"name": "top", "interval": 0.25, "width": 64, "height": 64}]},
  "diagnostics": {"structure": {"interval": 0.125}}})";

/// Contents of a directory tree: targets of links, bytes of files.
using Tree = std::map<std::string, std::string>;
Tree tree_of(fs::path const& directory) {
  Tree tree;
  for (auto const& entry : fs::recursive_directory_iterator(directory)) {
    auto const name = entry.path().lexically_relative(directory).string();
    tree[name] = entry.is_symlink()        ? "-> " + fs::read_symlink(entry.path()).string()
                 : entry.is_regular_file() ? content(entry.path())
                                           : "directory";
  }
  tree.erase(".lock");
  return tree;
}

/// Returns the names of entries that differ.
std::string difference(Tree const& expected, Tree const& actual) {
  std::string names;
  auto const add_missing = [&](Tree const& a, Tree const& b) {
    for (auto const& [name, text] : a) {
      auto const other = b.find(name);
      if (other == b.end() || other->second != text) names += name + " ";
    }
  };
  add_missing(expected, actual);
  add_missing(actual, expected);
  return names;
}

/// An object of the user in the directory of a run.
struct UserObject {
  std::string name;  ///< relative to the directory
  std::function<void(fs::path const& run, fs::path const& other)> put;
  bool is_refused = true;
};

void replace_by_directory(fs::path const& path) {
  fs::remove_all(path);
  fs::create_directory(path);
  std::ofstream(path / "precious") << "mine";
}

void replace_by_link(fs::path const& path, fs::path const& target) {
  fs::remove_all(path);
  fs::create_symlink(target, path);
}

std::vector<UserObject> strange_things() {
  std::vector<UserObject> tree{
      {"checkpoint",
       [](auto const& run, auto const& other) {
         replace_by_link(run / "checkpoint", other / "other.run/checkpoint");
       }},
      {"pictures",
       [](auto const& run, auto const& other) {
         replace_by_link(run / "pictures", other / "other.run/pictures");
       }},
      {"conservation.csv",
       [](auto const& run, auto const& other) {
         replace_by_link(run / "conservation.csv", other / "other.run/conservation.csv");
       }},
      {".replaced",
       [](auto const& run, auto const& other) { replace_by_link(run / ".replaced", other); }},
      {"checkpoint/manifest.json.bak",
       [](auto const& run, auto const&) {
         std::ofstream(run / "checkpoint/manifest.json.bak") << "mine";
       },
       false},
      {"checkpoint/generation_notes.txt",
       [](auto const& run, auto const&) {
         std::ofstream(run / "checkpoint/generation_notes.txt") << "mine";
       },
       false},
      {"pictures/top_000077.png",
       [](auto const& run, auto const&) {
         std::ofstream(run / "pictures/top_000077.png") << "mine";
       },
       false},
      {"snapshot_000077.h5",
       [](auto const& run, auto const&) { std::ofstream(run / "snapshot_000077.h5") << "mine"; }}};
  for (std::string const name : {"structure.csv", "summary.json", "snapshot_000002.h5", ".replaced",
                                 ".replaced.gone", ".replaced.moving", "pictures.mine"}) {
    tree.push_back({name,
                    [name](auto const& run, auto const&) { replace_by_directory(run / name); },
                    name != "pictures.mine"});
  }
  return tree;
}

}  // namespace

TEST_CASE("promise: --force replaces the files of the run and harms no others") {
  Scratch const scratch;
  scratch.write("deck.json", full_deck);
  REQUIRE(run_apsis("run deck.json --quiet --output whole.run", scratch).status == 0);
  REQUIRE(run_apsis("run deck.json --quiet --output other.run", scratch).status == 0);
  auto const other = tree_of(scratch / "other.run");
  for (auto const& strange : strange_things()) {
    CAPTURE(strange.name);
    fs::remove_all(scratch / "deck.run");
    fs::copy(scratch / "whole.run", scratch / "deck.run", fs::copy_options::recursive);
    strange.put(scratch / "deck.run", scratch.path());
    auto const before = tree_of(scratch / "deck.run");
    auto const forced = run_apsis("run deck.json --quiet --force", scratch);
    if (strange.is_refused) {
      check_errors({forced.status, forced.out, forced.err.substr(forced.err.find("apsis: error"))},
                   74);
      CHECK(contains(forced.err, "deck.run/" + strange.name));
      CHECK(difference(before, tree_of(scratch / "deck.run")) == "");
    } else {
      CHECK(forced.status == 0);
      for (auto const& [name, text] : before) {
        if (name.starts_with(strange.name)) CHECK(tree_of(scratch / "deck.run")[name] == text);
      }
    }
    CHECK(difference(other, tree_of(scratch / "other.run")) == "");
  }
}

TEST_CASE("promise: in a directory without a run, nothing is written through links") {
  Scratch const scratch;
  scratch.write("deck.json", full_deck);
  fs::create_directories(scratch / "elsewhere");
  scratch.write("elsewhere/precious", "mine");
  for (std::string const name : {"checkpoint", "pictures", "deck.resolved.json", "conservation.csv",
                                 "snapshot_000001.h5", "summary.json"}) {
    CAPTURE(name);
    fs::remove_all(scratch / "deck.run");
    fs::create_directory(scratch / "deck.run");
    auto const target = fs::path("../elsewhere") / (name.find('.') < name.size() ? "precious" : "");
    fs::create_symlink(target, scratch / "deck.run" / name);
    auto const before = tree_of(scratch.path() / "deck.run");
    for (auto const* option : {" --force", ""}) {
      auto const refused = run_apsis("run deck.json --quiet" + std::string(option), scratch);
      check_errors(refused, 74);
      CHECK(contains(refused.err, name));
      CHECK(difference(before, tree_of(scratch / "deck.run")) == "");
    }
    CHECK(tree_of(scratch / "elsewhere") == Tree{{"precious", "mine"}});
  }
  // Names that only resemble those used by Apsis do not matter.
  fs::remove_all(scratch / "deck.run");
  fs::create_directories(scratch / "deck.run/.replaced.gone");
  scratch.write("deck.run/.replaced.gone/precious", "mine");
  CHECK(run_apsis("run deck.json --quiet", scratch).status == 0);
  CHECK(content(scratch / "deck.run/.replaced.gone/precious") == "mine");
}

TEST_CASE("promise: --resume truncates and removes its own files only") {
  Scratch const scratch;
  scratch.write("deck.json", full_deck);
  REQUIRE(run_apsis("run deck.json --quiet", scratch).status == 0);
  scratch.write("deck.run/snapshot_000099.h5", "mine");
  scratch.write("deck.run/snapshot_000099.h5.tmp", "mine");
  scratch.write("deck.run/pictures/top_000099.png", "mine");
  scratch.write("deck.run/checkpoint/generation_000099.bin.old", "mine");
  scratch.write("deck.run/checkpoint/notes.tmp", "mine");
  auto const on = run_apsis("run deck.json --quiet --resume --set run.steps=12", scratch);
  CHECK(on.status == 0);
  for (auto const* name :
       {"snapshot_000099.h5", "snapshot_000099.h5.tmp", "pictures/top_000099.png",
        "checkpoint/generation_000099.bin.old", "checkpoint/notes.tmp"}) {
    CAPTURE(name);
    CHECK(content(scratch / "deck.run" / name) == "mine");
  }
  // Without its record of files a run can resume: the checkpoint lists its files.
  fs::remove(scratch / "deck.run/apsis-files.txt");
  CHECK(run_apsis("run deck.json --quiet --resume --set run.steps=16", scratch).status == 0);
  CHECK(fs::exists(scratch / "deck.run/apsis-files.txt"));
  fs::create_directory(scratch / "kept");
  fs::rename(scratch / "deck.run/checkpoint", scratch / "kept/checkpoint");
  fs::create_symlink("../kept/checkpoint", scratch / "deck.run/checkpoint");
  auto const before = tree_of(scratch / "kept");
  auto const linked = run_apsis("run deck.json --quiet --resume --set run.steps=20", scratch);
  check_errors(linked, 74);
  CHECK(contains(linked.err, "deck.run/checkpoint: is a symbolic link"));
  CHECK(difference(before, tree_of(scratch / "kept")) == "");
}

TEST_CASE(
    "promise: every command that reads a run first restores one that was left set aside by a "
    "kill") {
  Scratch const scratch;
  scratch.write("deck.json", full_deck);
  REQUIRE(run_apsis("run deck.json --quiet --output whole.run", scratch).status == 0);
  auto const whole = tree_of(scratch / "whole.run");
  for (std::string const name : {".replaced", ".replaced.moving"}) {
    for (std::string const command :
         {"run deck.run --resume", "run deck.json --resume-if-possible", "check deck.run",
          "render deck.run --quiet --output drawn --set width=64 --set height=64"}) {
      CAPTURE(name);
      CAPTURE(command);
      fs::remove_all(scratch / "deck.run");
      fs::create_directory(scratch / "deck.run");
      fs::copy(scratch / "whole.run", scratch / "deck.run" / name, fs::copy_options::recursive);
      fs::remove(scratch / "deck.run" / name / ".lock");
      auto const run = run_apsis(command, scratch);
      CHECK(run.err == "");
      CHECK(run.status == 0);
      CHECK(difference(whole, tree_of(scratch / "deck.run")) == "");
    }
  }
}

TEST_CASE(
    "promise: a run whose directory is moved away never writes into another run's directory") {
  Scratch const scratch;
  scratch.write("deck.json", resumed_deck);
  REQUIRE(run_apsis("run deck.json --quiet --output alone.run", scratch).status == 0);
  auto const snapshots_of = [&](std::string const& run) {
    std::map<std::string, std::string> tree;
    for (auto const& entry : fs::directory_iterator(scratch / run)) {
      if (entry.path().extension() == ".h5") {
        tree[entry.path().filename().string()] = content(entry.path());
      }
    }
    return tree;
  };
  Background first("run deck.json " + endless_run + "--set output.snapshot_interval=8", scratch);
  first.await("deck.run/snapshot_000001.h5");
  fs::rename(scratch / "deck.run", scratch / "moved.run");
  REQUIRE(run_apsis("run deck.json --quiet --output deck.run", scratch).status == 0);
  auto const written = snapshots_of("moved.run").size();
  first.send(SIGUSR1);
  first.await("moved.run/checkpoint/manifest.json");
  first.await(fs::path("moved.run") /
              ("snapshot_00000" + std::to_string(std::min<std::size_t>(written, 9)) + ".h5"));
  first.send(SIGTERM);
  CHECK(first.wait() == 75);
  CHECK(contains(first.err(), "deck.run: was moved during the run"));
  CHECK(contains(first.err(), "moved.run --resume"));
  CHECK(log_of(scratch / "deck.run") == log_of(scratch / "alone.run"));
  CHECK(difference(snapshots_of("alone.run"), snapshots_of("deck.run")) == "");
  CHECK(summary_of(scratch / "deck.run")["steps"] == 40);
  CHECK(summary_of(scratch / "moved.run")["exit_code"] == 75);
}

TEST_CASE("promise: a requested final state that was not written is an error") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"generator": "plummer", "count": 1000, "seed": 3}, "gravity": {"softening": 0.05},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.0625}, "run": {"steps": 2}})");
  scratch.write("limited.sh", "ulimit -f 16; exec '" + executable() + "' run deck.json --quiet");
  int const raw =
      std::system(("cd '" + scratch.path().string() + "' && bash limited.sh 2>said").c_str());
  auto const messages = content(scratch / "said");
  CAPTURE(messages);
  CHECK(WEXITSTATUS(raw) == 74);
  CHECK(contains(messages, "apsis: warning: "));
  CHECK(contains(messages, "snapshot failed: "));
  CHECK(contains(messages, "checkpoint failed: "));
  CHECK(contains(messages, "apsis: error: deck.run: the final state was not written"));
  CHECK(summary_of(scratch / "deck.run")["exit_code"] == 74);
  // The run is not reported as finished.
  CHECK(run_apsis("run deck.json --quiet --resume-if-possible", scratch).status == 0);
  CHECK(fs::exists(scratch / "deck.run/snapshot_000000.h5"));
}

TEST_CASE("a run ended by a conservation limit commits no checkpoint of that state") {
  Scratch const scratch;
  scratch.write("deck.json", content(inputs() / "validation/pythagorean_must_fail.json"));
  CHECK(run_apsis("run deck.json --quiet --set conservation.on_violation=stop", scratch).status ==
        1);
  CHECK(summary_of(scratch / "deck.run")["stop_reason"] == "violation");
  CHECK_FALSE(fs::exists(scratch / "deck.run/checkpoint"));
}
