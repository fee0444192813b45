// SPDX-License-Identifier: Apache-2.0
#include "forces/with_softening.hpp"
#include "massless_bodies.hpp"
#include "packed_bodies.hpp"
#include "step_control.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>
#include <apsis/forces/extra.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace apsis::integrators::radau {

namespace {

/// One component of the bodies of a pack.
struct Component {
  Lanes x{}, v{}, a0{}, x_low{}, v_low{};
  Lanes shift{};  ///< from x to the present position
  Lanes force{};  ///< acceleration there; after the last node the change of b_6
  Coefficients<Lanes> g{};
  struct {
    Coefficients<Lanes> b{}, e{};
  } series[2];
};

/// A pack as an element of a vector.
struct Pack {
  Lanes value{};
};

/// Sources at a node: positions at the start of the step, shifts since then and G m.
struct SourceColumns {
  std::vector<double> x[3], shift[3], strength;
};

/// Sets the accelerations of a pack. The difference of two positions is exact if they are close, so
/// a separation has the digits of the shifts.
template <class Law>
struct PackForces {
  Law law;
  Component* components;
  std::size_t packs;
  SourceColumns const* sources;

  void operator()(std::size_t pack) const {
    Lanes x[3], shift[3], sum[3];
    double const *source_x[3], *source_shift[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      auto const& component = components[axis * packs + pack];
      x[axis] = component.x;
      shift[axis] = component.shift;
      sum[axis] = Lanes{};
      source_x[axis] = sources->x[axis].data();
      source_shift[axis] = sources->shift[axis].data();
    }
    double const* const strength = sources->strength.data();
    std::size_t const count = sources->strength.size();
    for (std::size_t j = 0; j < count; ++j) {
      Lanes r[3];
      for (int axis = 0; axis < 3; ++axis) {
        r[axis] = (source_x[axis][j] - x[axis]) + (source_shift[axis][j] - shift[axis]);
      }
      forces::Separation<Lanes> const separation{
          r[0], r[1], r[2], r[2] * r[2] + (r[1] * r[1] + (r[0] * r[0] + law.offset()))};
      Lanes const factor = law.acceleration_factor(strength[j], separation);
      for (int axis = 0; axis < 3; ++axis) sum[axis] += factor * r[axis];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      components[axis * packs + pack].force = sum[axis];
    }
  }
};

/// The bodies of a pack, and the sums of their accelerations.
struct Side {
  Lanes x[3], shift[3], strength, sum[3];
};
/// Buffers of PairForces.
struct PairBuffers {
  std::vector<double> turned;
  std::vector<Side> sides;
};

/// Sets the accelerations of all packs by one thread, which evaluates each pair of bodies once.
template <class Law>
class PairForces {
 public:
  /// `strength`: G m of each lane, 0 in those beyond the last body.
  PairForces(Law const& law, std::vector<Component>& components, std::vector<Pack> const& strength,
             std::size_t bodies, PairBuffers& buffers)
      : law_(law), packs_(strength.size()), turned_(buffers.turned), sides_(buffers.sides) {
    turned_.resize(packs_ * numbers);
    sides_.resize(packs_);
    for (std::size_t p = 0; p < packs_; ++p) {
      auto& side = sides_[p];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        side.x[axis] = components[axis * packs_ + p].x;
        side.shift[axis] = components[axis * packs_ + p].shift;
        side.sum[axis] = Lanes{};
      }
      side.strength = strength[p].value;
      double* const turned = turned_.data() + p * numbers;
      for (int half = 0; half < 2; ++half) {
        double* const place = turned + half * lanes;
        for (int axis = 0; axis < 3; ++axis) {
          simd::store(place + 2 * axis * lanes, side.x[axis]);
          simd::store(place + (6 + 2 * axis) * lanes, side.shift[axis]);
        }
        simd::store(place + 12 * lanes, side.strength);
      }
    }
    // The last pack is visited body by body if it has few.
    std::size_t const rest = bodies - (packs_ - 1) * lanes;
    bool const is_short = 3 * rest <= 2 * lanes;
    std::size_t const whole = is_short ? packs_ - 1 : packs_;
    for (std::size_t p = 0; p < packs_; ++p) {
      bool const is_last = p + 1 == packs_ && rest <= lanes / 2 + 1;
      add_within(p, is_last ? static_cast<int>(rest) - 1 : lanes / 2);
      for (std::size_t q = p + 1; q < whole; ++q) add_between(p, q);
      if (is_short && p < whole) add_rest(p, rest);
    }
    for (std::size_t p = 0; p < packs_; ++p) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        components[axis * packs_ + p].force = sides_[p].sum[axis];
      }
    }
  }

 private:
  /// Numbers of a pack twice in a row, from which it is loaded turned by any number of lanes.
  static constexpr std::size_t numbers = 14 * lanes;

  /// Sets the separations from `side` to a pack turned by k lanes, or with `turns` false to its
  /// body k. Returns the factor of unit masses and sets the strength.
  template <bool turns>
  Lanes factor(Side const& side, double const* pack, int k, Lanes (&r)[3], Lanes& strength) const {
    auto const load = [&](int place) {
      if constexpr (turns) return simd::loaded<Lanes>(pack + place * lanes + k);
      return Lanes{} + pack[place * lanes + k];
    };
    for (int axis = 0; axis < 3; ++axis) {
      r[axis] = (load(2 * axis) - side.x[axis]) + (load(6 + 2 * axis) - side.shift[axis]);
    }
    strength = load(12);
    return law_.acceleration_factor(
        1.0, forces::Separation<Lanes>{
                 r[0], r[1], r[2], r[2] * r[2] + (r[1] * r[1] + (r[0] * r[0] + law_.offset()))});
  }

  /// Adds the pairs of a pack, each once: those of bodies k lanes apart, k <= farthest.
  void add_within(std::size_t p, int farthest) {
    auto& side = sides_[p];
    Lanes sum[3]{}, r[3], strength;
    for (int k = 1; k <= farthest; ++k) {
      Lanes const unit = factor<true>(side, turned_.data() + p * numbers, k, r, strength);
      Lanes const own = law_.scale_by_mass(strength, unit);
      Lanes const other = law_.scale_by_mass(side.strength, unit);
      for (int axis = 0; axis < 3; ++axis) {
        side.sum[axis] += own * r[axis];
        sum[axis] = simd::rotated<double>(sum[axis]);
        if (2 * k < lanes) sum[axis] -= other * r[axis];
      }
    }
    for (int k = farthest; k < lanes; ++k) {
      for (auto& component : sum) component = simd::rotated<double>(component);
    }
    for (int axis = 0; axis < 3; ++axis) side.sum[axis] += sum[axis];
  }

  /// Adds the pairs of two packs.
  void add_between(std::size_t p, std::size_t q) {
    auto& side = sides_[p];
    auto& other_side = sides_[q];
    Lanes sum[3]{other_side.sum[0], other_side.sum[1], other_side.sum[2]}, r[3], strength;
    for (int k = 0; k < lanes; ++k) {
      Lanes const unit = factor<true>(side, turned_.data() + q * numbers, k, r, strength);
      Lanes const own = law_.scale_by_mass(strength, unit);
      Lanes const other = law_.scale_by_mass(side.strength, unit);
      for (int axis = 0; axis < 3; ++axis) {
        side.sum[axis] += own * r[axis];
        sum[axis] = simd::rotated<double>(sum[axis] - other * r[axis]);
      }
    }
    for (int axis = 0; axis < 3; ++axis) other_side.sum[axis] = sum[axis];
  }

  /// Adds the pairs of a pack and the bodies of the last one.
  void add_rest(std::size_t p, std::size_t bodies) {
    auto& side = sides_[p];
    auto& last = sides_[packs_ - 1];
    Lanes r[3], strength;
    for (int k = 0; k < static_cast<int>(bodies); ++k) {
      Lanes const unit =
          factor<false>(side, turned_.data() + (packs_ - 1) * numbers, k, r, strength);
      Lanes const own = law_.scale_by_mass(strength, unit);
      Lanes const other = law_.scale_by_mass(side.strength, unit);
      for (int axis = 0; axis < 3; ++axis) {
        side.sum[axis] += own * r[axis];
        Lanes const part = other * r[axis];
        double sum = 0.0;
        for (int i = 0; i < lanes; ++i) sum += simd::lane<double>(part, i);
        simd::set_lane<double>(last.sum[axis], k, simd::lane<double>(last.sum[axis], k) - sum);
      }
    }
  }

  Law const& law_;
  std::size_t packs_;
  std::vector<double>& turned_;
  std::vector<Side>& sides_;
};

