// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace apsis::initial_conditions {

/// A mass function dN/dm that is a power law m^-exponent between limits, continuous from one
/// segment to the next. A plain power law has one segment.
class MassFunction {
 public:
  /// dN/dm ~ m^-exponent from minimum to maximum (Salpeter 1955: exponent 2.35).
  static MassFunction power_law(double exponent, double minimum, double maximum);
  /// Kroupa 2001, MNRAS 322, 231, equation 2, cut to the limits: exponents 0.3 below 0.08, 1.3
  /// below 0.5 and 2.3 above [solar masses].
  static MassFunction kroupa(double minimum, double maximum);

  /// The mass that a fraction `u` in (0, 1) of the bodies is lighter than: exact inversion, so that
  /// one uniform number gives one mass.
  double mass(double u) const;

 private:
  struct Segment {
    double exponent, low, high;
    double weight;  ///< dN/dm at its lower end, for one body in all
    double below;   ///< bodies in the segments below, as a fraction of all
  };

  /// `limits` has one value more than `exponents`.
  MassFunction(std::vector<double> const& limits, std::vector<double> const& exponents);

  std::vector<Segment> segments_;
};

}  // namespace apsis::initial_conditions
