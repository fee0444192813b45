// SPDX-License-Identifier: Apache-2.0
#include "../sweep.hpp"
#include "calibration.hpp"
#include "orders.hpp"
#include "tuning.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/transport.hpp>
#include <apsis/forces/fmm.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace apsis::forces {

namespace {

/// Radius of a source of finite size [length]; 0 for points.
double source_radius(Gravity const& gravity) {
  if (!has_size(gravity)) return 0.0;
  bool const spline = gravity.softening_kernel == SofteningKernel::spline;
  return gravity.softening * (spline ? Spline::length : WendlandC2::length);
}

template <class Stored>
KOKKOS_INLINE_FUNCTION Stored acceleration_magnitude(VectorColumns<Stored> const& acceleration,
                                                     std::size_t row, double over_G) {
  auto const x = static_cast<double>(acceleration(row, 0));
  auto const y = static_cast<double>(acceleration(row, 1));
  auto const z = static_cast<double>(acceleration(row, 2));
  return static_cast<Stored>(Kokkos::sqrt(x * x + (y * y + z * z)) * over_G);
}

double inverse(double G) {
  return G > 0.0 ? 1.0 / G : 0.0;
}

/// Stores the magnitudes of the accelerations, over G, of all bodies or of those that have a row.
template <class Stored>
void store_accelerations(ExecutionSpace const& space, VectorColumns<Stored> const& acceleration,
                         fmm::RowOfBody const& row_of_body, double G,
                         Column<Stored> const& magnitude) {
  double const over_G = inverse(G);
  bool const has_all_rows = row_of_body.extent(0) == 0;
  for_each(
      space, "apsis::forces::fmm::keep_pull", magnitude.extent(0), KOKKOS_LAMBDA(std::size_t body) {
        std::size_t const row = has_all_rows ? body : row_of_body(body);
        if (row != fmm::no_row || has_all_rows)
          magnitude(body) = acceleration_magnitude(acceleration, row, over_G);
      });
}

/// Stores the same for results in the order of the leaves.
template <class Stored>
void store_leaf_accelerations(ExecutionSpace const& space,
                              VectorColumns<Stored> const& acceleration, fmm::LeafRows const& rows,
                              double G, Column<Stored> const& magnitude) {
  double const over_G = inverse(G);
  for_each(
      space, "apsis::forces::fmm::keep_pull", rows.count, KOKKOS_LAMBDA(std::size_t row) {
        auto const body = rows.body(row);
        if (body != fmm::no_row)
          magnitude(body) = acceleration_magnitude(acceleration, row, over_G);
      });
}

/// Copies results from the order of the leaves to the target rows of this rank.
template <class Stored>
void copy_rank_rows(ExecutionSpace const& space, Field<Stored> const& leaf_rows,
                    fmm::LeafRows const& rows, Share const& rank_bodies,
                    Field<Stored> const& output) {
  bool const accelerates = output.accelerates(), has_potential = output.has_potential();
  bool const has_all_rows = rows.list.is_all();
  auto const row_of_body = rows.row_of_body;
  for_each(
      space, "apsis::forces::fmm::take_own", rows.count, KOKKOS_LAMBDA(std::size_t i) {
        std::size_t const body = rows.body(i);
        if (body < rank_bodies.first || body >= rank_bodies.first + rank_bodies.count) return;
        std::size_t const row = has_all_rows ? body - rank_bodies.first : row_of_body(body);
        for (int axis = 0; accelerates && axis < 3; ++axis) {
          output.acceleration(row, axis) = leaf_rows.acceleration(i, axis);
        }
        if (has_potential) output.potential(row) = leaf_rows.potential(i);
      });
}

/// Returns the result row of each body of this rank or, if ranks share the bodies, of all bodies.
template <class Stored>
fmm::RowOfBody target_rows(Context const& context, Request<Stored> const& request,
                           fmm::RowOfBody& rank_rows, fmm::RowOfBody& all_rows) {
  auto const& space = context.space;
  auto const& sources = request.sources;
  fmm::allocate(space, rank_rows, "apsis::forces::fmm::own_rows", sources.size());
  Kokkos::deep_copy(space, rank_rows, fmm::no_row);
  auto const rows = rank_rows;
  auto const listed = request.targets.listed;
  bool const is_listed = request.targets.is_listed();
  std::size_t const first = request.targets.range.first;
  for_each(
      space, "apsis::forces::fmm::row_of_body", request.targets.size(),
      KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const body = is_listed ? listed(row) : first + row;
        rows(body) = static_cast<std::uint32_t>(row);
      });
  if (!is_shared(context)) return rows;
  fmm::allocate(space, all_rows, "apsis::forces::fmm::rows", sources.total);
  std::vector<std::size_t> first_bodies = gathered(context, std::vector{sources.first});
  first_bodies.push_back(sources.total);
  std::vector<std::span<std::byte const>> const sent{
      {reinterpret_cast<std::byte const*>(rows.data()), rows.extent(0) * sizeof(std::uint32_t)}};
  std::vector<std::span<std::byte>> const received{
      {reinterpret_cast<std::byte*>(all_rows.data()), all_rows.extent(0) * sizeof(std::uint32_t)}};
  context.communicator->transport().gather(space, sent, received, first_bodies);
  return all_rows;
}

}  // namespace

