// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/composition.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

using namespace apsis;

TEST_CASE("every scheme reads the same from both ends and makes one whole step") {
  CHECK(integrators::schemes().size() >= 5);
  for (auto const& scheme : integrators::schemes()) {
    REQUIRE(!scheme.names.empty());
    CAPTURE(scheme.names.front());
    REQUIRE(scheme.drift.size() == scheme.kick.size() + 1);
    for (auto const* part : {&scheme.drift, &scheme.kick}) {
      CHECK(std::vector<double>(part->rbegin(), part->rend()) == *part);
      CHECK(std::abs(std::accumulate(part->begin(), part->end(), -1.0)) < 1e-15);
    }
  }
}

TEST_CASE(
    "leapfrogs of lengths w have order 2 n only if the sums of w^3 ... w^(2 n - 1) are zero") {
  for (auto const& scheme : integrators::schemes()) {
    if (scheme.names.front() == "pefrl") continue;  // not made of leapfrogs
    CAPTURE(scheme.names.front());
    for (int power = 3; power < scheme.order; power += 2) {
      double sum = 0.0;
      for (double const w : scheme.kick) sum += std::pow(w, power);
      CAPTURE(power);
      CHECK(std::abs(sum) < 1e-13);
    }
  }
}

TEST_CASE(
    "schemes of order 4 and more meet Nystrom's conditions of order 3; symmetry does the rest") {
  // Hairer, Norsett & Wanner 1993, Solving Ordinary Differential Equations I, section II.14.
  for (auto const& scheme : integrators::schemes()) {
    if (scheme.order < 4) continue;
    CAPTURE(scheme.names.front());
    double square = 0.0, nested = 0.0, node = 0.0;
    for (std::size_t i = 0; i < scheme.kick.size(); ++i) {
      node += scheme.drift[i];
      square += scheme.kick[i] * node * node;
      double earlier = 0.0;
      for (std::size_t j = 0; j < i; ++j) {
        earlier += scheme.drift[j];
        nested += scheme.kick[i] * scheme.kick[j] * (node - earlier);
      }
    }
    CHECK(std::abs(square - 1.0 / 3.0) < 1e-15);
    CHECK(std::abs(nested - 1.0 / 6.0) < 1e-15);
  }
}
