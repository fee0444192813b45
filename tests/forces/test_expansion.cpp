// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/expansion.hpp"
#include "forces/fmm/hilbert.hpp"
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

namespace {

struct Body {
  fmm::Way<double> at;
  double m;
};

/// Bodies within `radius` of a place.
std::vector<Body> ball(fmm::Way<double> const& centre, double radius, unsigned seed) {
  std::mt19937_64 draw(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  std::vector<Body> all;
  while (all.size() < 30) {
    double const x = number(draw), y = number(draw), z = number(draw);
    if (x * x + y * y + z * z > 1.0) continue;
    all.push_back({{centre.x + radius * x, centre.y + radius * y, centre.z + radius * z},
                   1.5 + number(draw)});
  }
  return all;
}

fmm::Way<double> way(fmm::Way<double> const& from, fmm::Way<double> const& to) {
  return {to.x - from.x, to.y - from.y, to.z - from.z};
}

double inverse(fmm::Way<double> const& r, double softening) {
  return 1.0 / std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z + softening * softening);
}

fmm::FieldAt<double> direct(std::vector<Body> const& sources, fmm::Way<double> const& at,
                            double softening) {
  fmm::FieldAt<double> sum;
  for (auto const& body : sources) {
    auto const r = way(at, body.at);
    double const w = inverse(r, softening);
    sum.psi += body.m * w;
    sum.x += body.m * w * w * w * r.x;
    sum.y += body.m * w * w * w * r.y;
    sum.z += body.m * w * w * w * r.z;
  }
  return sum;
}

double difference(fmm::FieldAt<double> const& a, fmm::FieldAt<double> const& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z) / std::hypot(b.x, b.y, b.z);
}

/// What bodies do to others, cell to cell. The children's centres are not those of the cells, so
/// that moments and fields are shifted.
template <int order>
struct TwoCells {
  using Terms = fmm::Expansion<double, order>;
  fmm::Way<double> centre[2];
  std::vector<Body> bodies[2];
  double softening;

  Terms moments(int of) const {
    Terms all{};
    for (std::size_t half = 0; half < 2; ++half) {
      fmm::Way<double> const child{centre[of].x + (half == 0 ? 0.05 : -0.07), centre[of].y - 0.03,
                                   centre[of].z + 0.02};
      Terms part{};
      for (std::size_t i = half; i < bodies[of].size(); i += 2) {
        fmm::add_body<double>(part, way(child, bodies[of][i].at), bodies[of][i].m);
      }
      fmm::add_moments<double>(all, way(centre[of], child), part);
    }
    return all;
  }

  /// At a cell's bodies, from the other's.
  std::vector<fmm::FieldAt<double>> fields(int of) const {
    auto const r = way(centre[of], centre[1 - of]);
    Terms field{}, shifted{};
    fmm::add_field(field, fmm::derivatives<order, double>(r, inverse(r, softening)),
                   moments(1 - of));
    fmm::turn(field);
    fmm::Way<double> const child{centre[of].x + 0.04, centre[of].y, centre[of].z - 0.06};
    fmm::add_shifted<double>(shifted, way(centre[of], child), field);
    std::vector<fmm::FieldAt<double>> all;
    for (auto const& body : bodies[of]) {
      all.push_back(fmm::field_at<double>(shifted, way(child, body.at)));
    }
    return all;
  }
};

fmm::Way<double> centre_of(std::vector<Body> const& bodies) {
  fmm::Way<double> centre{};
  double mass = 0.0;
  for (auto const& body : bodies) {
    mass += body.m;
    centre = {centre.x + body.m * body.at.x, centre.y + body.m * body.at.y,
              centre.z + body.m * body.at.z};
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
  auto const found = cells.fields(0);
  double worst = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const exact = direct(cells.bodies[1], cells.bodies[0][i].at, softening);
    worst = std::max(worst, difference(found[i], exact));
  }
  return worst;
}

}  // namespace

TEST_CASE("terms of expansions have places") {
  std::set<int> places;
  for (int place = 0; place < fmm::terms_to(7); ++place) {
    auto const n = fmm::index_at(place);
    CHECK(fmm::place_of(n) == place);
    CHECK((place == 0 || fmm::index_at(place - 1).order() <= n.order()));
    places.insert(n.x * 100 + n.y * 10 + n.z);
  }
  CHECK(places.size() == 120);
}

