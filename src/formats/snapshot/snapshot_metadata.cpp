// SPDX-License-Identifier: Apache-2.0
#include "snapshot_metadata.hpp"

#include <apsis/core/machine.hpp>

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

}  // namespace

void write_metadata(hid_t file, SnapshotHeader const& snapshot, TypeCounts const& counts) {
  write_header(file, snapshot, counts);
  write_units(file, snapshot.units);
  write_parameters(file, snapshot);
  write_code(file, snapshot);
  write_run(file, snapshot);
}

}  // namespace apsis::formats::hdf5
