// SPDX-License-Identifier: Apache-2.0
#include "input_options.hpp"

#include "commands.hpp"
#include "files/record.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/check_bodies.hpp"
#include "formats/snapshot/parts.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/formats/snapshot.hpp>
#include <apsis/run/run_directory.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace apsis::cli {

namespace {

formats::TipsyIds parse_tipsy_ids(std::string const& word) {
  if (word == "automatic") return formats::TipsyIds::automatic;
  if (word == "integers") return formats::TipsyIds::integers;
  if (word == "none") return formats::TipsyIds::none;
  usage_error("--tipsy-ids " + word, "unknown", "", "use automatic, integers or none");
}

std::vector<std::string> formats_with_times() {
  std::vector<std::string> names;
  for (auto const& format : formats::body_formats()) {
    if (format.has_times) names.push_back(format.name);
  }
  return names;
}

namespace fs = std::filesystem;

/// Returns the snapshots of a run directory, the file, or the first part of a snapshot.
std::vector<fs::path> find_files_in(fs::path const& requested) {
  run::restore_run(requested);
  auto const path = formats::first_part(requested);
  std::error_code code;
  if (!fs::exists(path, code)) {
    throw system_error(code.value(), {path.string(), "does not exist", "",
                                      "name a run's directory, or files of bodies"});
  }
  if (!fs::is_directory(path, code)) return {path};
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(path, code)) {
    auto const name = entry.path().filename().string();
    bool const snapshot = name.starts_with("snapshot_") && name.ends_with(".h5");
    if (snapshot) files.push_back(entry.path());
  }
  if (code) {
    throw system_error(code.value(),
                       {path.string(), "cannot be read", "", "check its permissions"});
  }
  if (files.empty()) {
    throw Error(ExitStatus::bad_input,
                Problem{path.string(), "holds no snapshots", "there is no snapshot_NNNNNN.h5",
                        "name a run's directory, or files of bodies"});
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool has_times(std::string const& format) {
  auto const* const entry = formats::body_formats().find(format);
  return entry != nullptr && entry->has_times;
}

}  // namespace

std::string known_format(std::string const& option, std::string const& name) {
  if (formats::body_formats().find(name) != nullptr) return name;
  usage_error(option + " " + name, "unknown format", "",
              "choose one of " + quoted_list(formats::body_formats().names()));
}

std::string InputOptions::format_of(std::filesystem::path const& path) const {
  return format.empty() ? formats::format_of(path) : known_format("--from", format);
}

formats::BodiesReadOptions InputOptions::reading() const {
  return {parse_tipsy_ids(tipsy_ids), {}, columns, central_mass, time, !ignore_ids};
}

Option for_formats(Option option, std::function<std::vector<std::string>()> const& actual,
                   std::vector<std::string> const& formats) {
  return std::move(option).has_effect_if([actual, formats]() -> std::optional<Problem> {
    for (auto const& format : actual()) {
      if (std::find(formats.begin(), formats.end(), format) != formats.end()) continue;
      std::string names;
      for (auto const& name : formats) names += (names.empty() ? "" : " and ") + name;
      return Problem{"", "is for " + names, "the file is " + format, "leave it out"};
    }
    return {};
  });
}

std::vector<Option> input_options(std::shared_ptr<InputOptions> const& options,
                                  InputFiles const& files) {
  auto* const input = options.get();
  auto const& name = files.operand;
  auto const formats_of = [input, list = files.list] {
    std::vector<std::string> formats;
    for (auto const& file : list()) formats.push_back(input->format_of(file));
    return formats;
  };
  // --time chooses some of several files with one time each.
  auto const formats_with_time = [formats_of] {
    auto formats = formats_of();
    if (formats.size() > 1) formats.clear();
    return formats;
  };
  return {
      {"--from",
       "Format of " + name +
           ": text, tipsy, hdf5, gadget, horizons, mercury or nemo (default: from its content, "
           "else its extension)",
       &input->format, "FORMAT"},
      for_formats(
          {"--columns", "Names of the columns of a text " + name + ", in order; '-' skips a column",
           &input->columns, "NAMES"},
          formats_of, {"text"}),
      for_formats({"--time",
                   files.has_several ? "Time to choose from a " + name +
                                           " with several times, or from several snapshots or files"
                                     : "Time to choose from an " + name + " with several times",
                   &input->time, "T"},
                  formats_with_time, formats_with_times()),
      for_formats(
          {"--tipsy-ids",
           "Ids in the potential field of a tipsy " + name + ": automatic, integers or none",
           &input->tipsy_ids, "WORD"},
          formats_of, {"tipsy"}),
      {"--ignore-ids", "Number the bodies anew, for files whose ids repeat", &input->ignore_ids},
      for_formats({"--central-mass",
                   "Mass of the central body of a mercury " + name + " [Msun] (default: 1)",
                   &input->central_mass, "MASS"},
                  formats_of, {"mercury"})};
}

std::vector<fs::path> find_files(std::vector<std::string> const& paths) {
  if (paths.empty()) {
    usage_error("PATH", "is missing", "", "name a run's directory, or files of bodies");
  }
  std::vector<fs::path> files;
  for (auto const& path : paths) {
    auto const more = find_files_in(path);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

Scene read_scene(fs::path const& file, InputOptions const& input) {
  Scene scene;
  auto& caption = scene.caption;
  std::string system;
  std::optional<Units::Si> si;
  auto const format = input.format_of(file);
  if (format == "hdf5") {
    auto snapshot = formats::read_snapshot(file, {}, !input.ignore_ids);
    caption.time = snapshot.time;
    caption.step = snapshot.step;
    caption.deck = std::move(snapshot.deck);
    caption.title = files::text_in(caption.deck, "title").value_or("");
    system = snapshot.unit_system;
    si = snapshot.units;
    scene.bodies = std::move(snapshot.bodies);
  } else {
    auto reading = input.reading();
    if (!has_times(format)) reading.time.reset();  // chosen among the files
    auto read = formats::read_bodies(file, format, reading);
    caption.time = read.time;
    system = read.unit_system;
    si = read.units;
    scene.bodies = std::move(read.bodies);
  }
  auto const* known_units = unit_systems().find(system);
  if (known_units != nullptr) caption.units = *known_units;
  if (known_units == nullptr && si) caption.units = custom_units(*si);
  caption.bodies = scene.bodies.size();
  return scene;
}

std::vector<fs::path> find_files(std::vector<std::string> const& paths, InputOptions const& input) {
  auto files = find_files(paths);
  if (!input.time || files.size() == 1) return files;
  formats::TimeChoice choice(input.time);
  std::vector<fs::path> chosen;
  bool is_choice = false;
  for (auto& file : files) {
    bool const is_series = has_times(input.format_of(file));
    is_choice |= !is_series;
    if (is_series || choice.accepts(read_scene(file, input).caption.time)) {
      chosen.push_back(std::move(file));
    }
  }
  auto const problem = choice.problem(paths.size() == 1 ? paths.front() : "PATH");
  if (is_choice && problem) throw Error(ExitStatus::bad_input, *problem);
  return chosen;
}

void sort_by_id(HostBodies& bodies) {
  if (std::is_sorted(bodies.id.begin(), bodies.id.end())) return;
  std::vector<std::size_t> order(bodies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return bodies.id[a] < bodies.id[b]; });
  auto const sort = [&](auto& column) {
    if (column.empty()) return;
    auto const unsorted = column;
    for (std::size_t i = 0; i < order.size(); ++i) column[i] = unsorted[order[i]];
  };
  sort(bodies.mass);
  sort(bodies.position);
  sort(bodies.velocity);
  sort(bodies.id);
  sort(bodies.species);
  sort(bodies.radius);
  sort(bodies.name);
}

}  // namespace apsis::cli
