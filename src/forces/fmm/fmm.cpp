// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/fmm.hpp"

#include "calibration.hpp"
#include "core/transport.hpp"
#include "forces/sweep.hpp"
#include "operators.hpp"
#include "store_results.hpp"
#include "sweep_input.hpp"
#include "tuning.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace apsis::forces {

namespace {

/// Distance beyond which a source of finite size acts as a point [length]; 0 for points.
double source_radius(Gravity const& gravity) {
  double radius = 0.0;
  with_softening(gravity, [&](auto const& softening) {
    if constexpr (requires { softening.H; }) radius = softening.H;
  });
  return radius;
}

}  // namespace

/// One evaluation of a request.
template <class Number>
struct Fmm<Number>::Task {
  Context const& context;
  Request<Stored> const& request;
  Sources<Stored> const& sources;  ///< of all ranks
  fmm::SweepInput<Number> input;
  fmm::LeafRows leaf_rows{};                ///< rows of gathered results
  std::vector<std::size_t> first_leaves{};  ///< of each rank, if ranks share the bodies
  Field<Stored> output{};                   ///< columns of the last sweep of this rank
};

template <class Number>
Fmm<Number>::Fmm(Gravity const& gravity, FmmOptions const& options)
    : gravity_(gravity),
      options_(options),
      calibration_(std::make_unique<fmm::Calibration>(options.accuracy)),
      workspace_(std::make_unique<fmm::FmmWorkspace<Number>>()) {
  APSIS_EXPECT(options.accuracy > 0.0, "the accuracy must be > 0");
}

template <class Number>
Fmm<Number>::~Fmm() = default;

template <class Number>
bool Fmm<Number>::is_in_range(std::size_t bodies) {
  return bodies < fmm::max_bodies;
}

template <class Number>
std::optional<ForceErrors> Fmm<Number>::errors() const {
  auto const last_error = calibration_->last_error();
  if (!last_error) return std::nullopt;
  return ForceErrors{options_.accuracy, *last_error, calibration_->worst_error()};
}

template <class Number>
void Fmm<Number>::exchange_calibration(SavedState& state) {
  // The keys belong to the format of checkpoints and are older than the names of the members.
  std::uint64_t rows = acceleration_.extent(0);
  state.exchange("fmm/rows", rows);
  calibration_->exchange(state);
  if (state.restores())
    fit(ExecutionSpace(), acceleration_, "apsis::forces::fmm::acceleration", rows);
}

template <class Number>
void Fmm<Number>::exchange_accelerations(SavedState& state) {
  if (acceleration_.extent(0) == 0) return;
  Kokkos::fence("apsis::forces::fmm: accelerations are complete before they are saved");
  state.exchange_replicated(ExecutionSpace(), "fmm/pull", acceleration_);
}

template <class Number>
bool Fmm<Number>::can_evaluate(Context const& context, Request<Stored> const& request) const {
  std::size_t const bodies = request.sources.total;
  if (bodies == 0 || !is_in_range(bodies)) return false;
  if (!is_shared(context) && request.sources.size() != bodies) return false;
  if (request.wanted.has(Wants::jerk | Wants::snap)) return false;
  if (request.is_mutual()) return true;
  // The cells need all bodies as sources, not only the massive ones at the beginning of the
  // columns.
  if (request.targets.position.extent(0) != request.sources.size()) return false;
  return request.is_among_sources() && request.wanted.has(Wants::acceleration) &&
         (!uses_accelerations() || acceleration_.extent(0) == bodies);
}