/// Tens to hundreds of bodies in the memory of the host. On ranks that share the bodies each rank
/// advances all of them, so nothing is exchanged within an advance and the bits are those of one
/// rank.
class PackedSystem final : public System {
 public:
  PackedSystem(std::size_t count, bool only_massive)
      : count_(count), only_massive_(only_massive), packs_((count + lanes - 1) / lanes) {
    components_.resize(3 * packs_);
    strength_.resize(packs_);
  }

  void start(Motion const& motion) override {
    std::fill(components_.begin(), components_.end(), Component{});
    load(motion);
    with_scheme(motion, true, [&](auto& scheme) { scheme.evaluate_at_start(); });
    store_accelerations(motion.bodies);
  }

  void advance(Motion const& motion, double time_step, StepControl& control,
               StepListener& listener) override {
    load(motion);
    with_scheme(motion, control.judges_massless,
                [&](auto& scheme) { advance_by_steps(scheme, time_step, control, listener); });
    store(motion, 0.0, 0.0);
    store_accelerations(motion.bodies);
  }

  void store(Motion const& motion, double fraction, double dt) override {
    auto const weights = weights_at(fraction);
    store_columns(motion.bodies, motion.bodies.position, [&](Component const& c) {
      return c.x + displacement<Lanes>(weights, dt, c.v, c.a0, c.series[1 - now_].b);
    });
    store_columns(motion.bodies, motion.bodies.velocity, [&](Component const& c) {
      return c.v + velocity_change<Lanes>(weights, dt, c.a0, c.series[1 - now_].b);
    });
  }

