// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "step_watch_kernels.hpp"

/// Pair loop of StepWatch that lists contacts and closest approaches.
namespace apsis::integrators {

/// Number of equal parts of a step in which the distance of a pair is taken to have one minimum at
/// most.
inline constexpr int parts_of_path = 8;

/// A part of a relative path at whose ends the pair is at `before` and `after`.
struct PartOfPath {
  RelativePath const& path;
  double before, after;

  KOKKOS_FUNCTION static PartOfPath number(RelativePath const& path, int k) {
    return {path, k / double(parts_of_path) - 1.0, (k + 1) / double(parts_of_path) - 1.0};
  }
  /// Half the derivative of the squared distance.
  KOKKOS_FUNCTION double slope(double s) const { return dot(path.position(s), path.velocity(s)); }
  /// Whether the pair approaches first and then recedes.
  KOKKOS_FUNCTION bool has_minimum() const { return slope(before) < 0.0 && slope(after) >= 0.0; }
  /// Returns the s of the minimum, by bisection.
  KOKKOS_FUNCTION double minimum() const {
    return bisect(before, after, [&](double s) { return slope(s) >= 0.0; });
  }
  /// Returns the first s at which an approaching pair is at most `distance` apart; 1 if there is
  /// none.
  KOKKOS_FUNCTION double contact(double distance) const {
    double const limit = distance * distance;
    auto const is_inside = [&](double s) { return path.squared(s) <= limit; };
    if (is_inside(before)) {
      auto const v = path.velocity(before);
      double const rounding = least_approach * Kokkos::sqrt(path.squared(before) * dot(v, v));
      return slope(before) < -rounding ? before : 1.0;
    }
    if (is_inside(after)) return bisect(before, after, is_inside);
    if (!has_minimum()) return 1.0;
    double const nearest = minimum();
    return is_inside(nearest) ? bisect(before, nearest, is_inside) : 1.0;
  }

 private:
  /// Returns the first s in (low, high] with is_beyond(s), which is false at low, true at high.
  template <class Predicate>
  KOKKOS_FUNCTION static double bisect(double low, double high, Predicate const& is_beyond) {
    for (int n = 0; n < 60; ++n) {
      double const s = 0.5 * (low + high);
      if (s == low || s == high) break;
      (is_beyond(s) ? high : low) = s;
    }
    return high;
  }
};

/// Appends the contacts and the closest approaches of one body with the sources during its step.
struct MeetingsOfBody {
  WatchedPairs pairs;
  Column<double> reach;
  bool contacts;
  double encounter_limit;
  Kokkos::View<Meeting*, MemorySpace> meetings;
  Kokkos::View<std::size_t, MemorySpace> meeting_count;

  KOKKOS_FUNCTION void operator()(std::size_t line) const {
    std::size_t const i = pairs.target(line);
    std::uint64_t const number = pairs.first + i;
    double const own_radius = pairs.radius_of(number);
    if (own_radius < 0.0) return;
    bool const blocks = pairs.moved.has_levels, is_massive = pairs.mass(i) != 0.0;
    std::size_t const count = blocks && is_massive ? pairs.total : pairs.massive;
    if (count == 0) return;
    double const h = Kokkos::abs(pairs.moved.step_of(i));
    auto const place = row(pairs.target_path.position, i);
    double const own_reach = reach_of(pairs.target_path, i, h, row(pairs.source_path.velocity, 0));
    for (std::size_t j = 0; j < count; ++j) {
      std::uint64_t const other = pairs.number_of(j);
      double const radius = pairs.radius_of(other);
      double const contact_distance = contacts ? own_radius + radius : 0.0;
      double const limit = contact_distance > encounter_limit ? contact_distance : encounter_limit;
      double const bound = (limit + own_reach + reach(j)) * slack;
      auto const r = row(pairs.source_path.position, j) - place;
      if (!(dot(r, r) <= bound * bound) || other == number || radius < 0.0) continue;
      // A pair is evaluated during the shorter of its two steps; of equal steps once, although both
      // bodies are targets if both are massive, or in block steps.
      if (blocks && pairs.level(j) > pairs.moved.level(i)) continue;
      bool const equal_steps = !blocks || pairs.level(j) == pairs.moved.level(i);
      if (equal_steps && (blocks || is_massive) && number > other) continue;
      append(pairs.relative_path(i, j, h), pairs.direction * h, contact_distance, number, other);
    }
  }

 private:
  KOKKOS_FUNCTION void append(RelativePath const& path, double step, double contact_distance,
                              std::uint64_t number, std::uint64_t other) const {
    auto const add = [&](double s, int is_contact) {
      std::size_t const slot = Kokkos::atomic_fetch_add(&meeting_count(), std::size_t{1});
      if (slot >= meetings.extent(0)) return;
      Meeting meeting;
      auto const velocity = path.velocity(s);
      meeting.time = pairs.now + s * step;
      meeting.distance = Kokkos::sqrt(path.squared(s));
      meeting.speed = Kokkos::sqrt(dot(velocity, velocity)) / Kokkos::abs(step);
      meeting.first = number < other ? number : other;
      meeting.second = number < other ? other : number;
      meeting.is_contact = is_contact;
      meetings(slot) = meeting;
    };
    bool is_free = contact_distance > 0.0;
    for (int k = 0; k < parts_of_path; ++k) {
      auto const part = PartOfPath::number(path, k);
      if (is_free) {
        double const s = part.contact(contact_distance);
        if (s <= 0.0) {
          add(s, 1);
          is_free = false;
        }
      }
      if (!(encounter_limit > 0.0) || !part.has_minimum()) continue;
      double const s = part.minimum();
      if (path.squared(s) < encounter_limit * encounter_limit) add(s, 0);
    }
  }
};

}  // namespace apsis::integrators