template <class Number>
bool Fmm<Number>::evaluate(Context const& context, Request<Stored> const& request,
                           Sources<Stored> const& sources, Solver<Stored>& reference) {
  Task task = prepare(context, request, sources);
  bool const has_accelerations = task.input.acceleration.extent(0) == sources.size();
  if (uses_accelerations() && !has_accelerations && !compute_initial_accelerations(task))
    return false;
  // Uncounted evaluations and potentials leave the saved state unchanged.
  bool const is_stored = request.counted && request.wanted.has(Wants::acceleration);
  bool const is_measured = is_stored && request.is_mutual() && options_.controls_accuracy() &&
                           calibration_->begin_evaluation();
  do {
    task.input.acceptance = acceptance();
    if (!sweep(task)) return false;
    if (is_shared(context)) {
      fmm::copy_rank_rows(context.space, gathered_, task.leaf_rows,
                          {request.sources.first, request.sources.size()}, request.wanted);
    }
  } while (is_measured && !passes_measurement(task, reference));
  if (!is_stored || !uses_accelerations()) return true;
  if (acceleration_.extent(0) != sources.size()) acceleration_ = task.input.acceleration;
  store_accelerations(task, acceleration_);
  return true;
}

template <class Number>
fmm::AcceptanceParameters Fmm<Number>::acceptance() const {
  fmm::AcceptanceParameters parameters;
  parameters.theta = options_.opening_angle.value_or(parameters.theta);
  parameters.max_cell_error =
      options_.opening_error.value_or(calibration_->fraction() * options_.accuracy);
  parameters.source_radius = source_radius(gravity_);
  return parameters;
}

template <class Number>
typename Fmm<Number>::Task Fmm<Number>::prepare(Context const& context,
                                                Request<Stored> const& request,
                                                Sources<Stored> const& sources) {
  auto const& space = context.space;
  auto& workspace = *workspace_;
  std::size_t const bodies = sources.size();
  workspace.sorted_bodies.sort(space, sources, bodies);
  Task task{context, request, sources, {{}, acceleration_, workspace}};
  if (!request.is_mutual()) {
    task.input.targets = fmm::TargetRows::listed(
        fmm::find_target_rows(context, request, workspace.rank_rows, workspace.rows));
  }
  auto const& order = workspace.sorted_bodies.order;
  workspace.targets.select(space,
                           fmm::CellTree::make(bodies, fmm::leaf_size<typename Number::Real>),
                           order, task.input.targets);
  task.leaf_rows = workspace.targets.rows(order, task.input.targets);
  return task;
}

template <class Number>
bool Fmm<Number>::compute_initial_accelerations(Task& task) {
  auto& input = task.input;
  input.acceleration = {};
  input.acceptance = {};
  input.acceptance.theta = 0.6;
  input.acceptance.source_radius = source_radius(gravity_);
  if (!sweep(task)) return false;
  grow(task.context.space, input.acceleration, "apsis::forces::fmm::acceleration",
       task.sources.size());
  store_accelerations(task, input.acceleration);
  return true;
}

template <class Number>
bool Fmm<Number>::sweep(Task& task) {
  auto const& context = task.context;
  auto const& request = task.request;
  bool const shared = is_shared(context);
  if (shared) task.first_leaves = choose_leaves(context, request.is_mutual(), task.input);
  task.output = output_columns(context.space, request.wanted, task.input);
  Evaluation<Number> const evaluation{context.space, gravity_, task.sources, request.targets,
                                      task.output};
  auto const outcome = fmm::with_operators<typename Number::Real>(
      fmm::expansion_order(options_),
      [&](auto const& operators) { return fmm::sweep(evaluation, task.input, operators); });
  return shared ? combine_ranks(task, outcome) : outcome.succeeded != 0;
}

template <class Number>
bool Fmm<Number>::combine_ranks(Task const& task, fmm::SweepOutcome const& rank_outcome) {
  bool succeeded = true;
  std::vector<double> seconds;
  for (auto const& outcome : gather_values(task.context, std::vector{rank_outcome})) {
    succeeded &= outcome.succeeded != 0;
    seconds.push_back(outcome.seconds);
  }
  if (!succeeded) return false;
  if (task.request.is_mutual()) workspace_->shares.learn(seconds);
  gather_leaf_rows(task.context, task.first_leaves, task.output);
  return true;
}

