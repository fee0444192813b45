// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_nrm2.hpp>

#include <vector>

/// Error norms of multivectors, computed with Kokkos Kernels.
namespace apsis::testing {

inline VectorColumns<double> columns(std::vector<Vec3<double>> const& vectors) {
  VectorColumns<double> view("apsis::testing::columns", vectors.size());
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    host(i, 0) = vectors[i].x;
    host(i, 1) = vectors[i].y;
    host(i, 2) = vectors[i].z;
  }
  Kokkos::deep_copy(view, host);
  return view;
}

template <class Real>
VectorColumns<double> widened(VectorColumns<Real> const& narrow) {
  VectorColumns<double> wide("apsis::testing::widened", narrow.extent(0));
  Kokkos::deep_copy(wide, 0.0);
  auto const narrow_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), narrow);
  auto const wide_host = Kokkos::create_mirror_view(wide);
  for (std::size_t i = 0; i < narrow_host.extent(0); ++i) {
    for (int axis = 0; axis < 3; ++axis) wide_host(i, axis) = narrow_host(i, axis);
  }
  Kokkos::deep_copy(wide, wide_host);
  return wide;
}

template <class Real>
std::vector<Vec3<double>> as_vectors(VectorColumns<Real> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<Vec3<double>> vectors(host.extent(0));
  for (std::size_t i = 0; i < vectors.size(); ++i)
    vectors[i] = {host(i, 0), host(i, 1), host(i, 2)};
  return vectors;
}

inline double norm(VectorColumns<double> const& view) {
  double sum = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const axis_norm = KokkosBlas::nrm2(Kokkos::subview(view, Kokkos::ALL, axis));
    sum += axis_norm * axis_norm;
  }
  return std::sqrt(sum);
}

/// Returns |a - b| / |b| over all components.
template <class Real>
double relative_difference(VectorColumns<Real> const& a, std::vector<Vec3<double>> const& b) {
  auto const reference = columns(b);
  auto const difference = widened(a);
  KokkosBlas::axpy(-1.0, reference, difference);
  double const size = norm(reference);
  return size > 0.0 ? norm(difference) / size : norm(difference);
}

}  // namespace apsis::testing
