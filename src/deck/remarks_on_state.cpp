// SPDX-License-Identifier: Apache-2.0
#include "core/percentile.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "resolve.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/forces/extra.hpp>

namespace apsis::deck {

namespace {

std::string in_units(Configuration const& run, double value, Dimension dimension) {
  return run.units.with_short_unit(formatted("%.3g", value), dimension);
}

/// Returns K / |W| in the centre-of-mass frame; for many bodies W is estimated from a sample.
/// Returns nothing for fewer than three massive bodies.
std::optional<double> virial_ratio(Configuration const& run, HostBodies const& bodies) {
  std::vector<std::size_t> massive;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.mass[i] > 0.0) massive.push_back(i);
  }
  if (massive.size() < 3) return std::nullopt;
  constexpr std::size_t pairs = 4'000'000, fewest = 32;
  auto sample =
      diagnostics::random_sample(1, 0, std::max(fewest, pairs / massive.size()), massive.size());
  for (auto& row : sample) row = massive[row];
  auto const potential = diagnostics::reference_field(bodies, run.gravity.law, sample).potential;
  auto const centre = centre_of_mass(bodies);
  double mass = 0.0, kinetic = 0.0, sampled_mass = 0.0, sampled = 0.0;
  for (auto const i : massive) {
    auto const v = bodies.velocity[i] - centre.velocity;
    mass += bodies.mass[i];
    kinetic += 0.5 * bodies.mass[i] * dot(v, v);
  }
  for (std::size_t k = 0; k < sample.size(); ++k) {
    sampled_mass += bodies.mass[sample[k]];
    sampled += 0.5 * bodies.mass[sample[k]] * potential[k];
  }
  double const whole = std::abs(sampled) * (mass / sampled_mass);
  return whole > 0.0 ? std::optional(kinetic / whole) : std::nullopt;
}

void note_unbound(Configuration const& run, HostBodies const& bodies,
                  std::vector<std::string>& remarks) {
  auto const ratio = virial_ratio(run, bodies);
  if (!ratio || !(*ratio > 1.0)) return;
  remarks.push_back("note: K/|W| is " + formatted("%.3g", *ratio) +
                    " (1/2 in equilibrium): these bodies fly apart; check that masses, lengths and "
                    "velocities are in the deck's units, in which G is " +
                    formatted("%.6g", run.gravity.law.G));
}

/// Notes very slow bodies: velocities in au/day that are read as au/yr are 365 times too slow.
void note_slow_velocities(Configuration const& run, Scales const& scales,
                          std::vector<std::string>& remarks) {
  constexpr double slow = 0.02;
  auto const& fastest = scales.whole.fastest;
  if (!run.units.si || !fastest || !(*fastest > 0.0 && *fastest < slow)) return;
  remarks.push_back("note: no body moves faster than " + formatted("%.2g %%", 100.0 * *fastest) +
                    " of the circular speed about the heaviest: velocities are taken in " +
                    run.units.name(dimension::velocity) +
                    "; if the numbers are per day and not per year, multiply them by 365.25");
}

double typical_coordinate(HostBodies const& bodies) {
  std::vector<double> largest;
  largest.reserve(bodies.size());
  for (auto const& x : bodies.position) {
    largest.push_back(std::max({std::abs(x.x), std::abs(x.y), std::abs(x.z)}));
  }
  return largest.empty() ? 0.0 : upper_median(largest);
}

/// Returns the mean distance of neighbours within the sphere that contains half of the bodies.
double separation(diagnostics::SystemScales const& scales, double massive) {
  constexpr double sphere = 8.37758;  // 2 * 4 pi / 3
  return scales.half_number_radius * std::cbrt(sphere / massive);
}

