// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/neighbours.hpp"
#include "forces/pair.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/pair_distances.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <tuple>

using namespace apsis;
using namespace apsis::testing;
using diagnostics::NeighbourSearch;

namespace {

using Place = std::function<Vec3<double>(std::mt19937_64&, std::size_t)>;

struct Arrangement {
  std::string name;
  Place place;
};

double random_fraction(std::mt19937_64& generator) {
  return std::uniform_real_distribution<double>()(generator);
}

Vec3<double> random_direction(std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Vec3<double> const r{normal(generator), normal(generator), normal(generator)};
  return (1.0 / norm(r)) * r;
}

/// A Plummer sphere, cut at about 30 scale lengths.
Vec3<double> plummer_place(std::mt19937_64& generator) {
  double const r =
      1.0 / std::sqrt(std::pow(0.998 * random_fraction(generator) + 1e-6, -2.0 / 3.0) - 1.0);
  return r * random_direction(generator);
}

std::vector<Arrangement> arrangements() {
  return {
      {"uniform cube",
       [](auto& g, std::size_t) {
         return Vec3<double>{random_fraction(g), random_fraction(g), random_fraction(g)};
       }},
      {"Plummer sphere", [](auto& g, std::size_t) { return plummer_place(g); }},
      {"Plummer sphere and an escaper",
       [](auto& g, std::size_t i) {
         return i == 5 ? Vec3<double>{1e15, -3e14, 1.0} : plummer_place(g);
       }},
      {"two small clusters in a large cube",
       [](auto& g, std::size_t i) {
         Vec3<double> const centre{i % 3 == 0 ? 0.25 : 0.75, 0.5, 0.5};
         return i % 3 == 2
                    ? Vec3<double>{random_fraction(g), random_fraction(g), random_fraction(g)}
                    : centre + 1e-12 * plummer_place(g);
       }},
      {"radii over many decades",
       [](auto& g, std::size_t) {
         return std::exp(-80.0 * random_fraction(g)) * random_direction(g);
       }},
      {"all at one place",
       [](auto&, std::size_t) {
         return Vec3<double>{1.0, -2.0, 3.0};
       }},
      {"all at the origin, with both zeros",
       [](auto&, std::size_t i) {
         return Vec3<double>{i % 2 == 0 ? 0.0 : -0.0, 0.0, -0.0};
       }},
      {"at two places, and at a few more",
       [](auto&, std::size_t i) {
         return Vec3<double>{i % 97 == 0 ? double(i % 5) : double(i % 2), 0.0, 0.0};
       }},
      {"line",
       [](auto& g, std::size_t) {
         return random_fraction(g) * Vec3<double>{1.0, 2.0, -0.5};
       }},
      {"equally spaced on an axis",
       [](auto&, std::size_t i) {
         return Vec3<double>{0.0, double(i * 7919 % 100003), 0.0};
       }},
      {"lattice",
       [](auto&, std::size_t i) {
         return Vec3<double>{double(i % 13), double(i / 13 % 13), double(i / 169)};
       }},
      {"sphere", [](auto& g, std::size_t) { return random_direction(g); }},
  };
}

HostBodies make_arrangement(Arrangement const& arrangement, std::size_t count) {
  std::mt19937_64 generator(count);
  HostBodies bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.position[i] = arrangement.place(generator, i);
    bodies.mass[i] = 1.0 + 0.5 * std::sin(static_cast<double>(i));
  }
  return bodies;
}

using Separations = Kokkos::View<double**, MemorySpace>;
using HostSeparations = decltype(Kokkos::create_mirror_view(Separations()));

