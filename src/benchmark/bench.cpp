// SPDX-License-Identifier: Apache-2.0
#include "bench.hpp"

#include "core/execution_space_for.hpp"
#include "diagnostics/finite_watch.hpp"
#include "integrators/hermite_columns.hpp"
#include "textbook.hpp"
#include "timing.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/integrators/integrator.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <type_traits>

namespace apsis::benchmark {

namespace {

/// Number of targets that saturates the backend; times of fewer cannot be extrapolated.
constexpr std::size_t enough_targets = has_textbook ? 4096 : 131072;

constexpr double sphere_softening = 0.01;  // [length], of a Plummer sphere in Henon units

/// Solver without cost, to measure everything in a step except the force.
template <class Stored>
class NoForce final : public forces::Solver<Stored> {
 public:
  using forces::Solver<Stored>::Solver;
  bool has_exact_potential(std::size_t) const override { return true; }
  std::string describe(std::size_t, int, bool) const override { return "none"; }

 private:
  double do_evaluate(Context const&, forces::Request<Stored> const&) override { return 0.0; }
};

/// Bodies in the memory of a measurement, and owners of that memory.
template <class Stored>
struct PlacedBodies {
  Bodies<Stored> bodies;
  std::vector<std::shared_ptr<void>> owners;
};

/// Moves a view to pinned host memory, which kernels use like device memory.
template <class View>
void move_to_host(ExecutionSpace const& space, View& view,
                  std::vector<std::shared_ptr<void>>& owners) {
  using Pinned = Kokkos::View<typename View::data_type, typename View::array_layout, PinnedSpace>;
  auto const owner = std::make_shared<Pinned>("apsis::benchmark::pinned", view.extent(0));
  View const pinned_view(owner->data(), view.extent(0));
  Kokkos::deep_copy(space, pinned_view, view);
  owners.push_back(owner);
  view = pinned_view;
}

/// Copies bodies to memory that kernels can read: device memory, or pinned host memory that the
/// device reads over the bus, where has_host_pinned().
template <class Stored>
PlacedBodies<Stored> place_bodies(ExecutionSpace const& space, HostBodies const& host,
                                  Memory memory) {
  PlacedBodies<Stored> result{to_device<Stored>(space, host), {}};
  if (memory == Memory::device) return result;
  move_to_host(space, result.bodies.position, result.owners);
  move_to_host(space, result.bodies.velocity, result.owners);
  move_to_host(space, result.bodies.acceleration, result.owners);
  move_to_host(space, result.bodies.mass, result.owners);
  space.fence("apsis::benchmark::placed: the device's own copies are freed");
  return result;
}

bool is_pairwise(std::string const& name) {
  auto const* kernel = forces::kernels().find(name);
  return kernel != nullptr && kernel->pairwise;
}

std::string shape_text(std::optional<forces::ShapeNumbers> const& shape) {
  if (!shape) return "";
  return "team " + std::to_string(shape->team_size) + " x " +
         std::to_string(shape->targets * shape->lanes) + ", tile " + std::to_string(shape->tile) +
         ", unroll " + std::to_string(shape->unroll);
}

template <class Number>
class Bench {
 public:
  using Stored = typename Number::Stored;
  static constexpr auto precision = forces::precision_for<Number>;

  Bench(ExecutionSpace const& space, Request const& request, ArithmeticLimits& limits,
        std::function<void(Row const&)> const& report)
      : space_(space), request_(request), limits_(limits), report_(report) {}

