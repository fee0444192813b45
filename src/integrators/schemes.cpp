// SPDX-License-Identifier: Apache-2.0
#include "composition.hpp"
#include "core/citation.hpp"

#include <cmath>

namespace apsis::integrators {

namespace {

/// Returns `count` fractions of a step, symmetric about the middle and with the sum 1: `outer`, one
/// or two equal middle fractions, and `outer` reversed.
std::vector<double> symmetric(std::vector<double> const& outer, std::size_t count) {
  std::size_t const inner = count - 2 * outer.size();
  double middle = 1.0;
  for (double const fraction : outer) middle -= 2.0 * fraction;
  std::vector<double> fractions(outer);
  fractions.insert(fractions.end(), inner, middle / static_cast<double>(inner));
  fractions.insert(fractions.end(), outer.rbegin(), outer.rend());
  return fractions;
}

/// Composition of leapfrog steps (drift, kick, drift) of the lengths outer[0], outer[1], ... w0 ...
/// outer[1], outer[0], in fractions of the step, where w0 makes the sum 1. The adjacent drifts of
/// two leapfrog steps are merged (Yoshida 1990, Phys. Lett. A 150, 262, section 5).
Scheme leapfrogs(std::vector<std::string> names, std::string doc, int order,
                 std::vector<double> const& outer) {
  auto kick = symmetric(outer, 2 * outer.size() + 1);
  std::vector<double> drift{0.5 * kick.front()};
  for (std::size_t i = 1; i < kick.size(); ++i) drift.push_back(0.5 * (kick[i - 1] + kick[i]));
  drift.push_back(0.5 * kick.back());
  return {std::move(names), std::move(doc), order, std::move(drift), std::move(kick)};
}

/// Forest & Ruth 1990, Physica D 43, 105; Yoshida 1990, section 4: the only composition of three
/// leapfrog steps that has order 4.
Scheme forest_ruth() {
  return leapfrogs({"forest_ruth", "yoshida4"},
                   "Forest & Ruth 1990 = Yoshida 1990: order 4, symplectic, 3 forces per step", 4,
                   {1.0 / (2.0 - std::cbrt(2.0))});
}

/// Omelyan, Mryglod & Folk 2002, Comput. Phys. Commun. 146, 188, equations 20-22: order 4 with four
/// kicks; the coefficients minimise the leading error term.
Scheme pefrl() {
  double const xi = 0.1786178958448091;
  double const lambda = -0.2123418310626054;
  double const chi = -0.06626458266981849;
  return {{"pefrl"},
          "Omelyan, Mryglod & Folk 2002: order 4, symplectic, 4 forces per step",
          4,
          {xi, chi, 1.0 - 2.0 * (chi + xi), chi, xi},
          {0.5 - lambda, lambda, lambda, 0.5 - lambda}};
}

/// Yoshida 1990, table 1, solution A; more digits computed from the order conditions.
Scheme yoshida6() {
  return leapfrogs({"yoshida6"}, "Yoshida 1990, solution A: order 6, symplectic, 7 forces per step",
                   6, {0.7845136104775572638, 0.2355732133593581337, -1.177679984178871007});
}

/// Yoshida 1990, table 2, solution D: of the five solutions the one with the smallest error on a
/// Kepler orbit with e = 0.5. Table 2 has 15 digits; more were computed from the order conditions.
Scheme yoshida8() {
  return leapfrogs(
      {"yoshida8"}, "Yoshida 1990, solution D: order 8, symplectic, 15 forces per step", 8,
      {0.9148442462297915667, 0.2536933365662113541, -1.444852236860605158, -0.1582406353680501752,
       1.938139137622525987, -1.960610232975310808, 0.1027998493917964407});
}

/// Kahan & Li 1997, Math. Comp. 66, 1089, s9odr6a.
Scheme kahan_li6() {
  return leapfrogs({"kahan_li6"}, "Kahan & Li 1997: order 6, symplectic, 9 forces per step", 6,
                   {0.3921614440073141392792505574227, 0.3325991367893594385997486375000,
                    -0.7062461725576393598099648195493, 0.08221359629355080023149044810206});
}

/// Kahan & Li 1997, s17odr8a.
Scheme kahan_li8() {
  return leapfrogs({"kahan_li8"}, "Kahan & Li 1997: order 8, symplectic, 17 forces per step", 8,
                   {0.1302024830888900808788176320967, 0.5611629817751083845619644077002,
                    -0.3894749626448472864080785982352, 0.1588419065551556008962107457072,
                    -0.3959038941332375773362315393479, 0.1845396409783157070918325415334,
                    0.2583743876863220472939791099949, 0.2950117236093102988709662402182});
}

/// Sofroniou & Spaletta 2005, Optim. Methods Softw. 20, 597: composition of 13 leapfrog steps.
Scheme sofroniou_spaletta6() {
  return leapfrogs({"sofroniou_spaletta6"},
                   "Sofroniou & Spaletta 2005: order 6, symplectic, 13 forces per step", 6,
                   {0.1386193085405169524580801304263, 0.1334656285107476040704685883221,
                    0.1307053101144922519054275578502, 0.1296189375690703477250536653709,
                    -0.3500032489392089651617083091132, 0.1180553065300238717027343895405});
}

/// Sofroniou & Spaletta 2005: composition of 21 leapfrog steps.
Scheme sofroniou_spaletta8() {
  return leapfrogs({"sofroniou_spaletta8"},
                   "Sofroniou & Spaletta 2005: order 8, symplectic, 21 forces per step", 8,
                   {0.1064772898455003182393196785490, 0.1083740864583572639743341059155,
                    0.3533782105265434241953454132408, -0.2334141402316508219878028112832,
                    -0.2444526679152884126946217141322, 0.1131784843575563331470095251560,
                    0.1189290562500035006269297228395, 0.1260391232182598814030567026836,
                    0.1258171873617604180439239164159, 0.1169913501921764218072288143353});
}

/// Sofroniou & Spaletta 2005: composition of 35 leapfrog steps.
Scheme sofroniou_spaletta10() {
  return leapfrogs({"sofroniou_spaletta10"},
                   "Sofroniou & Spaletta 2005: order 10, symplectic, 35 forces per step", 10,
                   {0.07879572252168641926390767933768, 0.3130961034151085277648124719265,
                    0.02791838323507806610952027327530, -0.2295928415939070941512133967965,
                    0.1309620610771648631746568592796, -0.2697334056545107143446097322241,
                    0.07497334315589143566613710564141, 0.1119934239998102048895750807364,
                    0.3661334495462267511931481235315, -0.3991056301360358978786298105834,
                    0.1030873985274710773158027700137, 0.4114308739558902378207041189761,
                    -0.004866360583135261762195659309977, -0.3920333537086399064480819364261,
                    0.05194250296244964703718290401598, 0.05066509075992449633587434415687,
                    0.04967437063972987905456880027946});
}

/// Blanes & Moan 2002, J. Comput. Appl. Math. 142, 313, table 3, SRKN_6^b: only for accelerations
/// that depend on positions alone. The table has 15 digits; more were computed from the order
/// conditions.
Scheme blanes_moan4() {
  return {{"blanes_moan4"},
          "Blanes & Moan 2002: order 4, symplectic, 6 forces per step",
          4,
          symmetric({0.0, 0.2452989571842711626039324260014, 0.6048726657110799749608926976431}, 8),
          symmetric({0.08298440641740501883834747894225, 0.3963098014983680770949115282637,
                     -0.03905630492234843517086529076538},
                    7)};
}

/// Blanes & Moan 2002, table 3, SRKN_11^b; with the same restriction and digits as blanes_moan4().
Scheme blanes_moan6() {
  return {{"blanes_moan6"},
          "Blanes & Moan 2002: order 6, symplectic, 11 forces per step",
          6,
          symmetric({0.0, 0.1232297759462711515610863803334, 0.2905537977995582703664141693279,
                     -0.1270492126254169156625050538275, -0.2463317610620754041949734891041,
                     0.3572088727959277526198603496193},
                    13),
          symmetric({0.04146499851826284329877813391470, 0.1981286719180665411367264731815,
                     -0.04000619210415268688882836353594, 0.07525398430158034112787887852704,
                     -0.01151138742068777006244320150129},
                    12)};
}

/// Blanes, Casas & Escorihuela-Tomas 2022, Appl. Numer. Math. 182, 14: the scheme with 19 stages.
Scheme blanes_casas8() {
  return {{"blanes_casas8"},
          "Blanes, Casas & Escorihuela-Tomas 2022: order 8, symplectic, 19 forces per step",
          8,
          symmetric({0.0505805, 0.149999, -0.05517955107716155735110269503625,
                     0.4237558988353379514822649980508, -0.2134953535846590480596721946328,
                     -0.06807697745740326191116307362738, 0.2279170569740134359488872016707,
                     -0.2353736193810589065247400477315, 0.3874138691798780478167940310583},
                    20),
          symmetric({0.1294786065605367306624937943946, 0.2222572600926711434230435595806,
                     -0.05775148933251472047570232463193, -0.05783122621039249102213450327622,
                     0.1030872974371753567479332522654, -0.1408196125540907682055541038868,
                     0.02344626034928262766997137186262, 0.1348545173566840966178822050678,
                     0.02879738210737793063451721602107},
                    19)};
}

}  // namespace

std::vector<Scheme> const& schemes() {
  static std::vector<Scheme> const table{
      {{"leapfrog_kdk"},
       "leapfrog, kick-drift-kick: order 2, symplectic; shared or block steps",
       2,
       {0.0, 1.0, 0.0},
       {0.5, 0.5},
       {"Swope1982"}},
      cited(leapfrogs(
                {"leapfrog_dkd"},
                "leapfrog, drift-kick-drift: order 2, symplectic, smaller error than leapfrog_kdk",
                2, {}),
            {"Swope1982"}),
      cited(forest_ruth(), {"ForestRuth1990", "Yoshida1990"}),
      cited(pefrl(), {"Omelyan2002"}),
      cited(blanes_moan4(), {"BlanesMoan2002"}),
      cited(yoshida6(), {"Yoshida1990"}),
      cited(kahan_li6(), {"KahanLi1997"}),
      cited(sofroniou_spaletta6(), {"SofroniouSpaletta2005"}),
      cited(blanes_moan6(), {"BlanesMoan2002"}),
      cited(yoshida8(), {"Yoshida1990"}),
      cited(kahan_li8(), {"KahanLi1997"}),
      cited(sofroniou_spaletta8(), {"SofroniouSpaletta2005"}),
      cited(blanes_casas8(), {"BlanesCasas2022"}),
      cited(sofroniou_spaletta10(), {"SofroniouSpaletta2005"}),
  };
  return table;
}

}  // namespace apsis::integrators