/// Squared separations of all bodies and sources. They are computed where kernels run: a GPU rounds
/// sums of products in another way than a host.
template <class Real>
HostSeparations squared_separations(VectorColumns<Real> const& position, std::size_t sources) {
  ExecutionSpace const space;
  Separations const squared("apsis::tests::squared", position.extent(0), sources);
  for_each(
      space, "apsis::tests::squared", position.extent(0), KOKKOS_LAMBDA(std::size_t i) {
        forces::Point<double> const target{position(i, 0), position(i, 1), position(i, 2)};
        for (std::size_t j = 0; j < sources; ++j) {
          forces::PointMass<double> const source{position(j, 0), position(j, 1), position(j, 2),
                                                 0.0};
          squared(i, j) = forces::separation(target, source, 0.0).squared;
        }
      });
  auto const on_host = Kokkos::create_mirror_view(squared);
  Kokkos::deep_copy(on_host, squared);
  return on_host;
}

/// Nearest sources of each body from a plain loop over pairs.
struct PlainNeighbours {
  std::vector<std::vector<std::pair<double, std::size_t>>> of_body;

  template <class Real>
  PlainNeighbours(VectorColumns<Real> const& device, std::size_t sources, std::size_t neighbours) {
    auto const squared = squared_separations<Real>(device, sources);
    for (std::size_t i = 0; i < device.extent(0); ++i) {
      std::vector<std::pair<double, std::size_t>> list;
      for (std::size_t j = 0; j < sources; ++j) {
        if (j != i && squared(i, j) < 1e308) list.emplace_back(squared(i, j), j);
      }
      std::sort(list.begin(), list.end());
      list.resize(std::min(list.size(), neighbours));
      of_body.push_back(std::move(list));
    }
  }
};

template <int neighbours>
std::size_t count_differences(diagnostics::NearestSources<neighbours> const& device,
                              PlainNeighbours const& plain) {
  auto const index = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device.index);
  auto const squared = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), device.squared);
  std::size_t differences = 0;
  for (std::size_t i = 0; i < plain.of_body.size(); ++i) {
    auto const& list = plain.of_body[i];
    for (std::size_t k = 0; k < neighbours; ++k) {
      bool const same = k < list.size()
                            ? squared(i, k) == list[k].first && index(i, k) == list[k].second
                            : std::isinf(squared(i, k)) && index(i, k) == 0;
      differences += same ? 0 : 1;
    }
  }
  return differences;
}

bool have_same_bits(std::vector<double> const& a, std::vector<double> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

bool are_same_pair(std::optional<diagnostics::ClosestPair> const& a,
                   std::optional<diagnostics::ClosestPair> const& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::tie(a->distance, a->first, a->second) == std::tie(b->distance, b->first, b->second);
}

}  // namespace

TEST_CASE_TEMPLATE("cells and all pairs have the neighbours of a plain loop" *
                       testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (auto const& arrangement : arrangements()) {
    CAPTURE(arrangement.name);
    for (std::size_t const count : {0, 1, 2, 3, 6, 7, 8, 9, 16, 17, 33, 100, 1100}) {
      CAPTURE(count);
      auto const bodies = to_device<Real>(space, make_arrangement(arrangement, count));
      for (std::size_t const sources : {count, 2 * count / 3, std::size_t{0}}) {
        CAPTURE(sources);
        PlainNeighbours const six(bodies.position, sources, 6), one(bodies.position, sources, 1);
        for (auto const search : {NeighbourSearch::cells, NeighbourSearch::all_pairs}) {
          CAPTURE(static_cast<int>(search));
          auto const nearest_six = diagnostics::nearest_sources<6>(
              space, "apsis::tests::six", bodies.position, sources, {}, search);
          CHECK(count_differences(nearest_six, six) == 0);
          auto const nearest_one = diagnostics::nearest_sources<1>(
              space, "apsis::tests::one", bodies.position, sources, {}, search);
          CHECK(count_differences(nearest_one, one) == 0);
        }
      }
    }
  }
}

