// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrators/cancellation.hpp"
#include "lanes/simd.hpp"
#include "step_control.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace apsis::integrators::radau {

/// Pack of numbers in a register of the host; a single number in a build for a GPU.
using Lanes = simd::Pack<double, by_backend(simd::pack_lanes<double>, 1)>::type;
inline constexpr int lanes = simd::lane_count<double, Lanes>;
inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Returns the larger of a and |b|, lane by lane.
KOKKOS_INLINE_FUNCTION Lanes larger_magnitude(Lanes const& a, Lanes const& b) {
  Lanes const magnitude = b < 0.0 ? -b : b;
  return magnitude > a ? magnitude : a;
}

/// Numbers of a body: mass, position, velocity and acceleration.
inline constexpr int row_width = 10;

/// Returns the indices and the numbers of all bodies, or of those with mass. Collective.
inline std::pair<std::vector<std::size_t>, std::vector<double>> gather_rows(
    Context const& context, Bodies<double> const& bodies, bool only_massive) {
  if constexpr (!bodies_on_host) {
    context.space.fence("apsis::integrators::gauss_radau: the host reads the bodies");
  }
  auto const copy = [](auto const& column) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), column);
  };
  auto const masses = copy(bodies.mass);
  auto const vectors = {copy(bodies.position), copy(bodies.velocity), copy(bodies.acceleration)};
  std::vector<std::size_t> indices;
  std::vector<double> rows;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (only_massive && masses(i) == 0.0) continue;
    indices.push_back(bodies.first + i);
    rows.push_back(masses(i));
    for (auto const& columns : vectors) {
      for (int axis = 0; axis < 3; ++axis) rows.push_back(columns(i, axis));
    }
  }
  return {gather_values(context, std::move(indices)), gather_values(context, std::move(rows))};
}

/// Few bodies in packs: all of a run, or those with mass. Pack p has the bodies p lanes ... (p + 1)
/// lanes - 1 of them; lanes beyond the last body repeat it. On ranks that share the bodies each
/// rank has all of them.
template <int packs>
struct PackedBodies {
  using Columns = Lanes[3][packs];
  struct Low {
    Columns position{}, velocity{};
  };

  PackedBodies(std::size_t bodies, bool only_massive)
      : count(static_cast<int>(bodies)), has_only_massive(only_massive) {}

  /// Reads all bodies. Collective.
  void load(Context const& context, Bodies<double> const& bodies, double G) {
    auto const [indices, rows] = gather_rows(context, bodies, has_only_massive);
    sources = 0;
    for (int body = 0; body < count; ++body) {
      double const m = rows[static_cast<std::size_t>(row_width * body)];
      index[body] = indices[static_cast<std::size_t>(body)];
      mass[body] = m;
      if (m == 0.0) continue;
      source[sources] = body;
      strength[sources] = G * m;
      ++sources;
    }
    for (int p = 0; p < packs; ++p) {
      for (int lane = 0; lane < lanes; ++lane) {
        double const* const row = rows.data() + row_width * body_of(p, lane) + 1;
        for (int axis = 0; axis < 3; ++axis) {
          simd::set_lane<double>(position[axis][p], lane, row[axis]);
          simd::set_lane<double>(velocity[axis][p], lane, row[3 + axis]);
          simd::set_lane<double>(acceleration[axis][p], lane, row[6 + axis]);
        }
      }
    }
  }

  /// Writes one component of the bodies of a pack that are rows of this rank.
  template <class Rows>
  void store_pack(Bodies<double> const& bodies, int pack, int axis, Lanes const& values,
                  Rows const& rows) const {
    for (int lane = 0; lane < lanes && pack * lanes + lane < count; ++lane) {
      std::size_t const row = index[pack * lanes + lane] - bodies.first;  // huge before the first
      if (row < bodies.size()) rows(row, axis) = simd::lane<double>(values, lane);
    }
  }

  /// Writes the accelerations of the rows of this rank.
  void store_accelerations(Bodies<double> const& bodies) const {
    auto const rows = Kokkos::create_mirror_view(bodies.acceleration);
    for (int axis = 0; axis < 3; ++axis) {
      for (int p = 0; p < packs; ++p) {
        store_pack(bodies, p, axis, acceleration[axis][p], rows);
      }
    }
    copy_from_mirror(bodies.acceleration, rows);
  }

