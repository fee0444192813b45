// SPDX-License-Identifier: Apache-2.0
#include "tangent_step.hpp"

#include "gauss_radau.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace apsis::integrators::radau {

namespace {

/// One component of the tangent vector of a body during a step.
struct TangentComponent {
  double x, v, a0;
  Coefficients<double> b{}, g{};
};

/// The components of all bodies, three for each.
class TangentStep {
 public:
  TangentStep(std::array<PairGradients, terms + 1> const& gradients, Displacements const& position,
              Displacements const& velocity)
      : gradients_(gradients) {
    Displacements start;
    gradients.front().apply(position, start);
    for (std::size_t i = 0; i < position.size(); ++i) {
      components_.push_back({position[i].x, velocity[i].x, start[i].x});
      components_.push_back({position[i].y, velocity[i].y, start[i].y});
      components_.push_back({position[i].z, velocity[i].z, start[i].z});
    }
    moved_.resize(position.size());
  }

  /// Iterates until the last coefficient no longer changes but for rounding.
  void solve(double dt) {
    constexpr double converged = 1e-16;
    constexpr int most_sweeps = 30;  // the first one begins with a polynomial of degree 0
    double scale = 0.0, previous = std::numeric_limits<double>::infinity();
    for (auto const& c : components_) scale = std::max(scale, std::abs(c.a0));
    for (int sweep = 1; sweep <= most_sweeps; ++sweep) {
      double const change = visit_nodes(dt);
      if (change <= converged * scale || (sweep > 8 && change >= previous)) return;
      previous = change;
    }
  }

  void store(double dt, Displacements& position, Displacements& velocity) const {
    set_positions(constants.end, dt, position);
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      velocity[i] += {change_of_velocity(3 * i, dt), change_of_velocity(3 * i + 1, dt),
                      change_of_velocity(3 * i + 2, dt)};
    }
  }

 private:
  /// Returns the largest change of b_6.
  double visit_nodes(double dt) {
    double largest = 0.0;
    for (int n = 1; n <= terms; ++n) {
      auto const& node = constants.nodes[n];
      set_positions(node.weights, dt, moved_);
      gradients_[static_cast<std::size_t>(n)].apply(moved_, accelerations_);
      for (std::size_t i = 0; i < accelerations_.size(); ++i) {
        double const acceleration[3] = {accelerations_[i].x, accelerations_[i].y,
                                        accelerations_[i].z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          auto& c = components_[3 * i + axis];
          double const change = update<double>(node, c.a0, acceleration[axis], c.b, c.g);
          if (n == terms) largest = std::max(largest, std::abs(change));
        }
      }
    }
    return largest;
  }

  void set_positions(Weights const& weights, double dt, Displacements& position) const {
    auto const moved = [&](TangentComponent const& c) {
      return c.x + displacement<double>(weights, dt, c.v, c.a0, c.b);
    };
    for (std::size_t i = 0; i < position.size(); ++i) {
      position[i] = {moved(components_[3 * i]), moved(components_[3 * i + 1]),
                     moved(components_[3 * i + 2])};
    }
  }

  double change_of_velocity(std::size_t k, double dt) const {
    return velocity_change<double>(constants.end, dt, components_[k].a0, components_[k].b);
  }

  std::array<PairGradients, terms + 1> const& gradients_;
  std::vector<TangentComponent> components_;
  Displacements moved_, accelerations_;
};

}  // namespace

void advance_tangent(TangentFlow& tangent, ExecutionSpace const& space,
                     Bodies<double> const& bodies, double dt,
                     std::function<void(double)> const& place) {
  std::array<PairGradients, terms + 1> gradients;
  for (int n = 0; n <= terms; ++n) {
    place(n == 0 ? 0.0 : constants.nodes[n].weights.fraction);
    gradients[static_cast<std::size_t>(n)].set(space, bodies, tangent.gravity());
  }
  TangentStep step(gradients, tangent.position(), tangent.velocity());
  step.solve(dt);
  step.store(dt, tangent.position(), tangent.velocity());
  tangent.end_step(dt);
}

}  // namespace apsis::integrators::radau
