// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/softening.hpp"
#include <apsis/core/vec3.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/integrators/passages.hpp>
#include <apsis/integrators/step_watch.hpp>

/// Pair loops of StepWatch, one target per row.
namespace apsis::integrators {

/// Relative path of a pair, r + v s + q s^2 + c s^3 for -1 <= s <= 0, where s is the time in units
/// of the step and 0 at its end.
struct RelativePath {
  Vec3<double> r, v, q, c;

  KOKKOS_FUNCTION Vec3<double> position(double s) const { return r + s * (v + s * (q + s * c)); }
  KOKKOS_FUNCTION Vec3<double> velocity(double s) const {
    return v + s * (2.0 * q + (3.0 * s) * c);
  }
  KOKKOS_FUNCTION double squared(double s) const { return dot(position(s), position(s)); }

  /// Returns the s of the smallest distance: the best of nine equidistant points, refined by
  /// bisection of the derivative of the distance between the neighbouring points.
  KOKKOS_FUNCTION double closest() const {
    constexpr int parts = 8;
    int best = 0;
    double least = squared(-1.0);
    for (int k = 1; k <= parts; ++k) {
      double const distance_squared = squared(k / double(parts) - 1.0);
      if (distance_squared < least) {
        least = distance_squared;
        best = k;
      }
    }
    double const middle = best / double(parts) - 1.0;
    double const slope = dot(position(middle), velocity(middle));
    if (slope == 0.0 || (slope > 0.0 && best == 0) || (slope < 0.0 && best == parts)) {
      return middle;
    }
    double low = slope > 0.0 ? middle - 1.0 / parts : middle;
    double high = slope > 0.0 ? middle : middle + 1.0 / parts;
    for (int n = 0; n < 60; ++n) {
      double const s = 0.5 * (low + high);
      if (s == low || s == high) break;
      (dot(position(s), velocity(s)) > 0.0 ? high : low) = s;
    }
    double const s = 0.5 * (low + high);
    return squared(s) < least ? s : middle;
  }
};

/// Input of the pair loops: the targets of this rank, and the sources of all ranks with the massive
/// bodies first.
struct WatchedPairs {
  Paths target_path, source_path;
  MovedBodies moved;
  Column<double> mass;                    ///< masses of the targets
  Kokkos::View<int*, MemorySpace> level;  ///< levels of the sources
  forces::BodyRows number;                ///< index of each source
  std::size_t first;                      ///< index of target 0 among all bodies
  std::size_t massive, total;             ///< number of massive sources and of all sources
  double now;                             ///< simulated time at the end of the step [time]
  double direction;                       ///< 1; -1 if time runs backwards
  Column<double> radius;                  ///< of all bodies, or none; below 0: ignored [length]

  KOKKOS_FUNCTION std::size_t target(std::size_t row) const { return moved.rows[row]; }
  KOKKOS_FUNCTION std::uint64_t number_of(std::size_t source) const { return number[source]; }
  KOKKOS_FUNCTION double radius_of(std::uint64_t body) const {
    return radius.extent(0) == 0 ? 0.0 : radius(body);
  }
  KOKKOS_FUNCTION bool is_ignored(std::uint64_t body) const { return radius_of(body) < 0.0; }
  /// Returns the path of source j relative to target i during a step h.
  KOKKOS_FUNCTION RelativePath relative_path(std::size_t i, std::size_t j, double h) const {
    double const step = direction * h;
    RelativePath path{row(source_path.position, j) - row(target_path.position, i),
                      step * (row(source_path.velocity, j) - row(target_path.velocity, i)),
                      {},
                      {}};
    if (!target_path.is_straight) {
      path.q = (step * step) * (row(source_path.quadratic, j) - row(target_path.quadratic, i));
      path.c = (step * step * step) * (row(source_path.cubic, j) - row(target_path.cubic, i));
    }
    return path;
  }
};

/// Number of sources that are screened together before any pair of them is evaluated; chosen so
/// that the screen fits in registers.
inline constexpr std::size_t screened = 32;
/// Factor on the bounds of a screen, so that rounding never hides a pair.
inline constexpr double slack = 1.0 + 1e-9;

/// Upper limit of reported measures: the measure of a passage through the source is infinite, but
/// findings are finite.
inline constexpr double largest_reported = 1e9;

/// Upper bound of the distance [length] of a body from its final position during the step h, in a
/// frame that moves with the velocity `frame`.
KOKKOS_INLINE_FUNCTION double reach_of(Paths const& path, std::size_t i, double h,
                                       Vec3<double> const& frame) {
  auto const drift = row(path.velocity, i) - frame;
  double reach = Kokkos::sqrt(dot(drift, drift)) * h;
  if (!path.is_straight) {
    auto const q = row(path.quadratic, i), c = row(path.cubic, i);
    reach += (Kokkos::sqrt(dot(q, q)) + Kokkos::sqrt(dot(c, c)) * h) * h * h;
  }
  return reach * slack;
}

/// Finds the closest approach of one body to the sources during its step.
struct ApproachOfBody {
  WatchedPairs pairs;
  Column<double> reach;
  double limit_squared;
  bool has_step, has_row;  ///< which findings are requested; at least one
  Kokkos::View<Approach*, MemorySpace> in_step, since_row;

