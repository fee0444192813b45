// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>
#include <apsis/core/jet.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/forces/bound_force.hpp>

#include <memory>
#include <utility>

/// Forces made of a formula. A program adds a force by an entry (add_extra_force()). Its `make`
/// returns make_force(Formula{...}, selection). A formula is a small struct with
///
///     template <class Number>
///     KOKKOS_FUNCTION Push<Number> operator()(Particle<Number> const& body) const;
///
/// which is evaluated in kernels, with Number = double for the force itself and with jets for its
/// derivatives with respect to time, which Hermite schemes need.
namespace apsis::forces {

/// State of a body, the argument of a formula.
template <class Number>
struct Particle {
  Number position[3];  ///< [length]; relative to the source, if the force has one
  Number velocity[3];  ///< [length / time]; relative to the source, if the force has one
  Number time;         ///< [time]
  double mass;         ///< [mass]
  double source_mass;  ///< [mass]; 0 without a source
  double coefficient;  ///< of this body, see ForceSelection

  KOKKOS_FORCEINLINE_FUNCTION Number squared_distance() const { return dot(position, position); }
  /// Scalar product of two vectors.
  static KOKKOS_FORCEINLINE_FUNCTION Number dot(Number const (&a)[3], Number const (&b)[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
};

/// Result of a formula.
template <class Number>
struct Push {
  Number acceleration[3];  ///< [length / time^2]
  Number potential = 0.0;  ///< [length^2 / time^2]; 0 if there is none
};

namespace detail {

/// Number with the derivatives of the motion up to `order`.
template <int order>
struct MotionNumber {
  using type = Jet<order>;
  static KOKKOS_FORCEINLINE_FUNCTION type make(double value, double first, double second) {
    type number(value);
    number.c[1] = first;
    if constexpr (order > 1) number.c[2] = 0.5 * second;
    return number;
  }
};
template <>
struct MotionNumber<0> {
  using type = double;
  static KOKKOS_FORCEINLINE_FUNCTION double make(double value, double, double) { return value; }
};

/// The k-th derivative of a number.
template <int k, class Number>
KOKKOS_FORCEINLINE_FUNCTION double derivative_of(Number const& number) {
  if constexpr (k == 0) {
    return value_of(number);
  } else {
    return (k == 2 ? 2.0 : 1.0) * number.c[k];
  }
}

/// Sum of vectors and their derivatives.
template <int count>
struct VectorSums {
  double values[3 * count] = {};
  KOKKOS_FUNCTION VectorSums& operator+=(VectorSums const& other) {
    for (int k = 0; k < 3 * count; ++k) values[k] += other.values[k];
    return *this;
  }
};

}  // namespace detail

/// A force with a formula.
template <class Formula>
class FormulaForce final : public BoundForce {
 public:
  FormulaForce(Formula const& formula, ForceSelection selection)
      : BoundForce(std::move(selection)), formula_(formula) {}

  void add(Context const& context, Request<float> const& request, double time,
           ForcePass pass) const override {
    add_pass(context, request, time, pass);
  }
  void add(Context const& context, Request<double> const& request, double time,
           ForcePass pass) const override {
    add_pass(context, request, time, pass);
  }
  void add_few(FewRows const& rows) const override;
  double energy(Context const& context, Bodies<float> const& bodies, double time) const override {
    return energy_of(context, bodies, time);
  }
  double energy(Context const& context, Bodies<double> const& bodies, double time) const override {
    return energy_of(context, bodies, time);
  }

  /// The formula with derivatives up to `order`, of a row of the bodies.
  template <class Stored, int order>
  struct Evaluator {
    using Make = detail::MotionNumber<order>;
    using Number = typename Make::type;

    Formula formula;
    VectorColumns<Stored> position, velocity, acceleration;  ///< of the bodies
    VectorColumns<Stored> result;  ///< accelerations of the targets, for order 1
    Column<Stored> mass;
    Source<Stored> source;
    Column<double> coefficient;
    bool has_coefficients;
    double time;

    /// Whether the force does not act on row `i`.
    KOKKOS_FUNCTION bool excludes(std::size_t i) const {
      return i == source.own_row || (has_coefficients && coefficient(i) == 0.0);
    }

    /// The push on row `i`, which is target `k`.
    KOKKOS_FUNCTION Push<Number> operator()(std::size_t i, std::size_t k) const {
      Particle<Number> body;
      for (int axis = 0; axis < 3; ++axis) {
        double x = position(i, axis), v = 0.0, a = 0.0, rate = 0.0;
        v = velocity(i, axis);
        if constexpr (order == 2) a = acceleration(i, axis);
        if constexpr (order == 1) rate = result(k, axis);
        if (source.exists) {
          x -= static_cast<double>(source.position(source.row, axis));
          v -= static_cast<double>(source.velocity(source.row, axis));
          if constexpr (order == 2) {
            a -= static_cast<double>(source.acceleration(source.row, axis));
          }
          if constexpr (order == 1) {
            rate -= static_cast<double>(source.acceleration(source.row, axis));
          }
        }
        body.position[axis] = Make::make(x, v, a);
        body.velocity[axis] = Make::make(v, order == 1 ? rate : a, 0.0);
      }
      body.time = Make::make(time, 1.0, 0.0);
      body.mass = mass(i);
      body.source_mass = source.exists ? static_cast<double>(source.mass(source.row)) : 0.0;
      body.coefficient = has_coefficients ? coefficient(i) : 1.0;
      return formula(body);
    }
  };

  /// Adds the pushes on the targets.
  template <class Stored, int lowest, int order>
  struct AddPushes {
    Evaluator<Stored, order> push_on;
    BodyRows rows;
    Field<Stored> wanted;

    KOKKOS_FUNCTION void operator()(std::size_t k) const {
      std::size_t const i = rows[k];
      if (push_on.excludes(i)) return;
      auto const push = push_on(i, k);
      for (int axis = 0; axis < 3; ++axis) {
        auto const& a = push.acceleration[axis];
        if constexpr (lowest == 0) {
          if (wanted.has(Wants::acceleration)) {
            add_to(wanted.acceleration(k, axis), detail::derivative_of<0>(a));
          }
        }
        if constexpr (order >= 1) add_to(wanted.jerk(k, axis), detail::derivative_of<1>(a));
        if constexpr (order == 2) add_to(wanted.snap(k, axis), detail::derivative_of<2>(a));
      }
      if constexpr (lowest == 0) {
        if (wanted.has(Wants::potential)) wanted.potential(k) += value_of(push.potential);
      }
    }
  };

  /// Momentum per time, and its derivatives, that a body receives.
  template <class Stored, int lowest, int order>
  struct MassTimesPush {
    Evaluator<Stored, order> push_on;

    KOKKOS_FUNCTION detail::VectorSums<order - lowest + 1> operator()(std::size_t i) const {
      detail::VectorSums<order - lowest + 1> sums;
      double const m = push_on.mass(i);
      if (push_on.excludes(i) || m == 0.0) return sums;
      auto const push = push_on(i, i);
      for (int axis = 0; axis < 3; ++axis) {
        auto const& a = push.acceleration[axis];
        sums.values[axis] = m * detail::derivative_of<lowest>(a);
        if constexpr (order > lowest) {
          sums.values[3 + axis] = m * detail::derivative_of<lowest + 1>(a);
        }
      }
      return sums;
    }
  };

  /// Adds the opposite of all pushes to the source, if it is among the targets of this rank.
  template <class Stored, int lowest, int order>
  struct AddReaction {
    Source<Stored> source;
    detail::VectorSums<order - lowest + 1> sums;
    BodyRows rows;
    Field<Stored> wanted;

    KOKKOS_FUNCTION void operator()(std::size_t k) const {
      if (rows[k] != source.own_row) return;
      double const m = source.mass(source.row);
      if (!(m > 0.0)) return;
      for (int axis = 0; axis < 3; ++axis) {
        double const first = -sums.values[axis] / m;
        if constexpr (lowest == 0) {
          add_to(wanted.acceleration(k, axis), first);
        } else {
          add_to(wanted.jerk(k, axis), first);
        }
        if constexpr (order > lowest) add_to(wanted.snap(k, axis), -sums.values[3 + axis] / m);
      }
    }
  };

  template <class Stored>
  struct EnergyOfBody {
    Evaluator<Stored, 0> push_on;

    KOKKOS_FUNCTION double operator()(std::size_t i) const {
      double const m = push_on.mass(i);
      // A massless body has no energy even if its potential is infinite.
      return push_on.excludes(i) || m == 0.0 ? 0.0 : m * push_on(i, i).potential;
    }
  };

 private:
  template <class Stored>
  static KOKKOS_FORCEINLINE_FUNCTION void add_to(Stored& sum, double term) {
    sum = static_cast<Stored>(static_cast<double>(sum) + term);
  }

  template <int order, class Stored>
  Evaluator<Stored, order> evaluator(Context const& context, Sources<Stored> const& bodies,
                                     VectorColumns<Stored> const& result, double time) const {
    // With a subset of targets only formulas without velocities are evaluated.
    bool const has_all = order == 1 && result.extent(0) == bodies.size();
    return {formula_,
            bodies.position,
            bodies.velocity,
            bodies.acceleration,
            result,
            bodies.mass,
            source_of(context, bodies, has_all ? result : bodies.acceleration),
            coefficients(),
            has_coefficients(),
            time};
  }

  template <class Stored>
  void add_pass(Context const& context, Request<Stored> const& request, double time,
                ForcePass pass) const {
    if (pass == ForcePass::values) return add_derivatives<0, 0>(context, request, time);
    if (pass == ForcePass::jerks) return add_derivatives<1, 1>(context, request, time);
    add_derivatives<1, 2>(context, request, time);
  }

  template <int lowest, int order, class Stored>
  void add_derivatives(Context const& context, Request<Stored> const& request, double time) const {
    auto const& wanted = request.wanted;
    auto const& rows = request.targets.rows;
    auto const push_on = evaluator<order>(context, request.sources, wanted.acceleration, time);
    for_each(context.space, "apsis::forces::extra::add", rows.size(),
             AddPushes<Stored, lowest, order>{push_on, rows, wanted});
    bool const needs_reaction = reacts() && wanted.has(Wants::forces);
    if (!needs_reaction) return;
    using Sums = detail::VectorSums<order - lowest + 1>;
    auto const sums =
        fixed_order_sum<Sums>(context, "apsis::forces::extra::reaction", request.sources.size(),
                              MassTimesPush<Stored, lowest, order>{push_on});
    if (push_on.source.own_row == no_row) return;
    for_each(context.space, "apsis::forces::extra::react", rows.size(),
             AddReaction<Stored, lowest, order>{push_on.source, sums, rows, wanted});
  }

  template <class Stored>
  double energy_of(Context const& context, Bodies<Stored> const& bodies, double time) const {
    Sources<Stored> const sources{bodies.position, bodies.velocity, bodies.acceleration,
                                  bodies.mass,     bodies.first,    bodies.total};
    return fixed_order_sum<double>(
        context, "apsis::forces::extra::energy", bodies.size(),
        EnergyOfBody<Stored>{evaluator<0>(context, sources, bodies.acceleration, time)});
  }

  Formula formula_;
};

template <class Formula>
void FormulaForce<Formula>::add_few(FewRows const& rows) const {
  std::size_t const source = source_index();
  bool const exists = has_source();
  double reaction[3] = {};
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (i == source || few_coefficient(i) == 0.0) continue;
    Particle<double> body;
    for (int axis = 0; axis < 3; ++axis) {
      body.position[axis] = rows.position[axis][i] - (exists ? rows.position[axis][source] : 0.0);
      body.velocity[axis] = rows.velocity[axis][i] - (exists ? rows.velocity[axis][source] : 0.0);
    }
    body.time = rows.time;
    body.mass = rows.mass[i];
    body.source_mass = exists ? rows.mass[source] : 0.0;
    body.coefficient = few_coefficient(i);
    auto const push = formula_(body);
    for (int axis = 0; axis < 3; ++axis) {
      rows.acceleration[axis][i] += push.acceleration[axis];
      reaction[axis] += body.mass * push.acceleration[axis];
    }
  }
  if (!reacts() || !(rows.mass[source] > 0.0)) return;
  for (int axis = 0; axis < 3; ++axis) {
    rows.acceleration[axis][source] -= reaction[axis] / rows.mass[source];
  }
}

/// Makes a force of a formula.
template <class Formula>
std::unique_ptr<ExtraForce> make_force(Formula const& formula, ForceSelection selection = {}) {
  return std::make_unique<FormulaForce<Formula>>(formula, std::move(selection));
}

}  // namespace apsis::forces
