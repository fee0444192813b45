// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/expansion.hpp"
#include "forces/fmm/tree/hilbert.hpp"
#include "support/relative.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

using namespace apsis::forces;
using apsis::testing::approximately;
namespace simd = apsis::simd;

namespace {

struct Body {
  fmm::Displacement<double> position;
  double m;
};

/// Bodies within `radius` of a centre.
std::vector<Body> ball(fmm::Displacement<double> const& centre, double radius, unsigned seed) {
  std::mt19937_64 draw(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<Body> bodies;
  while (bodies.size() < 30) {
    double const x = number(draw), y = number(draw), z = number(draw);
    if (x * x + y * y + z * z > 1.0) continue;
    bodies.push_back({{centre.x + radius * x, centre.y + radius * y, centre.z + radius * z},
                      1.5 + number(draw)});
  }
  return bodies;
}

fmm::Displacement<double> displacement(fmm::Displacement<double> const& a,
                                       fmm::Displacement<double> const& b) {
  return {b.x - a.x, b.y - a.y, b.z - a.z};
}

double inverse(fmm::Displacement<double> const& r, double softening) {
  return 1.0 / std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z + softening * softening);
}

fmm::PointField<double> direct(std::vector<Body> const& sources,
                               fmm::Displacement<double> const& position, double softening) {
  fmm::PointField<double> sum;
  for (auto const& body : sources) {
    auto const r = displacement(position, body.position);
    double const w = inverse(r, softening);
    sum.psi += body.m * w;
    sum.x += body.m * w * w * w * r.x;
    sum.y += body.m * w * w * w * r.y;
    sum.z += body.m * w * w * w * r.z;
  }
  return sum;
}

double difference(fmm::PointField<double> const& a, fmm::PointField<double> const& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) / std::hypot(b.x, b.y, b.z);
}

/// Mutual fields of two cells. The centres of the children differ from those of the cells, so that
/// moments and local expansions are shifted.
template <int order>
struct TwoCells {
  using Terms = fmm::Expansion<double, order>;
  fmm::Displacement<double> centre[2];
  std::vector<Body> bodies[2];
  double softening;

  Terms moments(int cell) const {
    Terms terms{};
    for (std::size_t half = 0; half < 2; ++half) {
      fmm::Displacement<double> const child{centre[cell].x + (half == 0 ? 0.05 : -0.07),
                                            centre[cell].y - 0.03, centre[cell].z + 0.02};
      Terms part{};
      for (std::size_t i = half; i < bodies[cell].size(); i += 2) {
        fmm::add_body<double>(part, displacement(child, bodies[cell][i].position),
                              bodies[cell][i].m);
      }
      fmm::add_moments<double>(terms, displacement(centre[cell], child), part);
    }
    return terms;
  }

  /// Fields at the bodies of one cell from the other cell.
  std::vector<fmm::PointField<double>> fields(int cell) const {
    auto const r = displacement(centre[cell], centre[1 - cell]);
    Terms field{}, shifted{};
    fmm::add_field(field, fmm::derivatives<order, double>(r, inverse(r, softening)),
                   moments(1 - cell));
    fmm::flip_odd_terms(field);
    fmm::Displacement<double> const child{centre[cell].x + 0.04, centre[cell].y,
                                          centre[cell].z - 0.06};
    fmm::add_shifted_field<double>(shifted, displacement(centre[cell], child), field);
    std::vector<fmm::PointField<double>> fields;
    for (auto const& body : bodies[cell]) {
      fields.push_back(fmm::evaluate_field<double>(shifted, displacement(child, body.position)));
    }
    return fields;
  }
};

fmm::Displacement<double> centre_of(std::vector<Body> const& bodies) {
  fmm::Displacement<double> centre{};
  double mass = 0.0;
  for (auto const& body : bodies) {
    mass += body.m;
    centre = {centre.x + body.m * body.position.x, centre.y + body.m * body.position.y,
              centre.z + body.m * body.position.z};
  }
  return {centre.x / mass, centre.y / mass, centre.z / mass};
}

template <int order>
TwoCells<order> two_cells(double radius, double softening) {
  auto const a = ball({0.3, -0.2, 0.1}, radius, 1), b = ball({2.0, 0.9, -0.7}, radius, 2);
  return {{centre_of(a), centre_of(b)}, {a, b}, softening};
}

template <int order>
double worst_error(double radius, double softening) {
  auto const cells = two_cells<order>(radius, softening);
  auto const fields = cells.fields(0);
  double worst = 0.0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto const exact = direct(cells.bodies[1], cells.bodies[0][i].position, softening);
    worst = std::max(worst, difference(fields[i], exact));
  }
  return worst;
}

}  // namespace

TEST_CASE("terms of expansions have unique indices") {
  std::set<int> indices;
  for (int term = 0; term < fmm::term_count(7); ++term) {
    auto const n = fmm::multi_index_of(term);
    CHECK(fmm::term_index(n) == term);
    CHECK((term == 0 || fmm::multi_index_of(term - 1).order() <= n.order()));
    indices.insert(n.x * 100 + n.y * 10 + n.z);
  }
  CHECK(indices.size() == 120);
}

