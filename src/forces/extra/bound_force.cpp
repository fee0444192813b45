// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/bound_force.hpp"

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/forces/few_bodies.hpp>

#include <algorithm>
#include <array>

namespace apsis::forces {

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
  first_ = bodies.first;
  source_ = no_row;
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
  few_coefficients_.clear();
  if (!has_coefficients_) return;
  for (std::size_t const row : bodies.gone) coefficients[row] = 0.0;
  if (ids.size() <= max_few_bodies) few_coefficients_ = coefficients;
  auto const begin = coefficients.begin() + static_cast<std::ptrdiff_t>(bodies.first);
  std::vector<double> const rows(begin, begin + static_cast<std::ptrdiff_t>(bodies.id.size()));
  coefficients_ = copy_to_device(context.space, rows, "apsis::forces::extra::coefficients");
  context.space.fence("apsis::forces::extra: the host's coefficients are freed");
}

namespace {

/// Copies a row of columns, as doubles, to the host.
template <class Stored>
std::array<double, 10> row_of(ExecutionSpace const& space, Sources<Stored> const& bodies,
                              VectorColumns<Stored> const& acceleration, std::size_t row) {
  std::array<double, 10> numbers{};
  Stored value{};
  auto const read = [&](auto const& element) {
    Kokkos::deep_copy(space, value, element);
    space.fence("apsis::forces::extra: the host reads the source");
    return static_cast<double>(value);
  };
  std::size_t k = 0;
  for (auto const* columns : {&bodies.position, &bodies.velocity, &acceleration}) {
    for (int axis = 0; axis < 3; ++axis, ++k) {
      if (columns->extent(0) > row) numbers[k] = read(Kokkos::subview(*columns, row, axis));
    }
  }
  numbers[k] = read(Kokkos::subview(bodies.mass, row));
  return numbers;
}

}  // namespace

template <class Stored>
BoundForce::Source<Stored> BoundForce::source_of(Context const& context,
                                                 Sources<Stored> const& bodies,
                                                 VectorColumns<Stored> const& acceleration) const {
  Source<Stored> source;
  source.exists = has_source();
  if (!source.exists) return source;
  bool const is_own = source_ >= first_ && source_ < first_ + bodies.size();
  if (is_own) source.own_row = source_ - first_;
  if (!is_shared(context)) {
    source.row = source.own_row;
    source.position = bodies.position;
    source.velocity = bodies.velocity;
    source.acceleration = acceleration;
    source.mass = bodies.mass;
    return source;
  }
  std::vector<std::array<double, 10>> rows;
  if (is_own) rows.push_back(row_of(context.space, bodies, acceleration, source.own_row));
  auto const numbers = gather_values(context, std::move(rows)).front();
  auto const copy = [&](auto const& column, std::size_t first) {
    auto const mirror = Kokkos::create_mirror_view(column);
    for (std::size_t k = 0; k < mirror.size(); ++k) {
      mirror.data()[k] = static_cast<Stored>(numbers[first + k]);
    }
    Kokkos::deep_copy(context.space, column, mirror);
    context.space.fence("apsis::forces::extra: the mirror is freed");
    return column;
  };
  auto const make = [&](char const* name) {
    return Kokkos::view_alloc(context.space, std::string("apsis::forces::extra::") + name);
  };
  source.row = 0;
  source.position = copy(VectorColumns<Stored>(make("source_position"), 1), 0);
  source.velocity = copy(VectorColumns<Stored>(make("source_velocity"), 1), 3);
  source.acceleration = copy(VectorColumns<Stored>(make("source_acceleration"), 1), 6);
  source.mass = copy(Column<Stored>(make("source_mass"), 1), 9);
  return source;
}

template BoundForce::Source<float> BoundForce::source_of(Context const&, Sources<float> const&,
                                                         VectorColumns<float> const&) const;
template BoundForce::Source<double> BoundForce::source_of(Context const&, Sources<double> const&,
                                                          VectorColumns<double> const&) const;

}  // namespace apsis::forces
