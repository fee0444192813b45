// SPDX-License-Identifier: Apache-2.0
#include "softening_by_species.hpp"

#include "core/transport.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace apsis::forces {

namespace {

/// Bit c of the result: whether bodies of class c are selected.
template <class Selects>
unsigned class_bits(std::size_t classes, Selects const& selects) {
  unsigned bits = 0;
  for (std::size_t c = 0; c < classes; ++c) bits |= selects(c) ? 1u << c : 0u;
  return bits;
}

/// Adds results of a pass to the rows of targets of some classes: bit c of `classes` is class c.
/// Row k of `part` is the target rows[k].
template <class Stored>
struct AddResults {
  Field<Stored> part, sum;
  BodyRows rows;
  Column<std::uint8_t> body_class;
  unsigned classes;
  bool by_row;  ///< whether `sum` has the row of the body; otherwise that of the target

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    std::size_t const body = rows[k];
    if ((classes >> body_class(body) & 1u) == 0) return;
    std::size_t const row = by_row ? body : k;
    for (int axis = 0; axis < 3; ++axis) {
      if (sum.has(Wants::acceleration)) sum.acceleration(row, axis) += part.acceleration(k, axis);
      if (sum.has(Wants::jerk)) sum.jerk(row, axis) += part.jerk(k, axis);
      if (sum.has(Wants::snap)) sum.snap(row, axis) += part.snap(k, axis);
    }
    if (sum.has(Wants::potential)) sum.potential(row) += part.potential(k);
  }
};

template <class Stored>
void set_to_zero(ExecutionSpace const& space, Field<Stored> const& field, std::size_t count) {
  for_each_body(
      space, "apsis::forces::softening_by_species::clear", count, KOKKOS_LAMBDA(std::size_t k) {
        for (int axis = 0; axis < 3; ++axis) {
          if (field.has(Wants::acceleration)) field.acceleration(k, axis) = Stored(0);
          if (field.has(Wants::jerk)) field.jerk(k, axis) = Stored(0);
          if (field.has(Wants::snap)) field.snap(k, axis) = Stored(0);
        }
        if (field.has(Wants::potential)) field.potential(k) = 0.0;
      });
}

/// Copies the masses of bodies of some classes, and 0 for all others.
template <class Stored>
void copy_masses(ExecutionSpace const& space, Column<Stored> const& mass,
                 Column<std::uint8_t> const& body_class, Column<Stored> const& selected,
                 unsigned classes) {
  for_each_body(
      space, "apsis::forces::softening_by_species::select", mass.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        selected(i) = (classes >> body_class(i) & 1u) != 0 ? mass(i) : Stored(0);
      });
}

}  // namespace

template <class Stored>
SofteningBySpecies<Stored>::SofteningBySpecies(Gravity const& gravity, MakeSolver const& make)
    : Solver<Stored>([&] {
        auto result = gravity;
        result.softening = smallest_softening_length(gravity);
        return result;
      }()) {
  auto const& by_species = gravity.softening_by_species.value();
  lengths_ = distinct_softening_lengths(by_species);
  for (double const eps : by_species) {
    class_of_species_.push_back(static_cast<std::size_t>(
        std::lower_bound(lengths_.begin(), lengths_.end(), eps) - lengths_.begin()));
  }
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    auto const law = gravity.with_one_length(lengths_[k]);
    passes_.push_back({make(law), k, true});
    if (k > 0) passes_.push_back({make(law), k, false});
  }
}

