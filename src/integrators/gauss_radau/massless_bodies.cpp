// SPDX-License-Identifier: Apache-2.0
#include "massless_bodies.hpp"

#include "forces/with_softening.hpp"
#include "lanes/lane_mask.hpp"
#include "packed_bodies.hpp"
#include <apsis/core/reductions.hpp>
#include <apsis/forces/extra.hpp>

#include <map>
#include <string>
#include <utility>

namespace apsis::integrators::radau {

namespace {

using StateColumns = Kokkos::View<double**, Kokkos::LayoutLeft, MemorySpace>;
using Rows = Kokkos::View<std::size_t*, MemorySpace>;

/// Columns of the state of a body. Those from position_low to magnitude are saved.
struct State {
  static constexpr int position = 0, velocity = 3, acceleration = 6;
  static constexpr int position_low = 9, velocity_low = 12;
  static constexpr int b = 15;  ///< of the last step, like the next
  static constexpr int e = b + 3 * terms;
  static constexpr int last = e + 3 * terms;     ///< last step, negative backwards; 0: none [time]
  static constexpr int wanted = last + 1;        ///< length of the next step; 0: unknown [time]
  static constexpr int magnitude = wanted + 1;   ///< sum of magnitudes of accelerations by sources
  static constexpr int reached = magnitude + 1;  ///< fraction of the step that the body ends at
  static constexpr int steps = reached + 1;      ///< number of steps
  static constexpr int evaluations = steps + 1;  ///< of forces
  static constexpr int width = evaluations + 1;
};
/// Columns of a recorded step.
struct Record {
  static constexpr int begin = 0, length = 1;  ///< fractions of the step of the massive bodies
  static constexpr int state = 2;              ///< as the first columns of the state
  static constexpr int b = state + State::b;
  static constexpr int width = b + 3 * terms;
};

/// Shortest step of a body as a fraction of that of the massive bodies.
constexpr double shortest = 0x1p-52;

/// Returns the largest power of two <= fraction that divides `begin`; 0 if it is too short. So
/// steps of different bodies begin at common times.
KOKKOS_INLINE_FUNCTION double aligned_length(double begin, double fraction) {
  double length = 1.0;
  while (!(length <= fraction) || begin / length != Kokkos::floor(begin / length)) {
    length *= 0.5;
    if (length < shortest) return 0.0;
  }
  return length;
}

/// Advances a pack of massless bodies by one step of the massive ones.
template <class Law>
struct MasslessStep {
  Law law;
  StateColumns now, next;
  Kokkos::View<double const*, MemorySpace> paths;
  std::size_t sources;
  double dt, epsilon;
  Table table;
  StateColumns recorded;
  Rows first_step;
  bool starts;  ///< only evaluates the accelerations at the start
  bool records;
  forces::ExtraForces const* extra;  ///< null if there are none
  Rows rows;
  std::size_t first;  ///< index of row 0 among all bodies

  static std::size_t calls(std::size_t bodies) {
    return (bodies + std::size_t{lanes} - 1) / std::size_t{lanes};
  }

  /// Advances the bodies of a pack.
  KOKKOS_FUNCTION void operator()(std::size_t call) const {
    Pack pack;
    load(pack, call * lanes);
    if (starts) evaluate(pack, Lanes{} + 1.0);
    while (!starts && choose_steps(pack)) {
      predict(pack);
      iterate(pack);
      end_steps(pack);
    }
    store(pack);
  }

 private:
  struct Pack {
    Lanes x[3], v[3], x_low[3], v_low[3], a0[3];
    Coefficients<Lanes> b[3], e[3], next_b[3], next_e[3], g[3];
    Lanes begin, length;  ///< of the step; length is 0 in lanes that are at rest
    Lanes dt, ratio;      ///< step [time], and over the last one
    Lanes moves;          ///< 1 in lanes whose coefficients change, 0 in others
    Lanes magnitude;      ///< sum of the magnitudes of the accelerations by all sources
    bool is_whole;        ///< whether all lanes make the whole step at once
    std::size_t first_row;
    int count;  ///< lanes with a body
    double last[lanes], wanted[lanes], error[lanes];
    int steps[lanes], evaluations[lanes];
  };

