// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/composition.hpp>

#include <cmath>

namespace apsis::integrators {

namespace {

/// Leapfrogs (drift, kick, drift) of the lengths outer[0], outer[1], ... w0 ... outer[1], outer[0],
/// where w0 makes up the whole step; the drifts of neighbours are one (Yoshida 1990, Phys. Lett. A
/// 150, 262, section 5).
Scheme leapfrogs(std::vector<std::string> names, std::string doc, int order,
                 std::vector<double> const& outer) {
  double middle = 1.0;
  for (double const weight : outer) middle -= 2.0 * weight;
  std::vector<double> kick(outer);
  kick.push_back(middle);
  kick.insert(kick.end(), outer.rbegin(), outer.rend());
  std::vector<double> drift{0.5 * kick.front()};
  for (std::size_t i = 1; i < kick.size(); ++i) drift.push_back(0.5 * (kick[i - 1] + kick[i]));
  drift.push_back(0.5 * kick.back());
  return {std::move(names), std::move(doc), order, std::move(drift), std::move(kick)};
}

/// Forest & Ruth 1990, Physica D 43, 105; Yoshida 1990, section 4: the only three leapfrogs of
/// order 4.
Scheme forest_ruth() {
  return leapfrogs({"forest_ruth", "yoshida4"},
                   "Forest & Ruth 1990 = Yoshida 1990: order 4, symplectic, 3 forces a step", 4,
                   {1.0 / (2.0 - std::cbrt(2.0))});
}

/// Omelyan, Mryglod & Folk 2002, Comput. Phys. Commun. 146, 188, equations 20-22: a fourth kick
/// makes the error of order 4 the least that is possible with it.
Scheme pefrl() {
  double const xi = 0.1786178958448091;
  double const lambda = -0.2123418310626054;
  double const chi = -0.06626458266981849;
  return {{"pefrl"},
          "Omelyan, Mryglod & Folk 2002: order 4, symplectic, 4 forces a step",
          4,
          {xi, chi, 1.0 - 2.0 * (chi + xi), chi, xi},
          {0.5 - lambda, lambda, lambda, 0.5 - lambda}};
}

/// Yoshida 1990, table 1, solution A; digits refined against the order conditions.
Scheme yoshida6() {
  return leapfrogs({"yoshida6"}, "Yoshida 1990, solution A: order 6, symplectic, 7 forces a step",
                   6, {0.7845136104775572638, 0.2355732133593581337, -1.177679984178871007});
}

/// Yoshida 1990, table 2, solution D: of the five the one with the least error on a Kepler orbit
/// with e = 0.5; digits refined against the order conditions (table 2 has 15).
Scheme yoshida8() {
  return leapfrogs(
      {"yoshida8"}, "Yoshida 1990, solution D: order 8, symplectic, 15 forces a step", 8,
      {0.9148442462297915667, 0.2536933365662113541, -1.444852236860605158, -0.1582406353680501752,
       1.938139137622525987, -1.960610232975310808, 0.1027998493917964407});
}

}  // namespace

std::vector<Scheme> const& schemes() {
  static std::vector<Scheme> const table{
      leapfrogs({"leapfrog_dkd"},
                "leapfrog, drift-kick-drift: order 2, symplectic, less error than leapfrog_kdk", 2,
                {}),
      forest_ruth(),
      pefrl(),
      yoshida6(),
      yoshida8(),
  };
  return table;
}

}  // namespace apsis::integrators
