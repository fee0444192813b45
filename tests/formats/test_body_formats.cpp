// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "support/contains.hpp"
#include "support/files/gadget_file.hpp"
#include "support/foreign_snapshot.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace apsis;
using testing::contains;
using testing::refusal;
using testing::Scratch;

TEST_CASE("formats: the extension selects the format, ignoring case") {
  std::set<std::string> names, extensions;
  for (auto const& format : formats::body_formats()) {
    CHECK(names.insert(format.name).second);
    CHECK_FALSE(format.doc.empty());
    for (auto const& extension : format.extensions) {
      CHECK(extensions.insert(extension).second);
      CHECK(formats::format_of("some.where/a" + extension) == format.name);
    }
  }
  CHECK(formats::format_of("galaxy_20K.BIN") == "tipsy");
  CHECK(formats::format_of("b.std") == "tipsy");
  CHECK(formats::format_of("b.csv") == "text");
  CHECK(contains(refusal([] { formats::format_of("bodies.xls"); }),
                 "bodies.xls: no format has the extension '.xls' (known: '.h5', '.hdf5', '.txt'"));
  CHECK(contains(refusal([] { formats::format_of("bodies"); }), "name the format"));
  CHECK(contains(refusal([] { formats::read_bodies("a.txt", "texte"); }),
                 "a.txt: no format 'texte'; choose one of 'hdf5', 'text'"));
  CHECK(
      contains(refusal([] { formats::write_bodies("a.txt", "texte", {}); }), "no format 'texte'"));
}

TEST_CASE("formats: every format reads its own files back") {
  formats::BodiesFile file{.bodies = HostBodies(2), .time = 0.0, .has_ids = true};
  file.bodies.mass = {1.0, 0.5};
  file.bodies.position[1] = {1.0, -2.0, 0.25};
  file.bodies.velocity[0] = {0.0, 8.0, -1.0};
  file.bodies.id = {5, 3};
  formats::BodiesWriteOptions options;
  options.tipsy.integer_ids = true;
  options.text.ids = true;
  Scratch const folder;
  for (auto const& format : formats::body_formats()) {
    if (format.write == nullptr) continue;
    for (auto const& extension : format.extensions) {
      CAPTURE(extension);
      auto const path = folder / ("bodies" + extension);
      CHECK(formats::write_bodies(path, format.name, file, options).empty());
      auto const again = formats::read_bodies(path, format.name);
      CHECK(again.bodies.mass == file.bodies.mass);
      CHECK(again.bodies.position == file.bodies.position);
      CHECK(again.bodies.velocity == file.bodies.velocity);
      CHECK(again.bodies.id == file.bodies.id);
    }
  }
  // The extension .csv implies commas, and errors name the file.
  CHECK(contains(files::read_file(folder / "bodies.csv"), "id,mass,x"));
  CHECK(contains(files::read_file(folder / "bodies.txt"), "# id mass x"));
  CHECK(formats::write_bodies(folder / "bodies.std", "tipsy", file) ==
        std::vector<std::string>{"ids are left out"});
  auto const wrong = (folder / "bodies.txt").string();
  CHECK(contains(refusal([&] { formats::read_bodies(wrong, "tipsy"); }),
                 wrong + ": no tipsy header"));
  auto const tipsy = (folder / "bodies.std").string();
  CHECK(contains(refusal([&] { formats::read_bodies(tipsy, "text"); }),
                 tipsy + ": binary file, looks like tipsy"));
  CHECK_FALSE(
      formats::read_bodies(folder / "bodies.bin", "tipsy", {formats::TipsyIds::none, {}}).has_ids);
}

