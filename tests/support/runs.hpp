// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/signals.hpp"
#include "files/checkpoint.hpp"
#include "files/file.hpp"
#include "run/directory/run_record.hpp"
#include "support/log_line.hpp"
#include "support/scratch.hpp"
#include <apsis/run/loop.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/run/session.hpp>
#include <apsis/simulation/simulation.hpp>

#include <Kokkos_Core.hpp>

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace apsis::testing {

/// Returns a directory in memory, if there is one, because tests sync often.
inline std::filesystem::path fast_directory() {
  std::filesystem::path const memory = "/dev/shm";
  return access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

/// Raises a signal when a run evaluates its bodies for the k-th time (the first is before its first
/// step), like a signal from outside.
class SignalAtLook {
 public:
  SignalAtLook(int signal, std::uint64_t k) {
    left() = k;
    number() = signal;
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](char const* name, std::uint32_t, std::uint64_t*) {
          if (std::string(name) != "apsis::diagnostics::FiniteWatch::look") return;
          if (left() > 0 && --left() == 0) std::raise(number());
        });
  }
  ~SignalAtLook() { Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr); }

 private:
  static std::uint64_t& left() {
    static std::uint64_t looks = 0;
    return looks;
  }
  static int& number() {
    static int signal = 0;
    return signal;
  }
  Signals caught_;
};

/// Run in a directory of its own, which is removed at the end.
class RunFiles {
 public:
  explicit RunFiles(std::string const& name) : scratch_(fast_directory()), path_(scratch_ / name) {}

  /// `prepare` may add observers.
  run::Outcome start(
      std::string const& deck, std::vector<std::string> const& overrides,
      run::Controls controls = {},
      std::function<void(run::RunOutput&)> const& prepare = [](run::RunOutput&) {}) {
    auto const configured = deck::configure(deck, "deck", overrides);
    run::RunDirectory directory(path_, run::Existing::replace);
    directory.prepare();
    run::RunOutput output(configured.configuration, directory, configured.resolved);
    output.warn = [this](Problem const& problem) { warnings.push_back(problem.text()); };
    prepare(output);
    return run::simulate(configured.configuration,
                         simulation::make_bodies(configured.configuration), output,
                         std::move(controls));
  }

  run::Outcome resume(
      std::string const& deck, std::vector<std::string> const& overrides,
      run::DeckChange change = run::DeckChange::refuse,
      std::function<void(run::RunOutput&)> const& prepare = [](run::RunOutput&) {}) {
    auto const configured = deck::configure(deck, "deck", overrides);
    run::RunDirectory directory(path_, run::Existing::resume);
    directory.prepare();
    auto resumption = run::find_resumption(configured, directory, change);
    for (auto const& remark : resumption.remarks) warnings.push_back(remark.text());
    run::RunOutput output(configured.configuration, directory, configured.resolved, {},
                          &resumption.record);
    output.warn = [this](Problem const& problem) { warnings.push_back(problem.text()); };
    prepare(output);
    return run::resume(configured.configuration, std::move(resumption), output);
  }

  /// Returns the state in the newest checkpoint, block by block, without blocks that depend on the
  /// clock or are random.
  std::map<std::string, std::vector<std::byte>> state() const {
    files::CheckpointStore const store(path_ / "checkpoint");
    std::vector<std::string> remarks;
    std::map<std::string, std::vector<std::byte>> blocks;
    std::string group;
    for (auto const& block : store.read(store.committed(remarks).at(0))) {
      // The log has a column of wall time.
      bool const depends_on_clock = block.name == "run/wall_seconds" || block.name == "run/uuid" ||
                                    block.name == "run/start" ||
                                    block.name.rfind("run/conservation.csv", 0) == 0 ||
                                    block.name.rfind("guard/log", 0) == 0;
      if (!depends_on_clock) blocks[block.name + "#" + std::to_string(blocks.size())] = block.bytes;
    }
    return blocks;
  }

  /// Replaces the newest checkpoint by one with edited blocks.
  void edit_state(std::function<void(std::vector<StateBlock>&)> const& edit) const {
    files::CheckpointStore store(path_ / "checkpoint");
    std::vector<std::string> remarks;
    auto blocks = store.read(store.committed(remarks).at(0));
    edit(blocks);
    store.commit(blocks);
  }

  /// Returns a table without its column of wall time, if it has one.
  std::string table(std::string const& file) const {
    std::istringstream stream(files::read_file(path_ / file));
    std::string text;
    for (std::string line; std::getline(stream, line);) {
      bool const log = file == "conservation.csv";
      text += (log ? without_wall_seconds_field(line) : line) + "\n";
    }
    return text;
  }

  std::filesystem::path const& path() const { return path_; }
  std::vector<std::string> warnings;

 private:
  Scratch scratch_;
  std::filesystem::path path_;
};

}  // namespace apsis::testing
