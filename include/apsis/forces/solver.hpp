// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/derivatives.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/solver_entry.hpp>

#include <cstdint>
#include <string>

namespace apsis::forces {

/// Evaluates gravity between the bodies; owns the workspaces that takes. `Stored` is the type that
/// the bodies are stored in.
template <class Stored>
class Solver {
 public:
  explicit Solver(Gravity gravity) : gravity_(gravity) {}
  virtual ~Solver() = default;
  Solver(Solver const&) = delete;
  Solver& operator=(Solver const&) = delete;

  Gravity const& gravity() const { return gravity_; }

  /// Overwrites bodies.acceleration with that of the bodies where they are. Does not fence.
  void accelerate(ExecutionSpace const& space, Bodies<Stored> const& bodies) {
    do_accelerate(space, bodies, potential_);
    interactions_ += bodies.size() * interactions_each(bodies.size());
  }

  /// Overwrites rows 0 ... `targets` - 1 of `found` with acceleration and jerk, and with the snap
  /// if there is room for one, of the listed bodies (of all if the list is empty) in the field of
  /// all bodies; the snap counts with bodies.acceleration as everybody's. Does not fence.
  void differentiate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                     BodyList const& listed, std::size_t targets,
                     Derivatives<Stored> const& found) {
    do_differentiate(space, bodies, listed, targets, found);
    interactions_ += targets * interactions_each(bodies.size());
  }

  /// The same for a look at the forces: neither counted nor accompanied by potentials.
  void look(ExecutionSpace const& space, Bodies<Stored> const& bodies) {
    do_accelerate(space, bodies, {});
  }

  /// From now on accelerate() also overwrites `potential` (N values), as potential() does but in
  /// the arithmetic of the forces: a few percent of a sweep instead of another one. The sums are in
  /// double. An empty column ends it.
  void also_find(Column<double> const& potential) { potential_ = potential; }

  /// Overwrites `potential` (N values) with each body's potential in the field of all others
  /// [length^2 / time^2], evaluated and summed in double with the force's own softening: the energy
  /// it gives is that of the scheme that moves the bodies. Does not fence.
  virtual void potential(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                         Column<double> const& potential) = 0;

  /// The kernel that evaluates so many bodies, by its name in the table of kernels.
  virtual std::string kernel(std::size_t bodies) const = 0;

  /// Interactions evaluated so far, by the field's count (N^2 an all-pairs sweep, n N for n
  /// targets).
  std::uint64_t interactions() const { return interactions_; }
  /// Goes on with a count of before.
  void count_on_from(std::uint64_t interactions) { interactions_ = interactions; }

 protected:
  /// Finds potentials too unless `potential` is empty.
  virtual void do_accelerate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                             Column<double> const& potential) = 0;
  virtual void do_differentiate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                                BodyList const& listed, std::size_t targets,
                                Derivatives<Stored> const& found) = 0;
  /// Of one target.
  virtual std::uint64_t interactions_each(std::size_t bodies) const = 0;

 private:
  Gravity gravity_;
  Column<double> potential_;
  std::uint64_t interactions_ = 0;
};

}  // namespace apsis::forces