template <class Number>
Fmm<Number>::Fmm(Gravity const& gravity, FmmOptions const& options)
    : Solver<Stored>(gravity),
      options_(options),
      direct_(gravity),
      calibration_(std::make_unique<fmm::Calibration>(options.accuracy)),
      workspace_(std::make_unique<fmm::FmmWorkspace<Number>>()) {
  APSIS_EXPECT(options.accuracy > 0.0, "the accuracy must be > 0");
}

template <class Number>
Fmm<Number>::~Fmm() = default;

template <class Number>
bool Fmm<Number>::is_in_range(std::size_t bodies) const {
  return bodies >= options_.min_bodies && bodies < fmm::max_bodies;
}

template <class Number>
std::string Fmm<Number>::describe(std::size_t bodies, int derivatives, bool each_pair_once) const {
  if (derivatives > 0 || !each_pair_once || !is_in_range(bodies) || has_fallen_back_) {
    return direct_.describe(bodies, derivatives, each_pair_once);
  }
  return "fmm";
}

template <class Number>
bool Fmm<Number>::has_exact_potential(std::size_t bodies) const {
  return is_in_range(bodies) || direct_.has_exact_potential(bodies);
}

template <class Number>
bool Fmm<Number>::falls_back() const {
  return has_fallen_back_;
}

template <class Number>
std::optional<ForceErrors> Fmm<Number>::errors() const {
  auto const last_error = calibration_->last_error();
  if (!last_error) return std::nullopt;
  return ForceErrors{options_.accuracy, has_fallen_back_ ? 0.0 : *last_error,
                     calibration_->worst_error()};
}

template <class Number>
bool Fmm<Number>::is_exclusion_faster(std::size_t massive, std::size_t bodies) const {
  // A sweep costs about as much as this many pairs per body.
  constexpr std::size_t max_massive = 4096;
  return massive < max_massive || !is_in_range(bodies);
}

template <class Number>
void Fmm<Number>::exchange(SavedState& state) {
  // The keys belong to the format of checkpoints and are older than the names of the members.
  Solver<Stored>::exchange(state);
  std::uint64_t rows = acceleration_.extent(0);
  state.exchange("fmm/rows", rows);
  calibration_->exchange(state);
  state.exchange("fmm/gave_up", has_fallen_back_);
  ExecutionSpace const space;
  if (state.restores() && acceleration_.extent(0) != rows) {
    acceleration_ = {};
    reserve(space, acceleration_, rows, "apsis::forces::fmm::pull");
  }
  if (rows == 0) return;
  Kokkos::fence("apsis::forces::fmm: accelerations are complete before they are saved");
  state.exchange_replicated(space, "fmm/pull", acceleration_);
}