  void append_paths(Motion const& motion, double dt, std::vector<double>& paths) override {
    for (std::size_t i = 0; i < count_; ++i) {
      if (mass_[i] == 0.0) continue;
      double* const path =
          append_path(paths, motion.solver.gravity().G * mass_[i], mass_[i], index_[i]);
      for (int axis = 0; axis < 3; ++axis) {
        auto const& c = component(axis, i);
        auto const value = [&](Lanes const& pack) { return simd::lane<double>(pack, lane_of(i)); };
        Coefficients<double> b;
        for (int k = 0; k < terms; ++k) b[k] = value(c.series[1 - now_].b[k]);
        SourcePath::set(path, axis, constants, dt, value(c.x), value(c.x_low), value(c.v),
                        value(c.a0), b);
      }
    }
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    exchange_rows(space, state, "position_low", 1,
                  [](Component& c, int) -> Lanes& { return c.x_low; });
    exchange_rows(space, state, "velocity_low", 1,
                  [](Component& c, int) -> Lanes& { return c.v_low; });
    exchange_rows(space, state, "b", terms,
                  [&](Component& c, int k) -> Lanes& { return c.series[now_].b[k]; });
    exchange_rows(space, state, "e", terms,
                  [&](Component& c, int k) -> Lanes& { return c.series[now_].e[k]; });
  }

 private:
  /// The scheme with one softening law.
  template <class Law>
  struct Scheme {
    PackedSystem& host;
    Law law;
    Motion const& motion;

    void predict(double ratio) {
      for (auto& c : host.components_) {
        auto const& last = c.series[host.now_];
        auto& next = c.series[1 - host.now_];
        radau::predict<Lanes>(constants, ratio, last.b, last.e, next.b, next.e, c.g);
      }
    }

