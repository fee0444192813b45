// SPDX-License-Identifier: Apache-2.0
#include "formats/bodies_formats.hpp"

#include "check_bodies.hpp"
#include "files/file.hpp"
#include "formats/snapshot/parts.hpp"
#include "nemo/nemo_items.hpp"
#include "planetary_files.hpp"
#include "sniff.hpp"
#include <apsis/core/text.hpp>
#include <apsis/formats/snapshot.hpp>

#include <algorithm>

namespace apsis::formats {

namespace {

using LostData = std::vector<std::string>;

std::string extension_of(std::filesystem::path const& path) {
  return lower_case(path.extension().string());
}

/// Writes the bytes that write(lost) returns; returns descriptions of lost data.
template <class Write>
LostData write_bytes(std::filesystem::path const& path, BodiesWriteOptions const& options,
                     Write const& write) {
  LostData lost;
  files::write_file(path, write(lost), files::ReadBack::no, options.overwrite);
  return lost;
}

LostData write_text(std::filesystem::path const& path, BodiesFile const& file,
                    BodiesWriteOptions const& options) {
  auto text = options.text;
  text.csv = text.csv || extension_of(path) == ".csv";
  return write_bytes(path, options,
                     [&](auto& lost) { return write_text_bodies(file, text, lost); });
}

LostData write_tipsy_file(std::filesystem::path const& path, BodiesFile const& file,
                          BodiesWriteOptions const& options) {
  return write_bytes(path, options, [&](auto& lost) {
    return write_tipsy(file, options.tipsy, path.string(), lost);
  });
}

LostData write_gadget_file(std::filesystem::path const& path, BodiesFile const& file,
                           BodiesWriteOptions const& options) {
  return write_bytes(path, options, [&](auto& lost) {
    return write_gadget(file, options.gadget, path.string(), lost);
  });
}

/// Units of a file as Units of a run; with an empty name if the file states no units.
Units units_of(BodiesFile const& file) {
  if (auto const* units = unit_systems().find(file.unit_system)) return *units;
  if (file.units) return custom_units(*file.units);
  auto unknown = unit_systems().get("dimensionless");
  unknown.system.clear();
  return unknown;
}

LostData write_hdf5_file(std::filesystem::path const& path, BodiesFile const& file,
                         BodiesWriteOptions const& options) {
  auto const& bodies = file.bodies;
  auto const columns_of = [](std::vector<Vec3<double>> const& vectors) {
    std::vector<double> columns;
    columns.reserve(3 * vectors.size());
    for (auto const& v : vectors) columns.push_back(v.x);
    for (auto const& v : vectors) columns.push_back(v.y);
    for (auto const& v : vectors) columns.push_back(v.z);
    return columns;
  };
  auto const position = columns_of(bodies.position), velocity = columns_of(bodies.velocity);
  SnapshotHeader header;
  header.count = bodies.size();
  header.time = file.time;
  header.units = units_of(file);
  header.title = path.stem().string();
  header.precision = "double";
  write_snapshot<double>(path, header,
                         {position,
                          velocity,
                          bodies.mass,
                          bodies.id,
                          {},
                          {},
                          bodies.species,
                          bodies.radius,
                          bodies.name},
                         options.overwrite);
  return {};
}

constexpr files::ReadLimit planetary_limit{std::uint64_t{256} << 20, "a file of planets"};

BodiesFile counted(BodiesFile file, BodiesReadOptions const& options) {
  if (options.count) options.count(file.bodies.size());
  return file;
}

/// Throws if two bodies have one name.
void check_names(HostBodies const& bodies, std::string const& source) {
  std::set<std::string> known;
  for (auto const& name : bodies.name) {
    APSIS_VALIDATE(
        name.empty() || known.insert(name).second,
        {source, "two bodies have the name '" + name + "'", "", "give each body its own name"});
  }
}

/// The format with the path's extension; null if there is none.
BodyFormat const* format_with_extension(std::filesystem::path const& path) {
  auto const extension = extension_of(path);
  for (auto const& format : body_formats()) {
    auto const& extensions = format.extensions;
    if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) {
      return &format;
    }
  }
  return nullptr;
}

BodyFormat const& format_named(std::string const& name, std::string const& source) {
  if (auto const* format = body_formats().find(name)) return *format;
  throw Error(ExitStatus::bad_input,
              Problem{source, "no format '" + name + "'", "",
                      "choose one of " + quoted_list(body_formats().names())});
}

}  // namespace

