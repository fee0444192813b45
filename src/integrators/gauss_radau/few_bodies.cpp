// SPDX-License-Identifier: Apache-2.0
#include "forces/with_softening.hpp"
#include "lanes/simd.hpp"
#include "step_control.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace apsis::integrators::radau {

namespace {

using Lanes = simd::Pack<double, by_backend(simd::pack_lanes<double>, 1)>::type;
constexpr int lanes = simd::lane_count<double, Lanes>;
constexpr double infinite = std::numeric_limits<double>::infinity();

Lanes larger_magnitude(Lanes const& a, Lanes const& b) {
  Lanes const magnitude = b < 0.0 ? -b : b;
  return magnitude > a ? magnitude : a;
}

/// Few bodies, advanced by one host thread, also beside a GPU. Pack p has the bodies p lanes ... (p
/// + 1) lanes - 1; lanes beyond the last body repeat it. On ranks that share the bodies each rank
/// advances all of them, so nothing is exchanged within an advance and the bits are those of one
/// rank.
template <int packs>
class FewBodySystem final : public System {
 public:
  explicit FewBodySystem(std::size_t count) : count_(static_cast<int>(count)) {}

  void start(Motion const& motion) override {
    for (auto& set : series_) set = {};
    low_ = {};
    load(motion);
    with_law(motion, [&](auto const& law) {
      set_differences();
      Scheme<std::decay_t<decltype(law)>>{*this, law}.evaluate_at_start();
    });
    count_interactions(motion);
    store_accelerations(motion);
  }

  void advance(Motion const& motion, double time_step, StepControl& control,
               StepListener& listener) override {
    load(motion);
    judge(control.judges_massless);
    with_law(motion, [&](auto const& law) {
      set_differences();
      Scheme<std::decay_t<decltype(law)>> scheme{*this, law};
      advance_by_steps(scheme, time_step, control, listener);
    });
    count_interactions(motion);
    store(motion, 0.0, 0.0);
    store_accelerations(motion);
  }

