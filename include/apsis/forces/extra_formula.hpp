// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/jet.hpp>
#include <apsis/forces/extra.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Source and targets of a force, and the quantities that it conserves.
struct ForceSelection {
  std::string where{};                    ///< path in the deck, for errors
  std::optional<std::uint64_t> source{};  ///< id of the body from which the force comes
  std::string source_key = "body";        ///< key of that id
  bool reacts = false;                    ///< whether the source feels the opposite forces
  std::vector<std::uint64_t> targets{};   ///< further ids that must exist
  /// Number of each body that the formula reads, by its id, mass and species; null: 1. The force
  /// does not act on bodies with the number 0.
  std::function<double(std::uint64_t, double, std::uint8_t)> coefficient{};
  /// Quantities that the force conserves. `has_massive_targets`: whether it acts on a body with
  /// mass. `has_mass`: whether there is any such body.
  std::function<ConservedSums(bool has_massive_targets, bool has_mass)> conserved{};
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

/// Columns of results in either precision, to which numbers in double are added.
class SumColumns {
 public:
  SumColumns() = default;
  template <class Real>
  SumColumns(VectorColumns<Real> const& columns) : stride_(columns.stride(1)) {
    set(columns.data());
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t i, int axis, double term) const {
    std::size_t const element = i + static_cast<std::size_t>(axis) * stride_;
    if (single_ != nullptr) {
      single_[element] = static_cast<float>(static_cast<double>(single_[element]) + term);
    } else {
      double_[element] += term;
    }
  }

 private:
  void set(float* data) { single_ = data; }
  void set(double* data) { double_ = data; }

  float* single_ = nullptr;
  double* double_ = nullptr;
  std::size_t stride_ = 0;
};

/// Request to a force, in either precision.
struct ForceRequest {
  ReadBodies bodies;                    ///< of this rank
  BodyRows rows;                        ///< of the targets among them
  Wants wants;                          ///< requested results
  ReadColumns rates;                    ///< accelerations of the targets by all forces
  SumColumns acceleration, jerk, snap;  ///< results, as in Field
  Column<double> potential;

  template <class Stored>
  explicit ForceRequest(Request<Stored> const& request)
      : bodies(request.sources),
        rows(request.targets.rows),
        wants(request.wanted.wants),
        rates(request.wanted.acceleration),
        acceleration(request.wanted.acceleration),
        jerk(request.wanted.jerk),
        snap(request.wanted.snap),
        potential(request.wanted.potential) {}

  /// Whether each body of this rank is a target.
  bool has_all_bodies() const { return rows.begins_at_first() && rows.size() == bodies.size(); }
};

/// Evaluation of a formula on some rows of the bodies: the columns that it reads, and those to
/// which it adds the pushes.
struct FormulaPass {
  static constexpr std::size_t no_row = ~std::size_t{0};

  ReadBodies bodies;
  BodyRows rows;
  ReadColumns rates;  ///< accelerations of `rows`, read for one derivative
  double time = 0.0;
  Column<double> coefficient{};
  bool has_coefficients = false;

  bool has_source = false;
  std::size_t own_row = no_row;     ///< row of the source among the bodies of this rank
  std::size_t source_row = no_row;  ///< row of the source in the following columns
  ReadColumns source_position, source_velocity, source_acceleration, source_mass;

  bool adds_forces = true, adds_potential = false;
  SumColumns force, next_force;  ///< acceleration; jerk and snap if derivatives are evaluated
  Column<double> potential{};

  /// Whether the force does not act on row `i`.
  KOKKOS_FUNCTION bool excludes(std::size_t i) const {
    return i == own_row || (has_coefficients && coefficient(i) == 0.0);
  }

  /// State of row `i` with derivatives up to `order`, for the formula; it is target `k`.
  template <int order>
  KOKKOS_FUNCTION Particle<typename MotionNumber<order>::type> particle(std::size_t i,
                                                                        std::size_t k) const {
    using Make = MotionNumber<order>;
    Particle<typename Make::type> body;
    for (int axis = 0; axis < 3; ++axis) {
      double x = bodies.position(i, axis), v = bodies.velocity(i, axis), a = 0.0;
      if constexpr (order == 1) a = rates(k, axis);
      if constexpr (order == 2) a = bodies.acceleration(i, axis);
      if (has_source) {
        x -= source_position(source_row, axis);
        v -= source_velocity(source_row, axis);
        if constexpr (order > 0) a -= source_acceleration(source_row, axis);
      }
      body.position[axis] = Make::make(x, v, a);
      body.velocity[axis] = Make::make(v, a, 0.0);
    }
    body.time = Make::make(time, 1.0, 0.0);
    body.mass = bodies.mass(i);
    body.source_mass = has_source ? source_mass(source_row) : 0.0;
    body.coefficient = has_coefficients ? coefficient(i) : 1.0;
    return body;
  }

  /// Adds the push on target `k`: its acceleration and potential, or the derivatives up to `order`.
  template <int order, class Number>
  KOKKOS_FUNCTION void add(std::size_t k, Push<Number> const& push) const {
    constexpr int lowest = order == 0 ? 0 : 1;
    for (int axis = 0; adds_forces && axis < 3; ++axis) {
      force.add(k, axis, derivative_of<lowest>(push.acceleration[axis]));
      if constexpr (order == 2) {
        next_force.add(k, axis, derivative_of<2>(push.acceleration[axis]));
      }
    }
    if constexpr (order == 0) {
      if (adds_potential) potential(k) += push.potential;
    }
  }
};

/// A force with a formula, except for the formula: source, coefficients, reaction and energy.
class BoundForce : public ExtraForce {
 public:
  explicit BoundForce(ForceSelection selection) : selection_(std::move(selection)) {}

