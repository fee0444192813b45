// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

namespace apsis::initial_conditions {

/// Sine and cosine of an angle in degrees, exact at every multiple of 90.
struct SineCosine {
  double sine;
  double cosine;
};
SineCosine sine_cosine(double degrees);

/// Turns vectors by the three Euler angles of celestial mechanics [degrees]: by `argument` about z,
/// then by `inclination` about x, then by `node` about z.
class Rotation {
 public:
  Rotation(double node, double inclination, double argument);
  Vec3<double> operator()(Vec3<double> const& a) const;

 private:
  SineCosine node_, inclination_, argument_;
};

/// The elements of an orbit as decks have them; angles in degrees.
struct ElementsInDegrees {
  double semi_major_axis;  ///< [length]; > 0 for an ellipse, < 0 for a hyperbola
  double eccentricity;     ///< 0 <= e < 1, or e > 1
  double mean_anomaly;     ///< of a hyperbola any number: e sinh H - H
  double inclination;
  double node;      ///< longitude of the ascending node
  double argument;  ///< of pericentre, from the node
};

/// An angle in an orbit that says where the body is, in degrees from pericentre. A hyperbola has a
/// mean and a true one, which is within its asymptotes: e cos f > -1.
struct Anomaly {
  enum class Kind { mean, eccentric, true_ };
  Kind kind;
  double degrees;
};

/// The mean anomaly at t = 0 of a body that passes its pericentre at `time` [time]; `gravity` as of
/// state_on_orbit().
double mean_anomaly_after(double time, double semi_major_axis, double gravity);

/// Where a body is and how it moves, seen from the one that it orbits.
struct OrbitalState {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// The state of elements, for `gravity` = G times the sum of both masses [length^3 / time^2].
/// Kepler's equation is solved to rounding for every e but 1, which has no semi-major axis. Murray
/// & Dermott 1999, Solar System Dynamics, sections 2.3-2.5 and 2.8.
OrbitalState state_on_orbit(ElementsInDegrees const& elements, double gravity);
/// The same with another anomaly in the place of the mean one.
OrbitalState state_on_orbit(ElementsInDegrees const& elements, Anomaly const& anomaly,
                            double gravity);

/// A body that comes nearer, `separation` away on the x axis, on a conic in the x-y plane that it
/// goes round counterclockwise: an ellipse, parabola or hyperbola by its `pericentre` [length] and
/// eccentricity, 0 <= e. The separation is one that the orbit has: from the pericentre to the
/// apocentre, if there is one (farthest()). `gravity` as of state_on_orbit().
OrbitalState state_on_approach(double pericentre, double eccentricity, double separation,
                               double gravity);
/// How long it takes to its pericentre [time].
double time_to_pericentre(double pericentre, double eccentricity, double separation,
                          double gravity);
/// The apocentre; infinity without one.
double farthest(double pericentre, double eccentricity);

}  // namespace apsis::initial_conditions
