// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "core/program.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace apsis::cli {

namespace {

/// Escapes backslashes, minus signs, and control characters at the begin of a line, for roff.
std::string roff(std::string const& text) {
  std::string escaped;
  bool is_first = true;
  for (char const c : text) {
    if (is_first && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    is_first = c == '\n';
  }
  return escaped;
}

std::string bold(std::string const& text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(std::string const& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string title(std::string const& name, int section) {
  return ".TH " + roff(name) + " " + std::to_string(section) + " \"\" \"apsis " +
         build_info().version + "\" \"Apsis\"\n";
}

std::string name_section(std::string const& name, std::string const& doc) {
  return ".SH NAME\n" + roff(name) + " \\- " + roff(doc) + "\n";
}

std::string entry(std::string const& head, std::string const& text) {
  return ".TP\n" + head + "\n" + roff(text) + "\n";
}

std::string option_entry(Option const& option) {
  auto const form = form_of(option);
  auto head = form.is_operand ? italic(form.name) : bold(form.name);
  if (!form.is_operand && !form.value.empty()) head += " " + italic(form.value);
  auto text = option.doc;
  if (!form.range.empty()) text += "; " + form.value + " " + form.range;
  if (!form.default_text.empty()) text += " (default: " + form.default_text + ")";
  return entry(head, text);
}

struct Meaning {
  std::string word, text;
};

std::string entries(std::string const& heading, std::vector<Meaning> const& meanings) {
  std::string text = ".SH " + heading + "\n";
  for (auto const& meaning : meanings) text += entry(bold(meaning.word), meaning.text);
  return text;
}

std::string exit_statuses() {
  auto const number = [](ExitStatus status) { return std::to_string(static_cast<int>(status)); };
  return entries(
      "EXIT STATUS",
      {{number(ExitStatus::conserved), "finished within the limits of the deck"},
       {number(ExitStatus::not_conserved), "finished, but a limit was broken"},
       {number(ExitStatus::usage), "wrong usage (EX_USAGE)"},
       {number(ExitStatus::bad_input), "bad deck or input (EX_DATAERR)"},
       {number(ExitStatus::internal),
        "internal error, a limit of the system, or a state that is not finite (EX_SOFTWARE)"},
       {number(ExitStatus::input_output), "a file could not be read or written (EX_IOERR)"},
       {number(ExitStatus::stopped),
        "stopped early, with a checkpoint to resume from (EX_TEMPFAIL)"}});
}

std::string environment() {
  return entries("ENVIRONMENT",
                 {{"OMP_NUM_THREADS, KOKKOS_NUM_THREADS", "number of host threads"},
                  {"OMP_PROC_BIND", "if set, threads are not bound to processors by Apsis"},
                  {"KOKKOS_DEVICE_ID", "number of the GPU to use"},
                  {"SLURM_JOB_END_TIME", "end of the batch job, before which a run stops"},
                  {"NO_COLOR", "if not empty, messages have no colours"},
                  {"APSIS_STARTED_AS", "name of the program in messages"}});
}

std::string run_files() {
  return entries("FILES", {{"RUN/deck.resolved.json", "the deck with all defaults"},
                           {"RUN/conservation.csv", "log of the conserved quantities"},
                           {"RUN/snapshot_000000.h5", "snapshots (HDF5)"},
                           {"RUN/checkpoint", "generations of checkpoints, for --resume"},
                           {"RUN/summary.json", "result of the run"},
                           {"RUN/apsis-files.txt", "list of the files that runs wrote here"}});
}

std::string see_also(std::string const& pages) {
  return ".SH SEE ALSO\n" + pages + "\n";
}

std::string preformatted(std::string const& text) {
  return ".nf\n" + roff(text) + ".fi\n";
}

/// Page of the program: apsis(1).
std::string program_page(std::vector<Command> const& commands) {
  std::vector<Meaning> list;
  std::string pages;
  for (auto const& command : commands) {
    list.push_back({command.name, command.doc});
    pages += bold("apsis-" + command.name) + "(1),\n";
  }
  return title("APSIS", 1) +
         name_section("apsis", "gravitational N-body simulation with verified conservation laws") +
         ".SH SYNOPSIS\n" + bold("apsis") + " " + italic("COMMAND") + " [" + italic("OPTIONS") +
         "]\n.br\n" + bold("apsis --version") + "\n" + entries("COMMANDS", list) + exit_statuses() +
         environment() + see_also(pages + bold("apsis-deck") + "(5)");
}

/// Page of a command: apsis-run(1).
std::string command_page(Command const& command) {
  std::string options = ".SH OPTIONS\n";
  for (auto const& option : command.options) options += option_entry(option);
  options += entry(bold("--help"), "Print this help message and exit");
  return title("APSIS-" + command.name, 1) + name_section("apsis-" + command.name, command.doc) +
         ".SH SYNOPSIS\n" + bold("apsis") + " " + roff(synopsis_of(command)) +
         "\n.SH DESCRIPTION\n" + roff(command.doc) + ".\n" + options + exit_statuses() +
         environment() + (command.name == "run" ? run_files() : "") +
         see_also(bold("apsis") + "(1), " + bold("apsis-deck") + "(5)");
}

/// Page of the keys of a deck, from the reference of the deck: apsis-deck(5).
std::string deck_page() {
  auto const& table = deck::deck_table();
  std::string text = title("APSIS-DECK", 5) +
                     name_section("apsis-deck", "definition of a run of Apsis in JSON") +
                     ".SH DESCRIPTION\n" + preformatted(deck::deck_reference(table, {}));
  for (auto const& section : table.sections) {
    text += ".SH " + roff(section.name) + "\n" +
            preformatted(deck::deck_reference(table, {section.name}));
  }
  return text + see_also(bold("apsis") + "(1), " + bold("apsis-run") + "(1)");
}

std::string page_of(std::string const& name, std::vector<Command> const& commands) {
  if (name.empty()) return program_page(commands);
  if (name == "deck") return deck_page();
  auto const command = std::find_if(commands.begin(), commands.end(),
                                    [&](Command const& other) { return other.name == name; });
  if (command != commands.end()) return command_page(*command);
  std::vector<std::string> names{"deck"};
  for (auto const& other : commands) names.push_back(other.name);
  auto const close = nearest(name, names);
  usage_error(name, "has no manual page", "there are " + quoted_list(names),
              close.empty() ? "see " + program_command("help") : "did you mean '" + close + "'?");
}

}  // namespace

Command man_command(CommandTable const& table, std::vector<std::string> const& topics) {
  auto const name = std::make_shared<std::string>();
  return {"man",
          "Print the manual page of apsis, of a command or of the deck, in roff (for man -l)",
          {Option{"COMMAND", "A command, or 'deck'", name.get()}.optional().one_of(topics)},
          [name, table] {
            auto const commands = table();
            // A page is for every user, wherever this executable lies.
            ::setenv("APSIS_STARTED_AS", "apsis", 1);
            name_program(nullptr);
            std::cout << page_of(*name, commands);
            return ExitStatus::conserved;
          },
          true};
}

}  // namespace apsis::cli