    double largest_acceleration() const { return host.largest(&Component::a0); }

    double sweep(double dt) {
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (visit_node<k + 1>(dt), ...);
      }
      (std::make_integer_sequence<int, terms>());
      return host.largest(&Component::force);
    }

    template <int number>
    void visit_node(double dt) {
      host.template move_to_node<number>(dt);
      evaluate(constants.nodes[number].weights, dt);
      host.template update_at_node<number>();
    }

    double squared_time_scale(double sufficient) {
      double smallest = infinite;
      std::vector<double> scales(host.packs_ * lanes, infinite), squared(host.packs_ * lanes);
      for (std::size_t p = 0; p < host.packs_; ++p) {
        SquaredDerivatives<Lanes> squares;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          auto& c = host.components_[axis * host.packs_ + p];
          auto& b = c.series[1 - host.now_].b;
          set_from_newton<Lanes>(constants, c.g, b);
          squares.add(c.a0, b);
        }
        for (int lane = 0; lane < lanes; ++lane) {
          if (!host.is_judged(p, lane)) continue;
          auto const value = [&](Lanes const& pack) { return simd::lane<double>(pack, lane); };
          std::size_t const body = p * lanes + static_cast<std::size_t>(lane);
          squared[body] = value(squares.acceleration);
          scales[body] = radau::squared_time_scale(squared[body], value(squares.jerk),
                                                   value(squares.snap), value(squares.crackle));
          smallest = std::min(smallest, scales[body]);
        }
      }
      if (!(smallest < sufficient)) return smallest;
      smallest = infinite;
      for (std::size_t body = 0; body < host.count_; ++body) {
        if (!(scales[body] < smallest)) continue;
        if (!host.is_cancelled(body, squared[body], law.offset())) smallest = scales[body];
      }
      return smallest;
    }

    void accept(double dt, bool is_predicted) {
      host.now_ = 1 - host.now_;
      for (auto& c : host.components_) {
        auto& series = c.series[host.now_];
        if (!is_predicted) std::copy_n(series.b, terms, series.e);
        Lanes residue{};
        for (int lane = 0; lane < lanes; ++lane) {
          double const v = simd::lane<double>(c.v, lane);
          simd::set_lane<double>(residue, lane, std::fma(dt, v, -(dt * v)));
        }
        radau::advance<Lanes>(constants.end, dt, residue, c.a0, series.b, c.x, c.x_low, c.v,
                              c.v_low);
      }
      evaluate_at_start();
    }

    void evaluate_at_start() {
      for (auto& c : host.components_) c.shift = c.x_low;
      evaluate({}, 0.0);
      for (auto& c : host.components_) c.a0 = c.force;
    }

    /// Sets the accelerations at the present shifts.
    void evaluate(Weights const& weights, double dt) {
      // Below this number of pairs a launch takes longer.
      constexpr std::size_t most_pairs = 32768;
      bool const is_launched = host.count_ * host.sources_.strength.size() > most_pairs;
      if constexpr (bodies_on_host) {
        if (is_launched) {
          host.set_sources();
          PackForces<Law> const pack_forces{law, host.components_.data(), host.packs_,
                                            &host.sources_};
          for_each(motion.context.space, "apsis::integrators::gauss_radau::forces", host.packs_,
                   pack_forces);
        }
      }
      if (!bodies_on_host || !is_launched) {
        PairForces<Law>(law, host.components_, host.strength_, host.count_, host.buffers_);
      }
      if (auto const* const extra = motion.solver.extra_forces()) {
        host.add_extra_forces(*extra, weights, dt);
      }
      motion.solver.count(static_cast<double>(host.count_ * host.sources_.strength.size()));
    }
  };

  template <class Function>
  void with_scheme(Motion const& motion, bool judges_massless, Function const& function) {
    judges_massless_ = judges_massless || sources_.strength.size() < 2;
    forces::with_softening(motion.solver.gravity(), [&](auto const& law) {
      Scheme<std::decay_t<decltype(law)>> scheme{*this, law, motion};
      function(scheme);
    });
  }

  /// Sets the shifts of all bodies at a node.
  template <int number>
  void move_to_node(double dt) {
    constexpr Node node = constants.nodes[number];
    for (auto& c : components_) {
      c.shift = c.x_low + displacement<Lanes>(node.weights, dt, c.v, c.a0, c.series[1 - now_].b);
    }
  }

  /// Updates the coefficients by the forces at a node, which become the changes.
  template <int number>
  void update_at_node() {
    constexpr Node node = constants.nodes[number];
    for (auto& c : components_) {
      c.force = update<Lanes>(node, c.a0, c.force, c.series[1 - now_].b, c.g);
    }
  }

  static int lane_of(std::size_t body) { return static_cast<int>(body % lanes); }
  Component& component(int axis, std::size_t body) {
    return components_[static_cast<std::size_t>(axis) * packs_ + body / lanes];
  }

  /// Reads all bodies. Lanes beyond the last one repeat it. Collective.
  void load(Motion const& motion) {
    auto [indices, numbers] = gather_rows(motion.context, motion.bodies, only_massive_);
    index_ = std::move(indices);
    mass_.resize(count_);
    sources_.strength.clear();
    for (std::size_t i = 0; i < packs_ * lanes; ++i) {
      double const* const row = numbers.data() + row_width * std::min(i, count_ - 1);
      for (int axis = 0; axis < 3; ++axis) {
        auto& c = component(axis, i);
        simd::set_lane<double>(c.x, lane_of(i), row[1 + axis]);
        simd::set_lane<double>(c.v, lane_of(i), row[4 + axis]);
        simd::set_lane<double>(c.a0, lane_of(i), row[7 + axis]);
      }
      double const strength = motion.solver.gravity().G * row[0];
      simd::set_lane<double>(strength_[i / lanes].value, lane_of(i), i < count_ ? strength : 0.0);
      if (i >= count_) continue;
      mass_[i] = row[0];
      if (row[0] != 0.0) sources_.strength.push_back(strength);
    }
  }

  void set_sources() {
    for (int axis = 0; axis < 3; ++axis) {
      auto &x = sources_.x[axis], &shift = sources_.shift[axis];
      x.clear();
      shift.clear();
      for (std::size_t i = 0; i < count_; ++i) {
        if (mass_[i] == 0.0) continue;
        auto const& c = component(axis, i);
        x.push_back(simd::lane<double>(c.x, lane_of(i)));
        shift.push_back(simd::lane<double>(c.shift, lane_of(i)));
      }
    }
  }

  /// Whether the terms of the acceleration of a body at the start of a step cancel, see
  /// Cancellation.
  bool is_cancelled(std::size_t body, double acceleration_squared, double softening_squared) {
    double squares = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      if (mass_[i] == 0.0 || i == body) continue;
      double distance_squared = softening_squared;
      for (int axis = 0; axis < 3; ++axis) {
        double const x = simd::lane<double>(component(axis, i).x, lane_of(i)) -
                         simd::lane<double>(component(axis, body).x, lane_of(body));
        distance_squared += x * x;
      }
      squares += squared_term(simd::lane<double>(strength_[i / lanes].value, lane_of(i)),
                              distance_squared);
    }
    constexpr double part = cancelled_part<double>;
    return acceleration_squared <= part * part * squares;
  }

  bool is_judged(std::size_t pack, int lane) const {
    std::size_t const body = pack * lanes + static_cast<std::size_t>(lane);
    return body < count_ && (judges_massless_ || mass_[body] != 0.0);
  }

  /// Largest magnitude of any component of the bodies that choose the steps; infinite if one is not
  /// finite.
  double largest(Lanes Component::*value) const {
    double result = 0.0;
    for (std::size_t k = 0; k < components_.size(); ++k) {
      Lanes const& pack = components_[k].*value;
      for (int lane = 0; lane < lanes; ++lane) {
        if (!is_judged(k % packs_, lane)) continue;
        double const magnitude = std::abs(simd::lane<double>(pack, lane));
        result = std::max(result, magnitude < infinite ? magnitude : infinite);
      }
    }
    return result;
  }

  /// Writes a component of each body that is a row of this rank.
  template <class Value>
  void store_columns(Bodies<double> const& bodies, VectorColumns<double> const& columns,
                     Value const& value) {
    auto const rows = Kokkos::create_mirror_view(columns);
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t first = 0; first < count_; first += lanes) {
        Lanes const pack = value(component(axis, first));
        for (std::size_t i = first; i < std::min(first + lanes, count_); ++i) {
          std::size_t const row = index_[i] - bodies.first;  // huge before the first
          if (row < bodies.size()) rows(row, axis) = simd::lane<double>(pack, lane_of(i));
        }
      }
    }
    copy_from_mirror(columns, rows);
  }
  void store_accelerations(Bodies<double> const& bodies) {
    store_columns(bodies, bodies.acceleration, [](Component const& c) { return c.a0; });
  }

  /// Saves or restores a row for each body, the same on all ranks. value(component, k) is a pack.
  template <class Value>
  void exchange_rows(ExecutionSpace const& space, SavedState& state, std::string const& name,
                     int width, Value const& value) {
    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const rows(
        "apsis::integrators::gauss_radau::rows", count_, 3 * width);
    auto const for_each_number = [&](auto const& act) {
      for (int k = 0; k < 3 * width; ++k) {
        // Downwards: the row of the last body is saved after the lanes beyond it.
        for (std::size_t i = packs_ * lanes; i-- > 0;) {
          act(value(component(k % 3, i), k / 3), lane_of(i), rows(std::min(i, count_ - 1), k));
        }
      }
    };
    for_each_number(
        [](Lanes& pack, int lane, double& number) { number = simd::lane<double>(pack, lane); });
    state.exchange_replicated(space, "gauss_radau/" + name, rows);
    for_each_number(
        [](Lanes& pack, int lane, double number) { simd::set_lane<double>(pack, lane, number); });
  }

  void add_extra_forces(forces::ExtraForces const& extra, Weights const& weights, double dt) {
    std::vector<double> numbers(9 * count_);
    auto const column = [&](int k) {
      return numbers.data() + static_cast<std::size_t>(k) * count_;
    };
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < count_; ++i) {
        auto const& c = component(axis, i);
        Lanes const v = c.v + velocity_change<Lanes>(weights, dt, c.a0, c.series[1 - now_].b);
        column(axis)[i] = simd::lane<double>(c.x + c.shift, lane_of(i));
        column(3 + axis)[i] = simd::lane<double>(v, lane_of(i));
        column(6 + axis)[i] = simd::lane<double>(c.force, lane_of(i));
      }
    }
    extra.add_few({count_,
                   {column(0), column(1), column(2)},
                   {column(3), column(4), column(5)},
                   mass_.data(),
                   {column(6), column(7), column(8)},
                   0.0,
                   index_.data()});
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < packs_ * lanes; ++i) {
        simd::set_lane<double>(component(axis, i).force, lane_of(i),
                               column(6 + axis)[std::min(i, count_ - 1)]);
      }
    }
  }

  std::size_t count_;  ///< bodies of all ranks
  bool only_massive_;  ///< whether massless bodies are left out
  std::size_t packs_;
  bool judges_massless_ = false;
  std::vector<Component> components_;  ///< those of one axis after the other
  std::vector<std::size_t> index_;     ///< of each body among all
  std::vector<double> mass_;           ///< [mass]
  SourceColumns sources_;
  PairBuffers buffers_;
  std::vector<Pack> strength_;  ///< G m of each lane, 0 beyond the last body
  int now_ = 0;                 ///< index of the coefficients of the last step
};

}  // namespace

std::unique_ptr<System> make_packed_bodies(std::size_t count, bool only_massive) {
  return std::make_unique<PackedSystem>(count, only_massive);
}

}  // namespace apsis::integrators::radau