Registry<BodyFormat> const& body_formats() {
  static Registry<BodyFormat> const table{
      "format",
      {
          {"hdf5",
           "snapshots of Apsis, and those of GADGET and SWIFT without cosmology",
           {".h5", ".hdf5"},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return read_snapshot(path, options.count, options.ids);
           },
           write_hdf5_file},
          {"text",
           "one line per body: mass x y z vx vy vz, separated by blanks or commas",
           {".txt", ".dat", ".csv"},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return read_text_bodies(files::Input(path), options.count,
                                     {options.columns, options.time});
           },
           write_text,
           false,
           false,
           true,
           true},
          {"tipsy",
           "the N-Body Shop's binary format, and the CUDA sample's variant with ids",
           {".bin", ".tipsy", ".std"},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return read_tipsy(files::Input(path), options.ids ? options.tipsy_ids : TipsyIds::none,
                               options.count);
           },
           write_tipsy_file},
          {"gadget",
           "binary snapshots of GADGET-1 and GADGET-2 without cosmology, in one or several files",
           {".gadget", ".gad"},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return read_gadget(path, options.count, options.ids);
           },
           write_gadget_file},
          {"horizons",
           "vector tables of JPL Horizons, one after the other; converted to the deck's units",
           {},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return counted(read_horizons(files::read_file(path, planetary_limit), path.string()),
                            options);
           },
           nullptr,
           true,
           false,
           false,
           true},
          {"mercury",
           "big.in and small.in of mercury6, with the central body; converted to the deck's units",
           {".in"},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return counted(read_mercury(files::read_file(path, planetary_limit), path.string(),
                                         options.central_mass.value_or(1.0)),
                            options);
           },
           nullptr,
           true,
           true,
           false,
           true},
          {"nemo",
           "snapshots in NEMO's structured files, and their listings by tsf",
           {},
           [](auto const& path, BodiesReadOptions const& options) -> BodiesFile {
             return read_nemo(files::Input(path), options.count, options.time);
           },
           nullptr,
           false,
           false,
           true},
      }};
  return table;
}

std::string format_of(std::filesystem::path const& path) {
  // Files of a known kind, and texts, may have any extension.
  auto const file = first_part(path);
  auto const kind = sniff_file(file);
  if (kind && !kind->format.empty()) return kind->format;
  auto const* const named = format_with_extension(path);
  if (!kind && (named == nullptr || !named->is_text) && is_plain_text(file)) return "text";
  if (named != nullptr) return named->name;
  if (kind) throw Error(ExitStatus::bad_input, wrong_kind(path.string(), *kind));
  return format_by_extension(path);
}

std::string format_by_extension(std::filesystem::path const& path) {
  if (auto const* const named = format_with_extension(path)) return named->name;
  std::vector<std::string> known;
  for (auto const& format : body_formats()) {
    known.insert(known.end(), format.extensions.begin(), format.extensions.end());
  }
  throw Error(ExitStatus::bad_input,
              Problem{path.string(), "no format has the extension '" + extension_of(path) + "'",
                      "known: " + quoted_list(known), "name the format"});
}

BodiesFile read_bodies(std::filesystem::path const& given_path, std::string const& format,
                       BodiesReadOptions const& options) {
  auto const path = first_part(given_path);
  auto const& reader = format_named(format, path.string());
  APSIS_VALIDATE(options.columns.empty() || format == "text",
                 {path.string(), "has no named columns", "its format is " + format,
                  "leave bodies.columns out, or set the format to text"});
  APSIS_VALIDATE(!options.time || reader.has_times,
                 {path.string(), "has a single time", "its format is " + format,
                  "leave bodies.time (convert and render: --time) out"});
  APSIS_VALIDATE(!options.central_mass || reader.has_central_body,
                 {path.string(), "has no central body", "its format is " + format,
                  "leave the central mass out"});
  // Without this check, the error for a file of another kind would be about some of its bytes.
  auto const kind = sniff_file(path);
  if (kind && kind->format != format) {
    throw Error(ExitStatus::bad_input, wrong_kind(path.string(), *kind));
  }
  auto file = reader.read(path, options);
  if (!options.ids) number_anew(file);
  APSIS_VALIDATE(file.bodies.size() > 0,
                 {path.string(), "holds no bodies", "read as " + format + ", it is empty",
                  "name a file with bodies, or its format"});
  check_names(file.bodies, path.string());
  return file;
}

std::vector<std::string> write_bodies(std::filesystem::path const& path, std::string const& format,
                                      BodiesFile const& file, BodiesWriteOptions const& options) {
  auto const& writer = format_named(format, path.string());
  APSIS_VALIDATE(writer.write != nullptr,
                 {path.string(), "files of the format '" + format + "' are only read", "",
                  "write hdf5, text, tipsy or gadget"});
  return writer.write(path, file, options);
}

}  // namespace apsis::formats
