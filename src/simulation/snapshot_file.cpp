// SPDX-License-Identifier: Apache-2.0
#include "snapshot_file.hpp"

#include <apsis/core/machine.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/formats/snapshot.hpp>

#include <algorithm>
#include <optional>

namespace apsis::simulation {

namespace {

/// Returns the accuracy that the solver is asked for; nothing if it does not control it.
std::optional<double> accuracy_of(deck::GravityPlan const& gravity) {
  auto const& values = gravity.values;
  if (values.has("accuracy")) return values.number("accuracy");
  auto const& parameters = gravity.solver->parameters;
  bool const is_controlled =
      std::any_of(parameters.begin(), parameters.end(),
                  [](Parameter const& parameter) { return parameter.name == "accuracy"; }) &&
      !values.has("opening_angle") && !values.has("opening_error");
  return is_controlled ? std::optional(forces::FmmOptions().accuracy) : std::nullopt;
}

formats::GravityScheme scheme_of(deck::GravityPlan const& gravity) {
  formats::GravityScheme scheme{gravity.solver->name, "", {}, accuracy_of(gravity)};
  for (auto const& kernel : forces::softening_kernels()) {
    if (kernel.kernel == gravity.law.softening_kernel) scheme.softening_kernel = kernel.name;
  }
  for (std::uint8_t species = 0; species < species_types::count; ++species) {
    scheme.softening[species] = gravity.law.softening_of(species);
  }
  return scheme;
}

}  // namespace

formats::SnapshotHeader snapshot_header(deck::Configuration const& run, std::string const& deck,
                                        double time, std::uint64_t step) {
  formats::SnapshotHeader header;
  header.time = time;
  header.step = step;
  header.time_step = run.integrator.time_step;
  header.units = run.units;
  header.title = run.title;
  header.deck = deck;
  header.precision = name_of(run.gravity.precision);
  header.backend = build_info().backend;
  header.device = device_name();
  header.gravity = scheme_of(run.gravity);
  header.compression = run.output.snapshot_content.compression;
  return header;
}

void write_snapshot(files::Place const& place, formats::SnapshotHeader header,
                    HostColumns const& copies) {
  std::visit(
      [&](auto const& columns) {
        header.count = columns.mass.size();
        formats::write_snapshot(place, header, columns);
      },
      copies.columns);
}

}  // namespace apsis::simulation
