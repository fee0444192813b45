// SPDX-License-Identifier: Apache-2.0
#include "formats/bodies_formats.hpp"
#include "support/contains.hpp"
#include "support/files/gadget_file.hpp"
#include "support/files/hdf5_file.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <numeric>

namespace fs = std::filesystem;
using namespace apsis;
using testing::contains;
using testing::GadgetFile;
using testing::Hdf5File;
using testing::refusal;
using testing::Scratch;

namespace {

constexpr std::uint32_t part_total = 3;

/// Bodies of gas, halo and stars in each file. One file has none.
constexpr std::array<std::array<std::int32_t, 6>, part_total> part_counts{
    {{1, 2, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0}, {2, 1, 0, 0, 0, 0}}};

/// First id of each file.
constexpr std::array<std::uint32_t, part_total> first_ids{10, 20, 30};

std::vector<std::uint32_t> ids_of(std::uint32_t part, std::size_t first, std::int32_t count) {
  std::vector<std::uint32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), first_ids[part] + static_cast<std::uint32_t>(first));
  return ids;
}
std::vector<float> vectors_of(std::vector<std::uint32_t> const& ids, float offset) {
  std::vector<float> values;
  for (auto const id : ids) {
    for (float const axis : {0.25F, 0.5F, 0.75F}) {
      values.push_back(static_cast<float>(id) + axis + offset);
    }
  }
  return values;
}

struct PartChange {
  double time = 2.0;
  std::uint32_t gas = 3;  ///< total
  std::int32_t files = part_total;
};

void write_binary(fs::path const& path, std::uint32_t part, PartChange const& change = {}) {
  GadgetFile::Header header;
  header.counts = part_counts[part];
  header.totals = {change.gas, 3, 0, 0, 1, 0};
  header.masses = {0.5, 0.25, 0, 0, 0, 0};
  header.time = change.time;
  header.files = change.files;
  auto const& counts = part_counts[part];
  auto const ids = ids_of(part, 0, counts[0] + counts[1] + counts[4]);
  GadgetFile file(false, 1);
  file.header(header)
      .block("POS ", vectors_of(ids, 0.0F))
      .block("VEL ", vectors_of(ids, 100.0F))
      .block("ID  ", ids);
  if (counts[4] > 0) file.block<float>("MASS", {7.0F});
  file.save(path);
}

void write_hdf5(fs::path const& path, std::uint32_t part, PartChange const& change = {}) {
  auto const& counts = part_counts[part];
  Hdf5File file(path);
  file.group("Header")
      .attribute<std::int32_t>("Header", "NumPart_ThisFile", {counts.begin(), counts.end()})
      .attribute<std::uint32_t>("Header", "NumPart_Total", {change.gas, 3, 0, 0, 1, 0})
      .attribute<double>("Header", "MassTable", {0.5, 0.25, 0, 0, 0, 0})
      .attribute<double>("Header", "Time", {change.time})
      .attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {change.files});
  std::size_t first = 0;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    if (counts[type] == 0) continue;
    auto const ids = ids_of(part, first, counts[type]);
    first += ids.size();
    auto const group = "PartType" + std::to_string(type);
    hsize_t const rows = ids.size();
    file.group(group)
        .dataset(group + "/Coordinates", {rows, 3}, vectors_of(ids, 0.0F))
        .dataset(group + "/Velocities", {rows, 3}, vectors_of(ids, 100.0F))
        .dataset(group + "/ParticleIDs", {rows}, ids);
    if (type == 4) file.dataset<float>(group + "/Masses", {rows}, {7.0F});
  }
}

struct PartKind {
  char const* format;
  char const* end;  ///< of the names after the number
  void (*write)(fs::path const&, std::uint32_t, PartChange const&);
};
PartKind const part_kinds[] = {{"gadget", "", write_binary}, {"hdf5", ".hdf5", write_hdf5}};

fs::path part_of(Scratch const& folder, PartKind const& kind, std::uint32_t part) {
  return folder / ("snap_003." + std::to_string(part) + kind.end);
}
void write_parts(Scratch const& folder, PartKind const& kind) {
  for (std::uint32_t part = 0; part < part_total; ++part) {
    kind.write(part_of(folder, kind, part), part, {});
  }
}
std::string refusal_of_parts(fs::path const& path, PartKind const& kind) {
  auto const text = refusal([&] { formats::read_bodies(path, kind.format); });
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

}  // namespace