  /// Rows of a pack are consecutive.
  KOKKOS_FUNCTION void load(Pack& pack, std::size_t first_body) const {
    std::size_t const rest = rows.extent(0) - first_body;
    pack.first_row = first_body;
    pack.count = rest < std::size_t{lanes} ? static_cast<int>(rest) : lanes;
    pack.begin = pack.length = pack.dt = Lanes{};
    pack.is_whole = false;
    auto const get = [&](int column) { return simd::loaded<Lanes>(&now(first_body, column)); };
    for (int axis = 0; axis < 3; ++axis) {
      pack.x[axis] = get(State::position + axis);
      pack.v[axis] = get(State::velocity + axis);
      pack.x_low[axis] = get(State::position_low + axis);
      pack.v_low[axis] = get(State::velocity_low + axis);
      pack.a0[axis] = get(State::acceleration + axis);
      for (int k = 0; k < terms; ++k) {
        pack.b[axis][k] = get(State::b + 3 * k + axis);
        pack.e[axis][k] = get(State::e + 3 * k + axis);
      }
    }
    pack.magnitude = get(State::magnitude);
    for (int i = 0; i < lanes; ++i) {
      pack.last[i] = now(first_body + i, State::last);
      pack.wanted[i] = now(first_body + i, State::wanted);
      pack.steps[i] = pack.evaluations[i] = 0;
      if (i >= pack.count) simd::set_lane<double>(pack.begin, i, 1.0);  // no body
    }
  }

  /// Chooses the next step of each lane that is not at the end. Returns whether there is one.
  KOKKOS_FUNCTION bool choose_steps(Pack& pack) const {
    double const span = Kokkos::abs(dt);
    constexpr double longest_ratio = 20.0;
    bool any = false;
    pack.is_whole = true;
    for (int i = 0; i < lanes; ++i) {
      double const begin = simd::lane<double>(pack.begin, i);
      double const fraction = pack.wanted[i] > 0.0 ? pack.wanted[i] / span : 1.0;
      double const length = begin < 1.0 ? aligned_length(begin, fraction) : 0.0;
      double const ratio = pack.last[i] == 0.0 ? 0.0 : length * dt / pack.last[i];
      simd::set_lane<double>(pack.length, i, length);
      simd::set_lane<double>(pack.dt, i, length * dt);
      simd::set_lane<double>(pack.ratio, i, Kokkos::abs(ratio) <= longest_ratio ? ratio : 0.0);
      any = any || length > 0.0;
      pack.is_whole = pack.is_whole && (length == 1.0 || length == 0.0);
    }
    return any;
  }

  KOKKOS_FUNCTION void predict(Pack& pack) const {
    for (int axis = 0; axis < 3; ++axis) {
      radau::predict<Lanes>(table, pack.ratio, pack.b[axis], pack.e[axis], pack.next_b[axis],
                            pack.next_e[axis], pack.g[axis]);
    }
  }

  /// Iterates each lane until its coefficients no longer change. Sets the last change of b_6 over
  /// the acceleration.
  KOKKOS_FUNCTION void iterate(Pack& pack) const {
    constexpr double converged = 1e-16;
    constexpr int most_sweeps = 12;
    Lanes scale = largest(pack.a0);
    double previous[lanes];
    for (int i = 0; i < lanes; ++i) {
      bool const moves = simd::lane<double>(pack.length, i) > 0.0;
      simd::set_lane<double>(pack.moves, i, moves ? 1.0 : 0.0);
      previous[i] = Kokkos::Experimental::infinity_v<double>;
      pack.error[i] = 0.0;
    }
    for (int sweep = 1; sweep <= most_sweeps; ++sweep) {
      Lanes const changes = visit_nodes(pack);
      bool any = false;
      for (int i = 0; i < lanes; ++i) {
        if (simd::lane<double>(pack.moves, i) == 0.0) continue;
        pack.evaluations[i] += terms;
        double const change = simd::lane<double>(changes, i), size = simd::lane<double>(scale, i);
        pack.error[i] = change > 0.0 ? change / size : 0.0;
        bool const is_done = change <= converged * size || (sweep > 2 && change >= previous[i]);
        if (is_done) simd::set_lane<double>(pack.moves, i, 0.0);
        previous[i] = change;
        any = any || !is_done;
      }
      if (!any) return;
    }
  }

