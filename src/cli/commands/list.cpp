// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include <apsis/core/program.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/integrators/stepping.hpp>
#include <apsis/io/bodies_formats.hpp>
#include <apsis/verification/verify.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct Line {
  std::string name, doc;
};

/// Table of choices for the user.
struct Table {
  std::string name;
  std::string place;  ///< key or option that takes its entries
  std::vector<Line> lines;
  std::vector<std::string>
      deck_words{};  ///< words of `help deck` that lead to its entries, if they have keys
};

template <class Entries>
std::vector<Line> lines_of(Entries const& entries) {
  std::vector<Line> lines;
  for (auto const& entry : entries) lines.push_back({entry.name, entry.doc});
  return lines;
}

/// Returns the choices of the key `key` in all forms of the section.
std::vector<Line> choices_of(std::string const& section_name, std::string const& key) {
  std::vector<Line> lines;
  for (auto const& section : deck::deck_table().sections) {
    for (auto const& form : section.forms) {
      for (auto const& parameter : form.parameters) {
        if (section.name != section_name || parameter.name != key) continue;
        for (auto const& inner : parameter.forms) {
          bool const is_listed = std::any_of(lines.begin(), lines.end(), [&](Line const& line) {
            return line.name == inner.choice;
          });
          if (!is_listed) lines.push_back({inner.choice, inner.doc});
        }
      }
    }
  }
  return lines;
}

std::vector<Line> kernel_lines() {
  std::vector<Line> lines;
  for (auto const& kernel : forces::kernels()) {
    auto const missing = kernel.available() ? "" : "; not here: " + kernel.unavailable;
    lines.push_back({kernel.name, kernel.doc + missing});
  }
  return lines;
}

std::vector<Line> unit_lines() {
  std::vector<Line> lines;
  for (auto const& units : unit_systems()) lines.push_back({units.system, units.doc});
  return lines;
}

std::vector<Table> all_tables() {
  using initial_conditions::listed;
  return {
      {"solvers", "gravity.solver", lines_of(forces::solvers()), {"gravity"}},
      {"softening_kernels", "gravity.softening_kernel", lines_of(forces::softening_kernels())},
      {"precisions", "gravity.precision", lines_of(forces::precisions())},
      {"kernels", "gravity.kernel", kernel_lines()},
      {"integrators", "integrator.name", lines_of(integrators::integrators()), {"integrator"}},
      {"forces", "forces[].name", lines_of(forces::extra_forces()), {"forces"}},
      {"stepping",
       "integrator.stepping.mode",
       choices_of("integrator", "stepping"),
       {"integrator", "hermite4", "stepping"}},
      {"criteria", "integrator.stepping.criterion", lines_of(integrators::criteria())},
      {"generators", "bodies.generator", lines_of(deck::generators()), {"bodies"}},
      {"mass_functions",
       "bodies.masses.function",
       choices_of("bodies", "masses"),
       {"bodies", "plummer", "masses"}},
      {"units", "units.system", unit_lines(), {"units"}},
      {"bodies",
       "bodies, without a generator",
       {{listed().name, listed().doc}, {deck::file_model().name, deck::file_model().doc}},
       {"bodies"}},
      {"formats", "bodies.format, convert", lines_of(io::body_formats())},
      {"known_answers", "verify --problem", lines_of(verification::known_answers())},
      {"diagnostics", "diagnostics", lines_of(deck::diagnostic_entries()), {"diagnostics"}},
  };
}

void print(Table const& table, std::size_t width) {
  std::cout << table.name << " (" << table.place << ")\n";
  for (auto const& line : table.lines) {
    std::size_t const indent = 2 + width + 2;
    // A pipe gets one line for each entry.
    auto const columns = static_cast<std::size_t>(
        terminal_columns(STDOUT_FILENO).value_or(std::numeric_limits<int>::max()));
    auto lines = wrapped(line.doc, std::max(columns, indent + 20), indent);
    lines.replace(2, line.name.size(), line.name);
    std::cout << lines;
  }
}

void print_entry(Table const& table, Line const& line) {
  if (table.deck_words.empty()) {
    std::cout << line.name << " (" << table.place << "): " << line.doc << "\n";
    return;
  }
  auto words = table.deck_words;
  words.push_back(line.name);
  std::cout << deck::deck_reference(deck::deck_table(), words);
}

/// Reports a word that is neither a table nor an entry of the tables. `of_one`: the user named a
/// table, and the word is no entry of it.
[[noreturn]] void unknown(std::string const& word, std::vector<Table> const& tables, bool of_one) {
  std::vector<std::string> names, known;
  for (auto const& table : tables) {
    names.push_back(table.name);
    for (auto const& line : table.lines) known.push_back(line.name);
  }
  auto const& shown = of_one ? known : names;
  if (!of_one) known.insert(known.begin(), names.begin(), names.end());
  auto const close = nearest(word, known);
  usage_error(word, "is not in " + (of_one ? names.front() : "any table"),
              "there are " + quoted_list(shown),
              close.empty() ? "see " + program_command("list") : "did you mean '" + close + "'?");
}

ExitStatus list(std::vector<std::string> const& words) {
  auto const tables = all_tables();
  std::size_t width = 0;
  for (auto const& table : tables) {
    for (auto const& line : table.lines) width = std::max(width, line.name.size());
  }
  if (words.empty()) {
    for (auto const& table : tables) print(table, width);
    std::cout << program_command("list generators plummer")
              << " prints the parameters of an entry.\n";
    return ExitStatus::conserved;
  }
  if (words.size() > 2) {
    usage_error(words[2], "one word too many", "give a table and an entry", "leave it out");
  }
  auto const named = std::find_if(tables.begin(), tables.end(),
                                  [&](Table const& table) { return table.name == words[0]; });
  if (words.size() == 1 && named != tables.end()) {
    print(*named, width);
    return ExitStatus::conserved;
  }
  if (words.size() == 2 && named == tables.end()) unknown(words[0], tables, false);
  auto const searched = words.size() == 2 ? std::vector<Table>{*named} : tables;
  bool found_any = false;
  for (auto const& table : searched) {
    for (auto const& line : table.lines) {
      if (line.name != words.back()) continue;
      if (found_any) std::cout << "\n";
      print_entry(table, line);
      found_any = true;
    }
  }
  if (!found_any) unknown(words.back(), searched, words.size() == 2);
  return ExitStatus::conserved;
}

}  // namespace

Command list_command() {
  auto const words = std::make_shared<std::vector<std::string>>();
  return {"list",
          "List solvers, integrators, initial conditions, units and other choices of a deck",
          {{"WHAT", "A table and optionally an entry, e.g. generators plummer",
            TextList{words.get(), false}}},
          [words] { return list(*words); },
          true};
}

}  // namespace apsis::cli
