// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "hdf5_write.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/formats/snapshot.hpp>

#include <cstring>
#include <numeric>

namespace apsis::formats::hdf5 {

namespace {

constexpr double gigayear = 1e9 * constants::julian_year;  // [s]

/// part(count) for the count of each type.
template <class T, class Part>
std::array<T, particle_types> apply_to_counts(TypeCounts const& counts, Part const& part) {
  std::array<T, particle_types> values{};
  for (std::size_t type = 0; type < particle_types; ++type) {
    values[type] = static_cast<T>(part(counts[type]));
  }
  return values;
}

void write_header(hid_t file, SnapshotHeader const& snapshot, TypeCounts const& counts) {
  Handle const header = group(file, "Header");
  auto const whole = [](std::uint64_t count) { return count; };
  auto const low = [](std::uint64_t count) { return count & 0xffffffffU; };
  auto const high = [](std::uint64_t count) { return count >> 32; };
  array(header, "NumPart_ThisFile", apply_to_counts<std::int64_t>(counts, whole));
  array(header, "NumPart_Total", apply_to_counts<std::uint32_t>(counts, low));
  array(header, "NumPart_Total_HighWord", apply_to_counts<std::uint32_t>(counts, high));
  array(header, "TotalNumberOfParticles", apply_to_counts<std::int64_t>(counts, whole));
  array(header, "MassTable", std::array<double, particle_types>{});
  scalar(header, "Time", snapshot.time);
  // Readers interpret 0 as space without boundaries and determine the extent of the bodies.
  scalar(header, "BoxSize", 0.0);
  scalar(header, "Dimension", 3);
  scalar(header, "Redshift", 0.0);
  scalar(header, "Scale-factor", 1.0);
  scalar(header, "Omega0", 0.0);
  scalar(header, "OmegaLambda", 0.0);
  scalar(header, "HubbleParam", 1.0);
  scalar(header, "NumFilesPerSnapshot", 1);
  scalar(header, "ThisFile", 0);
  for (auto const* flag : {"Flag_Sfr", "Flag_Cooling", "Flag_Feedback", "Flag_StellarAge",
                           "Flag_Metals", "Flag_Entropy_ICs"}) {
    scalar(header, flag, 0);
  }
  scalar(header, "Flag_DoublePrecision", snapshot.precision == "single" ? 0 : 1);
  string(header, "Code", "Apsis");
  string(header, "RunName", snapshot.title);
  string(header, "OutputType", "FullVolume");
}

void write_units(hid_t file, Units const& units) {
  Cgs const cgs(units);
  for (auto const* name : {"Units", "InternalCodeUnits"}) {
    Handle const where = group(file, name);
    number(where, "Unit mass in cgs (U_M)", cgs.mass);
    number(where, "Unit length in cgs (U_L)", cgs.length);
    number(where, "Unit time in cgs (U_t)", cgs.time);
    number(where, "Unit current in cgs (U_I)", 1.0);
    number(where, "Unit temperature in cgs (U_T)", 1.0);
    scalar(where, "UnitMass_in_g", cgs.mass);
    scalar(where, "UnitLength_in_cm", cgs.length);
    scalar(where, "UnitTime_in_s", cgs.time);
    scalar(where, "UnitVelocity_in_cm_per_s", cgs.value(dimension::velocity));
  }
}

void write_parameters(hid_t file, SnapshotHeader const& snapshot) {
  Cgs const cgs(snapshot.units);
  Handle const parameters = group(file, "Parameters");
  scalar(parameters, "UnitMass_in_g", cgs.mass);
  scalar(parameters, "UnitLength_in_cm", cgs.length);
  scalar(parameters, "UnitVelocity_in_cm_per_s", cgs.value(dimension::velocity));
  scalar(parameters, "GravityConstantInternal", snapshot.units.G);
  scalar(parameters, "ComovingIntegrationOn", 0);
  // Without this value pynbody computes the age of the Universe from the redshift.
  scalar(parameters, "Time_GYR", snapshot.time * cgs.time / gigayear);

  Handle const cosmology = group(file, "Cosmology");
  array(cosmology, "Cosmological run", std::array<int, 1>{0});
}

/// Writes what SWIFT's readers know of the code and of its gravity.
void write_code(hid_t file, SnapshotHeader const& snapshot) {
  auto const build = build_info();
  Handle const code = group(file, "Code");
  string(code, "Code", "Apsis");
  string(code, "Code Version", build.version);
  string(code, "Git Revision", build.git);
  if (!snapshot.gravity) return;
  auto const& gravity = *snapshot.gravity;
  Handle const scheme = group(file, "GravityScheme");
  string(scheme, "Solver", gravity.solver);
  string(scheme, "Softening scheme", gravity.softening_kernel);
  array(scheme, "Softening lengths by particle type [internal units]", gravity.softening);
  if (gravity.accuracy) {
    scalar(scheme, "Relative accuracy of accelerations (99th percentile)", *gravity.accuracy);
  }
}

void write_run(hid_t file, SnapshotHeader const& snapshot) {
  auto const build = build_info();
  Handle const run = group(file, "Apsis");
  scalar(run, "Format", 1);
  scalar(run, "Step", snapshot.step);
  scalar(run, "TimeStep", snapshot.time_step);
  string(run, "UnitSystem", snapshot.units.system);
  scalar(run, "UnitsAreKnown", snapshot.units.si ? 1 : 0);  // if 0, the cgs units are meaningless
  scalar(run, "G", snapshot.units.G);
  string(run, "Precision", snapshot.precision);
  string(run, "Version", build.version);
  string(run, "Git", build.git);
  string(run, "Backend", snapshot.backend);
  string(run, "Device", snapshot.device);
  string(run, "Kokkos", build.kokkos);
  string(run, "Compiler", build.compiler);
  string(run, "HDF5", hdf5_version());

  text_dataset(run, "Deck", snapshot.deck, snapshot.compression);
}

/// Writes all metadata to a new file: header, units, parameters and origin.
void write_metadata(hid_t file, SnapshotHeader const& snapshot, TypeCounts const& counts) {
  write_header(file, snapshot, counts);
  write_units(file, snapshot.units);
  write_parameters(file, snapshot);
  write_code(file, snapshot);
  write_run(file, snapshot);
}

/// One property of the bodies, with its description for readers.
struct Field {
  char const* name;
  Dimension dimension;
  char const* expression;  ///< expression of its unit, for the tools of SWIFT
  char const* symbol;      ///< expression of its unit, for the tools of OWLS and pynbody
  char const* doc;
};

constexpr Dimension acceleration_dimension{0, 1, -2};
constexpr Dimension potential_dimension{0, 2, -2};

/// Writes the unit attributes of SWIFT, GADGET-4 and OWLS. Readers use one or the other.
void describe(hid_t dataset, Field const& field, Cgs const& cgs) {
  auto const& power = field.dimension;
  double const factor = cgs.value(power);
  number(dataset, "U_M exponent", power.mass);
  number(dataset, "U_L exponent", power.length);
  number(dataset, "U_t exponent", power.time);
  number(dataset, "U_I exponent", 0.0);
  number(dataset, "U_T exponent", 0.0);
  number(dataset, "a-scale exponent", 0.0);
  number(dataset, "h-scale exponent", 0.0);
  string(dataset, "Expression for physical CGS units", field.expression);
  number(dataset, "Conversion factor to CGS (not including cosmological corrections)", factor);
  number(dataset, "Conversion factor to physical CGS (including cosmological corrections)", factor);
  string(dataset, "Description", field.doc);

  scalar(dataset, "to_cgs", factor);
  scalar(dataset, "a_scaling", 0.0);
  scalar(dataset, "h_scaling", 0.0);
  scalar(dataset, "length_scaling", static_cast<double>(power.length + power.time));
  scalar(dataset, "mass_scaling", static_cast<double>(power.mass));
  scalar(dataset, "velocity_scaling", static_cast<double>(-power.time));

  string(dataset, "VarDescription", field.symbol);
  scalar(dataset, "CGSConversionFactor", factor);
  scalar(dataset, "aexp-scale-exponent", 0.0);
}

/// The bodies grouped by type.
struct ByType {
  TypeCounts counts{};
  /// Row in memory of each written body; empty if the bodies in memory are ordered by type.
  std::vector<std::uint64_t> order{};

