// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <limits>
#include <string>

namespace apsis::forces {

/// Which numbers a run uses; a deck's gravity.precision.
enum class Precision { single_precision, double_precision, mixed };

struct PrecisionEntry {
  Precision precision;
  std::string name;
  std::string doc;
};

/// Every precision, the default first.
Registry<PrecisionEntry> const& precisions();

/// The deck's word for a precision.
std::string name_of(Precision precision);

/// The largest squared distance of two bodies that a precision can evaluate [length^2].
inline double largest_square(Precision precision) {
  return precision == Precision::double_precision ? std::numeric_limits<double>::max()
                                                  : std::numeric_limits<float>::max();
}

/// Floating-point operations of an interaction as the field counts them: NVIDIA's sample in single
/// (20) and double (30); 60 with the jerk and 97 with the snap (Nitadori & Makino 2008).
double field_flops(Precision precision, int derivatives);

/// What the engine computes with: bodies are `Stored`, a pair is evaluated in `Real`, and the sums
/// of the tiles are added up in `Total`.
template <class S, class R, class T>
struct Arithmetic {
  using Stored = S;
  using Real = R;
  using Total = T;
  /// Whether a stored coordinate takes two numbers to compute with.
  static constexpr bool split = sizeof(R) < sizeof(S);
};
using Single = Arithmetic<float, float, float>;
using Double = Arithmetic<double, double, double>;
using Mixed = Arithmetic<double, float, double>;
/// For potentials of bodies of any precision.
template <class Stored>
using Widened = Arithmetic<Stored, double, double>;

template <class Number>
inline constexpr Precision precision_for = Number::split ? Precision::mixed
                                           : sizeof(typename Number::Real) == 4
                                               ? Precision::single_precision
                                               : Precision::double_precision;

/// Calls `answer` with the arithmetic of a precision.
template <class Answer>
auto in_precision(Precision precision, Answer const& answer) {
  switch (precision) {
    case Precision::single_precision:
      return answer(Single());
    case Precision::mixed:
      return answer(Mixed());
    default:
      return answer(Double());
  }
}

}  // namespace apsis::forces
