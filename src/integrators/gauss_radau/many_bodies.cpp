// SPDX-License-Identifier: Apache-2.0
#include "integrators/cancellation.hpp"
#include "massless_bodies.hpp"
#include "step_control.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>

#include <string>
#include <utility>

namespace apsis::integrators::radau {

namespace {

/// Terms of the components of each body: column 3 k + axis is that of term k.
using Series = Kokkos::View<double * [3 * terms], Kokkos::LayoutLeft, MemorySpace>;

KOKKOS_INLINE_FUNCTION void load_terms(Series const& series, std::size_t i, int axis,
                                       Coefficients<double>& values) {
  for (int k = 0; k < terms; ++k) values[k] = series(i, 3 * k + axis);
}
KOKKOS_INLINE_FUNCTION void store_terms(Series const& series, std::size_t i, int axis,
                                        Coefficients<double> const& values) {
  for (int k = 0; k < terms; ++k) series(i, 3 * k + axis) = values[k];
}

/// Largest magnitude of the components of a body that chooses the steps; infinite if one is not
/// finite.
struct LargestComponent {
  VectorColumns<double> columns;
  Column<double> mass;
  bool judges_massless;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    if (!judges_massless && mass(i) == 0.0) return 0.0;
    double result = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      double const magnitude = Kokkos::abs(columns(i, axis));
      if (!(magnitude <= Kokkos::Experimental::finite_max_v<double>)) {
        return Kokkos::Experimental::infinity_v<double>;
      }
      result = magnitude > result ? magnitude : result;
    }
    return result;
  }
};

struct HasMass {
  Column<double> mass;
  KOKKOS_FUNCTION double operator()(std::size_t i) const { return mass(i) == 0.0 ? 0.0 : 1.0; }
};

template <class Columns>
Columns allocate(ExecutionSpace const& space, std::size_t rows, char const* name) {
  return Columns(Kokkos::view_alloc(space, std::string("apsis::integrators::gauss_radau::") + name),
                 rows);
}

struct Expansion {
  Series b, e;
};

/// State of the bodies at the start of a step, and the step in progress.
struct Columns {
  VectorColumns<double> position, velocity, position_low, velocity_low;
  VectorColumns<double> moved;           ///< positions at a node
  VectorColumns<double> moved_velocity;  ///< velocities there, for forces that depend on them
  VectorColumns<double> force;  ///< accelerations there; after update_all() the changes of g
  VectorColumns<double> start;  ///< accelerations at the start of the step
  Expansion last, next;
  Series newton;  ///< coefficients g

  KOKKOS_FUNCTION Vec3<double> start_of(std::size_t i) const {
    return {position(i, 0), position(i, 1), position(i, 2)};
  }
};

void predict_all(ExecutionSpace const& space, Columns const& columns, double ratio) {
  auto const last = columns.last, next = columns.next;
  auto const newton = columns.newton;
  Table const table = constants;
  for_each_body(
      space, "apsis::integrators::gauss_radau::predict", newton.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Coefficients<double> last_b, last_e, b, e, g;
          load_terms(last.b, i, axis, last_b);
          load_terms(last.e, i, axis, last_e);
          radau::predict<double>(table, ratio, last_b, last_e, b, e, g);
          store_terms(next.b, i, axis, b);
          store_terms(next.e, i, axis, e);
          store_terms(newton, i, axis, g);
        }
      });
}

/// Sets positions, and velocities if there are columns for them, at a fraction of the step.
void move_all(ExecutionSpace const& space, Columns const& columns, Weights const& weights,
              double dt, VectorColumns<double> const& position,
              VectorColumns<double> const& velocity) {
  auto const x0 = columns.position, v0 = columns.velocity, a0 = columns.start;
  auto const series = columns.next.b;
  bool const has_velocity = velocity.extent(0) != 0;
  for_each_body(
      space, "apsis::integrators::gauss_radau::move", series.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Coefficients<double> b;
          load_terms(series, i, axis, b);
          double const v = v0(i, axis), a = a0(i, axis);
          position(i, axis) = x0(i, axis) + displacement<double>(weights, dt, v, a, b);
          if (has_velocity) {
            velocity(i, axis) = v + velocity_change<double>(weights, dt, a, b);
          }
        }
      });
}