  void check(std::vector<std::uint64_t> const& ids,
             std::vector<double> const& masses) const override;
  void bind(Context const& context, BodiesOfForces const& bodies) override;
  ConservedSums conserved() const override { return conserved_; }

  void add(Context const& context, Request<float> const& request, double time,
           ForcePass pass) const override {
    add_to(context, ForceRequest(request), time, pass);
  }
  void add(Context const& context, Request<double> const& request, double time,
           ForcePass pass) const override {
    add_to(context, ForceRequest(request), time, pass);
  }
  double energy(Context const& context, Bodies<float> const& bodies, double time) const override {
    return energy_of(context, bodies, time);
  }
  double energy(Context const& context, Bodies<double> const& bodies, double time) const override {
    return energy_of(context, bodies, time);
  }

 protected:
  bool has_source() const { return selection_.source.has_value(); }
  bool reacts() const { return selection_.reacts; }
  double coefficient_of(std::size_t i) const {
    return has_coefficients_ ? all_coefficients_[i] : 1.0;
  }
  std::size_t source_index() const { return source_; }

 private:
  /// Adds the pushes with derivatives up to `order`: 0, 1 or 2.
  virtual void evaluate(ExecutionSpace const& space, FormulaPass const& pass, int order) const = 0;
  virtual Push<double> push_on(Particle<double> const& body) const = 0;

  void add_to(Context const& context, ForceRequest const& request, double time,
              ForcePass pass) const;
  double energy_of(Context const& context, ReadBodies const& bodies, double time) const;
  /// Makes a pass over all bodies of this rank, without columns for results. `accelerations`: of
  /// all of them. Collective; fences if ranks share the bodies.
  FormulaPass make_pass(Context const& context, ReadBodies const& bodies,
                        ReadColumns const& accelerations, double time) const;
  ForceSelection selection_;
  ConservedSums conserved_;
  std::size_t source_ = FormulaPass::no_row;  ///< index of the source among all bodies
  bool has_coefficients_ = false;
  Column<double> coefficients_;           ///< of the bodies of this rank; no rows if all are 1
  std::vector<double> all_coefficients_;  ///< of all bodies of the run
  mutable Column<double> source_state_;   ///< copy of the source of another rank
  mutable VectorColumns<double> force_, next_force_;  ///< pushes on all bodies, to be summed
  mutable Column<double> potential_;
};

/// A force with a formula.
template <class Formula>
class FormulaForce final : public BoundForce {
 public:
  FormulaForce(Formula const& formula, ForceSelection selection)
      : BoundForce(std::move(selection)), formula_(formula) {}

  void add_few(FewRows const& rows) const override;

  /// Adds the push on one row.
  template <int order>
  struct AddPush {
    Formula formula;
    FormulaPass pass;

    KOKKOS_FUNCTION void operator()(std::size_t k) const {
      std::size_t const i = pass.rows[k];
      if (pass.excludes(i)) return;
      pass.template add<order>(k, formula(pass.template particle<order>(i, k)));
    }
  };

 private:
  void evaluate(ExecutionSpace const& space, FormulaPass const& pass, int order) const override {
    if (order == 0) return add_pushes<0>(space, pass);
    if (order == 1) return add_pushes<1>(space, pass);
    add_pushes<2>(space, pass);
  }
  Push<double> push_on(Particle<double> const& body) const override { return formula_(body); }

  template <int order>
  void add_pushes(ExecutionSpace const& space, FormulaPass const& pass) const {
    for_each(space, "apsis::forces::extra::add", pass.rows.size(), AddPush<order>{formula_, pass});
  }

  Formula formula_;
};

/// The loop knows the formula: a call for each body would take longer than most formulas.
template <class Formula>
void FormulaForce<Formula>::add_few(FewRows const& rows) const {
  bool const exists = has_source();
  std::size_t source = 0;
  while (exists && source + 1 < rows.count && rows.index_of(source) != source_index()) ++source;
  double reaction[3] = {};
  for (std::size_t i = 0; i < rows.count; ++i) {
    double const coefficient = coefficient_of(rows.index_of(i));
    if ((exists && i == source) || coefficient == 0.0) continue;
    Particle<double> body;
    for (int axis = 0; axis < 3; ++axis) {
      body.position[axis] = rows.position[axis][i] - (exists ? rows.position[axis][source] : 0.0);
      body.velocity[axis] = rows.velocity[axis][i] - (exists ? rows.velocity[axis][source] : 0.0);
    }
    body.time = rows.time;
    body.mass = rows.mass[i];
    body.source_mass = exists ? rows.mass[source] : 0.0;
    body.coefficient = coefficient;
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

}  // namespace detail

/// Makes a force of a formula.
template <class Formula>
std::unique_ptr<ExtraForce> make_force(Formula const& formula, ForceSelection selection = {}) {
  return std::make_unique<detail::FormulaForce<Formula>>(formula, std::move(selection));
}

}  // namespace apsis::forces
