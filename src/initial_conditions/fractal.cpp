// SPDX-License-Identifier: Apache-2.0
#include "masses.hpp"

#include <algorithm>
#include <cmath>

/// Box fractal of Goodwin & Whitworth 2004, A&A 413, 929, in the form of McLuster (Kuepper et al.
/// 2011, MNRAS 417, 2300).
namespace apsis::initial_conditions {

namespace {

/// First body index of the random numbers of the nodes and of the choice among the last nodes.
constexpr std::uint64_t node_stream = std::uint64_t{1} << 62;
constexpr std::uint64_t choice_stream = std::uint64_t{1} << 61;

/// Standard deviation of a node's displacement along each axis [sides of its cube].
constexpr double scatter = 0.1;
/// The tree grows until it has this number of nodes in the unit sphere for each body.
constexpr std::size_t nodes_per_body = 4;

struct Node {
  Vec3<double> position;
  Vec3<double> velocity;
};

/// Tree of cubes: each node is the centre of a cube that is divided into eight.
class Tree {
 public:
  Tree(double dimension, std::uint64_t seed) : maturity_(std::exp2(dimension - 3.0)), seed_(seed) {}

  /// The nodes of the last generation in the unit sphere about their mean, at least `fewest`.
  std::vector<Node> grow(std::size_t fewest) {
    nodes_ = {Node{}};
    side_ = 2.0;
    for (;;) {
      divide();
      if (nodes_.empty()) {  // by chance no cube matured: another tree
        nodes_ = {Node{}};
        side_ = 2.0;
        continue;
      }
      auto inner = inside();
      if (inner.size() >= fewest) return inner;
    }
  }

 private:
  /// Replaces each node by those of its children that mature.
  void divide() {
    bool const is_first = nodes_.size() == 1 && side_ == 2.0;
    side_ *= 0.5;
    std::vector<Node> next;
    for (auto const& parent : nodes_) {
      std::size_t const begin = next.size();
      for (unsigned octant = 0; octant < 8; ++octant) {
        BodyRandom random(seed_, node_stream + drawn_++);
        // All of the first eight mature, so that the sphere has no empty octant.
        if (random.uniform() >= maturity_ && !is_first) continue;
        auto const sign = [&](unsigned axis) { return (octant >> axis & 1U) != 0 ? 0.5 : -0.5; };
        Vec3<double> const centre{sign(0), sign(1), sign(2)};
        auto const noise = scatter * random.normal_vector();
        next.push_back({parent.position + side_ * (centre + noise), random.normal_vector()});
      }
      add_to_velocity(next, begin, parent.velocity);
    }
    nodes_ = std::move(next);
  }

  /// Scales the velocities of siblings to zero mean and unit variance, and adds that of the parent.
  static void add_to_velocity(std::vector<Node>& nodes, std::size_t begin, Vec3<double> velocity) {
    auto const count = static_cast<double>(nodes.size() - begin);
    Vec3<double> mean;
    for (std::size_t i = begin; i < nodes.size(); ++i) mean += (1.0 / count) * nodes[i].velocity;
    double sum = 0.0;
    for (std::size_t i = begin; i < nodes.size(); ++i) {
      nodes[i].velocity = nodes[i].velocity - mean;
      sum += dot(nodes[i].velocity, nodes[i].velocity);
    }
    // A single child has the velocity of its parent.
    double const factor = count > 1.0 ? std::sqrt((count - 1.0) / sum) : 0.0;
    for (std::size_t i = begin; i < nodes.size(); ++i) {
      nodes[i].velocity = velocity + factor * nodes[i].velocity;
    }
  }

  std::vector<Node> inside() const {
    Vec3<double> mean;
    double const share = 1.0 / static_cast<double>(nodes_.size());
    for (auto const& node : nodes_) mean += share * node.position;
    std::vector<Node> inner;
    for (auto node : nodes_) {
      node.position = node.position - mean;
      if (dot(node.position, node.position) <= 1.0) inner.push_back(node);
    }
    return inner;
  }

  double maturity_;
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  double side_ = 2.0;  ///< of the cubes of the present generation
  std::vector<Node> nodes_;
};

/// Moves a random choice of `count` nodes to the front (Durstenfeld 1964, CACM 7, 420).
void choose(std::vector<Node>& nodes, std::size_t count, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; ++i) {
    auto const rest = static_cast<double>(nodes.size() - i);
    auto const offset =
        static_cast<std::size_t>(rest * BodyRandom(seed, choice_stream + i).uniform());
    std::swap(nodes[i], nodes[std::min(i + offset, nodes.size() - 1)]);
  }
}

HostBodies make_fractal(Values const& values, double G) {
  auto masses = drawn_masses(values);
  auto const count = masses.each.size();
  HostBodies bodies(count);
  bodies.mass = std::move(masses.each);
  if (count == 0) return bodies;
  auto const seed = requested_seed(values);
  auto nodes = Tree(values.number("dimension"), seed).grow(nodes_per_body * count);
  choose(nodes, count, seed);
  nodes.resize(count);
  double const radius = values.number("radius");
  Vec3<double> mean;
  for (auto const& node : nodes) mean += (1.0 / static_cast<double>(count)) * node.velocity;
  double squared = 0.0;
  for (auto const& node : nodes) {
    auto const v = node.velocity - mean;
    squared += dot(v, v) / static_cast<double>(count);
  }
  // 1/2 <v^2> = Q 3 G M / (5 R), as for a homogeneous sphere; the simulation scales to W.
  double const square = 1.2 * values.number("virial_ratio") * G * masses.total / radius;
  double const factor = squared > 0.0 ? std::sqrt(square / squared) : 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    bodies.position[i] = radius * nodes[i].position;
    bodies.velocity[i] = factor * nodes[i].velocity;
  }
  bring_to_rest(bodies);
  return bodies;
}

}  // namespace

ModelEntry fractal_entry() {
  return cited(
      cluster_entry(
          "fractal",
          "box fractal in a sphere with coherent velocities (Goodwin & Whitworth 2004, A&A 413, "
          "929; Kuepper et al. 2011, MNRAS 417, 2300)",
          {number("dimension", "fractal dimension D; 3 is a uniform sphere, 1.6 is very clumpy")
               .at_least(1.0)
               .at_most(3.0)
               .with_default(2.0),
           positive("radius", "R of the sphere that cuts the fractal [length]")
               .with_default_in_natural_units(1.0),
           virial_ratio_key(0.5)},
          make_fractal, false),
      {"GoodwinWhitworth2004", "Kuepper2011", "Salmon2011"});
}

}  // namespace apsis::initial_conditions