  KOKKOS_FUNCTION void operator()(std::size_t line) const {
    std::size_t const i = pairs.target(line);
    if (pairs.is_ignored(pairs.first + i)) return;
    bool const blocks = pairs.moved.has_levels;
    // In block steps a massive body is paired with all sources, because a massless source that is
    // not due has no row of its own.
    std::size_t const count = blocks && pairs.mass(i) != 0.0 ? pairs.total : pairs.massive;
    if (count == 0) return;
    double const h = Kokkos::abs(pairs.moved.step_of(i));
    std::uint64_t const number = pairs.first + i;
    auto const place = row(pairs.target_path.position, i);
    double const own_reach = reach_of(pairs.target_path, i, h, row(pairs.source_path.velocity, 0));
    double const known = has_step ? in_step(i).squared : since_row(i).squared;
    double least = known < limit_squared ? known : limit_squared;
    // The present distance of the nearest source bounds the closest approach, so few pairs are
    // evaluated.
    if (!(least < no_approach)) least = nearest_squared(place, number, count) * slack;
    double radius = Kokkos::sqrt(least) * slack + own_reach;
    Approach closest;
    for (std::size_t begin = 0; begin < count; begin += screened) {
      std::size_t const end = begin + screened < count ? begin + screened : count;
      long long any = 0;
      for (std::size_t j = begin; j < end; ++j) any += is_near(place, radius, j) ? 1 : 0;
      if (any == 0) continue;
      for (std::size_t j = begin; j < end; ++j) {
        if (!is_near(place, radius, j) || pairs.number_of(j) == number) continue;
        if (pairs.is_ignored(pairs.number_of(j))) continue;
        // A pair is evaluated during the shorter of its two steps.
        if (blocks && pairs.level(j) > pairs.moved.level(i)) continue;
        auto const approach = approach_of(i, number, j, h);
        if (!(approach.squared <= least)) continue;
        closest += approach;
        least = approach.squared;
        radius = Kokkos::sqrt(least) * slack + own_reach;
      }
    }
    if (!(closest.squared < limit_squared)) return;
    if (has_step) in_step(i) += closest;
    if (has_row) since_row(i) += closest;
  }

 private:
  KOKKOS_FUNCTION double squared_to(Vec3<double> const& place, std::size_t j) const {
    double const x = pairs.source_path.position(j, 0) - place.x;
    double const y = pairs.source_path.position(j, 1) - place.y;
    double const z = pairs.source_path.position(j, 2) - place.z;
    return x * x + y * y + z * z;
  }

  KOKKOS_FUNCTION bool is_near(Vec3<double> const& place, double radius, std::size_t j) const {
    double const bound = radius + reach(j);
    return squared_to(place, j) <= bound * bound;
  }

  /// Returns the squared distance of the nearest source, among the sources that are paired with
  /// this body during its step.
  KOKKOS_FUNCTION double nearest_squared(Vec3<double> const& place, std::uint64_t number,
                                         std::size_t count) const {
    bool const blocks = pairs.moved.has_levels;
    int const deepest = blocks ? pairs.moved.level(number - pairs.first) : 0;
    double nearest = no_approach;
    for (std::size_t j = 0; j < count; ++j) {
      bool const counts = pairs.number_of(j) != number && (!blocks || pairs.level(j) <= deepest);
      double const squared = counts ? squared_to(place, j) : no_approach;
      nearest = squared < nearest ? squared : nearest;
    }
    return nearest;
  }

  KOKKOS_FUNCTION Approach approach_of(std::size_t i, std::uint64_t number, std::size_t j,
                                       double h) const {
    double const step = pairs.direction * h;
    auto const path = pairs.relative_path(i, j, h);
    double const s = path.closest();
    std::uint64_t const other = pairs.number_of(j);
    Approach approach;
    approach.squared = path.squared(s);
    approach.time = pairs.now + s * step;
    approach.first = number < other ? number : other;
    approach.second = number < other ? other : number;
    return approach;
  }
};

/// Factor f of the softened acceleration G m f r, as a function of the squared distance.
struct SofteningRate {
  double eps = 0.0;
  forces::SofteningKernel kernel = forces::SofteningKernel::none;
  forces::PlummerSoftening<double> plummer{};
  forces::SplineSoftening<double> spline{};
  forces::WendlandSoftening<double> wendland{};

  explicit SofteningRate(forces::Gravity const& gravity) : eps(gravity.softening) {
    if (!(eps > 0.0)) return;
    kernel = gravity.softening_kernel;
    plummer = forces::PlummerSoftening<double>::make(eps);
    spline = forces::SplineSoftening<double>::make(eps);
    wendland = forces::WendlandSoftening<double>::make(eps);
  }

