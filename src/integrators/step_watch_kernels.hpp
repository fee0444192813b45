// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/row.hpp>
#include <apsis/core/vec3.hpp>
#include <apsis/forces/softening.hpp>
#include <apsis/integrators/passages.hpp>
#include <apsis/integrators/step_watch.hpp>

/// The pair loops of StepWatch, one target a row.
namespace apsis::integrators {

/// f of the softening law, acceleration = G m f r, from a distance squared.
struct SofteningRate {
  double eps = 0.0;
  forces::SofteningKernel kernel = forces::SofteningKernel::none;
  forces::PlummerSoftening<double> plummer{};
  forces::SplineSoftening<double> spline{};
  forces::WendlandSoftening<double> wendland{};

  explicit SofteningRate(forces::Gravity const& gravity) : eps(gravity.softening) {
    if (!(eps > 0.0)) return;
    kernel = gravity.softening_kernel;
    plummer = forces::PlummerSoftening<double>::of(eps);
    spline = forces::SplineSoftening<double>::of(eps);
    wendland = forces::WendlandSoftening<double>::of(eps);
  }

  KOKKOS_FUNCTION double operator()(double squared) const {
    forces::Separation<double> const apart{0.0, 0.0, 0.0, squared};
    if (kernel == forces::SofteningKernel::spline) return spline.pull(1.0, apart);
    if (kernel == forces::SofteningKernel::wendland_c2) return wendland.pull(1.0, apart);
    double const s = squared + eps * eps;
    return 1.0 / (s * Kokkos::sqrt(s));
  }
};

/// A relative path, r + v s + q s^2 + c s^3 for -1 <= s <= 0, with coefficients in units of the
/// step.
struct RelativePath {
  Vec3<double> r, v, q, c;

  KOKKOS_FUNCTION Vec3<double> at(double s) const { return r + s * (v + s * (q + s * c)); }
  KOKKOS_FUNCTION Vec3<double> rate(double s) const { return v + s * (2.0 * q + (3.0 * s) * c); }
  KOKKOS_FUNCTION double squared(double s) const { return dot(at(s), at(s)); }

  /// Where the distance is least: the best of nine points, refined by bisection of its rate of
  /// change between the neighbours.
  KOKKOS_FUNCTION double closest() const {
    constexpr int parts = 8;
    int best = 0;
    double least = squared(-1.0);
    for (int k = 1; k <= parts; ++k) {
      double const here = squared(k / double(parts) - 1.0);
      if (here < least) {
        least = here;
        best = k;
      }
    }
    double const middle = best / double(parts) - 1.0;
    double const slope = dot(at(middle), rate(middle));
    if (slope == 0.0 || (slope > 0.0 && best == 0) || (slope < 0.0 && best == parts)) {
      return middle;
    }
    double low = slope > 0.0 ? middle - 1.0 / parts : middle;
    double high = slope > 0.0 ? middle : middle + 1.0 / parts;
    for (int n = 0; n < 60; ++n) {
      double const s = 0.5 * (low + high);
      if (s == low || s == high) break;
      (dot(at(s), rate(s)) > 0.0 ? high : low) = s;
    }
    double const s = 0.5 * (low + high);
    return squared(s) < least ? s : middle;
  }
};

/// What the pair loops read: targets here, sources of all ranks with the massive ones first.
template <class Real>
struct WatchedPairs {
  Paths<Real> own, path;
  MovedBodies moved;
  Column<Real> mass;                      ///< of the targets
  Kokkos::View<int*, MemorySpace> level;  ///< of the sources
  forces::BodyList number;                ///< of each source; empty: its row
  std::size_t first, massive, total;      ///< number of target 0; sources
  double now, direction;                  ///< [time]; -1 if time runs backwards