  /// Returns the change of b_6; infinite if it is not finite.
  KOKKOS_FUNCTION Lanes visit_nodes(Pack& pack) const {
    Lanes change[3];
    for (int n = 1; n <= terms; ++n) {
      auto const& node = table.nodes[n];
      Lanes shift[3], a[3];
      for (int axis = 0; axis < 3; ++axis) {
        shift[axis] = pack.x_low[axis] + displacement<Lanes>(node.weights, pack.dt, pack.v[axis],
                                                             pack.a0[axis], pack.next_b[axis]);
      }
      accelerate(pack, node.weights.fraction, shift, pack.is_whole ? n - 1 : -1, a);
      if constexpr (bodies_on_host) {
        Lanes const s = pack.begin + node.weights.fraction * pack.length;
        if (extra != nullptr) add_extra_forces(pack, s, node.weights, shift, a, pack.moves);
      }
      for (int axis = 0; axis < 3; ++axis) {
        auto& g = pack.g[axis];
        Lanes const value = newton_difference<Lanes>(node, pack.a0[axis], a[axis], g);
        change[axis] = pack.moves != 0.0 ? value - g[n - 1] : Lanes{};
        g[n - 1] = pack.moves != 0.0 ? value : g[n - 1];
        for (int j = 0; j < n; ++j) pack.next_b[axis][j] += node.newton[j] * change[axis];
      }
    }
    Lanes const sum = 0.0 * (change[0] + change[1] + change[2]);
    return sum == 0.0 ? largest(change) : Lanes{} + Kokkos::Experimental::infinity_v<double>;
  }

  /// Accepts or refuses the step of each lane, and sets the wanted length of the next one; see
  /// advance_by_steps().
  KOKKOS_FUNCTION void end_steps(Pack& pack) const {
    constexpr double most_growth = 4.0, most_shrinkage = 0.01;
    constexpr double first_error = 1e-10, largest_error = 1e-3;
    SquaredDerivatives<Lanes> squares;
    for (int axis = 0; axis < 3; ++axis) {
      set_from_newton<Lanes>(table, pack.g[axis], pack.next_b[axis]);
      squares.add(pack.a0[axis], pack.next_b[axis]);
    }
    double const tolerance = Kokkos::pow(5040.0 * epsilon, 1.0 / 7.0);
    Lanes accepted{};
    for (int i = 0; i < lanes; ++i) {
      double const fraction = simd::lane<double>(pack.length, i);
      if (!(fraction > 0.0)) continue;
      auto const value = [&](Lanes const& lanes_) { return simd::lane<double>(lanes_, i); };
      double const length = fraction * Kokkos::abs(dt);
      double const least = rounding * value(pack.magnitude);
      double const a2 = value(squares.acceleration);
      double const scale = Kokkos::sqrt(squared_time_scale(a2 > least * least ? a2 : least * least,
                                                           value(squares.jerk), value(squares.snap),
                                                           value(squares.crackle)));
      bool const is_first = pack.last[i] == 0.0;
      bool const is_converged = pack.error[i] < (is_first ? first_error : largest_error);
      bool const is_known = scale < Kokkos::Experimental::infinity_v<double>;
      double const wanted_next = length * (is_known ? scale * tolerance : most_growth);
      if (!is_converged || wanted_next * (is_first ? 1.0 : most_growth) < length) {
        double const least_length = most_shrinkage * length;
        pack.wanted[i] = !is_converged                ? 0.1 * length
                         : wanted_next > least_length ? wanted_next
                                                      : least_length;
        continue;
      }
      simd::set_lane<double>(accepted, i, 1.0);
      if (records) record(pack, i);
      ++pack.steps[i];
      double const longest = most_growth * length;
      pack.wanted[i] = wanted_next < longest ? wanted_next : longest;
      pack.last[i] = value(pack.dt);
    }
    accept(pack, accepted);
  }