TEST_CASE("a snapshot in several files is read by the name of any of them and by their stem") {
  for (auto const& kind : part_kinds) {
    Scratch const folder;
    write_parts(folder, kind);
    std::vector<fs::path> names{folder / "snap_003"};
    for (std::uint32_t part = 0; part < part_total; ++part) {
      names.push_back(part_of(folder, kind, part));
    }
    if (*kind.end != '\0') names.push_back(folder / "snap_003.hdf5");
    for (auto const& name : names) {
      CAPTURE(name);
      CHECK(formats::format_of(name) == kind.format);
      std::uint64_t counted = 0;
      formats::BodiesReadOptions options;
      options.count = [&](std::uint64_t bodies) { counted = std::max(counted, bodies); };
      auto const read = formats::read_bodies(name, kind.format, options);
      auto const& bodies = read.bodies;
      CHECK(read.time == 2.0);
      CHECK(read.has_ids);
      CHECK(bodies.species == std::vector<std::uint8_t>{0, 0, 0, 1, 1, 1, 4});
      CHECK(bodies.id == std::vector<std::uint64_t>{10, 30, 31, 11, 12, 32, 13});
      CHECK(bodies.mass == std::vector<double>{0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 7.0});
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        auto const id = static_cast<double>(bodies.id[i]);
        CHECK(bodies.position[i] == Vec3<double>{id + 0.25, id + 0.5, id + 0.75});
        CHECK(bodies.velocity[i] == Vec3<double>{id + 100.25, id + 100.5, id + 100.75});
      }
      CHECK(read.unused == std::vector<std::string>{
                               "gas: only gravity acts on it, Apsis computes no gas dynamics"});
      if (kind.format == std::string("gadget")) CHECK(counted == 7);
    }
  }
}

TEST_CASE("a missing file of a snapshot is named") {
  for (auto const& kind : part_kinds) {
    for (std::uint32_t missing = 0; missing < part_total; ++missing) {
      Scratch const folder;
      write_parts(folder, kind);
      fs::remove(part_of(folder, kind, missing));
      auto const named_file = part_of(folder, kind, missing == 0 ? 1 : 0);
      CHECK(contains(refusal_of_parts(named_file, kind),
                     part_of(folder, kind, missing).string() +
                         ": is missing (it is one of 3 files of a snapshot, as " +
                         named_file.filename().string() + " says)"));
    }
    Scratch const folder;
    auto const wrong = folder / ("snapshot" + std::string(kind.end));
    kind.write(wrong, 0, {});
    CHECK(contains(refusal_of_parts(wrong, kind), "snapshot" + std::string(kind.end) +
                                                      ": is one of 3 files of a snapshot (its name "
                                                      "has no number"));
    auto const beyond = folder / ("snapshot.3" + std::string(kind.end));
    kind.write(beyond, 0, {});
    CHECK(contains(refusal_of_parts(beyond, kind), "its name has the number 3); number the names"));
  }
}

TEST_CASE("files of several snapshots and wrong totals are refused by name") {
  for (auto const& kind : part_kinds) {
    Scratch const folder;
    auto const refusal_with = [&](PartChange const& change) {
      write_parts(folder, kind);
      kind.write(part_of(folder, kind, 2), 2, change);
      return refusal_of_parts(part_of(folder, kind, 0), kind);
    };
    auto const last = part_of(folder, kind, 2).string();
    auto const first = part_of(folder, kind, 0).string();
    CHECK(contains(refusal_with({2.5, 3, part_total}),
                   last + ": is of another snapshot (its Time is 2.5, that of " + first + " 2)"));
    CHECK(contains(refusal_with({2.0, 4, part_total}),
                   last + ": is of another snapshot (its total counts or its types"));
    CHECK(contains(refusal_with({2.0, 3, 4}),
                   last + ": is of another snapshot (it counts 4 files, " + first + " 3)"));
    for (std::uint32_t const gas : {2U, 4U}) {
      for (std::uint32_t part = 0; part < part_total; ++part) {
        kind.write(part_of(folder, kind, part), part, {2.0, gas, part_total});
      }
      auto const text = refusal_of_parts(part_of(folder, kind, 1), kind);
      CHECK(contains(text, gas == 2 ? last + ": has too many bodies (with it the files have 3 of "
                                             "type 0, the header counts 2)"
                                    : ": counts its bodies in two ways (the 3 files have 3 of type "
                                      "0, the header counts 4)"));
    }
  }
}