  KOKKOS_FUNCTION double operator()(double squared) const {
    forces::Separation<double> const separation{0.0, 0.0, 0.0, squared};
    if (kernel == forces::SofteningKernel::spline)
      return spline.acceleration_factor(1.0, separation);
    if (kernel == forces::SofteningKernel::wendland_c2)
      return wendland.acceleration_factor(1.0, separation);
    double const s = squared + eps * eps;
    return 1.0 / (s * Kokkos::sqrt(s));
  }
};

/// Finds the coarsest passage of one massless body by the massive bodies at the end of its step.
struct PassageOfBody {
  WatchedPairs pairs;
  Column<double> strength, scale;  ///< G m and (G m)^(2/3) of each massive source
  SofteningRate rate;
  double coarsest_before;
  Kokkos::View<Passage*, MemorySpace> coarsest;

  KOKKOS_FUNCTION void operator()(std::size_t line) const {
    std::size_t const i = pairs.target(line);
    if (pairs.mass(i) != 0.0 || pairs.is_ignored(pairs.first + i)) return;
    double const h = Kokkos::abs(pairs.moved.step_of(i));
    auto const place = row(pairs.target_path.position, i),
               velocity = row(pairs.target_path.velocity, i);
    Passage best = coarsest(i);
    double const known = best.measure > coarsest_before ? best.measure : coarsest_before;
    // Without softening, the measure is M at the distance r = (G m)^(1/3) (dt / M)^(2/3).
    double radius = factor(h, known);
    // A pericentre within the next step is at most 3/2 of the straight path of a step away.
    double const ahead = pairs.moved.equal_steps ? 2.25 * h * h : 0.0;
    for (std::size_t begin = 0; begin < pairs.massive; begin += screened) {
      std::size_t const end = begin + screened < pairs.massive ? begin + screened : pairs.massive;
      long long any = 0;
      for (std::size_t j = begin; j < end; ++j) {
        any += is_near(place, velocity, radius, ahead, j) ? 1 : 0;
      }
      if (any == 0) continue;
      for (std::size_t j = begin; j < end; ++j) {
        if (!is_near(place, velocity, radius, ahead, j)) continue;
        best += passage_of(i, j, h);
        if (best.measure > known) radius = factor(h, best.measure);
      }
    }
    coarsest(i) = best;
  }

 private:
  KOKKOS_FUNCTION static double factor(double h, double measure) {
    double const root = Kokkos::cbrt(h / measure);  // infinite before the first finding
    return root * root * root * root * slack;
  }

  KOKKOS_FUNCTION bool is_near(Vec3<double> const& place, Vec3<double> const& velocity,
                               double radius, double ahead, std::size_t j) const {
    double const x = pairs.source_path.position(j, 0) - place.x;
    double const y = pairs.source_path.position(j, 1) - place.y;
    double const z = pairs.source_path.position(j, 2) - place.z;
    double const u = pairs.source_path.velocity(j, 0) - velocity.x;
    double const v = pairs.source_path.velocity(j, 1) - velocity.y;
    double const w = pairs.source_path.velocity(j, 2) - velocity.z;
    double const squared = x * x + y * y + z * z;
    // Without a branch, so that compilers vectorize the loop over sources on the host.
    return (squared <= radius * scale(j)) | (squared <= ahead * (u * u + v * v + w * w));
  }

  KOKKOS_FUNCTION Passage passage_of(std::size_t i, std::size_t j, double h) const {
    auto const r = row(pairs.source_path.position, j) - row(pairs.target_path.position, i);
    auto const v =
        pairs.direction * (row(pairs.source_path.velocity, j) - row(pairs.target_path.velocity, i));
    double const Gm = strength(j);
    double squared = dot(r, r);
    double const speed = dot(v, v), approach = -dot(r, v);
    // If the next step is as long as the last one, it may pass the pericentre (which is 2/3 r / v
    // ahead on a parabola) without ending near it. The distance of the pericentre of the orbit
    // about the source then replaces the distance. Passages that deflect the orbit by less than a
    // tenth (2 / e) are excluded.
    if (pairs.moved.equal_steps && approach > 0.0 && approach < 1.5 * h * speed) {
      auto const l = cross(r, v);
      double const parameter = dot(l, l) / Gm;
      double const energy = 0.5 * speed - Gm / Kokkos::sqrt(squared);
      double const shape = 1.0 + 2.0 * energy * parameter / Gm;
      double const e = shape > 0.0 ? Kokkos::sqrt(shape) : 0.0;
      double const q = parameter / (1.0 + e);
      if (e < 20.0 && q * q < squared) squared = q * q;
    }
    Passage passage;
    double const measure = h * Kokkos::sqrt(Gm * rate(squared));
    passage.measure = measure < largest_reported ? measure : largest_reported;
    passage.distance = Kokkos::sqrt(squared);
    passage.time = pairs.now;
    passage.body = pairs.first + i;
    passage.massive = pairs.number_of(j);
    return passage;
  }
};

}  // namespace apsis::integrators