  KOKKOS_FUNCTION void accept(Pack& pack, Lanes const& accepted) const {
    for (int axis = 0; axis < 3; ++axis) {
      Lanes residue{};
      for (int i = 0; i < lanes; ++i) {
        double const h = simd::lane<double>(pack.dt, i), v = simd::lane<double>(pack.v[axis], i);
        simd::set_lane<double>(residue, i, Kokkos::fma(h, v, -(h * v)));
      }
      Lanes x = pack.x[axis], x_low = pack.x_low[axis], v = pack.v[axis], v_low = pack.v_low[axis];
      radau::advance<Lanes>(table.end, pack.dt, residue, pack.a0[axis], pack.next_b[axis], x, x_low,
                            v, v_low);
      auto const take = [&](Lanes& old, Lanes const& value) {
        old = accepted != 0.0 ? value : old;
      };
      take(pack.x[axis], x);
      take(pack.x_low[axis], x_low);
      take(pack.v[axis], v);
      take(pack.v_low[axis], v_low);
      for (int k = 0; k < terms; ++k) {
        Lanes const b = pack.next_b[axis][k];
        take(pack.b[axis][k], b);
        take(pack.e[axis][k], pack.ratio != 0.0 ? pack.next_e[axis][k] : b);
      }
    }
    pack.begin = accepted != 0.0 ? pack.begin + pack.length : pack.begin;
    evaluate(pack, accepted);
  }

