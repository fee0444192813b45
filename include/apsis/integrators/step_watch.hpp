// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/passages.hpp>

#include <optional>
#include <vector>

namespace apsis::integrators {

/// Path of each body during its last step, a cubic in the time t <= 0 relative to the present:
/// position + velocity t + quadratic t^2 + cubic t^3. Straight paths do not use the last two
/// columns.
struct Paths {
  VectorColumns<double const> position, velocity, quadratic{}, cubic{};
  bool is_straight = true;  ///< the same on all ranks, including ranks without bodies
};

/// Columns in which paths are set, and positions and velocities at the start of the step.
struct PathColumns {
  VectorColumns<double> position, velocity, quadratic, cubic;
  VectorColumns<double> start_position, start_velocity;

  /// The paths in these columns, as Views without reference counts: they are copied several times
  /// in each step of few bodies.
  Paths read(bool is_straight) const {
    auto const view = [](VectorColumns<double> const& columns) {
      return VectorColumns<double const>(columns.data(), columns.extent(0));
    };
    return {view(position), view(velocity), view(quadratic), view(cubic), is_straight};
  }

  /// Sets the path of body i along one axis to the cubic through the positions and velocities at
  /// both ends of a step of length h. Then sets the start of the step to its end.
  KOKKOS_INLINE_FUNCTION void set_hermite(std::size_t i, int axis, double x, double v,
                                          double h) const {
    double const shift = x - start_position(i, axis);
    double const linear = v * h - shift, change = (v - start_velocity(i, axis)) * h;
    position(i, axis) = x;
    velocity(i, axis) = v;
    quadratic(i, axis) = (3.0 * linear - change) / (h * h);
    cubic(i, axis) = (2.0 * linear - change) / (h * h * h);
    start_position(i, axis) = x;
    start_velocity(i, axis) = v;
  }
};

/// Bodies with a step that ends now.
struct MovedBodies {
  forces::BodyRows rows;
  double step = 0.0;         ///< step of all bodies; with levels the step of level 0 [time]
  bool equal_steps = false;  ///< whether the next step is equally long, however close a passage is
  bool has_levels = false;   ///< whether bodies have individual steps; the same on all ranks
  Kokkos::View<int*, MemorySpace> level{};  ///< level of each body, if has_levels

  KOKKOS_FUNCTION double step_of(std::size_t i) const {
    if (!has_levels) return step;
    return static_cast<double>(ticks_of(level(i))) * (step / static_cast<double>(ticks));
  }
};

struct WatchedPairs;

/// Observer of all internal steps of a Stepper: measures the closest approach of two bodies within
/// a step, and how well the steps resolve the passages of massless bodies by massive ones. Pairs of
/// two massless bodies do not count. The findings stay on the device, one row per body; the host
/// reads them when they are due.
///
/// Cost per step: O(massive x moved) pairs for massless bodies, O(bodies x moved) pairs for massive
/// bodies in block steps (otherwise O(massive x massive)). A pair costs a few operations to compare
/// distances; only pairs that may be closer or coarser than the finding so far are evaluated fully.
/// If the bodies are shared among ranks, the paths of all bodies are gathered: O(N) traffic.
class StepWatch {
 public:
  struct Request {
    bool approaches_in_step = false;    ///< closest approach since begin()
    bool approaches_since_row = false;  ///< closest approach since reset_row()
    bool passages = false;              ///< coarsest passage
    /// Approaches in a step at this distance or farther are not needed [length].
    double approach_limit = std::numeric_limits<double>::infinity();
    bool contacts = false;         ///< contacts of the surfaces of bodies, on one rank
    double encounter_limit = 0.0;  ///< closest approaches of pairs below this distance [length]

    bool approaches() const { return approaches_in_step || approaches_since_row; }
    bool meetings() const { return contacts || encounter_limit > 0.0; }
    bool paths() const { return approaches() || meetings(); }
    bool any() const { return paths() || passages; }
  };

  /// `radius`: one for each body of this rank, or none; a body with a radius below 0 is ignored
  /// [length]. Precondition: masses and radii do not change afterwards. O(N) on the host;
  /// collective; fences.
  StepWatch(Context const& context, ReadBodies const& bodies, forces::Gravity const& gravity,
            Request const& request, Column<double> const& radius = {});

  /// Upper bound of the measure of all passages with steps <= dt [time]; infinite without
  /// softening.
  double largest_measure(double dt) const;
  void drop_passages() { request_.passages = false; }
  Request const& request() const { return request_; }
  /// Radii of the bodies, or none [length].
  Column<double> const& radius() const { return radius_; }

  /// Begins an advance of the stepper at the simulated time `time`. Clears the approaches in the
  /// last advance, unless the new one `continues` it.
  void begin(ExecutionSpace const& space, ReadBodies const& bodies, double time,
             bool continues = false);
  /// Whether no step was observed yet.
  bool is_fresh() const { return !has_looked_; }

  /// Observes a step of dt of all bodies, which ends `elapsed` after the start of the advance. Does
  /// not fence, unless the bodies are shared among ranks.
  void observe(Context const& context, ReadBodies const& bodies, double elapsed, double dt,
               bool equal_steps);
  /// Observes one of `parts` equal parts of a step of dt of some bodies, among which are both
  /// bodies of each massive pair or none of them. The part ends `elapsed` after the start of the
  /// advance. Sets the start of the next part of all bodies.
  void observe_part(Context const& context, ReadBodies const& bodies, forces::BodyRows const& rows,
                    double elapsed, double dt, int parts);
  /// Sets the start of the next part of all bodies.
  void restart_paths(ExecutionSpace const& space, ReadBodies const& bodies);
  /// Observes the state before the first of equal steps, for passages only.
  void observe_start(Context const& context, ReadBodies const& bodies, double dt);
  /// Observes individual steps of some bodies, on straight paths of all bodies.
  void observe_straight(Context const& context, ReadBodies const& bodies, MovedBodies const& moved,
                        double elapsed);
  /// Observes individual steps of some bodies, on the paths of all bodies in columns().
  void observe_paths(Context const& context, MovedBodies const& moved, double elapsed);