  void run(std::size_t count) {
    auto const host = sample(count);
    placed_ = place_bodies<Stored>(space_, host, request_.memory);
    bodies_ = placed_.bodies;
    time_transfers();
    time_rest_of_step();
    if (request_.sweep) {
      for (auto const& kernel : forces::compiled_kernels(forces::precision_for<Number>)) {
        auto const& selected = request_.kernels;
        if (std::find(selected.begin(), selected.end(), kernel.kernel) == selected.end()) continue;
        forces::Direct<Number> solver({1.0, sphere_softening}, kernel);
        time_kernel(solver, kernel.kernel, shape_text(kernel.shape), !kernel.candidate);
      }
      return;
    }
    for (auto const& name : request_.kernels) {
      auto const* const reference =
          std::find_if(std::begin(reference_kernels), std::end(reference_kernels),
                       [&](ReferenceKernel const& kernel) { return kernel.name == name; });
      if (reference != std::end(reference_kernels)) {
        if (has_textbook && !Number::split) time_textbook(*reference);
      } else if (name == motion_kernels[0]) {
        time_motion<4>(name);
      } else if (name == motion_kernels[1]) {
        time_motion<6>(name);
      } else {
        forces::Direct<Number> solver({1.0, sphere_softening}, forces::DirectOptions{name});
        auto const picked = solver.describe(count);
        std::string shape;
        for (auto const& kernel : forces::compiled_kernels(forces::precision_for<Number>)) {
          if (kernel.kernel == picked && !kernel.candidate) shape = shape_text(kernel.shape);
        }
        time_kernel(solver, name, shape, true);
      }
    }
  }

 private:
  /// Targets of repetition `repeat`: all bodies, or a part of them if a full sweep takes long.
  forces::BodyRange target_range(std::size_t targets, int repeat) const {
    std::size_t const parts = bodies_.size() / std::max<std::size_t>(1, targets);
    return {parts > 1 ? static_cast<std::size_t>(repeat) % parts * targets : 0, targets};
  }

  /// Number of targets that take about half a second, extrapolated from a few.
  template <class Sweep>
  std::size_t targets_to_time(Sweep const& sweep) const {
    std::size_t const few = std::min(bodies_.size(), enough_targets);
    if (few == bodies_.size()) return few;
    sweep(forces::BodyRange{0, few});
    space_.fence("apsis::benchmark::estimate");
    auto const begin = std::chrono::steady_clock::now();
    sweep(forces::BodyRange{0, few});
    space_.fence("apsis::benchmark::estimate");
    double const whole =
        seconds_since(begin) * static_cast<double>(bodies_.size()) / static_cast<double>(few);
    if (whole < 1.0) return bodies_.size();
    auto const fraction = 0.5 / whole * static_cast<double>(bodies_.size());
    return std::max(few, static_cast<std::size_t>(fraction) / few * few);
  }

  void time_kernel(forces::Direct<Number>& solver, std::string const& kernel,
                   std::string const& shape, bool has_potential) {
    auto row = make_row(kernel, solver.describe(bodies_.size()), shape);
    auto const sweep = [&](forces::BodyRange targets) {
      solver.rehearse(space_, bodies_, targets);
    };
    auto const targets = targets_to_time(sweep);
    Timing force;
    if (targets < bodies_.size()) {
      force =
          measure_time(space_, request_.repeats, [&](int r) { sweep(target_range(targets, r)); });
    } else {
      auto const forces = forces::accelerations_of(bodies_);
      force = measure_time(space_, request_.repeats, [&](int) { solver.evaluate(space_, forces); });
    }
    if (targets == bodies_.size() && has_potential) {
      Column<double> const potential(Kokkos::view_alloc(space_, "apsis::benchmark::potential"),
                                     bodies_.size());
      auto const with_potential = forces::accelerations_of(bodies_, &potential);
      auto const both = measure_time(space_, request_.repeats,
                                     [&](int) { solver.evaluate(space_, with_potential); });
      row.potential_cost = both.median / force.median - 1.0;
    }
    fill_row(row, force, targets);
    if (targets == bodies_.size()) {
      row.seconds_step = time_step(solver).median;
    } else {
      row.seconds_step = row.seconds_force + rest_of_step_;
    }
    finish(row);
  }