  /// Sets the accelerations of the marked lanes at the start of their next steps.
  KOKKOS_FUNCTION void evaluate(Pack& pack, Lanes const& accepted) const {
    Lanes a[3], sum;
    accelerate(pack, 0.0, pack.x_low, pack.is_whole ? terms : -1, a, &sum);
    if constexpr (bodies_on_host) {
      if (extra != nullptr) {
        add_extra_forces(pack, pack.begin, {}, pack.x_low, a, accepted);
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      pack.a0[axis] = accepted != 0.0 ? a[axis] : pack.a0[axis];
    }
    pack.magnitude = accepted != 0.0 ? sum : pack.magnitude;
    for (int i = 0; i < lanes; ++i) {
      if (simd::lane<double>(accepted, i) != 0.0) ++pack.evaluations[i];
    }
  }

  /// Sets the separations of the lanes that are close to a source, to more digits than the path of
  /// the source during the whole step has.
  KOKKOS_FUNCTION void set_close(Pack const& pack, double node, double const* path,
                                 Lanes const (&shift)[3], LaneMask close, Lanes (&r)[3]) const {
    for (int i = 0; i < lanes; ++i) {
      if ((close >> i & 1) == 0) continue;
      for (int axis = 0; axis < 3; ++axis) {
        TwoSum moved =
            SourcePath::moved_exactly(path + SourcePath::series + axis * (SourcePath::degree + 1),
                                      TwoSum::of(simd::lane<double>(pack.begin, i),
                                                 node * simd::lane<double>(pack.length, i)));
        auto const apart =
            TwoSum::of(path[SourcePath::position + axis], -simd::lane<double>(pack.x[axis], i));
        auto const sum = TwoSum::of(apart.high, moved.high);
        double const low = (apart.low + moved.low) + (sum.low - simd::lane<double>(shift[axis], i));
        simd::set_lane<double>(r[axis], i, sum.high + low);
      }
    }
  }

  /// Accelerations at a node of the steps (0: their starts), of bodies that have moved by `shift`
  /// since then. `place`: index in SourcePath::at_nodes, or -1.
  KOKKOS_FUNCTION void accelerate(Pack const& pack, double node, Lanes const (&shift)[3], int place,
                                  Lanes (&a)[3], Lanes* magnitude = nullptr) const {
    Lanes const s = pack.begin + node * pack.length;
    for (int axis = 0; axis < 3; ++axis) a[axis] = Lanes{};
    Lanes sum{};
    for (std::size_t j = 0; j < sources; ++j) {
      double const* const path = paths.data() + j * SourcePath::width;
      Lanes r[3], moved_squared{};
      for (int axis = 0; axis < 3; ++axis) {
        double const* const series = path + SourcePath::series + axis * (SourcePath::degree + 1);
        Lanes const moved = place >= 0 ? Lanes{} + path[SourcePath::at_nodes + 3 * place + axis]
                                       : SourcePath::moved<Lanes>(series, s);
        r[axis] = (path[SourcePath::position + axis] - pack.x[axis]) + (moved - shift[axis]);
        moved_squared += moved * moved;
      }
      if (place < 0) {
        Lanes const squared = r[2] * r[2] + (r[1] * r[1] + r[0] * r[0]);
        auto const close = simd::mask_of<double, lanes>((squared < close_squared * moved_squared) &
                                                        (pack.length < 1.0));
        if (close != 0) set_close(pack, node, path, shift, close, r);
      }
      forces::Separation<Lanes> const separation{
          r[0], r[1], r[2], r[2] * r[2] + (r[1] * r[1] + (r[0] * r[0] + law.offset()))};
      Lanes const factor = law.acceleration_factor(path[SourcePath::strength], separation);
      for (int axis = 0; axis < 3; ++axis) {
        Lanes const part = factor * r[axis];
        a[axis] += part;
        if (magnitude != nullptr) sum += part < 0.0 ? -part : part;
      }
    }
    if (magnitude != nullptr) *magnitude = sum;
  }

  /// Adds the forces besides gravity to the lanes that `acts` marks, each as the last of a list of
  /// the massive bodies and itself.
  void add_extra_forces(Pack const& pack, Lanes const& s, Weights const& weights,
                        Lanes const (&shift)[3], Lanes (&a)[3], Lanes const& acts) const {
    std::size_t const count = sources + 1;
    std::vector<double> numbers(10 * count);
    std::vector<std::size_t> index(count);
    auto const column = [&](std::size_t k) { return numbers.data() + k * count; };
    for (int i = 0; i < pack.count; ++i) {
      if (simd::lane<double>(acts, i) == 0.0) continue;
      double const fraction = simd::lane<double>(s, i);
      index[sources] = first + rows(pack.first_row + i);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t j = 0; j < sources; ++j) {
          double const* const path = paths.data() + j * SourcePath::width;
          double const* const series = path + SourcePath::series + axis * (SourcePath::degree + 1);
          column(0)[j] = path[SourcePath::mass];
          index[j] = static_cast<std::size_t>(path[SourcePath::index]);
          column(1 + axis)[j] =
              path[SourcePath::position + axis] + SourcePath::moved(series, fraction);
          column(4 + axis)[j] = dt == 0.0 ? path[SourcePath::velocity + static_cast<int>(axis)]
                                          : SourcePath::rate(series, fraction) / dt;
        }
        Lanes const v = pack.v[axis] +
                        velocity_change<Lanes>(weights, pack.dt, pack.a0[axis], pack.next_b[axis]);
        column(1 + axis)[sources] = simd::lane<double>(pack.x[axis] + shift[axis], i);
        column(4 + axis)[sources] = simd::lane<double>(v, i);
        column(7 + axis)[sources] = simd::lane<double>(a[axis], i);
      }
      extra->add_few({count,
                      {column(1), column(2), column(3)},
                      {column(4), column(5), column(6)},
                      column(0),
                      {column(7), column(8), column(9)},
                      0.0,
                      index.data()});
      for (std::size_t axis = 0; axis < 3; ++axis) {
        simd::set_lane<double>(a[axis], i, column(7 + axis)[sources]);
      }
    }
  }

  KOKKOS_FUNCTION void record(Pack const& pack, int i) const {
    std::size_t const row = pack.first_row + i;
    if (first_step(row + 1) == first_step(row)) return;
    std::size_t const step = first_step(row) + static_cast<std::size_t>(pack.steps[i]);
    recorded(step, Record::begin) = simd::lane<double>(pack.begin, i);
    recorded(step, Record::length) = simd::lane<double>(pack.length, i);
    for (int axis = 0; axis < 3; ++axis) {
      auto const set = [&](int column, Lanes const& value) {
        recorded(step, column + axis) = simd::lane<double>(value, i);
      };
      set(Record::state + State::position, pack.x[axis]);
      set(Record::state + State::velocity, pack.v[axis]);
      set(Record::state + State::acceleration, pack.a0[axis]);
      set(Record::state + State::position_low, pack.x_low[axis]);
      set(Record::state + State::velocity_low, pack.v_low[axis]);
      for (int k = 0; k < terms; ++k) set(Record::b + 3 * k, pack.next_b[axis][k]);
    }
  }

