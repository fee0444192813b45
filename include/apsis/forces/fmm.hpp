// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/forces/precision.hpp>
#include <apsis/forces/solver.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

// Vocabulary of the FMM, used in src/forces/fmm throughout:
//
//   cell                   consecutive sorted bodies; node of a binary tree (cell_tree.hpp)
//   leaf                   cell without children: the next 32 bodies
//   SFC key                position of a body on Hilbert's curve, by which bodies are sorted;
//                          neighbouring leaves then exchange bodies (tighten.hpp)
//   top level              level of the first targets (default_top_level)
//   target, source         cell or body that receives, or causes, a field
//   acceptance criterion   multipole acceptance criterion (MAC): decides from the radii, the
//                          distance and the accelerations of two cells whether they are well
//                          separated (acceptance.hpp)
//   split, open            of two cells that are not well separated: a target is split into its
//                          children or bodies, or a source is opened into its own
//   interaction list       far list: well separated sources of a target (M2L); near list: sources
//                          of a leaf for P2P; split list: sources left to the children of the
//                          target, or to the bodies of a leaf (interaction_lists.hpp,
//                          traversal.hpp)
//   candidates             sources that a target must classify: the split list of its parent
//   source part            subset of the candidates of a target, so that several groups of lanes
//                          share the work for it (SourcePart)
//   upward pass            from the leaves to the root: spheres and moments of cells
//   downward pass          from the top level to the leaves: lists and local expansions
//   far field, near field  contributions of well separated sources, and of all other sources
//   multipole moments      expansion of the masses of a cell about its centre
//   local expansion        expansion of the far field of a target about its centre
//   P2M, M2M               moments of a leaf from its bodies; of a cell from its children
//                          (build_moments: LeafMoments, ParentMoments)
//   M2L, P2L               local expansion of a target from the moments of a source cell; from a
//                          single body (FarFields)
//   L2L                    local expansion of a target from that of its parent (ShiftFields)
//   L2P, M2P, P2P          field of a body from the local expansion of its leaf; from the moments
//                          of a source cell; from single sources (LeafForces)
//   acceleration floor     lower bound of the accelerations in the criterion
//                          (FindAccelerationFloor)
//   group, lane            one host thread with vector registers, or neighbouring threads of a GPU;
//                          one element of such a vector, or one of the threads (LaneGroup)
//   tile                   as many bodies as a group has lanes, one in each
//   internal units         powers of two in which a sweep computes (Units)
//   share                  leaves over which one rank sweeps (LeafShares)
//   batch                  leaf targets that are evaluated together, to limit the memory for lists
//   workspace              memory that is kept between evaluations (FmmWorkspace)
//
// Example of a tree with level 1 as its top level, and the lists of the target leaf T = 12 and its
// parent P = 6:
//
//   level 0                      1                 f  far list of P:  M2L into P, then L2L to T
//                      +---------+---------+       F  far list of T:  M2L into T, then L2P
//   level 1            2                   3       N  near list of T: P2P
//                 +----+----+         +----+----+
//   level 2       4f        5         6P        7
//              +--+--+   +--+--+   +--+--+   +--+--+
//   level 3    8     9  10F   11N 12T   13N 14F   15F
//
// 5 and 7 are not well separated from 6. Either the target 6 is split: the source is entered in the
// split list of 6, and 12 and 13 classify it. Or the source is opened: 6 classifies its children,
// 10 and 11 or 14 and 15. In the end each pair of leaves is covered exactly once, on some level.
namespace apsis::forces {

namespace fmm {
struct AcceptanceParameters;
class Calibration;
template <class Number>
struct FmmWorkspace;
template <class Number>
struct SweepInput;
struct SweepOutcome;
}  // namespace fmm

/// Fast multipole method, O(N): M2L between well separated cells, P2P between near leaves
/// (src/forces/fmm). Cell-cell interactions are mutual, so momentum is conserved to rounding error
/// if all bodies are targets. For a subset of targets only the cells that contain targets are
/// swept: O(N) for building the cells, and in proportion to the number of targets for the rest.
/// Each target gets the same result as among all bodies. Potentials alone are as accurate as
/// forces, not summed in double.
///
/// The method covers some requests only, see can_evaluate(). The solver that uses it needs another
/// method for the rest: see FmmOrDirect.
///
/// The acceptance criterion uses the accelerations of the previous evaluation, which are part of
/// the saved state; the first evaluation computes initial ones with a geometric criterion. Rows
/// must therefore refer to the same bodies in each evaluation.
///
/// Unless the options set the criterion, it is calibrated to the accuracy. At the start of a run,
/// and then every 64 evaluations, a counted evaluation of all bodies is compared with sums over all
/// pairs for a sample of thousands of bodies. If the errors are too large, it is repeated with a
/// stricter criterion.
///
/// Ranks that share the bodies each build the cells of all bodies, sweep over their share of the
/// leaves and exchange the results: O(N) memory and traffic. The bits depend neither on the number
/// of threads nor on the number of ranks.
template <class Number>
class Fmm {
 public:
  using Stored = typename Number::Stored;

