// SPDX-License-Identifier: Apache-2.0
#include "einstein_infeld_hoffmann.hpp"

#include "entries.hpp"
#include <apsis/core/reductions.hpp>
#include <apsis/forces/few_bodies.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace apsis::forces {

namespace {

/// Largest number of bodies with mass: the cost grows as its square, and each rank visits all pairs
/// of them.
constexpr std::size_t most_relativistic_sources = 4096;

template <class Number>
using RelativisticSources = Kokkos::View<eih::Source<Number>*, MemorySpace>;

/// Index of each row among the sources, or massless_number or gone_number.
using RelativisticNumbers = Column<std::int32_t>;
constexpr std::int32_t massless_number = -1, gone_number = -2;

/// States of rows of the bodies, for `order` 1 with their rates of change: `rate` then has one row
/// per body or per target.
template <int order>
struct RelativisticStates {
  using Make = detail::MotionNumber<order>;
  using Number = typename Make::type;

  ReadColumns position, velocity;
  ReadColumns rate;  ///< accelerations by all forces, read for order 1

  /// The state of row `i` with the acceleration in row `k`.
  KOKKOS_FUNCTION eih::State<Number> operator()(std::size_t i, std::size_t k) const {
    eih::State<Number> state;
    for (int axis = 0; axis < 3; ++axis) {
      double const v = velocity(i, axis);
      double a = 0.0;
      if constexpr (order == 1) a = rate(k, axis);
      state.position[axis] = Make::make(position(i, axis), v, 0.0);
      state.velocity[axis] = Make::make(v, a, 0.0);
    }
    return state;
  }
};

template <int order>
struct GatherRelativisticSources {
  using Number = typename RelativisticStates<order>::Number;

  RelativisticStates<order> states;
  ReadColumns mass;
  BodyList rows;
  double G;
  RelativisticSources<Number> sources;

  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    std::size_t const i = rows(s);
    sources(s).state = states(i, i);
    sources(s).strength = G * mass(i);
  }
};

template <class Number>
struct SetRelativisticFields {
  RelativisticSources<Number> sources;

  KOKKOS_FUNCTION void operator()(std::size_t s) const {
    eih::set_field(sources.data(), sources.extent(0), s);
  }
};

/// The push on rows of the bodies.
template <int order>
struct RelativisticPush {
  using Number = typename RelativisticStates<order>::Number;

  RelativisticStates<order> states;
  RelativisticSources<Number> sources;
  RelativisticNumbers numbers;
  double over_c_squared;

  /// The push on row `i`, which is target `k`.
  KOKKOS_FUNCTION Push<Number> operator()(std::size_t i, std::size_t k) const {
    std::size_t const self =
        numbers(i) >= 0 ? static_cast<std::size_t>(numbers(i)) : eih::no_source;
    return eih::push_on(states(i, k), sources.data(), sources.extent(0), self, over_c_squared);
  }
};

template <int order>
struct AddRelativisticPushes {
  RelativisticPush<order> push_on;
  BodyRows rows;
  Wants wants;
  detail::SumColumns force;  ///< accelerations or, for order 1, jerks
  Column<double> potential;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    std::size_t const i = rows[k];
    if (push_on.numbers(i) == gone_number) return;
    auto const push = push_on(i, k);
    if (order == 1 || has_any(wants, Wants::acceleration)) {
      for (int axis = 0; axis < 3; ++axis) {
        force.add(k, axis, detail::derivative_of<order>(push.acceleration[axis]));
      }
    }
    if constexpr (order == 0) {
      if (has_any(wants, Wants::potential)) potential(k) += push.potential;
    }
  }
};

struct RelativisticEnergyOfBody {
  RelativisticPush<0> push_on;
  ReadColumns mass;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    return push_on.numbers(i) < 0 ? 0.0 : mass(i) * push_on(i, i).potential;
  }
};

/// First post-Newtonian force of all bodies with mass on all bodies.
class EinsteinInfeldHoffmann final : public ExtraForce {
 public:
  EinsteinInfeldHoffmann(double G, double over_c_squared, std::string where)
      : G_(G), over_c_squared_(over_c_squared), where_(std::move(where)) {}