  KOKKOS_FUNCTION void store(Pack const& pack) const {
    auto const set = [&](int column, Lanes const& value) {
      simd::store(&next(pack.first_row, column), value);
    };
    for (int axis = 0; axis < 3; ++axis) {
      set(State::position + axis, pack.x[axis]);
      set(State::velocity + axis, pack.v[axis]);
      set(State::acceleration + axis, pack.a0[axis]);
      set(State::position_low + axis, pack.x_low[axis]);
      set(State::velocity_low + axis, pack.v_low[axis]);
      for (int k = 0; k < terms; ++k) {
        set(State::b + 3 * k + axis, pack.b[axis][k]);
        set(State::e + 3 * k + axis, pack.e[axis][k]);
      }
    }
    set(State::magnitude, pack.magnitude);
    set(State::reached, pack.begin);
    for (int i = 0; i < pack.count; ++i) {
      std::size_t const row = pack.first_row + i;
      next(row, State::last) = pack.last[i];
      next(row, State::wanted) = pack.wanted[i];
      next(row, State::steps) = pack.steps[i];
      next(row, State::evaluations) = pack.evaluations[i];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static Lanes largest(Lanes const (&components)[3]) {
    Lanes result{};
    for (auto const& component : components) result = larger_magnitude(result, component);
    return result;
  }

  /// An acceleration below this part of the sum of magnitudes is rounding, as that of a body at an
  /// equilibrium; steps do not follow it.
  static constexpr double rounding = 1e-10;
  /// Squared distance over that which the source moves, below which digits would be lost.
  static constexpr double close_squared = 0x1p-16;
};

/// Sets the bodies to a fraction of the step.
struct StoreMassless {
  Bodies<double> bodies;
  Rows rows, first_step;
  StateColumns now, next, recorded;
  double fraction, dt;
  bool is_at_end;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    double const end = next(k, State::reached);
    if (is_at_end || (fraction >= end && end < 1.0)) return copy(k, is_at_end ? now : next);
    std::size_t const first = first_step(k), last = first_step(k + 1);
    if (first == last) return place(k, now, k, 0, next, State::b, weights_at(fraction), dt);
    std::size_t step = first;
    while (step + 1 < last && recorded(step + 1, Record::begin) <= fraction) ++step;
    double const length = recorded(step, Record::length);
    double const part = (fraction - recorded(step, Record::begin)) / length;
    place(k, recorded, step, Record::state, recorded, Record::b, weights_at(part), length * dt);
  }

 private:
  KOKKOS_FUNCTION void copy(std::size_t k, StateColumns const& state) const {
    std::size_t const row = rows(k);
    for (int axis = 0; axis < 3; ++axis) {
      bodies.position(row, axis) = state(k, State::position + axis);
      bodies.velocity(row, axis) = state(k, State::velocity + axis);
      bodies.acceleration(row, axis) = state(k, State::acceleration + axis);
    }
  }

  KOKKOS_FUNCTION void place(std::size_t k, StateColumns const& state, std::size_t line, int offset,
                             StateColumns const& series, int b_column, Weights const& weights,
                             double h) const {
    std::size_t const row = rows(k);
    for (int axis = 0; axis < 3; ++axis) {
      Coefficients<double> b;
      for (int j = 0; j < terms; ++j) b[j] = series(line, b_column + 3 * j + axis);
      double const v = state(line, offset + State::velocity + axis);
      double const a = state(line, offset + State::acceleration + axis);
      bodies.position(row, axis) =
          state(line, offset + State::position + axis) + displacement<double>(weights, h, v, a, b);
      bodies.velocity(row, axis) = v + velocity_change<double>(weights, h, a, b);
    }
  }
};

/// Results of a step of all bodies.
struct StepResults {
  double not_reached = 0.0;  ///< largest part of the step that a body does not reach
  double evaluations = 0.0;  ///< sum
  double recorded = 0.0;     ///< steps to record, sum

