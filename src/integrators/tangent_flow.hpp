// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/vec3.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/integrators/megno.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace apsis::integrators {

/// One vector for each body.
using Displacements = std::vector<Vec3<double>>;

/// Derivatives of the accelerations of few bodies with respect to their positions, at given
/// positions, by any softening law (softening.hpp):
///   d a_i = sum over j of G m_j f (u + g w (r u) r),   r = x_j - x_i,   u = d x_j - d x_i
/// O(N^2) time and memory, on the calling thread.
class PairGradients {
 public:
  /// Reads the bodies, on which kernels may run. Fences.
  void set(ExecutionSpace const& space, Bodies<double> const& bodies,
           forces::Gravity const& gravity);
  /// Sets the change of the accelerations [length / time^2] that displacements [length] cause.
  void apply(Displacements const& displacements, Displacements& accelerations) const;

 private:
  struct Pair {
    Vec3<double> r;          ///< from the body to the source
    double factor, stretch;  ///< G m f and g w
  };
  std::size_t count_ = 0;
  std::vector<std::size_t> sources_;  ///< bodies with mass
  std::vector<Pair> pairs_;           ///< for each body all sources
};

/// A tangent vector of the flow of few bodies: an infinitesimal displacement of all positions and
/// velocities, which moves along by the variational equations. The bodies are only read, so they
/// have the same bits with and without it. It starts in a direction drawn from a seed. A power of
/// two keeps its length within the range of numbers.
///
/// The derivative of a step of drifts and kicks consists of the derivatives of its drifts and
/// kicks, so for compositions the tangent map is exact and symplectic too. Its length is the root
/// of the sum of squares of all displacements and changes of velocity, in the units of the run.
class TangentFlow {
 public:
  /// Largest number of bodies.
  static constexpr std::size_t most_bodies = 64;

  TangentFlow(std::size_t bodies, forces::Gravity const& gravity, std::uint64_t seed);

  /// Derivatives of a drift and of a kick by dt [time]. The kick is that of the present positions.
  void drift(double dt);
  void kick(ExecutionSpace const& space, Bodies<double> const& bodies, double dt);
  /// Ends a step of dt [time]: adds its growth to the MEGNO.
  void end_step(double dt);

  /// Displacements and changes of velocity, for schemes with other steps.
  Displacements& position() { return state_.position; }
  Displacements& velocity() { return state_.velocity; }
  forces::Gravity const& gravity() const { return gravity_; }

  Megno megno() const { return state_.sum.value(); }

  /// State that a step passes to the next one.
  class State {
   public:
    void exchange(ExecutionSpace const& space, SavedState& saved, std::string const& name);

   private:
    friend class TangentFlow;
    Displacements position, velocity;
    double squared_length = 0.0;
    MegnoSum sum;
  };
  State& state() { return state_; }

 private:
  double squared_length() const;

  forces::Gravity gravity_;
  State state_;
  PairGradients gradients_;
  Displacements accelerations_;
};

}  // namespace apsis::integrators