  /// Saves or restores a row for each body, the same on all ranks. pack_of(p, column) is a pack.
  template <class PackOf>
  void exchange_rows(ExecutionSpace const& space, SavedState& state, std::string const& name,
                     int columns, PackOf const& pack_of) {
    Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const rows(
        "apsis::integrators::gauss_radau::rows", static_cast<std::size_t>(count), columns);
    auto const for_each_number = [&](auto const& act) {
      for (int column = 0; column < columns; ++column) {
        for (int i = 0; i < packs * lanes; ++i) {
          act(pack_of(i / lanes, column), i % lanes, rows(body_of(i / lanes, i % lanes), column));
        }
      }
    };
    for_each_number(
        [](Lanes& pack, int lane, double& number) { number = simd::lane<double>(pack, lane); });
    state.exchange_replicated(space, "gauss_radau/" + name, rows);
    for_each_number(
        [](Lanes& pack, int lane, double number) { simd::set_lane<double>(pack, lane, number); });
  }

  /// Marks the bodies that choose the steps: those with mass if there are at least two of them.
  void judge(bool judges_massless) {
    bool const everything = judges_massless || sources < 2;
    for (int i = 0; i < packs * lanes; ++i) is_judged[i] = everything && i < count;
    for (int k = 0; k < sources; ++k) is_judged[source[k]] = true;
  }

  /// Whether the terms of the acceleration of a body at the start of a step cancel, see
  /// Cancellation.
  bool is_cancelled(int body, double acceleration_squared, double softening_squared) const {
    double squares = 0.0;
    for (int k = 0; k < sources; ++k) {
      if (source[k] == body) continue;
      double distance_squared = softening_squared;
      for (auto const& axis : difference[k]) {
        double const x = simd::lane<double>(axis[body / lanes], body % lanes);
        distance_squared += x * x;
      }
      squares += squared_term(strength[k], distance_squared);
    }
    constexpr double part = cancelled_part<double>;
    return acceleration_squared <= part * part * squares;
  }

  /// Sets the separations of each source from all bodies at the start of a step, to which the low
  /// parts give digits that positions lack.
  void set_differences() {
    for (int k = 0; k < sources; ++k) {
      int const pack = source[k] / lanes, lane = source[k] % lanes;
      for (int axis = 0; axis < 3; ++axis) {
        double const x = simd::lane<double>(position[axis][pack], lane);
        double const x_low = simd::lane<double>(low.position[axis][pack], lane);
        for (int p = 0; p < packs; ++p) {
          difference[k][axis][p] = (x - position[axis][p]) + (x_low - low.position[axis][p]);
        }
      }
    }
  }

  /// Largest magnitude of any component of the bodies that choose the steps; infinite if one is not
  /// finite.
  double largest(Columns const& columns) const {
    double result = 0.0;
    for (int p = 0; p < packs; ++p) {
      Lanes magnitude{}, zero{};
      for (int axis = 0; axis < 3; ++axis) {
        magnitude = larger_magnitude(magnitude, columns[axis][p]);
        zero += 0.0 * columns[axis][p];  // NaN if not finite
      }
      for (int lane = 0; lane < lanes; ++lane) {
        if (!is_judged[p * lanes + lane]) continue;
        bool const is_finite = simd::lane<double>(zero, lane) == 0.0;
        result = std::max(result, is_finite ? simd::lane<double>(magnitude, lane) : infinite);
      }
    }
    return result;
  }

  /// Body in a lane.
  int body_of(int pack, int lane) const { return std::min(pack * lanes + lane, count - 1); }

  int count;                                ///< bodies of all ranks
  bool has_only_massive;                    ///< whether massless bodies are left out
  std::size_t index[most_few_bodies] = {};  ///< of each body among all
  int sources = 0;                          ///< bodies with mass
  double mass[most_few_bodies] = {};        ///< of all bodies [mass]
  int source[most_few_bodies] = {};         ///< bodies with mass
  double strength[most_few_bodies] = {};    ///< G m of each source
  bool is_judged[packs * lanes] = {};       ///< whether a body chooses the steps
  Columns position{}, velocity{}, acceleration{};
  Low low;
  Columns difference[most_few_bodies] = {};  ///< separation of each source from all bodies
};

}  // namespace apsis::integrators::radau