TEST_CASE("bodies that are not at finite places are no neighbours and have none" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto host = sample_bodies(300);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  host.position[17].x = std::numeric_limits<double>::quiet_NaN();
  host.position[170].y = infinity;
  host.position[171] = {-infinity, infinity, std::numeric_limits<double>::quiet_NaN()};
  auto const bodies = to_device<double>(space, host);
  PlainNeighbours const plain(bodies.position, 300, 6);
  for (auto const search : {NeighbourSearch::cells, NeighbourSearch::all_pairs}) {
    CHECK(count_differences(diagnostics::nearest_sources<6>(space, "apsis::tests::six",
                                                            bodies.position, 300, {}, search),
                            plain) == 0);
  }
}

TEST_CASE_TEMPLATE("densities and the closest pair have the same bits from cells and all pairs" *
                       testing::thread_counts,
                   Real, float, double) {
  ExecutionSpace const space;
  for (auto const& arrangement : arrangements()) {
    CAPTURE(arrangement.name);
    for (std::size_t const massive_in_five : {5, 4, 1, 0}) {
      CAPTURE(massive_in_five);
      auto host = make_arrangement(arrangement, 3500);
      for (std::size_t i = 0; i < host.size(); ++i) {
        if (i % 5 >= massive_in_five) host.mass[i] = 0.0;
      }
      auto const bodies = to_device<Real>(space, host);
      CHECK(have_same_bits(
          diagnostics::neighbour_densities(space, bodies, {}, NeighbourSearch::cells),
          diagnostics::neighbour_densities(space, bodies, {}, NeighbourSearch::all_pairs)));
      CHECK(are_same_pair(diagnostics::closest_pair(space, bodies, NeighbourSearch::cells),
                          diagnostics::closest_pair(space, bodies, NeighbourSearch::all_pairs)));
    }
  }
}

TEST_CASE("a search in cells can be interrupted, and tells its completed part" *
          testing::thread_counts) {
  ExecutionSpace const space;
  auto const bodies = to_device<double>(space, make_arrangement(arrangements()[1], 100000));
  std::vector<double> fractions;
  auto const poll = [&](double fraction) { fractions.push_back(fraction); };
  auto const density = diagnostics::neighbour_densities(space, bodies, poll);
  CHECK(have_same_bits(density, diagnostics::neighbour_densities(space, bodies)));
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  if (!on_gpu) {
    REQUIRE(fractions.size() >= 2);
    CHECK(fractions.front() > 0.0);
    CHECK(fractions.back() < 1.0);
    CHECK_THROWS_AS(
        diagnostics::neighbour_densities(space, bodies, [](double) { throw Interrupted(); }),
        Interrupted);
  }
}

TEST_CASE("the cost of a search is continuous where cells take over") {
  constexpr auto first_count = static_cast<double>(diagnostics::neighbour_cells_from);
  CHECK(diagnostics::neighbour_search_cost(0.5 * first_count) == 0.25 * first_count * first_count);
  CHECK(diagnostics::neighbour_search_cost(first_count) == first_count * first_count);
  CHECK(diagnostics::neighbour_search_cost(first_count * first_count) ==
        approximately(2.0 * first_count * first_count * first_count, 1e-14));
}

TEST_CASE_TEMPLATE("densities of 100 000 bodies have the same bits from cells and all pairs" *
                       expensive,
                   Real, float, double) {
  ExecutionSpace const space;
  for (auto const* name : {"uniform cube", "Plummer sphere and an escaper", "all at one place",
                           "two small clusters in a large cube"}) {
    CAPTURE(name);
    auto const all = arrangements();
    auto const match = std::find_if(
        all.begin(), all.end(), [&](auto const& arrangement) { return arrangement.name == name; });
    auto const bodies = to_device<Real>(space, make_arrangement(*match, 100000));
    CHECK(have_same_bits(
        diagnostics::neighbour_densities(space, bodies, {}, NeighbourSearch::cells),
        diagnostics::neighbour_densities(space, bodies, {}, NeighbourSearch::all_pairs)));
  }
}