  KOKKOS_FUNCTION StepResults& operator+=(StepResults const& other) {
    not_reached = other.not_reached > not_reached ? other.not_reached : not_reached;
    evaluations += other.evaluations;
    recorded += other.recorded;
    return *this;
  }
};
struct ResultsOfBody {
  StateColumns state;
  KOKKOS_FUNCTION StepResults operator()(std::size_t k) const {
    double const steps = state(k, State::steps), end = state(k, State::reached);
    return {1.0 - end, state(k, State::evaluations), steps == 1.0 && end == 1.0 ? 0.0 : steps};
  }
};

Rows massless_rows(ExecutionSpace const& space, Bodies<double> const& bodies) {
  space.fence("apsis::integrators::gauss_radau: the host reads the masses");
  auto const mass = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.mass);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (mass(i) == 0.0) rows.push_back(i);
  }
  auto const result = copy_to_device(space, rows, "apsis::integrators::gauss_radau::massless_rows");
  space.fence("apsis::integrators::gauss_radau: the rows on the host are freed");
  return result;
}

}  // namespace

MasslessBodies::MasslessBodies(ExecutionSpace const& space, Bodies<double> const& bodies)
    : rows_(massless_rows(space, bodies)) {
  auto const allocate = [&](std::size_t rows, std::size_t columns) {
    return StateColumns(Kokkos::view_alloc(space, "apsis::integrators::gauss_radau::massless"),
                        rows, columns);
  };
  std::size_t const padded = (size() + lanes - 1) / lanes * lanes;
  now_ = allocate(padded, State::width);
  next_ = allocate(padded, State::width);
  first_step_ =
      Rows(Kokkos::view_alloc(space, "apsis::integrators::gauss_radau::first_step"), size() + 1);
}

void MasslessBodies::load(Motion const& motion) {
  auto const bodies = motion.bodies;
  auto const rows = rows_;
  auto const now = now_;
  for_each_body(
      motion.context.space, "apsis::integrators::gauss_radau::load_massless", size(),
      KOKKOS_LAMBDA(std::size_t k) {
        for (int axis = 0; axis < 3; ++axis) {
          now(k, State::position + axis) = bodies.position(rows(k), axis);
          now(k, State::velocity + axis) = bodies.velocity(rows(k), axis);
          now(k, State::acceleration + axis) = bodies.acceleration(rows(k), axis);
        }
      });
}

void MasslessBodies::start(Motion const& motion, std::vector<double> const& paths) {
  Kokkos::deep_copy(motion.context.space, now_, 0.0);
  load(motion);
  integrate(motion, paths, 0.0, 0.0, Task::start);
  accept();
  store(motion, 0.0, 0.0);
}

double MasslessBodies::advance(Motion const& motion, std::vector<double> const& paths, double dt,
                               double epsilon, bool keeps_steps) {
  integrate(motion, paths, dt, epsilon, Task::step);
  auto const results = fixed_order_sum<StepResults>(
      motion.context, "apsis::integrators::gauss_radau::massless_results", size(),
      ResultsOfBody{next_});
  auto const sources = static_cast<double>(paths.size() / SourcePath::width);
  motion.solver.count(results.evaluations * sources);
  is_accepted_ = false;
  double const end = 1.0 - results.not_reached;
  if (keeps_steps || end < 1.0) {
    number_steps(motion.context.space);
    if (steps_.extent(0) > 0) integrate(motion, paths, dt, epsilon, Task::record);
  }
  return end;
}

void MasslessBodies::accept() {
  std::swap(now_, next_);
  is_accepted_ = true;
}

