// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

namespace apsis::initial_conditions {

/// Sine and cosine of an angle [degrees], exact at multiples of 90.
struct SineCosine {
  double sine;
  double cosine;
};
SineCosine sine_cosine(double degrees);

/// Rotation of vectors by the three Euler angles of celestial mechanics [degrees]: by `argument`
/// about z, then by `inclination` about x, then by `node` about z.
class Rotation {
 public:
  Rotation(double node, double inclination, double argument);
  Vec3<double> operator()(Vec3<double> const& a) const;

 private:
  SineCosine node_, inclination_, argument_;
};

/// Elements of an orbit as in decks; angles in degrees.
struct ElementsInDegrees {
  double semi_major_axis;  ///< [length]; > 0 for an ellipse, < 0 for a hyperbola
  double eccentricity;     ///< 0 <= e < 1, or e > 1
  double mean_anomaly;     ///< any value; for a hyperbola e sinh H - H
  double inclination;
  double node;      ///< longitude of the ascending node
  double argument;  ///< argument of pericentre, from the node
};

/// Anomaly: angle from pericentre that gives the position of a body on its orbit [degrees]. A
/// hyperbola has a mean and a true anomaly f, which is within the asymptotes, e cos f > -1.
struct Anomaly {
  enum class Kind { mean, eccentric, true_ };
  Kind kind;
  double degrees;
};

/// Mean anomaly at t = 0 [degrees] of a pericentre at `time`; `gravity` as for state_on_orbit().
double mean_anomaly_after(double time, double semi_major_axis, double gravity);

/// Position and velocity of a body relative to the body that it orbits.
struct OrbitalState {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// Returns the state on an orbit, for `gravity` = G times the sum of both masses [length^3 /
/// time^2]. Kepler's equation is solved to rounding for all e except 1, for which there is no
/// semi-major axis. Murray & Dermott 1999, Solar System Dynamics, sections 2.3-2.5 and 2.8.
OrbitalState state_on_orbit(ElementsInDegrees const& elements, double gravity);
/// Returns the state on an orbit at the given anomaly; elements.mean_anomaly is not used.
OrbitalState state_on_orbit(ElementsInDegrees const& elements, Anomaly const& anomaly,
                            double gravity);

/// Orbit of any kind by its smallest distance; angles in degrees.
struct Conic {
  double pericentre;    ///< q > 0 [length]
  double eccentricity;  ///< e >= 0; 1 is a parabola
  double inclination;
  double node;      ///< longitude of the ascending node
  double argument;  ///< argument of pericentre, from the node
};

/// Returns the state on a conic `time` after the pericentre passage [time]. Kepler's equation in
/// universal variables, with the pericentre as the origin (Danby 1992, Fundamentals of Celestial
/// Mechanics, sections 6.9 and 6.10), has no singular case: the result is accurate to rounding for
/// every e, also near 1. `gravity` as for state_on_orbit().
OrbitalState state_after_pericentre(Conic const& conic, double time, double gravity);
/// Returns the state at a true anomaly f [degrees] with 1 + e cos f > 0.
OrbitalState state_at_true_anomaly(Conic const& conic, double degrees, double gravity);
/// Returns the state on an ellipse at an eccentric anomaly [degrees].
OrbitalState state_at_eccentric_anomaly(Conic const& conic, double degrees, double gravity);
/// Returns the state on an ellipse or hyperbola at a mean anomaly [degrees].
OrbitalState state_at_mean_anomaly(Conic const& conic, double degrees, double gravity);

/// Semi-major axis of an ellipse with this period (Kepler's third law); `gravity` as above.
double axis_of_period(double period, double gravity);

/// Returns the state of an approaching body at the distance `separation` on the +x axis. Its orbit
/// is an ellipse, parabola or hyperbola in the x-y plane with this `pericentre` [length] and
/// eccentricity >= 0; the motion is counterclockwise. Precondition: pericentre <= separation <=
/// farthest(). `gravity` as for state_on_orbit().
OrbitalState state_on_approach(double pericentre, double eccentricity, double separation,
                               double gravity);
/// Time that this body takes to its pericentre [time].
double time_to_pericentre(double pericentre, double eccentricity, double separation,
                          double gravity);
/// Largest distance on an orbit [length]: the apocentre, or infinity for e >= 1.
double farthest(double pericentre, double eccentricity);

}  // namespace apsis::initial_conditions
