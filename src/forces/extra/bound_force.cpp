// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/forces/extra_formula.hpp>

#include <algorithm>
#include <array>

namespace apsis::forces::detail {

void BoundForce::check(std::vector<std::uint64_t> const& ids,
                       std::vector<double> const& masses) const {
  std::vector<Problem> problems;
  auto const index_of = [&](std::uint64_t id) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  if (selection_.source) {
    auto const index = index_of(*selection_.source);
    auto const key = selection_.where + "." + selection_.source_key;
    auto const id = std::to_string(*selection_.source);
    if (index == ids.size()) {
      problems.push_back(
          {key, "no body has the id " + id, "the force comes from it", "give the id of a body"});
    } else if (!(masses[index] > 0.0)) {
      problems.push_back({key, "body " + id + " has no mass", "it is massless or gone",
                          "give the id of a body with mass, or remove this force"});
    }
  }
  for (auto const id : selection_.targets) {
    if (index_of(id) < ids.size()) continue;
    problems.push_back({selection_.where, "no body has the id " + std::to_string(id),
                        "the force acts on it", "give ids of bodies"});
  }
  if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
}

void BoundForce::bind(Context const& context, BodiesOfForces const& bodies) {
  auto const ids = gather_values(context, bodies.id);
  auto const masses = gather_values(context, bodies.mass);
  auto const species = gather_values(context, bodies.species);
  check(ids, masses);
  source_ = FormulaPass::no_row;
  if (selection_.source) {
    source_ = static_cast<std::size_t>(std::find(ids.begin(), ids.end(), *selection_.source) -
                                       ids.begin());
  }
  std::vector<double> coefficients(ids.size(), 1.0);
  has_coefficients_ = selection_.coefficient || !bodies.gone.empty();
  bool has_massive_targets = false, has_mass = false;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (selection_.coefficient) {
      auto const kind = species.empty() ? species_types::dark : species[i];
      coefficients[i] = selection_.coefficient(ids[i], masses[i], kind);
    }
    bool const is_target = i != source_ && coefficients[i] != 0.0;
    has_massive_targets = has_massive_targets || (is_target && masses[i] > 0.0);
    has_mass = has_mass || masses[i] > 0.0;
  }
  conserved_ =
      selection_.conserved ? selection_.conserved(has_massive_targets, has_mass) : ConservedSums{};
  all_coefficients_.clear();
  if (!has_coefficients_) return;
  for (std::size_t const row : bodies.gone) coefficients[row] = 0.0;
  all_coefficients_ = coefficients;
  auto const begin = coefficients.begin() + static_cast<std::ptrdiff_t>(bodies.first);
  std::vector<double> const rows(begin, begin + static_cast<std::ptrdiff_t>(bodies.id.size()));
  coefficients_ = copy_to_device(context.space, rows, "apsis::forces::extra::coefficients");
  context.space.fence("apsis::forces::extra: the host's coefficients are freed");
}

namespace {

/// Position, velocity, acceleration and mass of a body.
using BodyState = std::array<double, 10>;

/// Copies the state of row `i` to the host. Fences.
BodyState state_of(ExecutionSpace const& space, ReadBodies const& bodies,
                   ReadColumns const& accelerations, std::size_t i) {
  Column<double> const column(Kokkos::view_alloc(space, "apsis::forces::extra::source_state"),
                              BodyState().size());
  for_each(
      space, "apsis::forces::extra::read_source", 3, KOKKOS_LAMBDA(std::size_t k) {
        int const axis = static_cast<int>(k);
        column(k) = bodies.position(i, axis);
        column(3 + k) = bodies.velocity(i, axis);
        if (i < accelerations.size()) column(6 + k) = accelerations(i, axis);
        if (axis == 0) column(9) = bodies.mass(i);
      });
  BodyState state;
  Kokkos::deep_copy(space, unmanaged(state), column);
  space.fence("apsis::forces::extra: the host reads the source");
  return state;
}

/// Sum of the forces on the bodies or of their first derivatives, and that of the next derivatives.
struct ForceSums {
  double force[3] = {}, next[3] = {};

  KOKKOS_FUNCTION ForceSums& operator+=(ForceSums const& other) {
    for (int axis = 0; axis < 3; ++axis) {
      force[axis] += other.force[axis];
      next[axis] += other.next[axis];
    }
    return *this;
  }
};

struct ForceOnBody {
  ReadColumns mass;
  VectorColumns<double> force, next_force;
  bool has_next;

  KOKKOS_FUNCTION ForceSums operator()(std::size_t i) const {
    ForceSums sums;
    double const m = mass(i);
    // A massless body exerts no force even if the force on it is infinite.
    if (m == 0.0) return sums;
    for (int axis = 0; axis < 3; ++axis) {
      sums.force[axis] = m * force(i, axis);
      if (has_next) sums.next[axis] = m * next_force(i, axis);
    }
    return sums;
  }
};

/// Adds the pushes on the targets and, on the source, the opposite of all pushes.
struct AddWithReaction {
  ForceOnBody forces;
  ForceSums sums;
  FormulaPass pass;  ///< over the targets

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    std::size_t const i = pass.rows[k];
    bool const is_source = i == pass.own_row;
    double const m = is_source ? forces.mass(i) : 0.0;
    if (is_source && !(m > 0.0)) return;
    for (int axis = 0; axis < 3; ++axis) {
      pass.force.add(k, axis, is_source ? -sums.force[axis] / m : forces.force(i, axis));
      if (!forces.has_next) continue;
      pass.next_force.add(k, axis, is_source ? -sums.next[axis] / m : forces.next_force(i, axis));
    }
  }
};

