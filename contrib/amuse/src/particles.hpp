// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace apsis::amuse {

/// Particles of the worker, in ascending order of their AMUSE indices. An index stays valid when
/// other particles are deleted, and is never used again.
class Particles {
 public:
  /// Adds a particle and returns its index.
  int add(double mass, Vec3<double> const& position, Vec3<double> const& velocity, double radius);
  /// Deletes the particle in a row; compact() removes the row.
  void remove(std::size_t row);
  /// Removes the rows of deleted particles.
  void compact();

  /// Row of an index; nothing if there is no such particle. O(log N).
  std::optional<std::size_t> row_of(int index) const;
  int index_of(std::size_t row) const { return static_cast<int>(bodies_.id[row]); }
  /// First particle in this row or a later one; nothing if there is none.
  std::optional<std::size_t> next_row(std::size_t row) const;
  /// Number of particles that are not deleted.
  std::size_t count() const { return bodies_.size() - removed_; }

  /// All rows, also those of deleted particles. Ids are AMUSE indices.
  HostBodies const& rows() const { return bodies_; }
  /// Rows without those of deleted particles.
  HostBodies bodies() const;
  /// Radius of each row [length].
  std::vector<double> const& radius() const { return radius_; }

  void set_mass(std::size_t row, double mass) { bodies_.mass[row] = mass; }
  void set_position(std::size_t row, Vec3<double> const& x) { bodies_.position[row] = x; }
  void set_velocity(std::size_t row, Vec3<double> const& v) { bodies_.velocity[row] = v; }
  void set_radius(std::size_t row, double radius) { radius_[row] = radius; }
  /// Takes over positions and velocities of a simulation of all rows, in the same order.
  void take_motion(HostBodies const& bodies);

 private:
  HostBodies bodies_;
  std::vector<double> radius_;
  std::vector<bool> is_removed_;
  std::size_t removed_ = 0;
  int last_index_ = 0;
};

}  // namespace apsis::amuse