template <class Number>
double Fmm<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  std::size_t const bodies = request.sources.total;
  bool const has_all_sources = is_shared(context) || request.sources.size() == bodies;
  bool const can_sweep_request = has_all_sources && can_sweep(request);
  bool const is_swept = can_sweep_request && sweep(context, request);
  if (can_sweep_request && request.is_mutual()) has_fallen_back_ = !is_swept;
  if (!is_swept) sum_over_all_pairs(context, request);
  if (!wanted.has_forces()) return 0.0;
  return static_cast<double>(request.targets.total) * static_cast<double>(bodies);
}

/// Sums over all pairs. Evaluates the potentials in a request of their own if they would be less
/// exact together with forces, because has_exact_potential() promises exact ones.
template <class Number>
void Fmm<Number>::sum_over_all_pairs(Context const& context, Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  bool const exact = direct_.has_exact_potential(request.sources.total);
  if (exact || !wanted.has_forces() || !wanted.has_potential()) {
    direct_.evaluate(context, request);
    return;
  }
  auto partial = request;
  partial.wanted.potential = {};
  direct_.evaluate(context, partial);
  partial.wanted = {{}, {}, {}, wanted.potential};
  direct_.evaluate(context, partial);
}

template <class Number>
bool Fmm<Number>::can_sweep(Request<Stored> const& request) const {
  std::size_t const bodies = request.sources.total;
  if (bodies == 0 || !is_in_range(bodies)) return false;
  if (request.wanted.has_jerk() || request.wanted.has_snap()) return false;
  if (request.is_mutual()) return true;
  // The cells need all bodies as sources, not only the massive ones at the beginning of the
  // columns.
  if (request.targets.position.extent(0) != request.sources.size()) return false;
  // For fewer targets, building the cells costs more than it saves.
  constexpr std::size_t min_targets = 1024;
  return request.is_among_sources() && request.wanted.accelerates() &&
         request.targets.total > min_targets &&
         (!uses_accelerations() || acceleration_.extent(0) == bodies);
}

template <class Number>
bool Fmm<Number>::sweep(Context const& context, Request<Stored> const& request) {
  auto const& space = context.space;
  bool const shared = is_shared(context);
  auto const sources = shared ? this->all_sources(context, request) : request.sources;
  std::size_t const bodies = sources.size();
  workspace_->sorted_bodies.sort(space, sources, bodies);
  auto const body_order = workspace_->sorted_bodies.order;
  fmm::SweepInput<Number> input{{}, acceleration_, *workspace_};
  input.acceptance.source_radius = source_radius(this->gravity());
  if (!request.is_mutual()) {
    input.row_of_body = target_rows(context, request, workspace_->rank_rows, workspace_->rows);
  }
  workspace_->targets.list(space,
                           fmm::CellTree::make(bodies, fmm::leaf_size<typename Number::Real>),
                           body_order, input.row_of_body);
  std::vector<std::size_t> first_leaves;
  Field<Stored> output;
  auto const evaluate = [&] {
    if (shared) first_leaves = choose_leaves(context, request.is_mutual(), input);
    output = output_columns(space, request.wanted, input);
    bool succeeded = fmm::with_order(options_, [&](auto order) {
      return fmm::sweep_order<Number, order()>(
          Evaluation<Number>{space, this->gravity(), sources, request.targets, output}, input);
    });
    if (!shared) return succeeded;
    constexpr double failed = -1.0;
    auto const seconds = gathered(context, std::vector{succeeded ? workspace_->seconds : failed});
    for (auto const time : seconds) succeeded &= time != failed;
    if (succeeded && request.is_mutual()) workspace_->shares.learn(seconds);
    if (succeeded) gather_leaf_rows(context, first_leaves, output);
    return succeeded;
  };
  auto const rows = workspace_->targets.rows(body_order, input.row_of_body);
  auto const store = [&](Column<Stored> const& magnitudes) {
    double const G = this->gravity().G;
    if (!shared)
      return store_accelerations(space, output.acceleration, input.row_of_body, G, magnitudes);
    store_leaf_accelerations(space, gathered_.acceleration, rows, G, magnitudes);
  };
  // Without accelerations of a previous evaluation, a sweep with a strict geometric criterion
  // provides them.
  if (uses_accelerations() && input.acceleration.extent(0) != bodies) {
    input.acceleration = {};
    input.acceptance.theta = 0.6;
    if (!evaluate()) return false;
    reserve(space, input.acceleration, bodies, "apsis::forces::fmm::pull");
    store(input.acceleration);
  }
  // Uncounted evaluations and potentials leave the solver's state unchanged.
  bool const is_stored = request.counted && request.wanted.accelerates();
  bool const is_measured =
      is_stored && request.is_mutual() && options_.controls_accuracy() && calibration_->is_due();
  do {
    double const max_cell_error = calibration_->fraction() * options_.accuracy;
    input.acceptance = {options_.opening_angle.value_or(fmm::AcceptanceParameters().theta),
                        options_.opening_error.value_or(max_cell_error),
                        fmm::AcceptanceParameters().split_ratio, input.acceptance.source_radius};
    if (!evaluate()) return false;
    if (shared) {
      copy_rank_rows(space, gathered_, rows, {request.sources.first, request.sources.size()},
                     request.wanted);
    }
  } while (is_measured && !calibration_->accepts(fmm::sample_error<Stored>(
                              context, direct_, request, sources, calibration_->round())));
  if (!is_stored || !uses_accelerations()) return true;
  if (acceleration_.extent(0) != bodies) acceleration_ = input.acceleration;
  store(acceleration_);
  return true;
}

