// SPDX-License-Identifier: Apache-2.0
#include "core/citation.hpp"

#include <apsis/core/machine.hpp>

namespace apsis {

namespace {

constexpr auto mnras = "Monthly Notices of the Royal Astronomical Society";
constexpr auto pasj = "Publications of the Astronomical Society of Japan";
constexpr auto apj_supplement = "The Astrophysical Journal Supplement Series";
constexpr auto aa = "Astronomy and Astrophysics";
constexpr auto apj = "The Astrophysical Journal";
constexpr auto aj = "The Astronomical Journal";

/// Bibliographic data of the works that the documents and comments name.
std::vector<Citation> works() {
  return {
      {"Apsis", "misc", "The Apsis maintainers",
       "Apsis: performance-portable gravitational N-body simulation", "", "", "", "", ""},
      {"Trott2022", "article", "Trott, Christian R. and others",
       "Kokkos 3: Programming Model Extensions for the Exascale Era",
       "IEEE Transactions on Parallel and Distributed Systems", "33", "805", "2022",
       "10.1109/TPDS.2021.3097283"},
      {"Salmon2011", "inproceedings",
       "Salmon, John K. and Moraes, Mark A. and Dror, Ron O. and Shaw, David E.",
       "Parallel random numbers: as easy as 1, 2, 3", "Proceedings of SC11", "", "", "2011",
       "10.1145/2063384.2063405"},
      {"Nyland2007", "incollection", "Nyland, Lars and Harris, Mark and Prins, Jan",
       "Fast N-Body Simulation with CUDA", "GPU Gems 3", "", "677", "2007", ""},
      {"GreengardRokhlin1987", "article", "Greengard, L. and Rokhlin, V.",
       "A fast algorithm for particle simulations", "Journal of Computational Physics", "73", "325",
       "1987", "10.1016/0021-9991(87)90140-9"},
      {"Dehnen2002", "article", "Dehnen, Walter", "A Hierarchical O(N) Force Calculation Algorithm",
       "Journal of Computational Physics", "179", "27", "2002", "10.1006/jcph.2002.7026"},
      {"Dehnen2014", "article", "Dehnen, Walter", "A fast multipole method for stellar dynamics",
       "Computational Astrophysics and Cosmology", "1", "1", "2014", "10.1186/s40668-014-0001-7"},
      {"Aarseth1963", "article", "Aarseth, S. J.", "Dynamical evolution of clusters of galaxies, I",
       mnras, "126", "223", "1963", "10.1093/mnras/126.3.223"},
      {"HernquistKatz1989", "article", "Hernquist, Lars and Katz, Neal",
       "TREESPH: A unification of SPH with the hierarchical tree method", apj_supplement, "70",
       "419", "1989", "10.1086/191344"},
      {"Springel2005", "article", "Springel, Volker", "The cosmological simulation code GADGET-2",
       mnras, "364", "1105", "2005", "10.1111/j.1365-2966.2005.09655.x"},
      {"Wendland1995", "article", "Wendland, Holger",
       "Piecewise polynomial, positive definite and compactly supported radial functions of "
       "minimal degree",
       "Advances in Computational Mathematics", "4", "389", "1995", "10.1007/BF02123482"},
      {"Schaller2024", "article", "Schaller, Matthieu and others",
       "SWIFT: A modern highly-parallel gravity and smoothed particle hydrodynamics solver for "
       "astrophysical and cosmological applications",
       mnras, "530", "2378", "2024", "10.1093/mnras/stae922"},
      {"Swope1982", "article",
       "Swope, William C. and Andersen, Hans C. and Berens, Peter H. and Wilson, Kent R.",
       "A computer simulation method for the calculation of equilibrium constants for the "
       "formation of physical clusters of molecules: Application to small water clusters",
       "The Journal of Chemical Physics", "76", "637", "1982", "10.1063/1.442716"},
      {"ForestRuth1990", "article", "Forest, Etienne and Ruth, Ronald D.",
       "Fourth-order symplectic integration", "Physica D", "43", "105", "1990",
       "10.1016/0167-2789(90)90019-L"},
      {"Yoshida1990", "article", "Yoshida, Haruo",
       "Construction of higher order symplectic integrators", "Physics Letters A", "150", "262",
       "1990", "10.1016/0375-9601(90)90092-3"},
      {"Omelyan2002", "article", "Omelyan, I. P. and Mryglod, I. M. and Folk, R.",
       "Optimized Forest-Ruth- and Suzuki-like algorithms for integration of motion in many-body "
       "systems",
       "Computer Physics Communications", "146", "188", "2002", "10.1016/S0010-4655(02)00451-4"},
      {"BlanesMoan2002", "article", "Blanes, S. and Moan, P. C.",
       "Practical symplectic partitioned Runge-Kutta and Runge-Kutta-Nystrom methods",
       "Journal of Computational and Applied Mathematics", "142", "313", "2002",
       "10.1016/S0377-0427(01)00492-7"},
      {"KahanLi1997", "article", "Kahan, William and Li, Ren-Cang",
       "Composition constants for raising the orders of unconventional schemes for ordinary "
       "differential equations",
       "Mathematics of Computation", "66", "1089", "1997", "10.1090/S0025-5718-97-00873-9"},
      {"SofroniouSpaletta2005", "article", "Sofroniou, M. and Spaletta, G.",
       "Derivation of symmetric composition constants for symmetric integrators",
       "Optimization Methods and Software", "20", "597", "2005", "10.1080/10556780500140664"},
      {"BlanesCasas2022", "article",
       "Blanes, Sergio and Casas, Fernando and Escorihuela-Tom{\\`a}s, Alejandro",
       "Runge-Kutta-Nystr{\\\"o}m symplectic splitting methods of order 8",
       "Applied Numerical Mathematics", "182", "14", "2022", ""},
      {"Kutta1901", "article", "Kutta, Wilhelm",
       "Beitrag zur n{\\\"a}herungsweisen Integration totaler Differentialgleichungen",
       "Zeitschrift f{\\\"u}r Mathematik und Physik", "46", "435", "1901", ""},
      {"Kahan1965", "article", "Kahan, W.",
       "Pracniques: further remarks on reducing truncation errors", "Communications of the ACM",
       "8", "40", "1965", "10.1145/363707.363723"},
      {"Everhart1985", "inproceedings", "Everhart, Edgar",
       "An efficient integrator that uses Gauss-Radau spacings",
       "Dynamics of Comets: Their Origin and Evolution", "", "185", "1985",
       "10.1007/978-94-009-5400-7_17"},
      {"ReinSpiegel2015", "article", "Rein, Hanno and Spiegel, David S.",
       "IAS15: a fast, adaptive, high-order integrator for gravitational dynamics, accurate to "
       "machine precision over a billion orbits",
       mnras, "446", "1424", "2015", "10.1093/mnras/stu2164"},
      {"Pham2024", "article", "Pham, Dang and Rein, Hanno and Spiegel, David S.",
       "A new timestep criterion for N-body simulations", "The Open Journal of Astrophysics", "7",
       "1", "2024", "10.21105/astro.2401.02849"},
      {"WisdomHolman1991", "article", "Wisdom, Jack and Holman, Matthew",
       "Symplectic maps for the n-body problem", aj, "102", "1528", "1991", "10.1086/115978"},
      {"WisdomHernandez2015", "article", "Wisdom, Jack and Hernandez, David M.",
       "A fast and accurate universal Kepler solver without Stumpff series", mnras, "453", "3015",
       "2015", "10.1093/mnras/stv1862"},
      {"Wisdom1996", "article", "Wisdom, Jack and Holman, Matthew and Touma, Jihad",
       "Symplectic correctors", "Fields Institute Communications", "10", "217", "1996", ""},
      {"Wisdom2006", "article", "Wisdom, Jack",
       "Symplectic correctors for canonical heliocentric n-body maps", aj, "131", "2294", "2006",
       "10.1086/500829"},
      {"ReinTamayoBrown2019", "article", "Rein, Hanno and Tamayo, Daniel and Brown, Garett",
       "High-order symplectic integrators for planetary dynamics and their implementation in "
       "REBOUND",
       mnras, "489", "4632", "2019", "10.1093/mnras/stz2503"},
      {"Duncan1998", "article", "Duncan, Martin J. and Levison, Harold F. and Lee, Man Hoi",
       "A multiple time step symplectic algorithm for integrating close encounters", aj, "116",
       "2067", "1998", "10.1086/300541"},
      {"MakinoAarseth1992", "article", "Makino, Junichiro and Aarseth, Sverre J.",
       "On a Hermite integrator with Ahmad-Cohen scheme for gravitational many-body problems", pasj,
       "44", "141", "1992", ""},
      {"NitadoriMakino2008", "article", "Nitadori, Keigo and Makino, Junichiro",
       "Sixth- and eighth-order Hermite integrator for N-body simulations", "New Astronomy", "13",
       "498", "2008", "10.1016/j.newast.2008.01.010"},
      {"Makino1991", "article", "Makino, Junichiro",
       "A modified Aarseth code for GRAPE and vector processors", pasj, "43", "859", "1991", ""},
      {"Aarseth1985", "incollection", "Aarseth, S. J.", "Direct methods for N-body simulations",
       "Multiple Time Scales", "", "377", "1985", ""},
      {"NobiliRoxburgh1986", "inproceedings", "Nobili, A. and Roxburgh, I. W.",
       "Simulation of general relativistic corrections in long term numerical integrations of "
       "planetary orbits",
       "Relativity in Celestial Mechanics and Astrometry", "", "105", "1986", ""},
      {"Anderson1975", "article",
       "Anderson, J. D. and Esposito, P. B. and Martin, W. and Thornton, C. L. and Muhleman, D. O.",
       "Experimental test of general relativity using time-delay data from Mariner 6 and Mariner 7",
       apj, "200", "221", "1975", "10.1086/153779"},
      {"EinsteinInfeldHoffmann1938", "article", "Einstein, A. and Infeld, L. and Hoffmann, B.",
       "The gravitational equations and the problem of motion", "Annals of Mathematics", "39", "65",
       "1938", "10.2307/1968714"},
      {"Newhall1983", "article", "Newhall, X. X. and Standish, E. M. and Williams, J. G.",
       "DE 102: a numerically integrated ephemeris of the moon and planets spanning forty-four "
       "centuries",
       aa, "125", "150", "1983", ""},
      {"Burns1979", "article", "Burns, Joseph A. and Lamy, Philippe L. and Soter, Steven",
       "Radiation forces on small particles in the solar system", "Icarus", "40", "1", "1979",
       "10.1016/0019-1035(79)90050-2"},
      {"FukushigeHeggie2000", "article", "Fukushige, T. and Heggie, D. C.",
       "The time-scale of escape from star clusters", mnras, "318", "753", "2000",
       "10.1046/j.1365-8711.2000.03811.x"},
      {"NavarroFrenkWhite1996", "article",
       "Navarro, Julio F. and Frenk, Carlos S. and White, Simon D. M.",
       "The structure of cold dark matter halos", apj, "462", "563", "1996", "10.1086/177173"},
      {"MiyamotoNagai1975", "article", "Miyamoto, M. and Nagai, R.",
       "Three-dimensional models for the distribution of mass in galaxies", pasj, "27", "533",
       "1975", ""},
      {"Plummer1911", "article", "Plummer, H. C.",
       "On the problem of distribution in globular star clusters", mnras, "71", "460", "1911",
       "10.1093/mnras/71.5.460"},
      {"AarsethHenonWielen1974", "article", "Aarseth, S. J. and Henon, M. and Wielen, R.",
       "A comparison of numerical methods for the study of star cluster dynamics", aa, "37", "183",
       "1974", ""},
      {"King1966", "article", "King, Ivan R.",
       "The structure of star clusters. III. Some simple dynamical models", aj, "71", "64", "1966",
       "10.1086/109857"},
      {"Hernquist1990", "article", "Hernquist, Lars",
       "An analytical model for spherical galaxies and bulges", apj, "356", "359", "1990",
       "10.1086/168845"},
      {"Hernquist1993", "article", "Hernquist, Lars", "N-body realizations of compound galaxies",
       apj_supplement, "86", "389", "1993", "10.1086/191784"},
      {"Jaffe1983", "article", "Jaffe, W.",
       "A simple model for the distribution of light in spherical galaxies", mnras, "202", "995",
       "1983", "10.1093/mnras/202.4.995"},
      {"McMillanDehnen2007", "article", "McMillan, Paul J. and Dehnen, Walter",
       "Initial conditions for disc galaxies", mnras, "378", "541", "2007",
       "10.1111/j.1365-2966.2007.11753.x"},
      {"Toomre1964", "article", "Toomre, Alar", "On the gravitational stability of a disk of stars",
       apj, "139", "1217", "1964", "10.1086/147861"},
      {"Kroupa2001", "article", "Kroupa, Pavel", "On the variation of the initial mass function",
       mnras, "322", "231", "2001", "10.1046/j.1365-8711.2001.04022.x"},
      {"Baumgardt2008", "article", "Baumgardt, Holger and De Marchi, Guido and Kroupa, Pavel",
       "Evidence for primordial mass segregation in globular clusters", apj, "685", "247", "2008",
       "10.1086/590488"},
      {"Kuepper2011", "article",
       "K{\\\"u}pper, Andreas H. W. and Maschberger, Thomas and Kroupa, Pavel and Baumgardt, "
       "Holger",
       "Mass segregation and fractal substructure in young massive clusters - I. The McLuster code "
       "and method calibration",
       mnras, "417", "2300", "2011", "10.1111/j.1365-2966.2011.19412.x"},
      {"GoodwinWhitworth2004", "article", "Goodwin, S. P. and Whitworth, A. P.",
       "The dynamical evolution of fractal star clusters: The survival of substructure", aa, "413",
       "929", "2004", "10.1051/0004-6361:20031529"},
      {"ChencinerMontgomery2000", "article", "Chenciner, Alain and Montgomery, Richard",
       "A remarkable periodic solution of the three-body problem in the case of equal masses",
       "Annals of Mathematics", "152", "881", "2000", "10.2307/2661357"},
      {"SzebehelyPeters1967", "article", "Szebehely, Victor and Peters, C. Frederick",
       "Complete solution of a general problem of three bodies", aj, "72", "876", "1967",
       "10.1086/110355"},
      {"Standish", "misc", "Standish, E. M.",
       "Keplerian elements for approximate positions of the major planets",
       "Jet Propulsion Laboratory", "", "", "", ""},
      {"HeggieMathieu1986", "inproceedings", "Heggie, D. C. and Mathieu, R. D.",
       "Standardised units and time scales", "The Use of Supercomputers in Stellar Dynamics", "",
       "233", "1986", "10.1007/BFb0116419"},
      {"CasertanoHut1985", "article", "Casertano, Stefano and Hut, Piet",
       "Core radius and density measurements in N-body experiments: Connections with theoretical "
       "and observational definitions",
       apj, "298", "80", "1985", "10.1086/163589"},
      {"Heggie1975", "article", "Heggie, D. C.", "Binary evolution in stellar dynamics", mnras,
       "173", "729", "1975", "10.1093/mnras/173.3.729"},
      {"CincottaSimo2000", "article", "Cincotta, P. M. and Sim{\\'o}, C.",
       "Simple tools to study global dynamics in non-axisymmetric galactic potentials - I",
       "Astronomy and Astrophysics Supplement Series", "147", "205", "2000", "10.1051/aas:2000108"},
      {"Cincotta2003", "article", "Cincotta, P. M. and Giordano, C. M. and Sim{\\'o}, C.",
       "Phase space structure of multi-dimensional systems by means of the mean exponential growth "
       "factor of nearby orbits",
       "Physica D", "182", "151", "2003", "10.1016/S0167-2789(03)00103-9"},
  };
}

std::string field(char const* name, std::string const& value) {
  return value.empty() ? "" : std::string(",\n  ") + name + " = {" + value + "}";
}

}  // namespace

std::string Citation::bibtex() const {
  bool const is_program = key == "Apsis";
  auto const* const place_name = type == "article" ? "journal"
                                 : type == "misc"  ? "howpublished"
                                                   : "booktitle";
  return "@" + type + "{" + key + field("author", is_program ? "{" + author + "}" : author) +
         field("title", "{" + title + "}") + field(place_name, place) + field("volume", volume) +
         field("pages", pages) + field("year", year) + field("doi", doi) +
         field("version", is_program ? build_info().version : "") + "\n}\n";
}

Registry<Citation, &Citation::key> const& citations() {
  static Registry<Citation, &Citation::key> const table{"work", works()};
  return table;
}

}  // namespace apsis