template <class Stored>
void SofteningBySpecies<Stored>::set_species(Context const& context,
                                             SpeciesOfBodies const& bodies) {
  auto const& space = context.space;
  auto const species = gather_values(context, bodies.species);
  std::vector<std::uint8_t> classes(bodies.total);
  std::vector<std::size_t> count_of_class(lengths_.size(), 0);
  for (std::size_t i = 0; i < bodies.total; ++i) {
    auto const kind = species.empty() ? species_types::dark : species[i];
    classes[i] = static_cast<std::uint8_t>(class_of_species_[kind]);
    ++count_of_class[classes[i]];
  }
  auto const begin = classes.begin() + static_cast<std::ptrdiff_t>(bodies.first);
  std::vector<std::uint8_t> const local(begin, begin + static_cast<std::ptrdiff_t>(bodies.count));
  body_class_ = copy_to_device(space, local, "apsis::forces::softening_by_species::class");
  std::vector<std::vector<std::size_t>> rows(passes_.size());
  for (std::size_t p = 0; p < passes_.size(); ++p) {
    auto& pass = passes_[p];
    pass.all_targets = pass.all_sources = 0;
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      if (pass.has_target(c)) pass.all_targets += count_of_class[c];
      if (pass.has_source(c)) pass.all_sources += count_of_class[c];
    }
    for (std::size_t i = 0; i < local.size(); ++i) {
      if (pass.has_target(local[i])) rows[p].push_back(i);
    }
    pass.targets = copy_to_device(space, rows[p], "apsis::forces::softening_by_species::targets");
  }
  space.fence("apsis::forces::softening_by_species: what was copied is freed");
  bound_mass_ = {};
}

template <class Stored>
void SofteningBySpecies<Stored>::select_sources(ExecutionSpace const& space,
                                                Column<Stored> const& mass) {
  bound_mass_ = mass;
  for (auto& pass : passes_) {
    // A new column, since solvers identify the bodies by it.
    pass.mass = uninitialised<Column<Stored>>(space, "apsis::forces::softening_by_species::mass",
                                              mass.extent(0));
    copy_masses(space, mass, body_class_, pass.mass,
                class_bits(lengths_.size(), [&](std::size_t c) { return pass.has_source(c); }));
  }
}

template <class Stored>
std::size_t SofteningBySpecies<Stored>::exclude_massless_sources(Context const& context,
                                                                 Column<Stored> const& mass) {
  select_sources(context.space, mass);
  std::size_t massive = 0;
  for (auto& pass : passes_) {
    std::size_t const count = pass.solver->exclude_massless_sources(context, pass.mass);
    if (pass.is_within) massive += count;  // each class is the source of one such pass
  }
  return massive;
}

template <class Stored>
double SofteningBySpecies<Stored>::do_evaluate(Context const& context,
                                               Request<Stored> const& request) {
  APSIS_EXPECT(request.sources.size() == body_class_.extent(0) && request.targets.first,
               "softening by species needs the species of all bodies, and bodies as targets");
  if (request.sources.mass.data() != bound_mass_.data()) {
    select_sources(context.space, request.sources.mass);
  }
  set_to_zero(context.space, request.wanted, request.targets.size());
  for (auto& pass : passes_) {
    if (!pass.is_empty()) add_pass(context, pass, request);
  }
  if (!request.wanted.has(Wants::forces)) return 0.0;
  return static_cast<double>(request.targets.total) * static_cast<double>(request.sources.total);
}

template <class Stored>
void SofteningBySpecies<Stored>::add_pass(Context const& context, Pass& pass,
                                          Request<Stored> const& request) {
  auto part = request;
  part.sources.mass = pass.mass;
  // Potentials and sweeps of the fmm cover all bodies at less cost than a list of some.
  bool const selects_targets = request.is_mutual() && !needs_full_sweep() &&
                               !request.wanted.has(Wants::potential) &&
                               pass.all_targets < request.targets.total;
  if (selects_targets) {
    part.targets.select(BodyRows::listed(pass.targets, pass.targets.extent(0)), pass.all_targets);
  }
  part.wanted = pass_field(context.space, request.wanted, part.targets.size());
  pass.solver->evaluate(context, part);
  unsigned const classes =
      class_bits(lengths_.size(), [&](std::size_t c) { return pass.has_target(c); });
  AddResults<Stored> const add{part.wanted, request.wanted, part.targets.rows,
                               body_class_, classes,        selects_targets};
  for_each_body(context.space, "apsis::forces::softening_by_species::add", part.targets.size(),
                add);
}