  void time_textbook(ReferenceKernel const& kernel) {
    auto row = make_row(kernel.name, kernel.name, "", kernel.derivatives);
    auto const& loops = std::get<TextbookLoops<Stored>>(*request_.textbook);
    auto const loop = kernel.math_errno ? loops.with_errno : loops.without_errno;
    bool const with_jerk = kernel.derivatives > 0;
    VectorColumns<Stored> jerk;
    if (with_jerk) {
      jerk = VectorColumns<Stored>(Kokkos::view_alloc(space_, "apsis::benchmark::jerk"),
                                   bodies_.size());
    }
    auto const sweep = [&](forces::BodyRange targets) {
      loop(space_, bodies_, sphere_softening, targets, jerk);
    };
    auto const targets = with_jerk ? bodies_.size() : targets_to_time(sweep);
    fill_row(
        row,
        measure_time(space_, request_.repeats, [&](int r) { sweep(target_range(targets, r)); }),
        targets);
    row.seconds_step = row.seconds_force + rest_of_step_;
    finish(row);
  }

  /// Times the derivatives that a Hermite scheme of this order requests.
  template <int order>
  void time_motion(std::string const& name) {
    forces::Direct<Number> solver({1.0, sphere_softening});
    auto row =
        make_row(name, forces::default_motion_kernel(precision, bodies_.size()), "", order / 2 - 1);
    auto const columns = integrators::allocate_hermite_columns<Stored, order>(space_, bodies_);
    auto const motion = forces::field_of(bodies_, columns.next);
    auto const sweep = [&](int) { solver.evaluate(space_, motion); };
    fill_row(row, measure_time(space_, request_.repeats, sweep), bodies_.size());
    // Steps so short that the bodies practically do not move.
    auto const& hermite = integrators::integrators().get(order == 4 ? "hermite4" : "hermite6");
    auto const integrator = hermite.make<Stored>(defaults(hermite.parameters));
    diagnostics::FiniteWatch watch(space_);
    auto const start = place_bodies<Stored>(space_, sample(bodies_.size()), request_.memory);
    integrator->start(space_, start.bodies, solver);
    row.seconds_step = measure_time(space_, request_.repeats, [&](int) {
                         integrator->step(space_, start.bodies, solver, 1e-6, {});
                         watch.check(space_, start.bodies, 1);
                       }).median;
    finish(row);
  }

  Row make_row(std::string const& kernel, std::string const& picked, std::string const& shape,
               int derivatives = 0) const {
    Row row{};
    row.bodies = bodies_.size();
    row.kernel = kernel;
    row.picked = picked;
    row.shape = shape;
    row.precision = precision;
    row.derivatives = derivatives;
    row.threads = threads_for(bodies_.size(), request_.use_all_threads);
    row.seconds_to_device = to_device_;
    row.seconds_to_host = to_host_;
    row.bytes_moved = bytes_;
    return row;
  }

  /// Adds the limit and reports the row. The limits are measured between the rows.
  void finish(Row& row) {
    limits_.refresh(precision);
    row.limit = highest_rate(
        limits_.rates(precision),
        operations_per_interaction(precision, is_pairwise(row.picked), row.derivatives));
    report_(row);
  }

  void fill_row(Row& row, Timing const& force, std::size_t targets) const {
    auto const count = static_cast<double>(bodies_.size());
    row.targets_timed = static_cast<double>(targets) / count;
    row.seconds_force = force.median / row.targets_timed;
    row.seconds_force_least = force.least / row.targets_timed;
    row.interactions_per_second = count * count / row.seconds_force;
    row.spread = force.spread();
    row.repeats = force.repeats;
  }

  /// Times steps of length zero: the bodies do not move, the work is the same.
  Timing time_step(forces::Solver<Stored>& solver) {
    auto const leapfrog = integrators::integrators().get("leapfrog_kdk").make<Stored>({});
    diagnostics::FiniteWatch watch(space_);
    return measure_time(space_, request_.repeats, [&](int) {
      leapfrog->step(space_, bodies_, solver, 0.0, {});
      watch.check(space_, bodies_, 1);
    });
  }

