// SPDX-License-Identifier: Apache-2.0
#include "forces/with_softening.hpp"
#include "lanes/simd.hpp"
#include "massless_bodies.hpp"
#include "packed_bodies.hpp"
#include "step_control.hpp"
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

namespace apsis::integrators::radau {

namespace {

/// Few bodies, advanced by one host thread, also beside a GPU. On ranks that share the bodies each
/// rank advances all of them, so nothing is exchanged within an advance and the bits are those of
/// one rank.
template <int packs>
class FewBodySystem final : public System {
 public:
  FewBodySystem(std::size_t count, bool only_massive) : bodies_(count, only_massive) {}

  void start(Motion const& motion) override {
    for (auto& set : series_) set = {};
    bodies_.low = {};
    load(motion);
    with_law(motion, [&](auto const& law) {
      bodies_.set_differences();
      Scheme<std::decay_t<decltype(law)>>{*this, law}.evaluate_at_start();
    });
    count_interactions(motion);
    bodies_.store_accelerations(motion.bodies);
  }

  void advance(Motion const& motion, double time_step, StepControl& control,
               StepListener& listener) override {
    load(motion);
    bodies_.judge(control.judges_massless);
    with_law(motion, [&](auto const& law) {
      bodies_.set_differences();
      Scheme<std::decay_t<decltype(law)>> scheme{*this, law};
      try {
        advance_by_steps(scheme, time_step, control, listener);
      } catch (...) {
        count_interactions(motion);
        throw;
      }
    });
    count_interactions(motion);
    store(motion, 0.0, 0.0);
    bodies_.store_accelerations(motion.bodies);
  }

  void store(Motion const& motion, double fraction, double dt) override {
    auto const weights = weights_at(fraction);
    auto const& bodies = motion.bodies;
    auto const position = Kokkos::create_mirror_view(bodies.position);
    auto const velocity = Kokkos::create_mirror_view(bodies.velocity);
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        Lanes const a0 = bodies_.acceleration[axis][p], v0 = bodies_.velocity[axis][p];
        auto const& b = series_[1 - now_].b[axis][p];
        Lanes const x = bodies_.position[axis][p] + displacement<Lanes>(weights, dt, v0, a0, b);
        Lanes const v = v0 + velocity_change<Lanes>(weights, dt, a0, b);
        bodies_.store_pack(bodies, p, axis, x, position);
        bodies_.store_pack(bodies, p, axis, v, velocity);
      }
    }
    copy_from_mirror(bodies.position, position);
    copy_from_mirror(bodies.velocity, velocity);
  }

  void append_paths(Motion const& /*motion*/, double dt, std::vector<double>& paths) override {
    for (int k = 0; k < bodies_.sources; ++k) {
      int const body = bodies_.source[k], p = body / lanes, lane = body % lanes;
      double* const path =
          append_path(paths, bodies_.strength[k], bodies_.mass[body], bodies_.index[body]);
      auto const value = [&](Lanes const& pack) { return simd::lane<double>(pack, lane); };
      for (int axis = 0; axis < 3; ++axis) {
        Coefficients<double> b;
        for (int j = 0; j < terms; ++j) b[j] = value(series_[1 - now_].b[axis][p][j]);
        SourcePath::set(path, axis, constants, dt, value(bodies_.position[axis][p]),
                        value(bodies_.low.position[axis][p]), value(bodies_.velocity[axis][p]),
                        value(bodies_.acceleration[axis][p]), b);
      }
    }
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    auto& series = series_[now_];
    bodies_.exchange_rows(space, state, "position_low", 3, [&](int p, int column) -> Lanes& {
      return bodies_.low.position[column][p];
    });
    bodies_.exchange_rows(space, state, "velocity_low", 3, [&](int p, int column) -> Lanes& {
      return bodies_.low.velocity[column][p];
    });
    bodies_.exchange_rows(space, state, "b", 3 * terms, [&](int p, int column) -> Lanes& {
      return series.b[column % 3][p][column / 3];
    });
    bodies_.exchange_rows(space, state, "e", 3 * terms, [&](int p, int column) -> Lanes& {
      return series.e[column % 3][p][column / 3];
    });
  }

