// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/sample_bodies.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <vector>

/// Helpers of the tests of requests.
namespace apsis::testing {

inline constexpr std::size_t count = 700;
inline constexpr double epsilon = 0.25;

template <class Stored>
HostBodies as_stored(HostBodies const& host) {
  return sizeof(Stored) == 4 ? rounded_to_single(host) : host;
}

template <class Stored>
VectorColumns<Stored> empty_columns(std::size_t rows) {
  VectorColumns<Stored> columns("apsis::testing::columns", rows);
  Kokkos::deep_copy(columns, Stored(-77));  // every element must be written
  return columns;
}

inline forces::BodyList list_of(std::vector<std::size_t> const& numbers) {
  forces::BodyList list("apsis::testing::list", numbers.size());
  auto const host = Kokkos::create_mirror_view(list);
  for (std::size_t k = 0; k < numbers.size(); ++k) host(k) = numbers[k];
  Kokkos::deep_copy(list, host);
  return list;
}

/// Requested results, as bits: the values of forces::Wants.
enum Want : unsigned { acceleration = 1, jerk = 2, snap = 4, potential = 8 };

template <class Stored>
forces::Field<Stored> make_field(unsigned results_wanted, std::size_t rows) {
  forces::Field<Stored> field;
  field.wants = static_cast<forces::Wants>(results_wanted);
  if (results_wanted & acceleration) field.acceleration = empty_columns<Stored>(rows);
  if (results_wanted & jerk) field.jerk = empty_columns<Stored>(rows);
  if (results_wanted & snap) field.snap = empty_columns<Stored>(rows);
  if (results_wanted & potential) {
    field.potential = Column<double>("apsis::testing::potential", rows);
    Kokkos::deep_copy(field.potential, -77.0);
  }
  return field;
}

/// Bodies with accelerations, used for a snap, that are their velocities with permuted axes.
template <class Stored>
Bodies<Stored> moving(HostBodies const& host) {
  auto bodies = to_device<Stored>(ExecutionSpace(), host);
  auto const a = Kokkos::create_mirror_view(bodies.acceleration);
  for (std::size_t i = 0; i < host.size(); ++i) {
    a(i, 0) = static_cast<Stored>(host.velocity[i].y);
    a(i, 1) = static_cast<Stored>(host.velocity[i].z);
    a(i, 2) = static_cast<Stored>(host.velocity[i].x);
  }
  Kokkos::deep_copy(bodies.acceleration, a);
  return bodies;
}

}  // namespace apsis::testing