  explicit Fmm(Gravity const& gravity, FmmOptions const& options = {});
  ~Fmm();
  Fmm(Fmm const&) = delete;
  Fmm& operator=(Fmm const&) = delete;

  FmmOptions const& options() const { return options_; }
  /// Measured errors of accelerations; empty before the first measurement.
  std::optional<ForceErrors> errors() const;

  /// Whether the indices of cells suffice for so many bodies: fewer than 2^30.
  static bool is_in_range(std::size_t bodies);

  /// Whether the method covers a request: at least one body; no jerk or snap; all bodies as
  /// sources, and bodies as targets. A request for a subset must include accelerations, and the
  /// accelerations of a previous evaluation must be known if the criterion uses them. Agrees on all
  /// ranks.
  bool can_evaluate(Context const& context, Request<Stored> const& request) const;

  /// Evaluates a request. Returns false on all ranks, with undefined results, if an interaction
  /// list would be too long because hundreds of thousands of bodies are in one place. Precondition:
  /// can_evaluate(). `sources` are the bodies of all ranks; `reference` sums over all pairs, for
  /// measuring errors. Fences.
  bool evaluate(Context const& context, Request<Stored> const& request,
                Sources<Stored> const& sources, Solver<Stored>& reference);

  /// Exchanges the calibration and the number of stored accelerations. Call before
  /// exchange_accelerations().
  void exchange_calibration(SavedState& state);
  /// Exchanges the accelerations of the previous evaluation. Fences.
  void exchange_accelerations(SavedState& state);

 private:
  struct Task;

  bool uses_accelerations() const { return !options_.opening_angle; }
  /// Acceptance criterion of the options, or of the calibration.
  fmm::AcceptanceParameters acceptance() const;

  /// Sorts the bodies and selects the target cells.
  Task prepare(Context const& context, Request<Stored> const& request,
               Sources<Stored> const& sources);
  /// Computes accelerations for the acceptance criterion, with a strict geometric criterion.
  /// Returns false if an interaction list was too long.
  bool compute_initial_accelerations(Task& task);
  /// Sweeps over the targets of all ranks. Returns false if an interaction list was too long.
  bool sweep(Task& task);
  /// Stores the magnitudes of the new accelerations, over G.
  void store_accelerations(Task const& task, Column<Stored> const& magnitude) const;
  /// Measures the errors of the last sweep. Returns whether they are acceptable.
  bool passes_measurement(Task const& task, Solver<Stored>& reference);

  /// Returns the output columns of a sweep: buffers if ranks share the bodies, else the requested
  /// ones.
  Field<Stored> output_columns(ExecutionSpace const& space, Field<Stored> const& requested,
                               fmm::SweepInput<Number> const& input);
  /// Chooses the leaves that this rank sweeps over. Returns the first leaf of each rank, and the
  /// total number. `all_targets`: all bodies are targets.
  std::vector<std::size_t> choose_leaves(Context const& context, bool all_targets,
                                         fmm::SweepInput<Number>& input) const;
  /// Exchanges the outcomes of all ranks and, if all succeeded, their results. Returns whether all
  /// succeeded.
  bool combine_ranks(Task const& task, fmm::SweepOutcome const& rank_outcome);
  /// Gathers the results of all ranks, in the order of the leaves.
  void gather_leaf_rows(Context const& context, std::vector<std::size_t> first_rows,
                        Field<Stored> const& rank_field);

  Gravity gravity_;
  FmmOptions options_;
  /// Acceleration of each body in the previous evaluation, over G [mass / length^2].
  Column<Stored> acceleration_;
  /// Results of the leaves of this rank if ranks share the bodies; otherwise accelerations that
  /// were not requested.
  Field<Stored> scratch_;
  Field<Stored> gathered_;  ///< results of all ranks in the order of the leaves
  std::unique_ptr<fmm::Calibration> calibration_;
  std::unique_ptr<fmm::FmmWorkspace<Number>> workspace_;
};

extern template class Fmm<Single>;
extern template class Fmm<Double>;
extern template class Fmm<Mixed>;

}  // namespace apsis::forces
