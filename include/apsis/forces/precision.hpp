// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <limits>
#include <string>
#include <type_traits>

namespace apsis::forces {

/// Precision of a run; value of the deck key gravity.precision.
enum class Precision { single_precision, double_precision, mixed };

struct PrecisionEntry {
  Precision precision;
  std::string name;
  std::string doc;
};

/// All precisions, the default first.
Registry<PrecisionEntry> const& precisions();

/// Name of a precision in the deck.
std::string name_of(Precision precision);

/// Largest squared distance of two bodies that a precision can evaluate [length^2].
inline double largest_square(Precision precision) {
  return precision == Precision::double_precision ? std::numeric_limits<double>::max()
                                                  : std::numeric_limits<float>::max();
}

/// Floating-point operations per interaction by the convention of the field: NVIDIA's sample in
/// single (20) and double (30); 60 with the jerk and 97 with the snap (Nitadori & Makino 2008).
double field_flops(Precision precision, int derivatives);

/// Arithmetic types: bodies are `Stored`, a pair is evaluated in `Real`, and the sums of the tiles
/// are added up in `Total`.
template <class S, class R, class T>
struct Arithmetic {
  using Stored = S;
  using Real = R;
  using Total = T;
  /// Whether a stored coordinate is split into two numbers for the evaluation.
  static constexpr bool split = sizeof(R) < sizeof(S);
  /// Whether coordinates have low parts in columns of their own (Sources::position_low).
  static constexpr bool has_low_columns = false;
};
using Single = Arithmetic<float, float, float>;
using Double = Arithmetic<double, double, double>;
using Mixed = Arithmetic<double, float, double>;
/// An arithmetic with coordinates in two numbers, of which the separation of a pair is formed
/// before it is rounded.
template <class Number>
struct Compensated : Number {
  static constexpr bool has_low_columns = true;
};
/// For potentials of bodies in any precision.
template <class Stored>
using Widened = Arithmetic<Stored, double, double>;

template <class Number>
inline constexpr Precision precision_for = Number::split ? Precision::mixed
                                           : sizeof(typename Number::Real) == 4
                                               ? Precision::single_precision
                                               : Precision::double_precision;

/// Arithmetic for positions with low parts. Pairs in single precision do not read them: the
/// rounding of the pair is larger.
template <class Number>
using WithLowParts =
    std::conditional_t<std::is_same_v<Number, Double>, Compensated<Number>, Number>;

/// Calls `function` with the arithmetic of a precision.
template <class Function>
auto in_precision(Precision precision, Function const& function) {
  switch (precision) {
    case Precision::single_precision:
      return function(Single());
    case Precision::mixed:
      return function(Mixed());
    default:
      return function(Double());
  }
}

}  // namespace apsis::forces
