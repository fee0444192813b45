// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/input_options.hpp"
#include "files/file.hpp"
#include "files/record.hpp"
#include "formats/bodies_formats.hpp"
#include "render/caption.hpp"
#include "render/image.hpp"
#include "render/photographer.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/deck/deck.hpp>
#include <apsis/formats/snapshot.hpp>

#include <algorithm>
#include <future>
#include <iostream>
#include <numeric>
#include <set>

namespace apsis::cli {

namespace {

namespace fs = std::filesystem;

struct RenderOptions {
  std::vector<std::string> paths;
  std::vector<std::string> overrides;
  std::string output = ".";
  std::string film;
  int rate = 30;
  bool quiet = false;
  std::optional<int> threads;
  std::shared_ptr<InputOptions> reading = std::make_shared<InputOptions>();
};

render::Shot make_shot(std::vector<std::string> const& overrides) {
  deck::DeckTable const table{render::shot_parameters(), {}, deck::picture_aliases("")};
  std::vector<Problem> problems;
  auto const deck = deck::read_deck("{}", "--set", overrides, table, problems);
  if (!problems.empty()) throw Error(ExitStatus::usage, std::move(problems));
  auto shot = render::shot_of(deck.top);
  problems = render::problems_of(shot);
  for (auto& problem : problems) problem.where = "--set " + problem.where;
  if (!problems.empty()) throw Error(ExitStatus::usage, std::move(problems));
  return shot;
}

std::set<fs::path> pictures_in(fs::path const& directory, std::string const& name) {
  std::set<fs::path> pictures;
  std::error_code ignored;
  for (auto const& entry : fs::directory_iterator(directory, ignored)) {
    auto const file = entry.path().filename();
    auto const word = file.string();
    bool const is_one = word.starts_with(name) && file.extension() == ".png" &&
                        word.find_first_not_of("_0123456789", name.size()) == word.size() - 4;
    if (is_one) pictures.insert(file);
  }
  return pictures;
}

/// Reports what happened to pictures that existed before, possibly of another run.
void report_existing_pictures(fs::path const& directory, std::string const& name,
                              std::set<fs::path> const& before, std::set<fs::path> const& now) {
  std::size_t replaced = 0;
  for (auto const& file : before) replaced += now.count(file);
  auto const remaining = before.size() - replaced;
  if (before.empty()) return;
  std::cout << "note: ";
  if (replaced > 0) std::cout << replaced << " existing pictures were replaced";
  if (remaining > 0) {
    std::cout << (replaced > 0 ? "; " : "") << remaining << " older pictures named "
              << printable(name) << " remain in " << printable(directory.string());
  }
  std::cout << std::endl;
}

ExitStatus render_files(RenderOptions const& options) {
  auto const shot = make_shot(options.overrides);
  auto const files = find_files(options.paths, *options.reading);
  if (!options.film.empty()) render::expect_film(options.film);
  std::error_code code;
  fs::create_directories(options.output, code);
  if (code) {
    throw system_error(code.value(),
                       {options.output, "cannot be created", "", "name another directory"});
  }
  auto const kokkos = kokkos_session(options.threads);
  ExecutionSpace const space;
  render::Photographer photographer(shot);
  render::Lettering lettering;
  std::future<void> written;
  auto const existing = pictures_in(options.output, shot.name);
  std::set<fs::path> written_now;
  for (std::size_t k = 0; k < files.size(); ++k) {
    auto scene = read_scene(files[k], *options.reading);
    // Trails connect the positions of a body: files of other codes may change the order of bodies.
    if (shot.trail > 0) sort_by_id(scene.bodies);
    auto const& bodies = scene.bodies;
    auto too_many = render::problems_of(shot, bodies.size());
    for (auto& problem : too_many) problem.where = "--set " + problem.where;
    if (!too_many.empty()) throw Error(ExitStatus::usage, std::move(too_many));
    APSIS_VALIDATE(
        !shot.species || bodies.size() == 0 || bodies.has_species(*shot.species),
        {files[k].string(),
         "no body is of the species '" + std::string(species_types::names.at(*shot.species)) + "'",
         "the picture would show nothing",
         "give another --set species=..., or leave it out to draw all bodies"});
    auto image = photographer.take(Context(space), to_device<double>(space, bodies), bodies.species,
                                   scene.caption.time, bodies.name);
    scene.caption.camera = photographer.camera();
    scene.caption.colours = photographer.colour_range();
    scene.caption.palette = shot.palette;
    scene.caption.legend = photographer.legend();
    bool const is_single = files.size() == 1 && options.film.empty();
    auto const path = is_single ? fs::path(options.output) / (shot.name + ".png")
                                : render::picture_path(options.output, shot.name, k);
    written_now.insert(path.filename());
    if (written.valid()) written.get();
    written = std::async(std::launch::async,
                         [&, path, image = std::move(image), caption = scene.caption]() mutable {
                           if (shot.label) render::write_caption(image, lettering, caption);
                           auto const png = render::png_of(image, notes_of(caption, shot));
                           files::replace_file(path, [&](files::OutputFile& file) {
                             file.write(png);
                             file.sync();
                           });
                         });
    if (!options.quiet) std::cout << printable(path.string()) << std::endl;
  }
  if (written.valid()) written.get();
  if (!options.quiet && photographer.trail_breaks() > 0) {
    std::cout
        << "note: the last picture has no trails in " << photographer.trail_breaks() << " of "
        << photographer.trail_parts()
        << " places, where a body turns by a quarter of a revolution or more between two files; "
           "write snapshots more often, or let the run draw the pictures (output.render)"
        << std::endl;
  }
  if (!options.quiet) report_existing_pictures(options.output, shot.name, existing, written_now);
  if (!options.film.empty()) {
    render::make_film(options.output, shot.name, files.size(), options.film, options.rate);
    if (!options.quiet) std::cout << printable(options.film) << std::endl;
  }
  return ExitStatus::conserved;
}

}  // namespace

Command render_command() {
  auto const options = std::make_shared<RenderOptions>();
  std::vector<Option> table{{"PATH", "Directory of a run, or a file of bodies (repeatable)",
                             TextList{&options->paths, false}}};
  append(table,
         input_options(
             options->reading,
             {"PATH", [options = options.get()] { return find_files(options->paths); }, true}));
  append(table,
         {{"--set",
           "Setting of the picture, e.g. colour=speed or follow=density_centre (repeatable; all "
           "settings: help deck output render)",
           TextList{&options->overrides, false}, "KEY=VALUE"},
          {"--output", "Directory to write to", &options->output, "DIR"},
          {"--film", "Also make a film of the pictures with ffmpeg: FILE.mp4, .webm, .gif ...",
           &options->film, "FILE"},
          Option{"--rate", "Pictures per second in the film",
                 IntegerRange<int>{&options->rate, 1, 240}, "N"}
              .needs({"--film"}),
          {"--quiet", "Do not print the names of the pictures", &options->quiet},
          threads_option(options->threads)});
  return {"render", "Draw pictures of snapshots or other files of bodies", std::move(table),
          [options] { return render_files(*options); }};
}

}  // namespace apsis::cli