  void time_rest_of_step() {
    NoForce<Stored> none({1.0, sphere_softening});
    rest_of_step_ = time_step(none).median;
  }

  void time_transfers() {
    if constexpr (bodies_on_host) return;  // nothing is moved
    auto const position = Kokkos::create_mirror(bodies_.position);
    auto const velocity = Kokkos::create_mirror(bodies_.velocity);
    auto const mass = Kokkos::create_mirror(bodies_.mass);
    bytes_ = static_cast<double>(7 * sizeof(Stored) * bodies_.size());
    to_host_ = measure_time(space_, request_.repeats, [&](int) {
                 Kokkos::deep_copy(space_, position, bodies_.position);
                 Kokkos::deep_copy(space_, velocity, bodies_.velocity);
                 Kokkos::deep_copy(space_, mass, bodies_.mass);
               }).median;
    to_device_ = measure_time(space_, request_.repeats, [&](int) {
                   Kokkos::deep_copy(space_, bodies_.position, position);
                   Kokkos::deep_copy(space_, bodies_.velocity, velocity);
                   Kokkos::deep_copy(space_, bodies_.mass, mass);
                 }).median;
  }

  ExecutionSpace space_;
  Request const& request_;
  ArithmeticLimits& limits_;
  std::function<void(Row const&)> const& report_;
  PlacedBodies<Stored> placed_;
  Bodies<Stored> bodies_;
  double rest_of_step_ = 0.0, to_device_ = 0.0, to_host_ = 0.0, bytes_ = 0.0;
};

}  // namespace

bool has_host_pinned() {
  return on_gpu && !std::is_same_v<PinnedSpace, Kokkos::HostSpace>;
}

HostBodies sample(std::size_t count) {
  auto const& plummer = initial_conditions::models().get("plummer");
  auto values = defaults(plummer.parameters);
  values.set("count", static_cast<std::int64_t>(count));
  values.set("seed", std::int64_t{1});
  return plummer.make(values, 1.0);
}

bool has_reference() {
  return has_textbook;
}

std::size_t default_bodies() {
  return has_textbook ? 16384 : 262144;
}

double expected_seconds(Request const& request, ArithmeticLimits const& limits, std::size_t bodies,
                        forces::Precision precision) {
  constexpr double usual_efficiency = 0.5, loop_efficiency = 0.05, shapes_of_a_sweep = 30.0;
  double const rate =
      usual_efficiency *
      highest_rate(limits.rates(precision), operations_per_interaction(precision, false, 0));
  auto const count = static_cast<double>(bodies);
  double seconds = 0.0;
  for (auto const& kernel : request.kernels) {
    bool const loop = kernel.starts_with("reference");
    double const whole = count * count / rate * (loop ? usual_efficiency / loop_efficiency : 1.0);
    double const share = std::min(1.0, static_cast<double>(enough_targets) / count);
    // A force, a force with potentials and a step; or a part of the targets, see targets_to_time().
    double const repeat = whole < 1.0 ? 3.0 * std::max(whole, 2e-3) : std::max(0.5, whole * share);
    seconds += (request.repeats + 3) * repeat * (request.sweep ? shapes_of_a_sweep : 1.0);
  }
  return seconds;
}

void bench(Request const& request, ArithmeticLimits& limits,
           std::function<void(Row const&)> const& report) {
  for (std::size_t const count : request.bodies) {
    auto const space = execution_space_for(count, request.use_all_threads);
    for (auto const precision : request.precisions) {
      forces::in_precision(precision, [&]<class Number>(Number) {
        Bench<Number>(space, request, limits, report).run(count);
      });
    }
  }
}

}  // namespace apsis::benchmark