void MasslessBodies::integrate(Motion const& motion, std::vector<double> const& paths, double dt,
                               double epsilon, Task task) {
  auto const& space = motion.context.space;
  std::size_t const sources = paths.size() / SourcePath::width;
  Kokkos::View<double const*, MemorySpace> numbers(paths.data(), paths.size());
  if constexpr (!bodies_on_host) {
    numbers = copy_to_device(space, paths, "apsis::integrators::gauss_radau::paths");
  }
  forces::with_softening(motion.solver.gravity(), [&](auto const& law) {
    using Step = MasslessStep<std::decay_t<decltype(law)>>;
    Step const step{law,
                    now_,
                    next_,
                    numbers,
                    sources,
                    dt,
                    epsilon,
                    constants,
                    steps_,
                    first_step_,
                    task == Task::start,
                    task == Task::record,
                    motion.solver.extra_forces(),
                    rows_,
                    motion.bodies.first};
    std::size_t const calls = Step::calls(size());
    // Below this a launch takes longer.
    constexpr std::size_t most_pairs = 32;
    if (bodies_on_host && calls * sources <= most_pairs) {
      for (std::size_t call = 0; call < calls; ++call) step(call);
    } else {
      for_each(space, "apsis::integrators::gauss_radau::massless_step", calls, step);
    }
  });
  if constexpr (!bodies_on_host) {
    space.fence("apsis::integrators::gauss_radau: the paths on the host are freed");
  }
}

void MasslessBodies::number_steps(ExecutionSpace const& space) {
  auto const state = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      Kokkos::subview(next_, Kokkos::ALL,
                      Kokkos::pair<int, int>(State::reached, State::steps + 1)));
  auto const first = Kokkos::create_mirror_view(first_step_);
  for (std::size_t k = 0; k < size(); ++k) {
    double const end = state(k, 0), count = state(k, 1);
    bool const is_whole = count == 1.0 && end == 1.0;
    first(k + 1) = first(k) + (is_whole ? 0 : static_cast<std::size_t>(count));
  }
  fit(space, steps_, "apsis::integrators::gauss_radau::massless_steps", first(size()),
      Record::width);
  copy_from_mirror(first_step_, first);
}

void MasslessBodies::store(Motion const& motion, double fraction, double dt) const {
  for_each_body(motion.context.space, "apsis::integrators::gauss_radau::store_massless", size(),
                StoreMassless{motion.bodies, rows_, first_step_, now_, next_, steps_, fraction, dt,
                              is_accepted_});
}

std::vector<SubStep> MasslessBodies::sub_steps(Context const& context) const {
  context.space.fence("apsis::integrators::gauss_radau: the host reads the steps");
  auto const on_host = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  auto const steps = on_host(Kokkos::subview(steps_, Kokkos::ALL, Kokkos::pair<int, int>(0, 2)));
  auto const first = on_host(first_step_);
  auto const rows = on_host(rows_);
  // Steps by their begin; those that contain others come first.
  std::map<std::pair<double, double>, std::vector<std::size_t>> by_time;
  for (std::size_t k = 0; k < size(); ++k) {
    for (std::size_t i = first(k); i < first(k + 1); ++i) {
      by_time[{steps(i, Record::begin), -steps(i, Record::length)}].push_back(rows(k));
    }
  }
  if (is_shared(context)) {
    std::vector<double> local;
    for (auto const& [time, bodies] : by_time) {
      local.push_back(time.first);
      local.push_back(time.second);
    }
    auto const all = gather_values(context, std::move(local));
    for (std::size_t i = 0; i < all.size(); i += 2) by_time.try_emplace({all[i], all[i + 1]});
  }
  std::vector<SubStep> result;
  for (auto& [time, bodies] : by_time) {
    result.push_back({time.first, -time.second, std::move(bodies)});
  }
  return result;
}

void MasslessBodies::exchange(ExecutionSpace const& space, SavedState& state) {
  // Without the rows that complete the last pack.
  auto const part =
      Kokkos::subview(now_, Kokkos::pair<std::size_t, std::size_t>(0, size()),
                      Kokkos::pair<int, int>(State::position_low, State::magnitude + 1));
  StateColumns const saved("apsis::integrators::gauss_radau::saved", part.extent(0),
                           part.extent(1));
  Kokkos::deep_copy(space, saved, part);
  state.exchange(space, "gauss_radau/massless", saved);
  Kokkos::deep_copy(space, part, saved);
  space.fence("apsis::integrators::gauss_radau: the copy is freed");
}

}  // namespace apsis::integrators::radau
