// SPDX-License-Identifier: Apache-2.0
#include "scenes.hpp"

#include "commands.hpp"
#include "files/record.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/check_bodies.hpp"
#include "formats/snapshot/parts.hpp"
#include <apsis/core/error.hpp>
#include <apsis/formats/snapshot.hpp>
#include <apsis/run/run_directory.hpp>

#include <algorithm>
#include <numeric>

namespace apsis::cli {

namespace {

namespace fs = std::filesystem;

/// Returns the snapshots of a run directory in order, the file itself, or the first file of a
/// snapshot with this stem.
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

/// Whether a file of this format may have several times.
bool has_times(std::string const& format) {
  auto const* const entry = formats::body_formats().find(format);
  return entry != nullptr && entry->has_times;
}

}  // namespace

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
