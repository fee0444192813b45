// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "particles.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace apsis::amuse {

/// Types of AMUSE's stopping conditions; their order is that of its stopping_conditions.py.
enum class StoppingType : int {
  collision = 0,
  pair,
  escaper,
  timeout,
  number_of_steps,
  out_of_box,
  density_limit,
  internal_energy_limit,
  interaction_over,
  supernova
};
inline constexpr int stopping_type_count = 10;

/// A condition that was met, and the indices of its particles.
struct StoppingEvent {
  StoppingType type;
  std::vector<int> particles;
};

/// Progress of one call of evolve_model.
struct EvolveProgress {
  std::uint64_t steps;
  double seconds;  ///< wall time
};

/// Conditions that end evolve_model after a step. Supported: collision, timeout, number_of_steps
/// and out_of_box.
class StoppingConditions {
 public:
  static bool is_type(int type) { return type >= 0 && type < stopping_type_count; }
  static bool is_supported(int type);

  void enable(int type, bool on) { enabled_[static_cast<std::size_t>(type)] = on; }
  bool is_enabled(int type) const { return enabled_[static_cast<std::size_t>(type)]; }
  bool is_set(int type) const;
  /// Whether any condition is enabled.
  bool any() const;

  void clear() { events_.clear(); }
  /// Adds the enabled conditions that hold now. Returns whether there are any. O(N log N) for
  /// particles of which few overlap along x.
  bool check(Particles const& particles, EvolveProgress const& progress);
  std::vector<StoppingEvent> const& events() const { return events_; }

  double timeout = 4.0;  ///< [s]
  int number_of_steps = 1;
  double box_size = 0.0;                    ///< largest distance from the centre [length]
  bool box_follows_centre_of_mass = false;  ///< otherwise the centre is the origin

 private:
  bool is_enabled(StoppingType type) const { return is_enabled(static_cast<int>(type)); }
  void add_collisions(Particles const& particles);
  void add_escapes(Particles const& particles);

  std::array<bool, stopping_type_count> enabled_{};
  std::vector<StoppingEvent> events_;
};

}  // namespace apsis::amuse
