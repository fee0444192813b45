// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cmath>

namespace apsis::testing {

/// The Sun, Jupiter, Saturn, Uranus and Neptune; au, solar masses, years / 2 pi.
inline HostBodies outer_planets() {
  HostBodies bodies(5);
  bodies.mass = {1.0, 0.00095479066214732423, 0.0002858858172046085, 4.3662402305374842e-05,
                 5.1514527096641252e-05};
  bodies.position = {{-0.0067949010138773263, -0.0026259972278537304, 0.00019527772519555936},
                     {4.0742235253016403, 2.8218916983326219, -0.10288588185699558},
                     {5.9171063277356479, 6.968053399118955, -0.35693250455226122},
                     {13.573995676265801, -14.552253599630795, -0.23001929716836822},
                     {12.046706692160043, -27.662098146559007, 0.29199316693424981}};
  bodies.velocity = {{0.00030317255529505477, -0.00043384780442280106, -5.5636887786712392e-06},
                     {-0.25491240795306491, 0.38130229127545207, 0.0041304237133337248},
                     {-0.26437705453681865, 0.20869679969821867, 0.0068771636485722475},
                     {0.16555697093559735, 0.14495489815341631, -0.0016081112834671139},
                     {0.1663310755993698, 0.073598715979415502, -0.0053552032211320382}};
  return bodies;
}

/// A star of mass 1 with planets of mass 1e-4 (1 + i) at 1, 1.8, 3.24 ... and massless bodies
/// between 0.5 and 5, in rows among the planets. G = 1; the centre of mass moves.
inline HostBodies star_and_planets(std::size_t planets, std::size_t massless) {
  HostBodies bodies(1 + planets + massless);
  bodies.mass[0] = 1.0;
  bodies.position[0] = {0.1, 0.0, -0.1};
  bodies.velocity[0] = {0.01, 0.02, 0.03};
  std::size_t planet = 0, light = 0;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    bool const is_planet = planet < planets && (i % 2 == 1 || light == massless);
    std::size_t const k = is_planet ? planet++ : light++;
    auto const number = static_cast<double>(k);
    double const radius =
        is_planet ? std::pow(1.8, number) : 0.5 + 4.5 * std::fmod(0.37 * number, 1.0);
    double const angle = (is_planet ? 2.0 : 2.4) * number, tilt = 0.02 * std::sin(3.0 * number);
    double const mass = is_planet ? 1e-4 * (1.0 + number) : 0.0;
    double const speed = std::sqrt((1.0 + mass) / radius);
    bodies.mass[i] = mass;
    bodies.position[i] = bodies.position[0] + Vec3<double>{radius * std::cos(angle),
                                                           radius * std::sin(angle), radius * tilt};
    bodies.velocity[i] =
        bodies.velocity[0] +
        speed * Vec3<double>{-std::sin(angle), std::cos(angle), 0.03 * std::cos(number)};
  }
  return bodies;
}

}  // namespace apsis::testing