void note_precision(Configuration const& run, HostBodies const& bodies, Scales const& scales,
                    std::vector<std::string>& remarks) {
  if (run.gravity.precision != Precision::single_precision) return;
  double const coordinate = typical_coordinate(bodies);
  double const spacing = coordinate * static_cast<double>(std::numeric_limits<float>::epsilon());
  double distance = std::numeric_limits<double>::infinity();
  auto const include = [&](diagnostics::SystemScales const& part, std::uint64_t count) {
    double const massive = static_cast<double>(count) - static_cast<double>(part.massless);
    double const part_distance = massive > 0.0 ? separation(part, massive) : 0.0;
    if (part_distance > 0.0) distance = std::min(distance, part_distance);
  };
  include(scales.whole, run.bodies.count());
  for (std::size_t k = 0; k < scales.parts.size(); ++k) {
    include(scales.parts[k], run.bodies.parts[k].count());
  }
  double const softening = forces::smallest_softening_length(run.gravity.law);
  bool const coarse = softening > 0.0 && spacing > softening;
  constexpr double enough = 1e-3;
  if (!coarse && !(spacing > enough * distance)) return;
  remarks.push_back(
      "note: in single precision coordinates near " + in_units(run, coordinate, dimension::length) +
      " are rounded to " + in_units(run, spacing, dimension::length) + ", more than " +
      (coarse ? "gravity.softening, " + in_units(run, softening, dimension::length)
              : "a thousandth of the mean distance between bodies, " +
                    in_units(run, distance, dimension::length)) +
      ": set gravity.precision to 'mixed' or 'double', or bring the bodies to the origin");
}

/// Notes softening lengths of species that no body has.
void note_missing_species(Configuration const& run, HostBodies const& bodies,
                          std::vector<std::string>& remarks) {
  if (!run.gravity.law.softening_by_species || bodies.size() == 0) return;
  auto const& lengths = run.gravity.values.object("softening_by_species");
  for (std::size_t k = 0; k < species_types::count; ++k) {
    std::string const species = species_types::names[k];
    if (!lengths.has(species) || bodies.has_species(static_cast<std::uint8_t>(k))) continue;
    remarks.push_back("not used: gravity.softening_by_species." + species +
                      ": no body is of this species");
  }
}

std::string gibibytes(double bytes) {
  return formatted("%.3g GiB", bytes / 0x1p30);
}

bool is_single(Configuration const& run) {
  return run.gravity.precision == Precision::single_precision;
}

/// Memory per body in addition to its columns [bytes].
double extra_bytes_per_body(Configuration const& run) {
  bool const watches =
      run.stop.encounter_distance.has_value() ||
      std::any_of(run.diagnostics.begin(), run.diagnostics.end(),
                  [](PlannedDiagnostic const& plan) { return plan.entry->watches_approaches; });
  // A roll-back needs positions and velocities (two vectors).
  std::size_t const vectors =
      (run.integrator.entry != nullptr ? run.integrator.entry->vectors(run.integrator.values) : 0) +
      (run.limits.on_violation == OnViolation::retry ? 2 : 0) +
      (run.integrator.has_variable_steps() ? 2 : 0);
  // Paths within steps need ten vectors; a force needs a potential and two vectors to react.
  std::size_t doubles = watches ? 30 : 0;
  for (auto const& force : run.forces) doubles += force.entry->has_source ? 7 : 1;
  // Hermite schemes keep the derivatives of fields, at two times and interpolated.
  bool const has_fields = std::any_of(run.forces.begin(), run.forces.end(), [](auto const& force) {
    return forces::fixes_frame(*force.entry);
  });
  if (has_fields && run.integrator.entry != nullptr && run.integrator.entry->derivatives > 0) {
    doubles += 9 * (static_cast<std::size_t>(run.integrator.entry->derivatives) + 1);
  }
  return static_cast<double>(vectors * 3 * (is_single(run) ? sizeof(float) : sizeof(double)) +
                             doubles * sizeof(double));
}

double workspace_of(Configuration const& run, std::uint64_t bodies) {
  auto const* const solver = run.gravity.solver;
  return solver != nullptr
             ? forces::workspace_bytes(*solver, run.gravity.demand(run.integrator), bodies)
             : 0.0;
}

