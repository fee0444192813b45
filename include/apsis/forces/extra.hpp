// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/extra_entry.hpp>
#include <apsis/forces/request.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// Forces besides gravity: external fields, and forces of one body on all others. A solver adds
/// them to the gravity of each request. A force is a formula, see extra_formula.hpp.
namespace apsis::forces {

/// The bodies of a run to which forces are bound.
struct BodiesOfForces {
  std::vector<std::uint64_t> id;      ///< of the bodies of this rank
  std::vector<double> mass;           ///< of the bodies of this rank [mass]
  std::vector<std::uint8_t> species;  ///< of all bodies, on one rank at least; empty: all `dark`
  std::size_t first = 0;              ///< index of the first body of this rank
  std::size_t total = 0;              ///< bodies of all ranks
  /// Rows of bodies that were merged or removed, on which no force acts; of bodies on one rank.
  std::vector<std::size_t> gone{};
};

/// Few bodies in the memory of one host thread, and their accelerations, to which forces are added:
/// all bodies of the run, or some that include all with mass.
struct FewRows {
  std::size_t count;
  double const* position[3];  ///< [length]
  double const* velocity[3];  ///< [length / time]
  double const* mass;         ///< [mass]
  double* acceleration[3];    ///< [length / time^2]
  double time;                ///< [time]
  /// Index of each row among all bodies of the run; null: the rows are all of them.
  std::size_t const* index = nullptr;

  std::size_t index_of(std::size_t row) const { return index == nullptr ? row : index[row]; }
};

/// Results that one pass over the targets adds.
enum class ForcePass {
  values,  ///< accelerations and potentials, as requested
  jerks,   ///< the first derivative of the accelerations
  snaps,   ///< the first and second derivatives
};

/// A force of a run. Arithmetic is in double whatever the precision of the bodies.
class ExtraForce {
 public:
  virtual ~ExtraForce() = default;

  /// Throws a bad-input error unless all bodies that the force names exist and can carry it.
  virtual void check(std::vector<std::uint64_t> const& ids,
                     std::vector<double> const& masses) const = 0;
  /// Finds the bodies that the force names. Call again after masses have changed. Collective.
  /// Throws a bad-input error as check() does.
  virtual void bind(Context const& context, BodiesOfForces const& bodies) = 0;

  /// Adds the force to the results of a request. Collective. Fences if the force reacts on its
  /// source. O(targets), or O(N) if it reacts.
  virtual void add(Context const& context, Request<float> const& request, double time,
                   ForcePass pass) const = 0;
  virtual void add(Context const& context, Request<double> const& request, double time,
                   ForcePass pass) const = 0;
  /// Adds the accelerations of the rows, on the calling thread.
  virtual void add_few(FewRows const& rows) const = 0;

  /// Potential energy of all bodies, each pair counted once [mass length^2 / time^2]. Collective;
  /// fences. O(N).
  virtual double energy(Context const& context, Bodies<float> const& bodies, double time) const = 0;
  virtual double energy(Context const& context, Bodies<double> const& bodies,
                        double time) const = 0;

  /// Quantities that the force conserves with the bodies to which it is bound.
  virtual ConservedSums conserved() const = 0;

  /// Saves or restores the state that changes during a run; nothing by default.
  virtual void exchange(SavedState& /*state*/) {}
};

/// Whether a force depends on the frame of the coordinates, as a field at rest in them does: a
/// common velocity of all bodies then changes their motion relative to each other.
inline bool fixes_frame(ExtraForceEntry const& force) {
  return !force.has_source;
}

/// The forces of a run.
class ExtraForces {
 public:
  ExtraForces(std::vector<PlannedForce> const& plans, ExtraForceSetting const& setting);

  void bind(Context const& context, BodiesOfForces const& bodies);
  /// Adds all forces, or `only_fields`: those that fix the frame, to the results of a request. Its
  /// targets are among its sources. Collective.
  template <class Stored>
  void add(Context const& context, Request<Stored> const& request, double time,
           bool only_fields = false) const;
  void add_few(FewRows const& rows) const {
    for (auto const& force : forces_) force->add_few(rows);
  }
  /// Potential energy of all bodies [mass length^2 / time^2]. Collective; fences.
  template <class Stored>
  double energy(Context const& context, Bodies<Stored> const& bodies, double time) const;

  /// Whether any force fixes the frame.
  bool has_fields() const { return has_fields_; }
  bool depends_on_velocity() const { return depends_on_velocity_; }
  /// Quantities that all forces together conserve; valid after bind().
  ConservedSums const& conserved() const { return conserved_; }
  void exchange(SavedState& state) {
    for (auto const& force : forces_) force->exchange(state);
  }

 private:
  std::vector<std::unique_ptr<ExtraForce>> forces_;
  std::vector<bool> is_field_;
  bool has_fields_ = false;
  ConservedSums conserved_;
  bool depends_on_velocity_ = false;
};

}  // namespace apsis::forces