template <class Number>
void Fmm<Number>::store_accelerations(Task const& task, Column<Stored> const& magnitude) const {
  auto const& space = task.context.space;
  if (is_shared(task.context)) {
    fmm::store_leaf_accelerations(space, gathered_.acceleration, task.leaf_rows, gravity_.G,
                                  magnitude);
  } else {
    fmm::store_accelerations(space, task.output.acceleration, task.input.targets, gravity_.G,
                             magnitude);
  }
}

template <class Number>
bool Fmm<Number>::passes_measurement(Task const& task, Solver<Stored>& reference) {
  return calibration_->process_measurement(fmm::sample_error<Stored>(
      task.context, reference, task.request, task.sources, calibration_->round()));
}

template <class Number>
Field<typename Number::Stored> Fmm<Number>::output_columns(ExecutionSpace const& space,
                                                           Field<Stored> const& requested,
                                                           fmm::SweepInput<Number> const& input) {
  constexpr std::size_t leaf_capacity = fmm::leaf_size<typename Number::Real>;
  std::size_t const leaves = workspace_->targets.leaves();
  auto output = requested;
  output.wants = output.wants | Wants::acceleration;
  if (!input.leaf_share) {
    if (requested.has(Wants::acceleration)) return output;
    auto const columns = workspace_->sorted_bodies.scratch_columns(leaves * leaf_capacity);
    if (!columns)
      grow(space, scratch_.acceleration, "apsis::forces::fmm::scratch", leaves * leaf_capacity);
    output.acceleration = columns.value_or(scratch_.acceleration);
    return output;
  }
  std::size_t const row_count = input.leaf_share->count * leaf_capacity;
  grow(space, gathered_.acceleration, "apsis::forces::fmm::gathered", leaves * leaf_capacity);
  grow(space, scratch_.acceleration, "apsis::forces::fmm::rank_results", row_count);
  output.acceleration = scratch_.acceleration;
  if (!requested.has(Wants::potential)) return output;
  grow(space, gathered_.potential, "apsis::forces::fmm::gathered_potential",
       leaves * leaf_capacity);
  grow(space, scratch_.potential, "apsis::forces::fmm::rank_potential", row_count);
  output.potential = scratch_.potential;
  return output;
}

template <class Number>
std::vector<std::size_t> Fmm<Number>::choose_leaves(Context const& context, bool all_targets,
                                                    fmm::SweepInput<Number>& input) const {
  std::size_t const rank = context.communicator->rank(), size = context.communicator->size();
  // Times of sweeps over all bodies do not apply to subsets.
  auto const shares = all_targets ? workspace_->shares : fmm::LeafShares();
  auto first_leaves = shares.first_leaves(workspace_->targets.leaves(), size);
  input.leaf_share = Share{first_leaves[rank], first_leaves[rank + 1] - first_leaves[rank]};
  return first_leaves;
}

template <class Number>
void Fmm<Number>::gather_leaf_rows(Context const& context, std::vector<std::size_t> first_rows,
                                   Field<Stored> const& rank_field) {
  std::size_t const size = context.communicator->size(), rank = context.communicator->rank();
  for (auto& first : first_rows) first *= fmm::leaf_size<typename Number::Real>;
  std::vector<std::span<std::byte const>> sent;
  std::vector<std::span<std::byte>> received;
  auto const add = [&](auto const& rank_rows, auto const& all_rows) {
    append_bytes(sent, rank_rows, first_rows[rank + 1] - first_rows[rank]);
    append_bytes(received, all_rows, first_rows[size]);
  };
  add(rank_field.acceleration, gathered_.acceleration);
  if (rank_field.has(Wants::potential)) add(rank_field.potential, gathered_.potential);
  context.communicator->transport().gather(context.space, sent, received, first_rows);
}

template class Fmm<Single>;
template class Fmm<Double>;
template class Fmm<Mixed>;

}  // namespace apsis::forces
