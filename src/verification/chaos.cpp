// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

namespace apsis::verification {

namespace {

/// The Sun, Jupiter, Saturn, Uranus and Neptune; au, solar masses, years / 2 pi.
constexpr auto outer_planets = R"({"bodies": {"list": [
    {"mass": 1, "position": [-0.0067949010138773263, -0.0026259972278537304, 0.00019527772519555936],
     "velocity": [0.00030317255529505477, -0.00043384780442280106, -5.5636887786712392e-06]},
    {"mass": 0.00095479066214732423, "position": [4.0742235253016403, 2.8218916983326219, -0.10288588185699558],
     "velocity": [-0.25491240795306491, 0.38130229127545207, 0.0041304237133337248]},
    {"mass": 0.0002858858172046085, "position": [5.9171063277356479, 6.968053399118955, -0.35693250455226122],
     "velocity": [-0.26437705453681865, 0.20869679969821867, 0.0068771636485722475]},
    {"mass": 4.3662402305374842e-05, "position": [13.573995676265801, -14.552253599630795, -0.23001929716836822],
     "velocity": [0.16555697093559735, 0.14495489815341631, -0.0016081112834671139]},
    {"mass": 5.1514527096641252e-05, "position": [12.046706692160043, -27.662098146559007, 0.29199316693424981],
     "velocity": [0.1663310755993698, 0.073598715979415502, -0.0053552032211320382]}]},
  "gravity": {"softening": 0},
  "integrator": {"name": "gauss_radau15", "time_step": 100}, "diagnostics": {"megno": {}}})";

/// Two planets of mass 1e-5 on circular orbits, within 2.4 (m1 + m2)^(1/3) = 0.065 of each other
/// (Gladman 1993, Icarus 106, 247): their conjunctions overlap in resonances.
constexpr auto close_planets = R"({"bodies": {"list": [
    {"mass": 1, "position": [0, 0, 0]},
    {"mass": 1e-5, "position": [1, 0, 0], "velocity": [0, 1, 0]},
    {"mass": 1e-5, "position": [-1.06, 0, 0], "velocity": [0, -0.9712858623572641, 0]}]},
  "gravity": {"softening": 0},
  "integrator": {"name": "blanes_moan4", "time_step": 0.1}, "diagnostics": {"megno": {}}})";

}  // namespace

void chaos(Setting const& setting, Report const& report) {
  auto const planets = make_experiment(setting, outer_planets);
  planets->advance(1885);
  report({"outer planets, 30000 years: MEGNO", "gauss_radau15", planets->megno()->mean, 2.0, 0.02});
  // The MEGNO of exponential growth at the rate of the Lyapunov exponent is half their product.
  constexpr double time = 3000.0;
  auto const close = make_experiment(setting, close_planets);
  close->advance(30000);
  auto const megno = *close->megno();
  report({"two close planets: MEGNO over exponential growth", "blanes_moan4",
          megno.mean / (0.5 * megno.lyapunov_exponent * time), 1.0, 0.3});
}

}  // namespace apsis::verification