  KOKKOS_FUNCTION std::size_t target(std::size_t row) const {
    return moved.listed.extent(0) == 0 ? row : moved.listed(row);
  }
  KOKKOS_FUNCTION std::uint64_t number_of(std::size_t source) const {
    return number.extent(0) == 0 ? source : number(source);
  }
};

/// Sources between two screens of many: as many as a few registers hold.
inline constexpr std::size_t screened = 32;
/// Bounds of a screen are widened by this, so that rounding never hides a pair.
inline constexpr double slack = 1.0 + 1e-9;

/// The measure of a passage through the source itself is infinite; findings are finite.
inline constexpr double largest_reported = 1e9;

/// How far a body is from its present place at most during the step h, in a frame that moves
/// with `frame`.
template <class Real>
KOKKOS_INLINE_FUNCTION double reach_of(Paths<Real> const& path, std::size_t i, double h,
                                       Vec3<double> const& frame) {
  auto const drift = row(path.velocity, i) - frame;
  double reach = Kokkos::sqrt(dot(drift, drift)) * h;
  if (!path.is_straight) {
    auto const q = row(path.quadratic, i), c = row(path.cubic, i);
    reach += (Kokkos::sqrt(dot(q, q)) + Kokkos::sqrt(dot(c, c)) * h) * h * h;
  }
  return reach * slack;
}

/// The closest approach of one body to the sources during its step.
template <class Real>
struct ApproachOfBody {
  WatchedPairs<Real> pairs;
  Column<double> reach;
  double limit_squared;
  Kokkos::View<Approach*, MemorySpace> in_step, since_row;

  KOKKOS_FUNCTION void operator()(std::size_t line) const {
    std::size_t const i = pairs.target(line);
    bool const blocks = pairs.moved.has_levels;
    // In block steps the massless partners of a massive body may not be due themselves.
    std::size_t const count = blocks && pairs.mass(i) != Real(0) ? pairs.total : pairs.massive;
    if (count == 0) return;
    double const h = Kokkos::abs(pairs.moved.step_of(i));
    std::uint64_t const own = pairs.first + i;
    auto const place = row(pairs.own.position, i);
    double const own_reach = reach_of(pairs.own, i, h, row(pairs.path.velocity, 0));
    bool const has_step = in_step.extent(0) != 0;
    double const known = has_step ? in_step(i).squared : since_row(i).squared;
    double least = known < limit_squared ? known : limit_squared;
    // The nearest of all sources now bounds the approach, so that few pairs are worked out.
    if (!(least < no_approach)) least = nearest_squared(place, own, count) * slack;
    double radius = Kokkos::sqrt(least) * slack + own_reach;
    Approach found;
    for (std::size_t begin = 0; begin < count; begin += screened) {
      std::size_t const end = begin + screened < count ? begin + screened : count;
      long long any = 0;
      for (std::size_t j = begin; j < end; ++j) any += is_near(place, radius, j) ? 1 : 0;
      if (any == 0) continue;
      for (std::size_t j = begin; j < end; ++j) {
        if (!is_near(place, radius, j) || pairs.number_of(j) == own) continue;
        // A pair is looked at during the shorter of its two steps.
        if (blocks && pairs.level(j) > pairs.moved.level(i)) continue;
        auto const approach = approach_of(i, own, j, h);
        if (!(approach.squared <= least)) continue;
        found += approach;
        least = approach.squared;
        radius = Kokkos::sqrt(least) * slack + own_reach;
      }
    }
    if (!(found.squared < limit_squared)) return;
    if (has_step) in_step(i) += found;
    if (since_row.extent(0) != 0) since_row(i) += found;
  }

 private:
  KOKKOS_FUNCTION double squared_to(Vec3<double> const& place, std::size_t j) const {
    double const x = static_cast<double>(pairs.path.position(j, 0)) - place.x;
    double const y = static_cast<double>(pairs.path.position(j, 1)) - place.y;
    double const z = static_cast<double>(pairs.path.position(j, 2)) - place.z;
    return x * x + y * y + z * z;
  }

  KOKKOS_FUNCTION bool is_near(Vec3<double> const& place, double radius, std::size_t j) const {
    double const bound = radius + reach(j);
    return squared_to(place, j) <= bound * bound;
  }