template <class Number>
Field<typename Number::Stored> Fmm<Number>::output_columns(ExecutionSpace const& space,
                                                           Field<Stored> const& requested,
                                                           fmm::SweepInput<Number> const& input) {
  constexpr std::size_t leaf = fmm::leaf_size<typename Number::Real>;
  std::size_t const leaves = workspace_->targets.leaves();
  auto output = requested;
  if (!input.leaf_share) {
    if (requested.accelerates()) return output;
    output.acceleration = workspace_->sorted_bodies.scratch_columns(leaves * leaf);
    if (output.accelerates()) return output;
    reserve(space, scratch_.acceleration, leaves * leaf, "apsis::forces::fmm::spare");
    output.acceleration = scratch_.acceleration;
    return output;
  }
  // At least one row: an empty column means "not requested".
  std::size_t const row_count = std::max<std::size_t>(1, input.leaf_share->count * leaf);
  reserve(space, gathered_.acceleration, leaves * leaf, "apsis::forces::fmm::whole");
  reserve(space, scratch_.acceleration, row_count, "apsis::forces::fmm::own");
  output.acceleration = scratch_.acceleration;
  if (!requested.has_potential()) return output;
  reserve(space, gathered_.potential, leaves * leaf, "apsis::forces::fmm::whole_potential");
  reserve(space, scratch_.potential, row_count, "apsis::forces::fmm::own_potential");
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
  auto const add = [&](auto* rank_rows, auto* all_rows) {
    std::size_t const bytes = sizeof(*all_rows);
    sent.emplace_back(reinterpret_cast<std::byte const*>(rank_rows),
                      (first_rows[rank + 1] - first_rows[rank]) * bytes);
    received.emplace_back(reinterpret_cast<std::byte*>(all_rows), first_rows[size] * bytes);
  };
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add(rank_field.acceleration.data() + axis * rank_field.acceleration.stride(1),
        gathered_.acceleration.data() + axis * gathered_.acceleration.stride(1));
  }
  if (rank_field.has_potential()) add(rank_field.potential.data(), gathered_.potential.data());
  context.communicator->transport().gather(context.space, sent, received, first_rows);
}

template class Fmm<Single>;
template class Fmm<Double>;
template class Fmm<Mixed>;

}  // namespace apsis::forces
