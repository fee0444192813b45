// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "step_control.hpp"
#include <apsis/core/backend.hpp>

#include <cstddef>
#include <limits>
#include <vector>

/// Massless bodies of the Gauss-Radau scheme, which move in the known field of the massive ones.
namespace apsis::integrators::radau {

/// A number of twice the digits, the sum of two.
struct TwoSum {
  double high, low;

  /// The exact sum of a and b (Knuth 1969).
  KOKKOS_INLINE_FUNCTION static TwoSum of(double a, double b) {
    double const sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
};

/// Layout of the numbers that describe the path of a massive body during a step. Its position at
/// the fraction s is position + sum of terms[k] s^k, where the first term is the low part of the
/// position.
struct SourcePath {
  static constexpr int degree = terms + 2;
  static constexpr int strength = 0;  ///< G m
  static constexpr int position = 1;  ///< at the start of the step
  static constexpr int series = 4;    ///< degree + 1 terms for each axis
  static constexpr int mass = series + 3 * (degree + 1);
  static constexpr int index = mass + 1;         ///< among all bodies
  static constexpr int velocity = index + 1;     ///< at the start of the step
  static constexpr int at_nodes = velocity + 3;  ///< the sums at the nodes 1 ... 7 and at the end
  static constexpr int width = at_nodes + 3 * (terms + 1);

  /// Returns the sum of the terms at the fraction s.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes moved(double const* terms_of_axis, Lanes const& s) {
    Lanes sum = Lanes{} + terms_of_axis[degree];
    for (int k = degree - 1; k >= 0; --k) sum = sum * s + terms_of_axis[k];
    return sum;
  }
  /// Returns the sum to twice the digits (Graillat, Langlois & Louvet 2005).
  KOKKOS_INLINE_FUNCTION static TwoSum moved_exactly(double const* terms_of_axis, TwoSum const& s) {
    double sum = terms_of_axis[degree], error = 0.0, rate = 0.0;
    for (int k = degree - 1; k >= 0; --k) {
      rate = rate * s.high + sum;
      double const product = sum * s.high;
      auto const next = TwoSum::of(product, terms_of_axis[k]);
      error = error * s.high + (Kokkos::fma(sum, s.high, -product) + next.low);
      sum = next.high;
    }
    return {sum, error + rate * s.low};
  }
  /// Returns the derivative of the sum with respect to s.
  KOKKOS_FORCEINLINE_FUNCTION static double rate(double const* terms_of_axis, double s) {
    double sum = 0.0;
    for (int k = degree; k > 0; --k) sum = sum * s + k * terms_of_axis[k];
    return sum;
  }
  /// Sets the numbers of one axis of a body for a step dt.
  KOKKOS_INLINE_FUNCTION static void set(double* path, int axis, Table const& table, double dt,
                                         double x, double x_low, double v, double a0,
                                         Coefficients<double> const& b) {
    double const half = 0.5 * dt * dt;
    double* const sum = path + series + axis * (degree + 1);
    path[position + axis] = x;
    path[velocity + axis] = v;
    sum[0] = x_low;
    sum[1] = dt * v;
    sum[2] = half * a0;
    for (int k = 0; k < terms; ++k) sum[3 + k] = half * table.end.position[k] * b[k];
    for (int n = 1; n <= terms; ++n) {
      path[at_nodes + 3 * (n - 1) + axis] = moved(sum, table.nodes[n].weights.fraction);
    }
    path[at_nodes + 3 * terms + axis] = moved(sum, 1.0);
  }
};

/// Appends a path; SourcePath::set() sets the numbers of its axes.
inline double* append_path(std::vector<double>& paths, double strength, double mass,
                           std::size_t index) {
  paths.resize(paths.size() + SourcePath::width);
  double* const path = paths.data() + paths.size() - SourcePath::width;
  path[SourcePath::strength] = strength;
  path[SourcePath::mass] = mass;
  path[SourcePath::index] = static_cast<double>(index);
  return path;
}

/// Steps of a part of the massless bodies.
struct SubStep {
  double begin, length;           ///< fractions of the step of the massive bodies
  std::vector<std::size_t> rows;  ///< rows of the bodies of this rank with this step
};

/// The massless bodies of this rank. Within each step of the massive bodies each of them makes
/// steps of its own: the largest half, quarter, ... of that step that its error estimate allows.
/// Eight at a time on a host with AVX-512. O(massive bodies) for a step of a massless body; the
/// bits do not depend on which bodies are advanced together.
class MasslessBodies {
 public:
  /// Finds the massless rows. Fences.
  MasslessBodies(ExecutionSpace const& space, Bodies<double> const& bodies);

  /// Evaluates the accelerations with which the first step begins. `paths`: of all massive bodies.
  void start(Motion const& motion, std::vector<double> const& paths);
  /// Reads positions, velocities and accelerations of the bodies.
  void load(Motion const& motion);
  /// Advances all bodies by a step dt of the massive ones, up to accept(). With `keeps_steps`
  /// store() knows the paths within. Returns the fraction of the step that no body ends before: 1,
  /// or less if steps vanish. Collective.
  double advance(Motion const& motion, std::vector<double> const& paths, double dt, double epsilon,
                 bool keeps_steps);
  void accept();
  /// Sets the bodies to a fraction of the step until accept(), then to its end.
  void store(Motion const& motion, double fraction, double dt) const;
  /// Returns the steps of bodies that made several, the same on all ranks; rows are those of this
  /// rank. Precondition: advance() kept the steps. Collective.
  std::vector<SubStep> sub_steps(Context const& context) const;
  void exchange(ExecutionSpace const& space, SavedState& state);

  std::size_t size() const { return rows_.extent(0); }

 private:
  enum class Task { start, step, record };
  void integrate(Motion const& motion, std::vector<double> const& paths, double dt, double epsilon,
                 Task task);
  /// Sets first_step_ from the numbers of steps of each body. Fences.
  void number_steps(ExecutionSpace const& space);

  Kokkos::View<std::size_t*, MemorySpace> rows_;  ///< of the bodies
  Kokkos::View<double**, Kokkos::LayoutLeft, MemorySpace> now_, next_;
  Kokkos::View<double**, Kokkos::LayoutLeft, MemorySpace> steps_;  ///< recorded steps
  Kokkos::View<std::size_t*, MemorySpace> first_step_;             ///< of each body
  bool is_accepted_ = true;
};

}  // namespace apsis::integrators::radau