TEST_CASE("formats: the number of bodies is reported before they are read") {
  formats::BodiesFile const file{.bodies = HostBodies(3), .time = 0.0, .has_ids = false};
  Scratch const folder;
  for (auto const& format : formats::body_formats()) {
    CAPTURE(format.name);
    if (format.write == nullptr) continue;
    auto const path = folder / ("bodies" + format.extensions.front());
    formats::write_bodies(path, format.name, file);
    formats::BodiesReadOptions options;
    // In text files the number is known only at the end.
    std::uint64_t const reported = format.name == "text" ? 0 : 3;
    options.count = [&](std::uint64_t bodies) {
      APSIS_VALIDATE(bodies != reported, {"deck", "too many"});
    };
    CHECK(contains(refusal([&] { formats::read_bodies(path, format.name, options); }), "too many"));
    formats::write_bodies(path, format.name, {HostBodies(0), 0.0, false, {}});
    CHECK(contains(refusal([&] { formats::read_bodies(path, format.name); }), "holds no bodies"));
  }
  CHECK(contains(refusal([] { formats::check_memory(1000, 2.0, "a.bin", 129999); }),
                 "a.bin: does not fit in memory (1000 bodies need 0.000121 GiB to be read"));
  formats::check_memory(1000, 2.0, "a.bin", 130000);
}

TEST_CASE("formats: units are preserved between formats, and none are invented") {
  Scratch const folder;
  formats::BodiesFile file{.bodies = HostBodies(2), .time = 0.0, .has_ids = false};
  file.units = unit_systems().get("solar").si;
  file.unit_system = "solar";
  for (auto const* name : {"bodies.h5", "bodies.txt", "bodies.csv"}) {
    auto const path = folder / name;
    CHECK(formats::write_bodies(path, formats::format_of(path), file).empty());
    auto const again = formats::read_bodies(path, formats::format_of(path));
    CHECK(again.unit_system == "solar");
    REQUIRE(again.units);
    CHECK(again.units->length == file.units->length);
    file = again;
    file.has_ids = false;
  }
  formats::write_bodies(folder / "bodies.h5", "hdf5", {HostBodies(2), 0.0, false, {}});
  auto const none = formats::read_bodies(folder / "bodies.h5", "hdf5");
  CHECK(none.unit_system.empty());
  CHECK_FALSE(none.units.has_value());
}

TEST_CASE("formats: ids that repeat are refused unless the ids of the file are ignored") {
  Scratch const folder;
  testing::GadgetFile::Header header;
  header.counts = {0, 2, 0, 0, 0, 0};
  header.masses[1] = 0.125;
  testing::GadgetFile(false, 2)
      .header(header)
      .block<float>("POS ", {1, 2, 3, 4, 5, 6})
      .block<float>("VEL ", {6, 5, 4, 3, 2, 1})
      .block<std::uint32_t>("ID  ", {9, 9})
      .save(folder / "a.gadget");
  {
    testing::Hdf5File file(folder / "a.h5");
    testing::write_gadget(file);
    file.dataset<std::uint32_t>("PartType1/ParticleIDs", {2}, {7, 7});
  }
  formats::BodiesFile bodies{.bodies = HostBodies(2), .time = 0.0, .has_ids = true};
  bodies.bodies.id = {5, 4};
  formats::BodiesWriteOptions write;
  write.tipsy.integer_ids = write.text.ids = true;
  formats::write_bodies(folder / "a.txt", "text", bodies, write);
  formats::write_bodies(folder / "a.std", "tipsy", bodies, write);
  formats::BodiesReadOptions ignoring;
  ignoring.ids = false;
  for (auto const* name : {"a.gadget", "a.h5", "a.txt", "a.std"}) {
    CAPTURE(name);
    auto const path = folder / name;
    auto const format = formats::format_of(path);
    auto const file = formats::read_bodies(path, format, ignoring);
    CHECK_FALSE(file.has_ids);
    for (std::size_t i = 0; i < file.bodies.size(); ++i) CHECK(file.bodies.id[i] == i);
    if (format == "gadget" || format == "hdf5") {
      CHECK(contains(refusal([&] { formats::read_bodies(path, format); }),
                     "or set bodies.ids to false (convert: --ignore-ids)"));
    }
  }
}
