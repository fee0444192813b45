// SPDX-License-Identifier: Apache-2.0
#include "run/directory/run_record.hpp"

#include "files/record.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/simulation/events.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <random>

namespace apsis::run {

namespace {

void exchange(SavedState& state, std::string const& name, files::LineFile::Written& written) {
  state.exchange(name + "/bytes", written.bytes);
  state.exchange(name + "/digest", written.digest);
}

/// Opens a generation. Throws an error if a file that it relies on is damaged.
Resumption open_generation(files::CheckpointStore const& store, files::Generation const& generation,
                           RunDirectory const& directory) {
  Resumption resumption{generation, {}, SavedState(store.read(generation)), {}};
  resumption.record.exchange(resumption.state);
  files::LineFile::check(directory.conservation(), resumption.record.log);
  for (std::size_t i = 0; i < resumption.record.tables.size(); ++i) {
    files::LineFile::check(directory.table(resumption.record.table_files[i]),
                           resumption.record.tables[i]);
  }
  return resumption;
}

Resumption find_newest_valid(RunDirectory const& directory) {
  files::CheckpointStore const store(directory.checkpoints());
  std::vector<std::string> remarks;
  auto const generations = store.committed(remarks);
  std::vector<Problem> damages;
  for (auto const& remark : remarks) {
    damages.push_back({directory.checkpoints().string(), remark,
                       "the generations that are whole are used all the same", ""});
  }
  auto const make_error = [&] {
    for (auto& problem : damages)
      problem.advice = "restore it, or start the run again with --force";
    return Error(ExitStatus::bad_input, std::move(damages));
  };
  if (generations.empty() && !damages.empty()) {
    for (auto& problem : damages) problem.why = "no generation is whole";
    throw make_error();
  }
  if (generations.empty()) {
    throw Error(ExitStatus::input_output,
                Problem{directory.checkpoints().string(), "holds no committed checkpoint",
                        "the run ended before it had written one", "start it again with --force"});
  }
  for (auto const& generation : generations) {
    try {
      auto resumption = open_generation(store, generation, directory);
      resumption.remarks = std::move(damages);
      return resumption;
    } catch (Error const& error) {
      if (error.status() == ExitStatus::internal) throw;  // a system limit is no damage
      auto problem = error.problems().front();
      problem.advice = "an older generation is used if there is one";
      // A damaged log affects all generations; it is reported once.
      bool const known = std::any_of(damages.begin(), damages.end(), [&](Problem const& each) {
        return each.where == problem.where;
      });
      if (!known) damages.push_back(std::move(problem));
    }
  }
  throw make_error();
}

std::optional<double> number_of(std::string const& json) {
  char* end = nullptr;
  double const value = std::strtod(json.c_str(), &end);
  return !json.empty() && *end == 0 ? std::optional(value) : std::nullopt;
}

bool is_end(deck::DeckDifference const& difference) {
  return difference.path == "run.end_time" || difference.path == "run.steps";
}

/// Whether the only change is a later end of the run.
bool is_later_end(deck::DeckDifference const& difference) {
  if (!is_end(difference)) return false;
  auto const before = number_of(difference.before), after = number_of(difference.after);
  return before && after && *after > *before;
}

void check_deck(deck::ConfiguredDeck const& deck, Resumption const& resumption, DeckChange change,
                std::filesystem::path const& directory) {
  std::vector<Problem> problems;
  auto const& run = deck.configuration;
  auto const step = resumption.record.step;
  for (auto const& difference : deck::deck_differences(resumption.record.deck, deck.resolved)) {
    if (is_end(difference) && run.steps < step) {
      bool const by_time = difference.path == "run.end_time";
      auto const reached = by_time ? run.time(step) : static_cast<double>(step);
      auto const original_end = number_of(difference.before);
      bool const further = original_end && *original_end > reached;
      problems.push_back(
          {difference.path, "is before the checkpoint",
           "the run has reached " + shortest(reached) + " and would end at " + difference.after,
           further ? "give the end that it was begun with, --set " + difference.path + "=" +
                         difference.before
                   : "give a later end, --set " + difference.path + "=..."});
      continue;
    }
    bool const safe = deck::may_change(difference.path, deck::deck_table());
    if (is_later_end(difference) || (safe && change == DeckChange::allow_safe)) continue;
    problems.push_back(
        {difference.path, "changed since the checkpoint",
         "it was " + difference.before + " and is " + difference.after,
         safe ? "give --allow-deck-change, or the deck as it was, as " + resume_command(directory) +
                    " does"
              : "give the deck as it was (this cannot change in a run), or go on with " +
                    resume_command(directory)});
  }
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
}

/// Returns size and digest of the present tables of a deck.
std::string present_tables_text(deck::ConfiguredDeck const& deck, RunDirectory const& directory) {
  RunRecord record;
  record.log = files::LineFile::scan(directory.conservation());
  for (auto const& plan : deck.configuration.diagnostics) {
    record.table_files.push_back(plan.entry->file);
    record.tables.push_back(files::LineFile::scan(directory.table(plan.entry->file)));
  }
  if (deck.configuration.events.any()) {
    record.table_files.emplace_back(simulation::event_file);
    record.tables.push_back(files::LineFile::scan(directory.table(simulation::event_file)));
  }
  return record.tables_text();
}

}  // namespace

void RunRecord::exchange(SavedState& state) {
  // The keys belong to the format of checkpoints and are older than the names of the members.
  state.exchange("run/deck", deck);
  state.exchange("run/made_by", executable);
  if (!state.restores() || state.offers("run/uuid")) {  // older checkpoints have none
    state.exchange("run/uuid", uuid);
    state.exchange("run/start", start);
  }
  bodies.exchange(state);
  state.exchange("run/step", step);
  state.exchange("run/wall_seconds", wall_seconds);
  state.exchange("run/snapshots", snapshots);
  state.exchange("run/kept_snapshots", committed_snapshots);
  run::exchange(state, "run/conservation.csv", log);
  state.exchange("run/tables", table_files);
  tables.resize(table_files.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    run::exchange(state, "run/" + table_files[i], tables[i]);
  }
}

std::string make_uuid() {
  std::random_device random;  // of the system
  std::array<std::uint32_t, 4> words{};
  for (auto& word : words) word = random();
  words[1] = (words[1] & 0xffff0fffU) | 0x00004000U;  // version 4
  words[2] = (words[2] & 0x3fffffffU) | 0x80000000U;  // variant of the RFC
  return formatted("%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16, words[1] & 0xffffU,
                   words[2] >> 16, words[2] & 0xffffU, words[3]);
}

std::string utc_now() {
  auto const now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return formatted("%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                   parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string RunRecord::tables_text() const {
  auto const text = [](std::string const& file, files::LineFile::Written const& written) {
    return file + formatted(" %llu %016llx", static_cast<unsigned long long>(written.bytes),
                            static_cast<unsigned long long>(written.digest));
  };
  std::string result = text("conservation.csv", log);
  for (std::size_t i = 0; i < tables.size(); ++i) result += ", " + text(table_files[i], tables[i]);
  return result;
}

Resumption find_resumption(deck::ConfiguredDeck const& deck, RunDirectory const& directory,
                           DeckChange change) {
  auto resumption = find_newest_valid(directory);
  check_deck(deck, resumption, change, directory.path());
  auto const& run = deck.configuration;
  // The number of bodies in a file is unknown here; those of the checkpoint count.
  APSIS_VALIDATE(run.bodies.has_file() || resumption.record.bodies.count == run.bodies.count(),
                 {"bodies", "changed since the checkpoint",
                  "there were " + std::to_string(resumption.record.bodies.count) +
                      " and the deck has " + std::to_string(run.bodies.count()),
                  "give the deck as it was"});
  APSIS_VALIDATE(resumption.record.step <= run.steps,
                 {"run", "ends before the checkpoint",
                  "it is of step " + std::to_string(resumption.record.step) + ", the deck has " +
                      std::to_string(run.steps),
                  "give a later end"});
  if (resumption.record.executable != this_executable()) {
    resumption.remarks.push_back({"checkpoint", "was written by another executable",
                                  resumption.record.executable + "; this is " + this_executable(),
                                  "the last bits may differ from those of an uninterrupted run"});
  }
  return resumption;
}

std::optional<FinishedRun> finished_run(deck::ConfiguredDeck const& deck,
                                        RunDirectory const& directory) {
  std::error_code ignored;
  for (auto const& file : {directory.summary(), directory.resolved_deck()}) {
    if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  }
  auto const summary = files::read_file(directory.summary());
  auto const exit = files::number_in(summary, "exit_code");
  auto const steps = files::number_in(summary, "steps"), time = files::number_in(summary, "time");
  if (!exit || !steps || !time) return std::nullopt;
  auto const status = *exit == 0.0   ? ExitStatus::conserved
                      : *exit == 1.0 ? ExitStatus::not_conserved
                                     : ExitStatus::stopped;
  if (status == ExitStatus::stopped) return std::nullopt;
  auto const earlier_deck = files::read_file(directory.resolved_deck());
  if (!deck::deck_differences(earlier_deck, deck.resolved).empty()) return std::nullopt;
  // A failed checkpoint of the end, and any damage since, are repaired by resuming.
  try {
    if (files::text_in(summary, "tables") != present_tables_text(deck, directory))
      return std::nullopt;
    if (deck.configuration.output.final_state && status == ExitStatus::conserved) {
      auto const last = find_newest_valid(directory);
      if (!last.remarks.empty() || static_cast<double>(last.record.step) != *steps) {
        return std::nullopt;
      }
    }
  } catch (Error const&) {
    return std::nullopt;
  }
  return FinishedRun{status, files::text_in(summary, "status").value_or(""),
                     files::text_in(summary, "problem").value_or(""),
                     static_cast<std::uint64_t>(*steps), *time};
}

}  // namespace apsis::run