 private:
  using Columns = typename PackedBodies<packs>::Columns;
  using Series = Coefficients<Lanes>[3][packs];
  struct Expansion {
    Series b{}, e{};
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

    double largest_acceleration() const { return few.bodies_.largest(few.bodies_.acceleration); }

    double sweep(double dt) {
      Columns change;
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (visit_node<k + 1>(dt, change), ...);
      }
      (std::make_integer_sequence<int, terms>());
      return few.bodies_.largest(change);
    }

    template <int number>
    void visit_node(double dt, Columns& change) {
      constexpr Node node = constants.nodes[number];
      auto& b = few.series_[1 - few.now_].b;
      Columns shift, acceleration;
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          shift[axis][p] = displacement<Lanes>(node.weights, dt, few.bodies_.velocity[axis][p],
                                               few.bodies_.acceleration[axis][p], b[axis][p]);
        }
      }
      evaluate(shift, acceleration);
      if (few.extra_forces_ != nullptr) few.add_extra_forces(node.weights, dt, shift, acceleration);
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          change[axis][p] = update<Lanes>(node, few.bodies_.acceleration[axis][p],
                                          acceleration[axis][p], b[axis][p], few.newton_[axis][p]);
        }
      }
    }

    double squared_time_scale(double sufficient) {
      auto& b = few.series_[1 - few.now_].b;
      double smallest = infinite, scales[packs * lanes] = {}, squared[packs * lanes] = {};
      for (int p = 0; p < packs; ++p) {
        SquaredDerivatives<Lanes> squares;
        for (int axis = 0; axis < 3; ++axis) {
          set_from_newton<Lanes>(constants, few.newton_[axis][p], b[axis][p]);
          squares.add(few.bodies_.acceleration[axis][p], b[axis][p]);
        }
        for (int lane = 0; lane < lanes; ++lane) {
          int const body = p * lanes + lane;
          if (!few.bodies_.is_judged[body]) continue;
          auto const value = [&](Lanes const& pack) { return simd::lane<double>(pack, lane); };
          squared[body] = value(squares.acceleration);
          scales[body] = radau::squared_time_scale(squared[body], value(squares.jerk),
                                                   value(squares.snap), value(squares.crackle));
          smallest = std::min(smallest, scales[body]);
        }
      }
      if (!(smallest < sufficient)) return smallest;
      smallest = infinite;
      for (int body = 0; body < few.bodies_.count; ++body) {
        if (!few.bodies_.is_judged[body] || !(scales[body] < smallest)) continue;
        if (!few.bodies_.is_cancelled(body, squared[body], law.offset())) smallest = scales[body];
      }
      return smallest;
    }

    void accept(double dt, bool is_predicted) {
      few.now_ = 1 - few.now_;
      auto& series = few.series_[few.now_];
      if (!is_predicted) std::memcpy(series.e, series.b, sizeof series.b);
      for (int axis = 0; axis < 3; ++axis) {
        for (int p = 0; p < packs; ++p) {
          Lanes& v = few.bodies_.velocity[axis][p];
          Lanes residue{};
          for (int lane = 0; lane < lanes; ++lane) {
            double const speed = simd::lane<double>(v, lane);
            simd::set_lane<double>(residue, lane, std::fma(dt, speed, -(dt * speed)));
          }
          radau::advance<Lanes>(constants.end, dt, residue, few.bodies_.acceleration[axis][p],
                                series.b[axis][p], few.bodies_.position[axis][p],
                                few.bodies_.low.position[axis][p], v,
                                few.bodies_.low.velocity[axis][p]);
        }
      }
      few.bodies_.set_differences();
      evaluate_at_start();
    }

    void evaluate_at_start() {
      Columns const shift{};
      evaluate(shift, few.bodies_.acceleration);
      if (few.extra_forces_ != nullptr) {
        few.add_extra_forces({}, 0.0, shift, few.bodies_.acceleration);
      }
    }

    /// Accelerations of all bodies that have moved by `shift` since the start of the step.
    void evaluate(Columns const& shift, Columns& acceleration) {
      Columns sum{};
      for (int source = 0; source < few.bodies_.sources; ++source) {
        auto const& difference = few.bodies_.difference[source];
        int const body = few.bodies_.source[source], pack = body / lanes, lane = body % lanes;
        double const moved[3]{simd::lane<double>(shift[0][pack], lane),
                              simd::lane<double>(shift[1][pack], lane),
                              simd::lane<double>(shift[2][pack], lane)};
        for (int p = 0; p < packs; ++p) {
          Lanes const x = difference[0][p] + (moved[0] - shift[0][p]);
          Lanes const y = difference[1][p] + (moved[1] - shift[1][p]);
          Lanes const z = difference[2][p] + (moved[2] - shift[2][p]);
          forces::Separation<Lanes> const r{x, y, z, z * z + (y * y + (x * x + law.offset()))};
          Lanes const factor = law.acceleration_factor(few.bodies_.strength[source], r);
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

  template <class Function>
  void with_law(Motion const& motion, Function const& function) const {
    forces::with_softening(motion.solver.gravity(), function);
  }

  void load(Motion const& motion) {
    bodies_.load(motion.context, motion.bodies, motion.solver.gravity().G);
    extra_forces_ = motion.solver.extra_forces();
  }

  /// Adds the forces besides gravity on bodies that have moved by `shift` since the start of the
  /// step, at a fraction of it. Their rows are packed as the bodies are.
  void add_extra_forces(Weights const& weights, double dt, Columns const& shift,
                        Columns& acceleration) const {
    Columns position, velocity;
    auto const& b = series_[1 - now_].b;
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        Lanes const v0 = bodies_.velocity[axis][p];
        position[axis][p] = bodies_.position[axis][p] + shift[axis][p];
        velocity[axis][p] =
            v0 + velocity_change<Lanes>(weights, dt, bodies_.acceleration[axis][p], b[axis][p]);
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
    extra_forces_->add_few({static_cast<std::size_t>(bodies_.count),
                            {x[0], x[1], x[2]},
                            {v[0], v[1], v[2]},
                            bodies_.mass,
                            {sum[0], sum[1], sum[2]},
                            0.0,
                            bodies_.index});
    // Lanes beyond the last body repeat it.
    int const last = std::max(bodies_.count, 1) - 1;
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = last + 1; i < rows; ++i) sum[axis][i] = sum[axis][last];
    }
    std::memcpy(acceleration, a, sizeof numbers[2]);
  }

  void count_interactions(Motion const& motion) {
    motion.solver.count(static_cast<double>(evaluations_) * bodies_.sources * bodies_.count);
    evaluations_ = 0;
  }

  PackedBodies<packs> bodies_;
  int now_ = 0;                                  ///< index of the coefficients of the last step
  long evaluations_ = 0;                         ///< force evaluations that are not yet counted
  forces::ExtraForces* extra_forces_ = nullptr;  ///< null if there are none
  Expansion series_[2];
  Series newton_{};  ///< coefficients g
};

constexpr int most_packs = (static_cast<int>(most_few_bodies) + lanes - 1) / lanes;

/// Makes the implementation with the fewest packs, in powers of two, that hold `count` bodies.
template <int packs = 1>
std::unique_ptr<System> make_with_packs(std::size_t count, bool only_massive) {
  if constexpr (packs < most_packs) {
    if (count > static_cast<std::size_t>(packs * lanes)) {
      return make_with_packs<2 * packs>(count, only_massive);
    }
  }
  return std::make_unique<FewBodySystem<packs>>(count, only_massive);
}

}  // namespace

std::unique_ptr<System> make_few_bodies(std::size_t count, bool only_massive) {
  return make_with_packs(count, only_massive);
}

}  // namespace apsis::integrators::radau
