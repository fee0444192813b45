// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace apsis::initial_conditions {

/// Mass function dN/dm of one or more power-law segments m^-exponent between limits. It is
/// continuous at the limits of the segments.
class MassFunction {
 public:
  /// Single power law dN/dm ~ m^-exponent from minimum to maximum (Salpeter 1955: exponent 2.35).
  static MassFunction power_law(double exponent, double minimum, double maximum);
  /// Mass function of Kroupa 2001, MNRAS 322, 231, equation 2, between the limits: exponents 0.3
  /// below 0.08, 1.3 below 0.5 and 2.3 above [solar masses].
  static MassFunction kroupa(double minimum, double maximum);

  /// Quantile of the mass: a fraction `u` in (0, 1) of the bodies is lighter. Inverts the
  /// cumulative distribution exactly, so that one uniform random number gives one mass.
  double mass(double u) const;

 private:
  struct Segment {
    double exponent, low, high;
    double weight;  ///< dN/dm at the lower limit, normalised to one body in total
    double below;   ///< fraction of the bodies in the segments below
  };

  /// Precondition: `limits` has one value more than `exponents`.
  MassFunction(std::vector<double> const& limits, std::vector<double> const& exponents);

  std::vector<Segment> segments_;
};

}  // namespace apsis::initial_conditions