  void store(Motion const& motion, double fraction, double dt) override {
    auto const weights = weights_at(fraction);
    auto const& bodies = motion.bodies;
    auto const position = Kokkos::create_mirror_view(bodies.position);
    auto const velocity = Kokkos::create_mirror_view(bodies.velocity);
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        Lanes const a0 = acceleration_[axis][p], v0 = velocity_[axis][p];
        auto const& b = series_[1 - now_].b[axis][p];
        Lanes const x = position_[axis][p] + displacement<Lanes>(weights, dt, v0, a0, b);
        Lanes const v = v0 + velocity_change<Lanes>(weights, dt, a0, b);
        store_pack(bodies, p, axis, x, position);
        store_pack(bodies, p, axis, v, velocity);
      }
    }
    copy_from_mirror(bodies.position, position);
    copy_from_mirror(bodies.velocity, velocity);
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    auto& series = series_[now_];
    exchange_rows(space, state, "position_low", 3,
                  [&](int p, int column) -> Lanes& { return low_.position[column][p]; });
    exchange_rows(space, state, "velocity_low", 3,
                  [&](int p, int column) -> Lanes& { return low_.velocity[column][p]; });
    exchange_rows(space, state, "b", 3 * terms,
                  [&](int p, int column) -> Lanes& { return series.b[column % 3][p][column / 3]; });
    exchange_rows(space, state, "e", 3 * terms,
                  [&](int p, int column) -> Lanes& { return series.e[column % 3][p][column / 3]; });
  }

 private:
  using Columns = Lanes[3][packs];
  using Series = Coefficients<Lanes>[3][packs];
  struct Expansion {
    Series b{}, e{};
  };
  struct Low {
    Columns position{}, velocity{};
  };

  /// The scheme with one softening law.
  template <class Law>
  struct Scheme {
    FewBodySystem& few;
    Law law;

    void predict(double ratio) {
      auto const& last = few.series_[few.now_];
      auto& next = few.series_[1 - few.now_];
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          radau::predict<Lanes>(constants, ratio, last.b[axis][p], last.e[axis][p], next.b[axis][p],
                                next.e[axis][p], few.newton_[axis][p]);
        }
      }
    }

    double largest_acceleration() const { return few.largest(few.acceleration_); }

    double sweep(double dt) {
      Columns change;
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (visit_node<k + 1>(dt, change), ...);
      }
      (std::make_integer_sequence<int, terms>());
      return few.largest(change);
    }

    template <int number>
    void visit_node(double dt, Columns& change) {
      constexpr Node node = constants.nodes[number];
      auto& b = few.series_[1 - few.now_].b;
      Columns shift, acceleration;
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          shift[axis][p] = displacement<Lanes>(node.weights, dt, few.velocity_[axis][p],
                                               few.acceleration_[axis][p], b[axis][p]);
        }
      }
      evaluate(shift, acceleration);
      if (few.extra_forces_ != nullptr) few.add_extra_forces(node.weights, dt, shift, acceleration);
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          change[axis][p] = update<Lanes>(node, few.acceleration_[axis][p], acceleration[axis][p],
                                          b[axis][p], few.newton_[axis][p]);
        }
      }
    }

    double squared_time_scale() {
      auto& b = few.series_[1 - few.now_].b;
      double smallest = infinite;
      for (int p = 0; p < packs; ++p) {
        SquaredDerivatives<Lanes> squares;
        for (int axis = 0; axis < 3; ++axis) {
          set_from_newton<Lanes>(constants, few.newton_[axis][p], b[axis][p]);
          squares.add(few.acceleration_[axis][p], b[axis][p]);
        }
        for (int lane = 0; lane < lanes; ++lane) {
          if (!few.is_judged_[p * lanes + lane]) continue;
          auto const value = [&](Lanes const& pack) { return simd::lane<double>(pack, lane); };
          double const scale =
              radau::squared_time_scale(value(squares.acceleration), value(squares.jerk),
                                        value(squares.snap), value(squares.crackle));
          smallest = std::min(smallest, scale);
        }
      }
      return smallest;
    }

    void accept(double dt, bool is_predicted) {
      few.now_ = 1 - few.now_;
      auto& series = few.series_[few.now_];
      if (!is_predicted) std::memcpy(series.e, series.b, sizeof series.b);
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          Lanes& v = few.velocity_[axis][p];
          Lanes residue{};
          for (int lane = 0; lane < lanes; ++lane) {
            double const speed = simd::lane<double>(v, lane);
            simd::set_lane<double>(residue, lane, std::fma(dt, speed, -(dt * speed)));
          }
          radau::advance<Lanes>(constants.end, dt, residue, few.acceleration_[axis][p],
                                series.b[axis][p], few.position_[axis][p],
                                few.low_.position[axis][p], v, few.low_.velocity[axis][p]);
        }
      }
      few.set_differences();
      evaluate_at_start();
    }

    void evaluate_at_start() {
      Columns const shift{};
      evaluate(shift, few.acceleration_);
      if (few.extra_forces_ != nullptr) {
        few.add_extra_forces({}, 0.0, shift, few.acceleration_);
      }
    }

    /// Accelerations of all bodies that have moved by `shift` since the start of the step.
    void evaluate(Columns const& shift, Columns& acceleration) {
      Columns sum{};
      for (int source = 0; source < few.sources_; ++source) {
        auto const& difference = few.difference_[source];
        int const body = few.source_[source], pack = body / lanes, lane = body % lanes;
        double const moved[3]{simd::lane<double>(shift[0][pack], lane),
                              simd::lane<double>(shift[1][pack], lane),
                              simd::lane<double>(shift[2][pack], lane)};
        for (int p = 0; p < packs; ++p) {
          Lanes const x = difference[0][p] + (moved[0] - shift[0][p]);
          Lanes const y = difference[1][p] + (moved[1] - shift[1][p]);
          Lanes const z = difference[2][p] + (moved[2] - shift[2][p]);
          forces::Separation<Lanes> const r{x, y, z, z * z + (y * y + (x * x + law.offset()))};
          Lanes const factor = law.acceleration_factor(few.strength_[source], r);
          sum[0][p] += factor * x;
          sum[1][p] += factor * y;
          sum[2][p] += factor * z;
        }
      }
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) acceleration[axis][p] = sum[axis][p];
      }
      ++few.evaluations_;
    }
  };

  /// Saves or restores a row for each body, the same on all ranks. pack_of(p, column) is a pack.
  template <class PackOf>
  void exchange_rows(ExecutionSpace const& space, SavedState& state, std::string const& name,
                     int columns, PackOf const& pack_of) {
    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const rows(
        "apsis::integrators::gauss_radau::rows", static_cast<std::size_t>(count_), columns);
    auto const for_each_number = [&](auto const& act) {
      for (int column = 0; column < columns; ++column) {
        for (int i = 0; i < packs * lanes; ++i) {
          act(pack_of(i / lanes, column), i % lanes, rows(body_of(i / lanes, i % lanes), column));
        }
      }
    };
    for_each_number(
        [](Lanes& pack, int lane, double& number) { number = simd::lane<double>(pack, lane); });
    state.exchange_replicated(space, "gauss_radau/" + name, rows);
    for_each_number(
        [](Lanes& pack, int lane, double number) { simd::set_lane<double>(pack, lane, number); });
  }

  template <class Function>
  void with_law(Motion const& motion, Function const& function) const {
    forces::with_softening(motion.solver.gravity(), function);
  }

  int body_of(int pack, int lane) const { return std::min(pack * lanes + lane, count_ - 1); }

  /// Writes one component of the bodies of a pack that are rows of this rank.
  template <class Rows>
  static void store_pack(Bodies<double> const& bodies, int pack, int axis, Lanes const& values,
                         Rows const& rows) {
    for (int lane = 0; lane < lanes; ++lane) {
      auto const body = static_cast<std::size_t>(pack * lanes + lane);
      if (body < bodies.first || body >= bodies.first + bodies.size()) continue;
      rows(body - bodies.first, axis) = simd::lane<double>(values, lane);
    }
  }

  void load(Motion const& motion) {
    auto const& bodies = motion.bodies;
    constexpr int width = 10;
    auto& rows = rows_;
    rows.clear();
    if constexpr (!bodies_on_host) {
      motion.context.space.fence("apsis::integrators::gauss_radau: the host reads the bodies");
    }
    auto const copy = [](auto const& column) {
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), column);
    };
    auto const masses = copy(bodies.mass);
    auto const vectors = {copy(bodies.position), copy(bodies.velocity), copy(bodies.acceleration)};
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      rows.push_back(masses(i));
      for (auto const& columns : vectors) {
        for (int axis = 0; axis < 3; ++axis) rows.push_back(columns(i, axis));
      }
    }
    rows = gather_values(motion.context, std::move(rows));
    sources_ = 0;
    extra_forces_ = motion.solver.extra_forces();
    for (int body = 0; body < count_; ++body) {
      double const mass = rows[static_cast<std::size_t>(width * body)];
      mass_[body] = mass;
      if (mass == 0.0) continue;
      source_[sources_] = body;
      strength_[sources_] = motion.solver.gravity().G * mass;
      ++sources_;
    }
    for (int p = 0; p < packs; ++p) {
      for (int lane = 0; lane < lanes; ++lane) {
        double const* const row = rows.data() + width * body_of(p, lane) + 1;
        for (int axis = 0; axis < 3; ++axis) {
          simd::set_lane<double>(position_[axis][p], lane, row[axis]);
          simd::set_lane<double>(velocity_[axis][p], lane, row[3 + axis]);
          simd::set_lane<double>(acceleration_[axis][p], lane, row[6 + axis]);
        }
      }
    }
  }

  void store_accelerations(Motion const& motion) const {
    auto const& bodies = motion.bodies;
    auto const acceleration = Kokkos::create_mirror_view(bodies.acceleration);
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        store_pack(bodies, p, axis, acceleration_[axis][p], acceleration);
      }
    }
    copy_from_mirror(bodies.acceleration, acceleration);
  }

  /// Adds the forces besides gravity on bodies that have moved by `shift` since the start of the
  /// step, at a fraction of it. Their rows are packed as the bodies are.
  void add_extra_forces(Weights const& weights, double dt, Columns const& shift,
                        Columns& acceleration) const {
    Columns position, velocity;
    auto const& b = series_[1 - now_].b;
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        Lanes const v0 = velocity_[axis][p];
        position[axis][p] = position_[axis][p] + shift[axis][p];
        velocity[axis][p] =
            v0 + velocity_change<Lanes>(weights, dt, acceleration_[axis][p], b[axis][p]);
      }
    }
    constexpr int rows = packs * lanes;
    double numbers[3][3][rows];
    Columns const* const inputs[]{&position, &velocity, &acceleration};
    for (int kind = 0; kind < 3; ++kind) {
      std::memcpy(numbers[kind], inputs[kind], sizeof numbers[kind]);
    }
    auto const& [x, v, a] = numbers;
    double(&sum)[3][rows] = numbers[2];
    extra_forces_->add_few({static_cast<std::size_t>(count_),
                            {x[0], x[1], x[2]},
                            {v[0], v[1], v[2]},
                            mass_,
                            {sum[0], sum[1], sum[2]},
                            0.0});
    // Lanes beyond the last body repeat it.
    int const last = std::max(count_, 1) - 1;
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = last + 1; i < rows; ++i) sum[axis][i] = sum[axis][last];
    }
    std::memcpy(acceleration, a, sizeof numbers[2]);
  }

  /// Marks the bodies that choose the steps: those with mass if there are two of them at least.
  void judge(bool judges_massless) {
    bool const everything = judges_massless || sources_ < 2;
    for (int i = 0; i < packs * lanes; ++i) is_judged_[i] = everything && i < count_;
    for (int k = 0; k < sources_; ++k) is_judged_[source_[k]] = true;
  }

  /// Sets the separations of each source from all bodies at the start of a step, to which the low
  /// parts give digits that positions lack.
  void set_differences() {
    for (int k = 0; k < sources_; ++k) {
      int const pack = source_[k] / lanes, lane = source_[k] % lanes;
      for (int axis = 0; axis < 3; ++axis) {
        double const x = simd::lane<double>(position_[axis][pack], lane);
        double const low = simd::lane<double>(low_.position[axis][pack], lane);
        for (int p = 0; p < packs; ++p) {
          difference_[k][axis][p] = (x - position_[axis][p]) + (low - low_.position[axis][p]);
        }
      }
    }
  }

  /// Largest magnitude of any component of the bodies that choose the steps; infinite if one is not
  /// finite.
  double largest(Columns const& columns) const {
    double result = 0.0;
    for (int p = 0; p < packs; ++p) {
      Lanes magnitude{}, zero{};
      for (int axis = 0; axis < 3; ++axis) {
        magnitude = larger_magnitude(magnitude, columns[axis][p]);
        zero += 0.0 * columns[axis][p];  // NaN if not finite
      }
      for (int lane = 0; lane < lanes; ++lane) {
        if (!is_judged_[p * lanes + lane]) continue;
        bool const is_finite = simd::lane<double>(zero, lane) == 0.0;
        result = std::max(result, is_finite ? simd::lane<double>(magnitude, lane) : infinite);
      }
    }
    return result;
  }

  void count_interactions(Motion const& motion) {
    motion.solver.count(static_cast<double>(evaluations_) * sources_ * count_);
    evaluations_ = 0;
  }

  int count_;                                    ///< bodies of all ranks
  int sources_ = 0;                              ///< bodies with mass
  int now_ = 0;                                  ///< index of the coefficients of the last step
  long evaluations_ = 0;                         ///< force evaluations that are not yet counted
  forces::ExtraForces* extra_forces_ = nullptr;  ///< null if there are none
  double mass_[most_few_bodies] = {};            ///< of all bodies [mass]
  int source_[most_few_bodies] = {};             ///< bodies with mass
  double strength_[most_few_bodies] = {};        ///< G m of each source
  bool is_judged_[packs * lanes] = {};           ///< whether a body chooses the steps
  std::vector<double> rows_;                     ///< workspace of load()
  Columns position_{}, velocity_{}, acceleration_{};
  Low low_;
  Columns difference_[most_few_bodies] = {};  ///< separation of each source from all bodies
  Expansion series_[2];
  Series newton_{};  ///< coefficients g
};

constexpr int most_packs = (static_cast<int>(most_few_bodies) + lanes - 1) / lanes;

/// Makes the implementation with the fewest packs, in powers of two, that hold `count` bodies.
template <int packs = 1>
std::unique_ptr<System> make_with_packs(std::size_t count) {
  if constexpr (packs < most_packs) {
    if (count > static_cast<std::size_t>(packs * lanes)) return make_with_packs<2 * packs>(count);
  }
  return std::make_unique<FewBodySystem<packs>>(count);
}

}  // namespace

std::unique_ptr<System> make_few_bodies(std::size_t count) {
  return make_with_packs(count);
}

}  // namespace apsis::integrators::radau