template <class Stored>
Field<Stored> SofteningBySpecies<Stored>::pass_field(ExecutionSpace const& space,
                                                     Field<Stored> const& wanted,
                                                     std::size_t rows) {
  Field<Stored> field{wanted.wants};
  auto const add_column = [&](Wants result, auto& buffer, auto& column) {
    if (!wanted.has(result)) return;
    grow(space, buffer, "apsis::forces::softening_by_species::results", rows);
    column = buffer;
  };
  add_column(Wants::acceleration, acceleration_, field.acceleration);
  add_column(Wants::jerk, jerk_, field.jerk);
  add_column(Wants::snap, snap_, field.snap);
  add_column(Wants::potential, potential_, field.potential);
  return field;
}

template <class Stored>
bool SofteningBySpecies<Stored>::has_exact_potential(std::size_t bodies) const {
  return std::all_of(passes_.begin(), passes_.end(),
                     [&](Pass const& pass) { return pass.solver->has_exact_potential(bodies); });
}

template <class Stored>
std::optional<ForceErrors> SofteningBySpecies<Stored>::errors() const {
  std::optional<ForceErrors> largest;
  for (auto const& pass : passes_) {
    auto const errors = pass.solver->errors();
    if (!errors) continue;
    if (!largest) largest = errors;
    largest->measured = std::max(largest->measured, errors->measured);
    largest->worst = std::max(largest->worst, errors->worst);
  }
  return largest;
}

template <class Stored>
bool SofteningBySpecies<Stored>::falls_back() const {
  return std::any_of(passes_.begin(), passes_.end(),
                     [](Pass const& pass) { return pass.solver->falls_back(); });
}

template <class Stored>
std::string SofteningBySpecies<Stored>::describe(std::size_t bodies, int derivatives,
                                                 bool /*each_pair_once*/) const {
  return passes_.front().solver->describe(bodies, derivatives, false);
}

template <class Stored>
void SofteningBySpecies<Stored>::exchange(SavedState& state) {
  Solver<Stored>::exchange(state);
  for (auto& pass : passes_) pass.solver->exchange(state);
}

namespace {

template <class Stored>
AnySolver make_passes(SolverEntry const& entry, Demand const& demand) {
  return std::make_unique<SofteningBySpecies<Stored>>(demand.gravity, [&](Gravity const& gravity) {
    auto with_one_length = demand;
    with_one_length.gravity = gravity;
    return std::get<std::unique_ptr<Solver<Stored>>>(entry.make_any(with_one_length));
  });
}

}  // namespace

AnySolver make_by_species(SolverEntry const& entry, Demand const& demand) {
  auto const& by_species = demand.gravity.softening_by_species;
  if (!by_species) return entry.make_any(demand);
  if (std::equal(by_species->begin() + 1, by_species->end(), by_species->begin())) {
    auto with_one_length = demand;
    with_one_length.gravity = demand.gravity.with_one_length(by_species->front());
    return entry.make_any(with_one_length);
  }
  return demand.precision == Precision::single_precision ? make_passes<float>(entry, demand)
                                                         : make_passes<double>(entry, demand);
}

double workspace_bytes(SolverEntry const& entry, Demand const& demand, std::uint64_t bodies) {
  double const one = entry.workspace_bytes(demand, bodies);
  auto const& by_species = demand.gravity.softening_by_species;
  if (!by_species) return one;
  auto const lengths = static_cast<double>(distinct_softening_lengths(*by_species).size());
  double const passes = 2.0 * lengths - 1.0;
  // Each pass has the masses of its sources and a list of targets; they share the results.
  double const real = demand.precision == Precision::single_precision ? 4.0 : 8.0;
  double const results = 3.0 * real * (1.0 + demand.derivatives) + sizeof(double);
  double const per_pass = one + (real + sizeof(std::size_t)) * static_cast<double>(bodies);
  return passes * per_pass + (results + 1.0) * static_cast<double>(bodies);
}

template class SofteningBySpecies<float>;
template class SofteningBySpecies<double>;

}  // namespace apsis::forces