  /// Of the sources whose pair with this body is looked at.
  KOKKOS_FUNCTION double nearest_squared(Vec3<double> const& place, std::uint64_t own,
                                         std::size_t count) const {
    bool const blocks = pairs.moved.has_levels;
    int const deepest = blocks ? pairs.moved.level(own - pairs.first) : 0;
    double nearest = no_approach;
    for (std::size_t j = 0; j < count; ++j) {
      bool const counts = pairs.number_of(j) != own && (!blocks || pairs.level(j) <= deepest);
      double const squared = counts ? squared_to(place, j) : no_approach;
      nearest = squared < nearest ? squared : nearest;
    }
    return nearest;
  }

  KOKKOS_FUNCTION Approach approach_of(std::size_t i, std::uint64_t own, std::size_t j,
                                       double h) const {
    double const step = pairs.direction * h;
    RelativePath path{row(pairs.path.position, j) - row(pairs.own.position, i),
                      step * (row(pairs.path.velocity, j) - row(pairs.own.velocity, i)),
                      {},
                      {}};
    if (!pairs.own.is_straight) {
      path.q = (step * step) * (row(pairs.path.quadratic, j) - row(pairs.own.quadratic, i));
      path.c = (step * step * step) * (row(pairs.path.cubic, j) - row(pairs.own.cubic, i));
    }
    double const s = path.closest();
    std::uint64_t const other = pairs.number_of(j);
    Approach approach;
    approach.squared = path.squared(s);
    approach.time = pairs.now + s * step;
    approach.first = own < other ? own : other;
    approach.second = own < other ? other : own;
    return approach;
  }
};

/// The coarsest passage of one massless body by the massive ones at the end of its step.
template <class Real>
struct PassageOfBody {
  WatchedPairs<Real> pairs;
  Column<double> strength, scale;  ///< G m, and its power of 2/3
  SofteningRate rate;
  double coarsest_before;
  Kokkos::View<Passage*, MemorySpace> coarsest;

  KOKKOS_FUNCTION void operator()(std::size_t line) const {
    std::size_t const i = pairs.target(line);
    if (pairs.mass(i) != Real(0)) return;
    double const h = Kokkos::abs(pairs.moved.step_of(i));
    auto const place = row(pairs.own.position, i), velocity = row(pairs.own.velocity, i);
    Passage best = coarsest(i);
    double const known = best.measure > coarsest_before ? best.measure : coarsest_before;
    // Without softening a measure M is reached at r = (G m)^(1/3) (dt / M)^(2/3).
    double radius = factor(h, known);
    // A pericentre within the next step is at most 3/2 of the way of a straight line.
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
    double const root = Kokkos::cbrt(h / measure);  // infinite before the first
    return root * root * root * root * slack;
  }

  KOKKOS_FUNCTION bool is_near(Vec3<double> const& place, Vec3<double> const& velocity,
                               double radius, double ahead, std::size_t j) const {
    double const x = static_cast<double>(pairs.path.position(j, 0)) - place.x;
    double const y = static_cast<double>(pairs.path.position(j, 1)) - place.y;
    double const z = static_cast<double>(pairs.path.position(j, 2)) - place.z;
    double const u = static_cast<double>(pairs.path.velocity(j, 0)) - velocity.x;
    double const v = static_cast<double>(pairs.path.velocity(j, 1)) - velocity.y;
    double const w = static_cast<double>(pairs.path.velocity(j, 2)) - velocity.z;
    double const squared = x * x + y * y + z * z;
    // Without a branch, so that a host takes several sources at once.
    return (squared <= radius * scale(j)) | (squared <= ahead * (u * u + v * v + w * w));
  }

  KOKKOS_FUNCTION Passage passage_of(std::size_t i, std::size_t j, double h) const {
    auto const r = row(pairs.path.position, j) - row(pairs.own.position, i);
    auto const v = pairs.direction * (row(pairs.path.velocity, j) - row(pairs.own.velocity, i));
    double const Gm = strength(j);
    double squared = dot(r, r);
    double const speed = dot(v, v), approach = -dot(r, v);
    // A step that is as long as the last leads through the pericentre (2/3 r / v ahead on a
    // parabola) without an end near it: the pericentre of the orbit about the source counts.
    // Passages that bend the orbit by less than a tenth (2 / e) do not.
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