void check(MemoryNeed const& need, std::uint64_t bodies, std::string const& where,
           std::vector<Problem>& problems) {
  auto const check_one = [&](double bytes, std::optional<std::uint64_t> available,
                             char const* owner) {
    if (!available || bytes <= static_cast<double>(*available)) return;
    problems.push_back({where, "does not fit in memory",
                        std::to_string(bodies) + " bodies need " + gibibytes(bytes) + ", " + owner +
                            " has " + gibibytes(static_cast<double>(*available)),
                        "use fewer bodies"});
  };
  check_one(bodies_on_host ? need.host + need.device : need.host, host_memory(), "the host");
  if (!bodies_on_host) check_one(need.device, device_memory(), "the device");
}

}  // namespace

void remark_on_state(Configuration const& run, HostBodies const& bodies, Scales const& scales,
                     std::vector<std::string>& remarks) {
  // Fields bind bodies too.
  if (run.forces.empty()) note_unbound(run, bodies, remarks);
  note_slow_velocities(run, scales, remarks);
  note_precision(run, bodies, scales, remarks);
  note_missing_species(run, bodies, remarks);
}

MemoryNeed memory_need(Configuration const& run) {
  auto const count = static_cast<double>(run.bodies.count());
  // Scaling by energies uses a copy in double precision.
  double const bytes_per_body = is_single(run) && !run.bodies.is_rescaled()
                                    ? static_cast<double>(device_bytes_per_body<float>())
                                    : static_cast<double>(device_bytes_per_body<double>());
  double const extra = extra_bytes_per_body(run);
  // A checkpoint is held three times: as blocks, as the bytes of its file, and as read back.
  double const checkpoint = 3.0 * (bytes_per_body + extra);
  double const snapshot =
      run.output.has_snapshots() ? 2.0 * bytes_per_body : 0.0;  // see Background
  double const workspace = workspace_of(run, run.bodies.count());
  double picture_device = 0.0, picture_host = 0.0;
  for (auto const& series : run.output.pictures) {
    auto const& shot = series.shot;
    double const pixels = shot.size.pixels();
    double const channels = shot.colour == render::ColourBy::density ? 1.0 : 3.0;
    double const states = shot.trail * (render::states_per_picture(shot, run.bodies.count()) + 1.0);
    double const trail = shot.trail > 0 ? 6.0 * sizeof(double) * (states + 1.0) : 0.0;
    picture_device += pixels * (8.0 * channels + 3.0) + count * trail;
    // Three pictures that wait for the disk, the drawing order of the bodies, and a checkpoint.
    picture_host += 9.0 * pixels + count * (12.0 + 6.0 * trail);
  }
  return {
      count * (bytes_per_body + extra) + workspace + picture_device,
      count * (static_cast<double>(host_bytes_per_body) + checkpoint + snapshot) + picture_host};
}

void check_memory(Configuration const& run, std::string const& where,
                  std::vector<Problem>& problems) {
  check(memory_need(run), run.bodies.count(), where, problems);
}

void check_memory_of_rank(Configuration const& run, std::size_t own_count, std::size_t total,
                          std::vector<Problem>& problems) {
  double const bytes_per_body =
      static_cast<double>(is_single(run) ? device_bytes_per_body<float>()
                                         : device_bytes_per_body<double>()) +
      extra_bytes_per_body(run);
  // Masses, positions, and one vector for each derivative of the acceleration.
  auto const derivatives = static_cast<std::size_t>(
      run.integrator.entry != nullptr ? run.integrator.entry->derivatives : 0);
  auto const gathered = static_cast<double>((4 + 3 * derivatives) *
                                            (is_single(run) ? sizeof(float) : sizeof(double)));
  auto const own_bodies = static_cast<double>(own_count), all_bodies = static_cast<double>(total);
  // Rows that are sent to the leader rank are copied to the host.
  check({own_bodies * bytes_per_body + all_bodies * gathered + workspace_of(run, total),
         own_bodies * bytes_per_body},
        total, "memory", problems);
}

}  // namespace apsis::deck
