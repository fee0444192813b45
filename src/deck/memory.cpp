// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

#include <algorithm>

namespace apsis::deck {

namespace {
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
  // Paths within steps need ten vectors; a force needs a potential, and two vectors to react on its
  // source.
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