  ByType(std::span<std::uint8_t const> species, std::uint64_t count) {
    if (species.empty()) {
      counts[species_types::dark] = count;
      return;
    }
    APSIS_EXPECT(species.size() == count, "each body of a snapshot has a species");
    for (auto const type : species) ++counts.at(type);
    if (std::is_sorted(species.begin(), species.end())) return;
    TypeCounts next{};
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
    order.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) order[next[species[i]]++] = i;
  }
};

/// A range of the bodies, in the order in which they are written.
struct Rows {
  std::span<std::uint64_t const> order;  ///< rows in memory; empty if consecutive from `first`
  hsize_t first, count;

  hsize_t row(hsize_t i) const { return order.empty() ? first + i : order[i]; }
};

/// Writes `width` numbers of each body, block by block. Each component is a column in memory.
template <class T>
void write_rows(hid_t where, Field const& field, std::span<T const> columns, Rows const& which,
                hsize_t width, int compression, Cgs const& cgs) {
  hsize_t const rows = which.count, column_length = columns.size() / width;
  int const rank = width == 1 ? 1 : 2;
  std::array<hsize_t, 2> const extents{rows, width};
  Handle space(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose);
  Handle const properties = storage(rows, width, compression);
  Handle dataset(
      H5Dcreate2(where, field.name, native<T>(), space, H5P_DEFAULT, properties, H5P_DEFAULT),
      H5Dclose);
  describe(dataset, field, cgs);
  bool const is_contiguous = width == 1 && which.order.empty();
  std::vector<T> buffer(is_contiguous ? 0 : std::min(rows, block) * width);
  for (hsize_t first = 0; first < rows; first += block) {
    hsize_t const count = std::min(block, rows - first);
    T const* values = columns.data() + which.first + first;
    if (!is_contiguous) {
      for (hsize_t i = 0; i < count; ++i) {
        auto const row = which.row(first + i);
        for (hsize_t k = 0; k < width; ++k)
          buffer[i * width + k] = columns[k * column_length + row];
      }
      values = buffer.data();
    }
    std::array<hsize_t, 2> const start{first, 0}, extent{count, width};
    Handle const memory(H5Screate_simple(rank, extent.data(), nullptr), H5Sclose);
    checked(
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr));
    checked(H5Dwrite(dataset, native<T>(), memory, space, H5P_DEFAULT, values));
  }
  dataset.close();
}