  /// Workspace for steppers with block steps, which set the paths themselves. Allocated on the
  /// first call.
  PathColumns const& columns(ExecutionSpace const& space);

  /// Returns the meetings since begin(), unsorted, with each pair once per contact or approach;
  /// none if they were not requested. Nothing if there were more than fit: then the buffer has
  /// grown, and the advance must be repeated. Fences.
  std::optional<std::vector<Meeting>> meetings(ExecutionSpace const& space);
  /// Restores the findings at begin(), because the advance is repeated.
  void rewind(ExecutionSpace const& space);
  /// Takes over the findings of a watch of the same bodies with other masses.
  void inherit(Context const& context, StepWatch& earlier);

  // Findings of all ranks; empty if not requested or not known. Collective; fence.
  std::optional<Approach> approach_in_step(Context const& context) const;
  std::optional<Approach> approach_since_row(Context const& context) const;
  /// After the call, passages that are not coarser than the returned one cost less.
  std::optional<Passage> coarsest_passage(Context const& context);

  /// Clears the approaches since the last row, and with `also_marked` those saved by mark().
  void reset_row(ExecutionSpace const& space, bool also_marked);

  /// Saves the findings so far for roll_back(). Collective; fences.
  void mark(Context const& context);
  /// Restores the findings saved by mark().
  void roll_back(ExecutionSpace const& space);

  /// Saves or restores the findings, including those of mark(). Collective.
  void exchange(Context const& context, SavedState& state);

 private:
  struct Findings {
    Approach in_step, since_row;
    Passage passage;
  };
  /// Sources of the pairs: all bodies of all ranks, massive bodies first.
  struct Sources {
    Paths path;
    Kokkos::View<int*, MemorySpace> level;
  };

  void clear(ExecutionSpace const& space);
  /// Straight paths of the bodies; positions and velocities in double are not copied.
  Paths straight_paths(ExecutionSpace const& space, ReadBodies const& bodies);
  void observe(Context const& context, Paths const& paths, MovedBodies const& moved,
               double elapsed);
  void reset_meeting_count(ExecutionSpace const& space);
  void allocate_meetings(ExecutionSpace const& space, std::size_t count);
  /// Saves or restores the size of the buffer of meetings.
  void exchange_meetings(ExecutionSpace const& space, SavedState& state);
  Findings gather_findings(Context const& context);
  Sources sources(Context const& context, Paths const& targets, MovedBodies const& moved);
  WatchedPairs pairs(Paths const& targets, Sources const& sources, MovedBodies const& moved,
                     double elapsed) const;
  void find_approaches(ExecutionSpace const& space, Paths const& targets, Sources const& sources,
                       MovedBodies const& moved, double elapsed);
  void find_meetings(ExecutionSpace const& space, Paths const& targets, Sources const& sources,
                     MovedBodies const& moved, double elapsed);
  void find_passages(ExecutionSpace const& space, Paths const& targets, Sources const& sources,
                     MovedBodies const& moved, double elapsed);
  /// Sets the largest distance of each source from its final position during its step.
  void set_reaches(ExecutionSpace const& space, Sources const& sources, MovedBodies const& moved);

  Request request_;
  forces::Gravity gravity_;
  std::size_t count_;        ///< bodies of this rank
  std::size_t first_;        ///< index of the first body of this rank among all bodies
  std::size_t total_;        ///< bodies of all ranks
  std::size_t massive_ = 0;  ///< massive bodies of all ranks
  double largest_mass_ = 0.0;
  forces::BodyRows number_;          ///< index of each source among all bodies
  Column<double> mass_;              ///< masses of the bodies of this rank
  Column<double> strength_, scale_;  ///< G m and (G m)^(2/3) of each massive source
  std::vector<std::size_t> firsts_;  ///< first body of each rank, then the number of all bodies
  bool has_looked_ = false;          ///< whether a step was observed
  double time_ = 0.0;                ///< simulated time of the start of the advance

  PathColumns columns_, gathered_, ordered_;
  Kokkos::View<int*, MemorySpace> gathered_level_, ordered_level_;
  Column<double> reach_, radius_;

  Kokkos::View<Approach*, MemorySpace> in_step_, since_row_;  ///< findings of each body
  Kokkos::View<Passage*, MemorySpace> passage_;               ///< finding of each body
  Kokkos::View<Approach*, MemorySpace> first_in_step_;        ///< in_step_ at begin()
  Kokkos::View<Approach*, MemorySpace> first_since_row_;      ///< since_row_ at begin()
  Kokkos::View<Passage*, MemorySpace> first_passage_;         ///< passage_ at begin()
  Kokkos::View<Meeting*, MemorySpace> meetings_;
  Kokkos::View<std::size_t, MemorySpace> meeting_count_;  ///< may exceed the extent of meetings_
  Findings earlier_;  ///< findings restored from a checkpoint or by roll_back()
  Findings marked_;   ///< findings saved by mark()
};

}  // namespace apsis::integrators