struct EnergyOfBody {
  ReadColumns mass;
  Column<double> potential;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    double const m = mass(i);
    // A massless body has no energy even if its potential is infinite.
    return m == 0.0 ? 0.0 : m * potential(i);
  }
};

/// Allocates a workspace with one row per body, with all values 0.
template <class View>
void clear(ExecutionSpace const& space, View& view, std::size_t rows) {
  fit(space, view, "apsis::forces::extra::pushes", rows);
  auto* const values = view.data();
  std::size_t const size = view.size();
  for_each_body(
      space, "apsis::forces::extra::clear", rows, KOKKOS_LAMBDA(std::size_t i) {
        for (std::size_t k = i; k < size; k += rows) values[k] = 0.0;
      });
}

}  // namespace

FormulaPass BoundForce::make_pass(Context const& context, ReadBodies const& bodies,
                                  ReadColumns const& accelerations, double time) const {
  FormulaPass pass;
  pass.bodies = bodies;
  pass.rows = BodyRows::all(bodies.size());
  pass.rates = accelerations;
  pass.time = time;
  pass.coefficient = coefficients_;
  pass.has_coefficients = has_coefficients_;
  pass.has_source = has_source();
  if (!pass.has_source) return pass;
  bool const is_own = source_ >= bodies.first && source_ < bodies.first + bodies.size();
  if (is_own) pass.own_row = source_ - bodies.first;
  if (!is_shared(context)) {
    pass.source_row = pass.own_row;
    pass.source_position = bodies.position;
    pass.source_velocity = bodies.velocity;
    pass.source_acceleration = accelerations;
    pass.source_mass = bodies.mass;
    return pass;
  }
  std::vector<BodyState> states;
  if (is_own) states.push_back(state_of(context.space, bodies, accelerations, pass.own_row));
  auto const state = gather_values(context, std::move(states)).front();
  source_state_ = copy_to_device(context.space, state, "apsis::forces::extra::source_state");
  context.space.fence("apsis::forces::extra: the host's state is freed");
  auto const vector = [&](std::size_t first) {
    return VectorColumns<double>(source_state_.data() + first, 1);
  };
  pass.source_row = 0;
  pass.source_position = vector(0);
  pass.source_velocity = vector(3);
  pass.source_acceleration = vector(6);
  pass.source_mass = Column<double>(source_state_.data() + 9, 1);
  return pass;
}

void BoundForce::add_to(Context const& context, ForceRequest const& request, double time,
                        ForcePass kind) const {
  auto const& space = context.space;
  auto const& bodies = request.bodies;
  int const order = static_cast<int>(kind);
  // With a subset of targets only formulas without velocities are evaluated.
  bool const has_rates = order == 1 && request.has_all_bodies();
  auto pass = make_pass(context, bodies, has_rates ? request.rates : bodies.acceleration, time);
  auto targets = pass;
  targets.rows = request.rows;
  targets.rates = request.rates;
  targets.adds_forces = order > 0 || has_any(request.wants, Wants::acceleration);
  targets.adds_potential = order == 0 && has_any(request.wants, Wants::potential);
  targets.force = order == 0 ? request.acceleration : request.jerk;
  targets.next_force = request.snap;
  targets.potential = request.potential;
  if (!reacts() || !targets.adds_forces) return evaluate(space, targets, order);

  // The reaction is the sum of the pushes on all bodies.
  if (targets.adds_potential) {
    targets.adds_forces = false;
    evaluate(space, targets, order);
  }
  clear(space, force_, bodies.size());
  if (order == 2) clear(space, next_force_, bodies.size());
  pass.force = force_;
  pass.next_force = next_force_;
  evaluate(space, pass, order);
  ForceOnBody const forces{bodies.mass, force_, next_force_, order == 2};
  auto const sums =
      fixed_order_sum<ForceSums>(context, "apsis::forces::extra::reaction", bodies.size(), forces);
  for_each(space, "apsis::forces::extra::react", targets.rows.size(),
           AddWithReaction{forces, sums, targets});
}

double BoundForce::energy_of(Context const& context, ReadBodies const& bodies, double time) const {
  auto pass = make_pass(context, bodies, bodies.acceleration, time);
  if constexpr (bodies_on_host) {
    if (is_loop_faster(bodies.size()) && !is_shared(context)) {
      double sum = 0.0;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        double const m = bodies.mass(i);
        if (m == 0.0 || pass.excludes(i)) continue;
        sum += m * push_on(pass.particle<0>(i, i)).potential;
      }
      return sum;
    }
  }
  clear(context.space, potential_, bodies.size());
  pass.adds_forces = false;
  pass.adds_potential = true;
  pass.potential = potential_;
  evaluate(context.space, pass, 0);
  return fixed_order_sum<double>(context, "apsis::forces::extra::energy", bodies.size(),
                                 EnergyOfBody{bodies.mass, potential_});
}

}  // namespace apsis::forces::detail