  void check(std::vector<std::uint64_t> const& /*ids*/,
             std::vector<double> const& masses) const override {
    auto const count = static_cast<std::size_t>(
        std::count_if(masses.begin(), masses.end(), [](double mass) { return mass > 0.0; }));
    APSIS_VALIDATE(
        count <= most_relativistic_sources,
        {where_ + ".name", std::to_string(count) + " bodies have mass",
         "the cost of einstein_infeld_hoffmann grows as the square of their number: at most " +
             std::to_string(most_relativistic_sources) + " are allowed",
         "make light bodies massless, or use 'schwarzschild' about a heavy body"});
  }

  void bind(Context const& context, BodiesOfForces const& bodies) override;

  void add(Context const& context, Request<float> const& request, double /*time*/,
           ForcePass pass) const override {
    add_pass(context, detail::ForceRequest(request), pass);
  }
  void add(Context const& context, Request<double> const& request, double /*time*/,
           ForcePass pass) const override {
    add_pass(context, detail::ForceRequest(request), pass);
  }
  void add_few(FewRows const& rows) const override;

  double energy(Context const& context, Bodies<float> const& bodies,
                double /*time*/) const override {
    return energy_of(context, bodies);
  }
  double energy(Context const& context, Bodies<double> const& bodies,
                double /*time*/) const override {
    return energy_of(context, bodies);
  }

  /// The log has the Newtonian momentum and angular momentum, which this force changes. The energy
  /// in the log is that of the equations, constant to first order in (v / c)^2. A single body with
  /// mass feels no force.
  ConservedSums conserved() const override {
    bool const is_exact = source_count_ < 2;
    return {is_exact, is_exact, is_exact, is_exact, false};
  }

 private:
  void add_pass(Context const& context, detail::ForceRequest const& request, ForcePass pass) const {
    APSIS_EXPECT(pass != ForcePass::snaps, "forces that depend on velocities have no snaps");
    if (pass == ForcePass::values) return add_derivative<0>(context, request);
    add_derivative<1>(context, request);
  }

  template <int order>
  void add_derivative(Context const& context, detail::ForceRequest const& request) const {
    auto const& bodies = request.bodies;
    // In a request for all bodies the requested accelerations are newer than bodies.acceleration.
    bool const has_rates = order == 1 && request.has_all_bodies();
    auto push_on = push<order>(context, bodies, has_rates ? request.rates : bodies.acceleration);
    push_on.states.rate = request.rates;
    for_each(context.space, "apsis::forces::extra::add_einstein_infeld_hoffmann",
             request.rows.size(),
             AddRelativisticPushes<order>{push_on, request.rows, request.wants,
                                          order == 1 ? request.jerk : request.acceleration,
                                          request.potential});
  }

  double energy_of(Context const& context, ReadBodies const& bodies) const {
    auto const push_on = push<0>(context, bodies, bodies.acceleration);
    context.space.fence("apsis::forces::extra: the host may read the sources");
    return fixed_order_sum<double>(context, "apsis::forces::extra::einstein_infeld_hoffmann_energy",
                                   bodies.size(), RelativisticEnergyOfBody{push_on, bodies.mass});
  }

  /// Makes the push of all sources. `rate`: accelerations of all rows. Collective.
  template <int order>
  RelativisticPush<order> push(Context const& context, ReadBodies const& bodies,
                               ReadColumns const& rate) const {
    using Number = typename RelativisticStates<order>::Number;
    auto const& space = context.space;
    RelativisticStates<order> const states{bodies.position, bodies.velocity, rate};
    auto& local = workspace<Number>();
    fit(space, local, "apsis::forces::extra::relativistic_sources", rows_.extent(0));
    for_each(space, "apsis::forces::extra::gather_relativistic_sources", local.extent(0),
             GatherRelativisticSources<order>{states, bodies.mass, rows_, G_, local});
    auto const sources = is_shared(context) ? sources_of_ranks(context, local) : local;
    for_each(space, "apsis::forces::extra::set_relativistic_fields", sources.extent(0),
             SetRelativisticFields<Number>{sources});
    return {states, sources, numbers_, over_c_squared_};
  }