TEST_CASE_TEMPLATE("the field of a cell converges with its order and distance", Order,
                   std::integral_constant<int, 3>, std::integral_constant<int, 4>,
                   std::integral_constant<int, 5>, std::integral_constant<int, 7>) {
  constexpr int order = Order::value;
  for (double const softening : {0.0, 0.4}) {
    CAPTURE(softening);
    double const near = worst_error<order>(0.4, softening);
    double const far = worst_error<order>(0.2, softening);
    // The centres are some 2.2 apart. A force of order p - 1 is the last that is right.
    CHECK(near < 4.0 * std::pow(0.8 / 2.2, order));
    CHECK(near > 1e-3 * std::pow(0.8 / 2.2, order));
    double const gained = near / far / std::pow(2.0, order);
    CHECK(gained > 0.5);
    CHECK(gained < 3.0);
  }
}

TEST_CASE("derivatives are numbers at distances of fourteen decades") {
  constexpr int order = 4;
  for (float const r : {1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f}) {
    CAPTURE(r);
    fmm::Way<float> const way{0.6f * r, 0.0f, -0.8f * r};
    auto const d = fmm::derivatives<order, float>(way, fmm::inverse_distance(way, 0.0f));
    // Of 1 / r along x to the fourth order, and along z to the first.
    double const x = 0.6;
    double const fourth = (105.0 * x * x * x * x - 90.0 * x * x + 9.0) / std::pow(r, 5.0);
    CHECK(d[fmm::place_of({4, 0, 0})] == approximately(fourth, 1e-5));
    CHECK(d[fmm::place_of({0, 0, 1})] == approximately(0.8 / std::pow(r, 2.0), 1e-5));
  }
}

TEST_CASE("what two cells do to each other cancels") {
  auto const cells = two_cells<4>(0.5, 0.1);
  double sum[3] = {}, size = 0.0;
  for (int of = 0; of < 2; ++of) {
    auto const fields = cells.fields(of);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      double const m = cells.bodies[of][i].m;
      sum[0] += m * fields[i].x;
      sum[1] += m * fields[i].y;
      sum[2] += m * fields[i].z;
      size += m * std::hypot(fields[i].x, fields[i].y, fields[i].z);
    }
  }
  CHECK(std::hypot(sum[0], sum[1], sum[2]) < 1e-14 * size);
}

TEST_CASE("a body in a field and a field of a body are those of cells without size") {
  constexpr int order = 5;
  auto const cells = two_cells<order>(0.3, 0.05);
  auto const& body = cells.bodies[0][3];
  // The other's moments, where the body is.
  auto const r = way(body.at, cells.centre[1]);
  fmm::FieldAt<double> at{};
  fmm::add_field_at(at, fmm::derivatives<order, double>(r, inverse(r, 0.05)), cells.moments(1));
  CHECK(difference(at, direct(cells.bodies[1], body.at, 0.05)) < std::pow(0.3 / 2.2, order));
  CHECK(at.psi == approximately(direct(cells.bodies[1], body.at, 0.05).psi, 1e-5));
  // What the body is to the others.
  auto const back = way(cells.centre[1], body.at);
  fmm::Expansion<double, order> field{};
  fmm::add_field(field, fmm::derivatives<order, double>(back, inverse(back, 0.05)),
                 fmm::Expansion<double, order>{body.m});
  fmm::turn(field);
  auto const& other = cells.bodies[1][5];
  auto const found = fmm::field_at<double>(field, way(cells.centre[1], other.at));
  CHECK(difference(found, direct({body}, other.at, 0.05)) < 3.0 * std::pow(0.3 / 2.2, order));
}

TEST_CASE("Hilbert's curve goes from cube to neighbour, through all of them") {
  // The first of so many cubes fill a corner.
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

TEST_CASE("packs of cubes are where each of them is on Hilbert's curve") {
  constexpr int lanes = simd::native_lanes<float>;
  simd::Pack<std::uint32_t, lanes>::type x{}, y{}, z{};
  std::uint32_t const of[3][4] = {
      {0, 2097151, 1234567, 5}, {77, 0, 2000001, 1048576}, {1999999, 2097151, 3, 524287}};
  for (int k = 0; k < lanes; ++k) {
    simd::set_lane<std::uint32_t>(x, k, of[0][k % 4]);
    simd::set_lane<std::uint32_t>(y, k, of[1][k % 4]);
    simd::set_lane<std::uint32_t>(z, k, of[2][k % 4]);
  }
  auto const keys = fmm::hilbert_key(x, y, z);
  for (int k = 0; k < lanes; ++k) {
    CHECK(simd::lane<std::uint64_t>(keys, k) ==
          fmm::hilbert_key(of[0][k % 4], of[1][k % 4], of[2][k % 4]));
  }
}