/// Writes the names of bodies: a line with id and name for each body that has one.
template <class Real>
void write_names(hid_t file, SnapshotHeader const& header, SnapshotColumns<Real> const& columns) {
  std::string lines;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    if (columns.names[i].empty()) continue;
    lines += std::to_string(columns.id[i]) + " " + columns.names[i] + "\n";
  }
  if (lines.empty()) return;
  Handle const run(H5Gopen2(file, "Apsis", H5P_DEFAULT), H5Gclose);
  text_dataset(run, "Names", lines, header.compression);
}

template <class Real>
void write_type(hid_t file, std::string const& type, SnapshotHeader const& header,
                SnapshotColumns<Real> const& columns, Rows const& which) {
  auto const rows = which.count;
  Cgs const cgs(header.units);
  Handle const bodies = group(file, type.c_str());
  std::int64_t const fields = 4 + (columns.acceleration.empty() ? 0 : 2) +
                              (columns.potential.empty() ? 0 : 2) +
                              (columns.radius.empty() ? 0 : 1);
  array(bodies, "NumberOfFields", std::array<std::int64_t, 1>{fields});
  array(bodies, "NumberOfParticles", std::array<std::int64_t, 1>{static_cast<std::int64_t>(rows)});

  auto const write = [&](Field const& field, auto const& column, hsize_t width) {
    write_rows(bodies, field, column, which, width, header.compression, cgs);
  };
  // The name of the dataset in SWIFT.
  auto const add_alias = [&](char const* name, char const* plural) {
    checked(H5Lcreate_hard(bodies, name, bodies, plural, H5P_DEFAULT, H5P_DEFAULT));
  };
  write({"Coordinates", dimension::length, "a^0 U_L  [ cm ]", "U_L ", "Positions"},
        columns.position, 3);
  write({"Velocities", dimension::velocity, "a^0 U_L U_t^-1  [ cm s^-1 ]", "U_V ",
         "Velocities, dx/dt"},
        columns.velocity, 3);
  write({"Masses", dimension::mass, "a^0 U_M  [ g ]", "U_M ", "Masses"}, columns.mass, 1);
  write({"ParticleIDs", dimension::none, "[ - ]", "None", "Unique ids"}, columns.id, 1);
  if (!columns.radius.empty()) {
    write({"Radius", dimension::length, "a^0 U_L  [ cm ]", "U_L ", "Radii of bodies that collide"},
          columns.radius, 1);
  }
  if (!columns.acceleration.empty()) {
    write({"Acceleration", acceleration_dimension, "a^0 U_L U_t^-2  [ cm s^-2 ]", "U_V^2 /U_L ",
           "Accelerations by gravity, softened"},
          columns.acceleration, 3);
    add_alias("Acceleration", "Accelerations");
  }
  if (!columns.potential.empty()) {
    write({"Potential", potential_dimension, "a^0 U_L^2 U_t^-2  [ cm^2 s^-2 ]", "U_V^2 ",
           "Specific potentials, softened"},
          columns.potential, 1);
    add_alias("Potential", "Potentials");
  }
}