  template <class Number>
  static RelativisticSources<Number> sources_of_ranks(Context const& context,
                                                      RelativisticSources<Number> const& local) {
    std::vector<eih::Source<Number>> sources(local.extent(0));
    Kokkos::deep_copy(context.space, unmanaged(sources), local);
    context.space.fence("apsis::forces::extra: the host reads the sources");
    sources = gather_values(context, std::move(sources));
    auto const view =
        copy_to_device(context.space, sources, "apsis::forces::extra::sources_of_ranks");
    context.space.fence("apsis::forces::extra: the host's sources are freed");
    return view;
  }

  template <class Number>
  RelativisticSources<Number>& workspace() const {
    if constexpr (std::is_same_v<Number, double>) {
      return sources_;
    } else {
      return moving_sources_;
    }
  }

  double G_, over_c_squared_;
  std::string where_;  ///< path in the deck, for errors
  std::size_t source_count_ = 0;
  RelativisticNumbers numbers_;            ///< of the bodies of this rank
  BodyList rows_;                          ///< of the sources of this rank
  std::vector<std::int32_t> all_numbers_;  ///< of all bodies of the run
  mutable RelativisticSources<double> sources_;
  mutable RelativisticSources<Jet<1>> moving_sources_;
};

void EinsteinInfeldHoffmann::bind(Context const& context, BodiesOfForces const& bodies) {
  auto const masses = gather_values(context, bodies.mass);
  check({}, masses);
  std::vector<std::int32_t> numbers(masses.size(), massless_number);
  for (std::size_t const row : bodies.gone) numbers[row] = gone_number;
  source_count_ = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (numbers[i] == gone_number || !(masses[i] > 0.0)) continue;
    numbers[i] = static_cast<std::int32_t>(source_count_++);
  }
  all_numbers_ = numbers;
  auto const begin = numbers.begin() + static_cast<std::ptrdiff_t>(bodies.first);
  std::vector<std::int32_t> const local(begin,
                                        begin + static_cast<std::ptrdiff_t>(bodies.id.size()));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < local.size(); ++row) {
    if (local[row] >= 0) rows.push_back(row);
  }
  numbers_ = copy_to_device(context.space, local, "apsis::forces::extra::source_numbers");
  rows_ = copy_to_device(context.space, rows, "apsis::forces::extra::source_rows");
  context.space.fence("apsis::forces::extra: the host's numbers are freed");
}

void EinsteinInfeldHoffmann::add_few(FewRows const& rows) const {
  std::vector<eih::Source<double>> sources(rows.count);
  auto const state = [&](std::size_t i) {
    eih::State<double> result;
    for (int axis = 0; axis < 3; ++axis) {
      result.position[axis] = rows.position[axis][i];
      result.velocity[axis] = rows.velocity[axis][i];
    }
    return result;
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (all_numbers_[rows.index_of(i)] < 0) continue;
    sources[count].state = state(i);
    sources[count].strength = G_ * rows.mass[i];
    ++count;
  }
  for (std::size_t s = 0; s < count; ++s) eih::set_field(sources.data(), count, s);
  for (std::size_t i = 0; i < rows.count; ++i) {
    auto const number = all_numbers_[rows.index_of(i)];
    if (number == gone_number) continue;
    std::size_t const self = number >= 0 ? static_cast<std::size_t>(number) : eih::no_source;
    auto const push = eih::push_on(state(i), sources.data(), count, self, over_c_squared_);
    for (int axis = 0; axis < 3; ++axis) rows.acceleration[axis][i] += push.acceleration[axis];
  }
}

std::unique_ptr<ExtraForce> make_einstein_infeld_hoffmann(Values const& values,
                                                          ExtraForceSetting const& setting,
                                                          std::string const& where) {
  return std::make_unique<EinsteinInfeldHoffmann>(setting.G, inverse_square(values.number("c")),
                                                  where);
}

}  // namespace

ExtraForceEntry einstein_infeld_hoffmann_entry() {
  ExtraForceEntry entry{
      "einstein_infeld_hoffmann",
      "first post-Newtonian force between all bodies (Einstein, Infeld & Hoffmann 1938)",
      {speed_of_light_parameter()},
      make_einstein_infeld_hoffmann};
  entry.velocity_dependent = true;
  entry.has_source = true;
  entry.needs_speed_of_light = true;
  entry.cite = {"EinsteinInfeldHoffmann1938", "Newhall1983"};
  return entry;
}

}  // namespace apsis::forces