void update_all(ExecutionSpace const& space, Columns const& columns, int number) {
  auto const force = columns.force, a0 = columns.start;
  auto const series = columns.next.b, newton = columns.newton;
  Node const node = constants.nodes[number];
  for_each_body(
      space, "apsis::integrators::gauss_radau::update", series.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Coefficients<double> b, g;
          load_terms(series, i, axis, b);
          load_terms(newton, i, axis, g);
          force(i, axis) = radau::update<double>(node, a0(i, axis), force(i, axis), b, g);
          store_terms(series, i, axis, b);
          store_terms(newton, i, axis, g);
        }
      });
}

/// Square of the time scale of a body over dt, if it chooses the steps. Sets b from g.
struct TimeScale {
  Columns columns;
  Column<double> mass;
  bool judges_massless;
  Table table;
  Cancellation cancellation;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    SquaredDerivatives<double> squares;
    for (int axis = 0; axis < 3; ++axis) {
      Coefficients<double> b, g;
      load_terms(columns.newton, i, axis, g);
      set_from_newton<double>(table, g, b);
      store_terms(columns.next.b, i, axis, b);
      squares.add(columns.start(i, axis), b);
    }
    if (!judges_massless && mass(i) == 0.0) return Kokkos::Experimental::infinity_v<double>;
    if (cancellation(i, columns.start_of(i), squares.acceleration)) {
      return Kokkos::Experimental::infinity_v<double>;
    }
    return squared_time_scale(squares.acceleration, squares.jerk, squares.snap, squares.crackle);
  }
};

void advance_all(ExecutionSpace const& space, Columns const& columns, double dt,
                 bool is_predicted) {
  auto const c = columns;
  Weights const end = constants.end;
  for_each_body(
      space, "apsis::integrators::gauss_radau::advance", c.newton.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Coefficients<double> b;
          load_terms(c.next.b, i, axis, b);
          if (!is_predicted) store_terms(c.next.e, i, axis, b);
          double const v = c.velocity(i, axis), residue = Kokkos::fma(dt, v, -(dt * v));
          advance<double>(end, dt, residue, c.start(i, axis), b, c.position(i, axis),
                          c.position_low(i, axis), c.velocity(i, axis), c.velocity_low(i, axis));
        }
      });
}

/// Functions of advance_by_steps().
class Scheme {
 public:
  Scheme(Columns& columns, Motion const& motion, bool judges_massless)
      : columns_(columns), motion_(motion), judges_massless_(judges_massless) {}

  void predict(double ratio) { predict_all(motion_.context, columns_, ratio); }

  double largest_acceleration() const { return largest_component(columns_.start); }

  double sweep(double dt) {
    auto moved = motion_.bodies;
    moved.position = columns_.moved;
    if (needs_velocities()) {
      fit(motion_.context, columns_.moved_velocity,
          "apsis::integrators::gauss_radau::moved_velocity", moved.size());
      moved.velocity = columns_.moved_velocity;
    }
    for (int n = 1; n <= terms; ++n) {
      move_all(motion_.context, columns_, constants.nodes[n].weights, dt, columns_.moved,
               columns_.moved_velocity);
      motion_.solver.evaluate(
          motion_.context,
          forces::field_of(moved, forces::Field<double>::accelerations(columns_.force)));
      update_all(motion_.context, columns_, n);
    }
    return largest_component(columns_.force);
  }

  double squared_time_scale(double sufficient) {
    double const scale = squared_time_scale(Cancellation());
    if (!(scale < sufficient)) return scale;
    auto start = motion_.bodies;
    start.position = columns_.position;
    auto const cancellation = find_cancellation(motion_.context, ReadBodies(start),
                                                motion_.solver.gravity(), cancelled_part<double>);
    return cancellation.is_possible() ? squared_time_scale(cancellation) : scale;
  }

  void accept(double dt, bool is_predicted) {
    advance_all(motion_.context, columns_, dt, is_predicted);
    std::swap(columns_.last, columns_.next);
    auto ended = motion_.bodies;
    ended.position = columns_.position;
    ended.velocity = columns_.velocity;
    motion_.solver.evaluate(motion_.context, forces::accelerations_of(ended));
  }

 private:
  double squared_time_scale(Cancellation const& cancellation) {
    return smallest<double>(
        motion_.context, "apsis::integrators::gauss_radau::time_scale", motion_.bodies.size(),
        TimeScale{columns_, motion_.bodies.mass, judges_massless_, constants, cancellation});
  }

  bool needs_velocities() const {
    auto const* const forces = motion_.solver.extra_forces();
    return forces != nullptr && forces->depends_on_velocity();
  }