template <class Real>
void write_bodies(hid_t file, SnapshotHeader const& header, SnapshotColumns<Real> const& columns,
                  ByType const& by_type) {
  auto const count = header.count;
  bool const complete =
      columns.position.size() == 3 * count && columns.velocity.size() == 3 * count &&
      columns.mass.size() == count && columns.id.size() == count &&
      (columns.acceleration.empty() || columns.acceleration.size() == 3 * count) &&
      (columns.potential.empty() || columns.potential.size() == count) &&
      (columns.radius.empty() || columns.radius.size() == count) &&
      (columns.names.empty() || columns.names.size() == count);
  APSIS_EXPECT(complete, "a column of a snapshot is too short or too long");
  std::span<std::uint64_t const> const order(by_type.order);
  std::uint64_t first = 0;
  for (std::size_t type = 0; type < particle_types; ++type) {
    auto const of_type = by_type.counts[type];
    // A file without bodies still contains one type.
    if (of_type == 0 && !(count == 0 && type == species_types::dark)) continue;
    write_type(file, "PartType" + std::to_string(type), header, columns,
               {order.empty() ? order : order.subspan(first, of_type), first, of_type});
    first += of_type;
  }
  if (order.empty()) return;
  Handle const run(H5Gopen2(file, "Apsis", H5P_DEFAULT), H5Gclose);
  write_rows(run, {"Rows", dimension::none, "[ - ]", "None", "Where in the run each body is"},
             order, {{}, 0, count}, 1, header.compression, Cgs(header.units));
}

/// Writes the whole file. Closes all objects of the library before it returns.
template <class Real>
void write_all(std::shared_ptr<Output> const& output, SnapshotHeader const& header,
               SnapshotColumns<Real> const& columns) {
  ByType const by_type(columns.species, header.count);
  Handle const access = access_to(output);
  // The only format in which all metadata have checksums.
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
  Handle const properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  checked(H5Pset_obj_track_times(properties, false));  // for the root group
  Handle file(H5Fcreate("snapshot", H5F_ACC_TRUNC, properties, access), H5Fclose);
  write_metadata(file, header, by_type.counts);
  write_bodies(file, header, columns, by_type);
  write_names(file, header, columns);
  file.close();
}

/// Reopens the file and checks the length of the datasets. Uses the same driver as for writing,
/// which reports why a call failed.
void check_written(std::shared_ptr<Output> const& output, std::span<std::uint8_t const> species,
                   std::uint64_t count) {
  ByType const by_type(species, count);
  Handle const access = access_to(output);
  Handle const file(H5Fopen("snapshot", H5F_ACC_RDONLY, access), H5Fclose);
  for (std::size_t type = 0; type < particle_types; ++type) {
    if (by_type.counts[type] == 0) continue;
    for (auto const* name : {"Coordinates", "Velocities", "Masses", "ParticleIDs"}) {
      auto const path = "PartType" + std::to_string(type) + "/" + name;
      Handle const dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
      Handle const space(H5Dget_space(dataset), H5Sclose);
      std::array<hsize_t, H5S_MAX_RANK> extents{};
      checked(H5Sget_simple_extent_dims(space, extents.data(), nullptr));
      if (extents[0] != by_type.counts[type]) throw Failure(path + " has the wrong length");
    }
  }
}

}  // namespace

}  // namespace apsis::formats::hdf5

namespace apsis::formats {

template <class Real>
void write_snapshot(files::Place const& place, SnapshotHeader const& header,
                    SnapshotColumns<Real> const& columns, files::Overwrite overwrite) {
  hdf5::Session const session;
  auto const write = [&](files::OutputFile& file) {
    auto const output = std::make_shared<hdf5::Output>();
    output->descriptor = file.descriptor();
    auto const attempt = [&](std::string const& what, auto const& work) {
      std::string why;
      try {
        work();
      } catch (hdf5::Failure const& failure) {
        output->descriptor = -1;  // discard what the library still writes
        why = failure.what();
      }
      if (output->error != 0) why = std::strerror(output->error);
      if (!why.empty()) file.fail(what, why);
    };
    attempt("cannot be written", [&] { hdf5::write_all(output, header, columns); });
    file.sync();
    attempt("cannot be read again after it was written",
            [&] { hdf5::check_written(output, columns.species, header.count); });
    output->descriptor = -1;
  };
  files::replace_file(place, write, overwrite);
}

template void write_snapshot(files::Place const&, SnapshotHeader const&,
                             SnapshotColumns<float> const&, files::Overwrite);
template void write_snapshot(files::Place const&, SnapshotHeader const&,
                             SnapshotColumns<double> const&, files::Overwrite);

}  // namespace apsis::formats
