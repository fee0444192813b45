// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/messages.hpp"
#include "core/program.hpp"
#include "deck/text/json_text.hpp"
#include "files/json_data.hpp"
#include "formats/bodies_formats.hpp"
#include "verification/verify.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/kernel.hpp>
#include <apsis/integrators/stepping.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <optional>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct Line {
  std::string name, doc;
  std::vector<std::string> cite{};  ///< keys of the works to cite
  std::string unavailable{};        ///< reason why this executable lacks it; empty if available
  std::optional<int> order{};       ///< of an integrator: that of the energy error in dt

  std::string text() const {
    return doc + (unavailable.empty() ? "" : "; not here: " + unavailable);
  }
};

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
  for (auto const& entry : entries) {
    Line line{entry.name, entry.doc};
    if constexpr (requires { entry.cite; }) line.cite = entry.cite;
    if constexpr (requires { entry.order; }) line.order = entry.order;
    lines.push_back(std::move(line));
  }
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
    lines.push_back({kernel.name, kernel.doc, {}, kernel.unavailable});
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
       lines_of(std::vector{listed(), deck::file_model()}),
       {"bodies"}},
      {"formats", "bodies.format, convert", lines_of(formats::body_formats())},
      {"known_answers", "verify --problem", lines_of(verification::known_answers())},
      {"diagnostics", "diagnostics", lines_of(deck::diagnostic_entries()), {"diagnostics"}},
  };
}

std::string text_of(Table const& table, std::size_t width) {
  std::string text = table.name + " (" + table.place + ")\n";
  for (auto const& line : table.lines) {
    std::size_t const indent = 2 + width + 2;
    // A pipe gets one line for each entry.
    auto const columns = static_cast<std::size_t>(
        terminal_columns(STDOUT_FILENO).value_or(std::numeric_limits<int>::max()));
    auto lines = wrapped(line.text(), std::max(columns, indent + 20), indent);
    text += lines.replace(2, line.name.size(), line.name);
  }
  return text;
}

/// Returns the words of `help deck` that lead to an entry of a table.
std::vector<std::string> deck_words_of(Table const& table, Line const& line) {
  auto words = table.deck_words;
  words.push_back(line.name);
  return words;
}

std::string text_of(Table const& table, Line const& line) {
  if (table.deck_words.empty()) return line.name + " (" + table.place + "): " + line.text() + "\n";
  return deck::deck_reference(deck::deck_table(), deck_words_of(table, line));
}

/// Returns an entry as data. `with_keys`: also the schema of its keys in a deck.
files::JsonData data_of(Table const& table, Line const& line, bool with_keys) {
  files::JsonData::Object entry{
      {"name", line.name},
      {"doc", line.doc},
      {"cite", line.cite},
      {"unavailable",
       line.unavailable.empty() ? files::JsonData() : files::JsonData(line.unavailable)}};
  if (line.order) entry.push_back({"order", *line.order});
  if (with_keys && !table.deck_words.empty()) {
    entry.push_back({"schema", files::JsonText{deck::json_schema_of_part(
                                   deck::deck_table(), deck_words_of(table, line))}});
  }
  return entry;
}

/// Returns tables as data, with the text that states the same.
files::JsonData data_of(std::vector<Table> const& tables, bool with_keys, std::string const& text) {
  files::JsonData::Array list;
  for (auto const& table : tables) {
    files::JsonData::Array entries;
    for (auto const& line : table.lines) entries.push_back(data_of(table, line, with_keys));
    list.push_back(files::JsonData::Object{
        {"name", table.name}, {"place", table.place}, {"entries", std::move(entries)}});
  }
  return files::JsonData::Object{{"tables", std::move(list)}, {"text", text}};
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

/// Returns the tables with the entries of this name alone, of those that have any.
std::vector<Table> tables_with(std::vector<Table> tables, std::string const& name) {
  for (auto& table : tables) {
    std::erase_if(table.lines, [&](Line const& line) { return line.name != name; });
  }
  std::erase_if(tables, [](Table const& table) { return table.lines.empty(); });
  return tables;
}

struct Choice {
  std::vector<Table> tables;
  bool is_entry = false;  ///< one name of entries, with the keys of each
};

/// Returns what the words select: all tables, a table, or the entries of a name.
Choice chosen(std::vector<Table> const& tables, std::vector<std::string> const& words) {
  if (words.empty()) return {tables};
  if (words.size() > 2) {
    usage_error(words[2], "one word too many", "give a table and an entry", "leave it out");
  }
  auto const named = std::find_if(tables.begin(), tables.end(),
                                  [&](Table const& table) { return table.name == words[0]; });
  if (words.size() == 1 && named != tables.end()) return {{*named}};
  if (words.size() == 2 && named == tables.end()) unknown(words[0], tables, false);
  auto const searched = words.size() == 2 ? std::vector<Table>{*named} : tables;
  auto matching = tables_with(searched, words.back());
  if (matching.empty()) unknown(words.back(), searched, words.size() == 2);
  return {std::move(matching), true};
}

std::string text_of(Choice const& choice, std::size_t width, bool is_all) {
  std::string text;
  for (auto const& table : choice.tables) {
    if (!choice.is_entry) {
      text += text_of(table, width);
      continue;
    }
    for (auto const& line : table.lines) text += (text.empty() ? "" : "\n") + text_of(table, line);
  }
  if (is_all) {
    text += program_command("list generators plummer") + " prints the parameters of an entry.\n";
  }
  return text;
}

struct ListOptions {
  std::vector<std::string> words;
  bool json = false;
};

ExitStatus list(ListOptions const& options) {
  auto const tables = all_tables();
  std::size_t width = 0;
  for (auto const& table : tables) {
    for (auto const& line : table.lines) width = std::max(width, line.name.size());
  }
  auto const choice = chosen(tables, options.words);
  auto const text = text_of(choice, width, options.words.empty());
  std::cout << (options.json ? files::to_json(data_of(choice.tables, choice.is_entry, text))
                             : text);
  return ExitStatus::conserved;
}

}  // namespace

Command list_command() {
  auto const options = std::make_shared<ListOptions>();
  return {"list",
          "List solvers, integrators, initial conditions, units and other choices of a deck",
          {{"WHAT", "A table and optionally an entry, e.g. generators plummer",
            TextList{&options->words, false}},
           json_option(options->json)},
          [options] { return list(*options); },
          true};
}

}  // namespace apsis::cli