TEST_CASE_TEMPLATE("the field of a cell converges with its order and distance", Order,
                   std::integral_constant<int, 3>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 5>, std::integral_constant<int, 7>) {
  constexpr int order = Order::value;
  for (double const softening : {0.0, 0.4}) {
    CAPTURE(softening);
    double const near = worst_error<order>(0.4, softening);
    double const far = worst_error<order>(0.2, softening);
    // The centres are some 2.2 apart. Forces are correct up to order p - 1.
    CHECK(near < 4.0 * std::pow(0.8 / 2.2, order));
    CHECK(near > 1e-3 * std::pow(0.8 / 2.2, order));
    double const gained = near / far / std::pow(2.0, order);
    CHECK(gained > 0.5);
    CHECK(gained < 3.0);
  }
}

TEST_CASE("derivatives are finite at distances over twelve decades") {
  constexpr int order = 4;
  for (float const r : {1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f}) {
    CAPTURE(r);
    fmm::Displacement<float> const separation{0.6f * r, 0.0f, -0.8f * r};
    auto const d =
        fmm::derivatives<order, float>(separation, fmm::inverse_distance(separation, 0.0f));
    // Derivatives of 1 / r: fourth along x, first along z.
    double const x = 0.6;
    double const fourth = (105.0 * x * x * x * x - 90.0 * x * x + 9.0) / std::pow(r, 5.0);
    CHECK(d[fmm::term_index({4, 0, 0})] == approximately(fourth, 1e-5));
    CHECK(d[fmm::term_index({0, 0, 1})] == approximately(0.8 / std::pow(r, 2.0), 1e-5));
  }
}

TEST_CASE("mutual forces of two cells cancel") {
  auto const cells = two_cells<4>(0.5, 0.1);
  double sum[3] = {}, size = 0.0;
  for (int target = 0; target < 2; ++target) {
    auto const fields = cells.fields(target);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      double const m = cells.bodies[target][i].m;
      sum[0] += m * fields[i].x;
      sum[1] += m * fields[i].y;
      sum[2] += m * fields[i].z;
      size += m * std::hypot(fields[i].x, fields[i].y, fields[i].z);
    }
  }
  CHECK(std::hypot(sum[0], sum[1], sum[2]) < 1e-14 * size);
}

TEST_CASE("M2P and P2L agree with cells without size") {
  constexpr int order = 5;
  auto const cells = two_cells<order>(0.3, 0.05);
  auto const& body = cells.bodies[0][3];
  // Moments of the other cell, evaluated at the body.
  auto const r = displacement(body.position, cells.centre[1]);
  fmm::PointField<double> position{};
  fmm::add_moment_field(position, fmm::derivatives<order, double>(r, inverse(r, 0.05)),
                        cells.moments(1));
  CHECK(difference(position, direct(cells.bodies[1], body.position, 0.05)) <
        std::pow(0.3 / 2.2, order));
  CHECK(position.psi == approximately(direct(cells.bodies[1], body.position, 0.05).psi, 1e-5));
  // Field of the body at the bodies of the other cell.
  auto const back = displacement(cells.centre[1], body.position);
  fmm::Expansion<double, order> field{};
  fmm::add_field(field, fmm::derivatives<order, double>(back, inverse(back, 0.05)),
                 fmm::Expansion<double, order>{body.m});
  fmm::flip_odd_terms(field);
  auto const& other = cells.bodies[1][5];
  auto const result =
      fmm::evaluate_field<double>(field, displacement(cells.centre[1], other.position));
  CHECK(difference(result, direct({body}, other.position, 0.05)) <
        3.0 * std::pow(0.3 / 2.2, order));
}

TEST_CASE("Hilbert's curve passes through all cubes, from neighbour to neighbour") {
  // The first 16^3 cubes fill a corner.
  std::vector<std::pair<std::uint64_t, std::array<int, 3>>> cubes;
  for (int x = 0; x < 16; ++x) {
    for (int y = 0; y < 16; ++y) {
      for (int z = 0; z < 16; ++z) {
        cubes.push_back(
            {fmm::hilbert_key(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                              static_cast<std::uint32_t>(z)),
             {x, y, z}});
      }
    }
  }
  std::sort(cubes.begin(), cubes.end());
  std::size_t apart = 0;
  for (std::size_t k = 0; k < cubes.size(); ++k) {
    CHECK(cubes[k].first == k);
    if (k == 0) continue;
    auto const& a = cubes[k - 1].second;
    auto const& b = cubes[k].second;
    apart += std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]) == 1 ? 0u : 1u;
  }
  CHECK(apart == 0);
  std::uint32_t const last = 2097151;
  CHECK(fmm::hilbert_key(last, last, last) < std::uint64_t{1} << 63);
}

TEST_CASE("packs of cubes have the keys of single cubes") {
  constexpr int lanes = simd::native_lanes<float>;
  simd::Pack<std::uint32_t, lanes>::type x{}, y{}, z{};
  std::uint32_t const coordinates[3][4] = {
      {0, 2097151, 1234567, 5}, {77, 0, 2000001, 1048576}, {1999999, 2097151, 3, 524287}};
  for (int k = 0; k < lanes; ++k) {
    simd::set_lane<std::uint32_t>(x, k, coordinates[0][k % 4]);
    simd::set_lane<std::uint32_t>(y, k, coordinates[1][k % 4]);
    simd::set_lane<std::uint32_t>(z, k, coordinates[2][k % 4]);
  }
  auto const keys = fmm::hilbert_key(x, y, z);
  for (int k = 0; k < lanes; ++k) {
    CHECK(simd::lane<std::uint64_t>(keys, k) ==
          fmm::hilbert_key(coordinates[0][k % 4], coordinates[1][k % 4], coordinates[2][k % 4]));
  }
}