  double largest_component(VectorColumns<double> const& of_bodies) const {
    double const result = largest<double>(
        motion_.context, "apsis::integrators::gauss_radau::largest_component",
        motion_.bodies.size(), LargestComponent{of_bodies, motion_.bodies.mass, judges_massless_});
    return result > 0.0 ? result : 0.0;  // no body chooses the steps
  }

  Columns& columns_;
  Motion const& motion_;
  bool judges_massless_;
};

/// Any number of bodies: one kernel over all bodies for each part of a sweep, and a force
/// evaluation of the solver for each node.
class ManyBodies final : public System {
 public:
  ManyBodies(ExecutionSpace const& space, std::size_t count) {
    auto const vectors = [&](char const* name) {
      return allocate<VectorColumns<double>>(space, count, name);
    };
    auto const series = [&](char const* name) { return allocate<Series>(space, count, name); };
    columns_ = {vectors("position"),
                vectors("velocity"),
                vectors("position_low"),
                vectors("velocity_low"),
                vectors("moved"),
                {},
                vectors("force"),
                {},
                {series("last_b"), series("last_e")},
                {series("next_b"), series("next_e")},
                series("newton")};
  }

  void start(Motion const& motion) override {
    Kokkos::deep_copy(motion.context.space, columns_.position, motion.bodies.position);
    Kokkos::deep_copy(motion.context.space, columns_.velocity, motion.bodies.velocity);
    motion.solver.evaluate(motion.context, forces::accelerations_of(motion.bodies));
  }

  void advance(Motion const& motion, double time_step, StepControl& control,
               StepListener& listener) override {
    auto const& space = motion.context.space;
    auto const& bodies = motion.bodies;
    double const massive =
        fixed_order_sum<double>(motion.context, "apsis::integrators::gauss_radau::massive",
                                bodies.size(), HasMass{bodies.mass});
    columns_.start = bodies.acceleration;
    Kokkos::deep_copy(space, columns_.position, bodies.position);
    Kokkos::deep_copy(space, columns_.velocity, bodies.velocity);
    Scheme scheme(columns_, motion, control.judges_massless || massive < 2.0);
    advance_by_steps(scheme, time_step, control, listener);
    store(motion, 0.0, 0.0);
  }

  void store(Motion const& motion, double fraction, double dt) override {
    auto const& bodies = motion.bodies;
    move_all(motion.context, columns_, weights_at(fraction), dt, bodies.position, bodies.velocity);
  }

  void append_paths(Motion const& motion, double dt, std::vector<double>& paths) override {
    auto const& space = motion.context.space;
    auto const& bodies = motion.bodies;
    space.fence("apsis::integrators::gauss_radau: the host reads the masses");
    auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.mass);
    std::vector<double> local;
    std::vector<std::size_t> massive;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (mass(i) == 0.0) continue;
      massive.push_back(i);
      append_path(local, motion.solver.gravity().G * mass(i), mass(i), bodies.first + i);
    }
    auto const rows =
        copy_to_device(space, massive, "apsis::integrators::gauss_radau::massive_rows");
    auto const numbers = copy_to_device(space, local, "apsis::integrators::gauss_radau::paths");
    auto const c = columns_;
    auto const start = bodies.acceleration;
    Table const table = constants;
    for_each_body(
        space, "apsis::integrators::gauss_radau::paths", massive.size(),
        KOKKOS_LAMBDA(std::size_t k) {
          std::size_t const i = rows(k);
          for (int axis = 0; axis < 3; ++axis) {
            Coefficients<double> b;
            load_terms(c.next.b, i, axis, b);
            SourcePath::set(numbers.data() + k * SourcePath::width, axis, table, dt,
                            c.position(i, axis), c.position_low(i, axis), c.velocity(i, axis),
                            start(i, axis), b);
          }
        });
    Kokkos::deep_copy(space, unmanaged(local), numbers);
    space.fence("apsis::integrators::gauss_radau: the host reads the paths");
    paths = gather_values(motion.context, std::move(local));
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange(space, "gauss_radau/position_low", columns_.position_low);
    state.exchange(space, "gauss_radau/velocity_low", columns_.velocity_low);
    state.exchange(space, "gauss_radau/b", columns_.last.b);
    state.exchange(space, "gauss_radau/e", columns_.last.e);
  }

 private:
  Columns columns_;
};

}  // namespace

std::unique_ptr<System> make_many_bodies(ExecutionSpace const& space, std::size_t count) {
  return std::make_unique<ManyBodies>(space, count);
}

}  // namespace apsis::integrators::radau
