// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/passages.hpp>

#include <optional>
#include <vector>

namespace apsis::integrators {

/// The way of each body up to the present time, a cubic in the time t <= 0 before it:
/// position + velocity t + quadratic t^2 + cubic t^3. It holds over the body's last step. Straight
/// ways do not read the last two columns.
template <class Real>
struct Paths {
  VectorColumns<Real> position, velocity;
  VectorColumns<double> quadratic{}, cubic{};
  bool is_straight = true;  ///< the same on all ranks, also on one without bodies
};

/// Positions and velocities at the start of each body's step.
template <class Real>
struct StepStart {
  VectorColumns<Real> position, velocity;
};

/// Sets the path of body i along one axis to the cubic that has the positions and velocities of
/// both ends of a step of length h, and moves the step's start to its end.
template <class Real>
KOKKOS_INLINE_FUNCTION void set_hermite_path(Paths<Real> const& paths, StepStart<Real> const& start,
                                             std::size_t i, int axis, Real x, Real v, double h) {
  double const way = static_cast<double>(x) - static_cast<double>(start.position(i, axis));
  double const linear = v * h - way;
  double const change = (static_cast<double>(v) - static_cast<double>(start.velocity(i, axis))) * h;
  paths.position(i, axis) = x;
  paths.velocity(i, axis) = v;
  paths.quadratic(i, axis) = (3.0 * linear - change) / (h * h);
  paths.cubic(i, axis) = (2.0 * linear - change) / (h * h * h);
  start.position(i, axis) = x;
  start.velocity(i, axis) = v;
}

/// The bodies whose steps end now: the first `count` of a list, or all if it is empty.
struct MovedBodies {
  forces::BodyList listed;
  std::size_t count = 0;
  double step = 0.0;         ///< of all bodies, or of those of level 0 [time]
  bool equal_steps = false;  ///< whether the next step is as long, however close a passage is
  bool has_levels = false;   ///< whether each body has its own step; the same on all ranks
  Kokkos::View<int*, MemorySpace> level{};  ///< of all bodies then

  KOKKOS_FUNCTION double step_of(std::size_t i) const {
    if (!has_levels) return step;
    return static_cast<double>(ticks_of(level(i))) * (step / static_cast<double>(ticks));
  }
};

template <class Real>
struct WatchedPairs;

/// Looks at pairs of bodies after every internal step of a Stepper: the closest approach within the
/// step, and how well the step resolves the passages of massless bodies by massive ones. Pairs of
/// two massless bodies do not count. The findings stay on the device, one row for each body; the
/// host asks for them at its schedule.
///
/// Cost of each look: O(massive x moved) pairs for massless bodies, O(bodies x moved) for massive
/// ones in block steps (O(massive x massive) else), each a few operations that compare distances;
/// pairs that may be closer or coarser than those found before are worked out. Where ranks share
/// the bodies, the paths of all bodies are gathered, O(N) traffic.
template <class Real>
class StepWatch {
 public:
  struct Request {
    bool approaches_in_step = false;    ///< since begin()
    bool approaches_since_row = false;  ///< since forget_row()
    bool passages = false;
    /// Approaches in a step that are not closer than this are not needed [length].
    double approach_limit = std::numeric_limits<double>::infinity();

    bool approaches() const { return approaches_in_step || approaches_since_row; }
    bool any() const { return approaches() || passages; }
  };

  /// The bodies' masses must not change afterwards. O(N) on the host; collective; fences.
  StepWatch(Context const& context, Bodies<Real> const& bodies, forces::Gravity const& gravity,
            Request const& request);

  /// The largest measure that any passage can have with steps no longer than dt; infinite without
  /// softening.
  double largest_measure(double dt) const;
  void drop_passages() { request_.passages = false; }
  Request const& request() const { return request_; }

  /// An advance of the stepper begins at `time`. Forgets the approaches of the last one.
  void begin(ExecutionSpace const& space, Bodies<Real> const& bodies, double time);
  /// Whether there was no look yet.
  bool is_fresh() const { return !has_looked_; }

  /// All bodies have made a step of dt, `elapsed` after the beginning of the advance. Does not
  /// fence but where ranks share the bodies.
  void look(Context const& context, Bodies<Real> const& bodies, double elapsed, double dt,
            bool equal_steps);
  /// The same before the first of equal steps, for passages alone.
  void look_at_start(Context const& context, Bodies<Real> const& bodies, double dt);
  /// Some bodies have made steps of their own; `paths` are those of all bodies.
  void look(Context const& context, Paths<Real> const& paths, MovedBodies const& moved,
            double elapsed);

  /// For steppers with block steps that make the paths themselves; allocated on the first call.
  Paths<Real> const& paths(ExecutionSpace const& space);
  StepStart<Real> const& start(ExecutionSpace const& space);

  // Findings of all ranks. Collective; fence.
  std::optional<Approach> approach_in_step(Context const& context) const;
  std::optional<Approach> approach_since_row(Context const& context) const;
  /// Passages that are no coarser than this one cost less from now on.
  std::optional<Passage> coarsest_passage(Context const& context);

  /// Forgets the approaches since the last row, and with `also_marked` those of the mark.
  void forget_row(ExecutionSpace const& space, bool also_marked);

  /// Keeps the findings so far to go back to. Collective; fences.
  void mark(Context const& context);
  void go_back(ExecutionSpace const& space);

  void exchange(Context const& context, SavedState& state);

 private:
  struct Findings {
    Approach in_step, since_row;
    Passage passage;
  };
  /// What pairs are made with: all bodies of all ranks, the massive ones first.
  struct Sources {
    Paths<Real> path;
    Kokkos::View<int*, MemorySpace> level;
  };

  void clear(ExecutionSpace const& space);
  Findings all(Context const& context);
  Sources sources(Context const& context, Paths<Real> const& own, MovedBodies const& moved);
  WatchedPairs<Real> pairs(Paths<Real> const& own, Sources const& sources, MovedBodies const& moved,
                           double elapsed) const;
  void look_for_approaches(ExecutionSpace const& space, Paths<Real> const& own,
                           Sources const& sources, MovedBodies const& moved, double elapsed);
  void look_for_passages(ExecutionSpace const& space, Paths<Real> const& own,
                         Sources const& sources, MovedBodies const& moved, double elapsed);

  Request request_;
  forces::Gravity gravity_;
  std::size_t count_, first_, total_;  ///< bodies here, the number of the first, of all ranks
  std::size_t massive_ = 0;            ///< of all ranks
  double largest_mass_ = 0.0;
  bool in_front_ = false;            ///< whether the massive bodies come first
  forces::BodyList number_;          ///< of the body in each row of the sources
  Column<Real> mass_;                ///< of the bodies here
  Column<double> strength_, scale_;  ///< G m of each massive source, and its power of 2/3
  std::vector<std::size_t> firsts_;  ///< the first body of each rank, and the number of all
  bool has_looked_ = false;
  double time_ = 0.0;  ///< of the beginning of the advance

  Paths<Real> paths_;
  StepStart<Real> start_;
  Paths<Real> gathered_, ordered_;
  Kokkos::View<int*, MemorySpace> gathered_level_, ordered_level_;
  Column<double> reach_;

  Kokkos::View<Approach*, MemorySpace> in_step_, since_row_;  ///< of each body
  Kokkos::View<Passage*, MemorySpace> passage_;               ///< of each body
  Findings earlier_;  ///< of the process before, or before going back
  Findings marked_;
};

extern template class StepWatch<float>;
extern template class StepWatch<double>;

}  // namespace apsis::integrators
