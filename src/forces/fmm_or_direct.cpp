// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm_or_direct.hpp"

namespace apsis::forces {

template <class Number>
FmmOrDirect<Number>::FmmOrDirect(Gravity const& gravity, FmmOptions const& options)
    : Solver<Stored>(gravity), fmm_(gravity, options), direct_(gravity) {}

template <class Number>
bool FmmOrDirect<Number>::is_in_range(std::size_t bodies) const {
  return bodies >= fmm_.options().min_bodies && Fmm<Number>::is_in_range(bodies);
}

template <class Number>
std::string FmmOrDirect<Number>::describe(std::size_t bodies, int derivatives,
                                          bool each_pair_once) const {
  if (derivatives > 0 || !each_pair_once || !is_in_range(bodies) || has_fallen_back_) {
    return direct_.describe(bodies, derivatives, each_pair_once);
  }
  return "fmm";
}

template <class Number>
bool FmmOrDirect<Number>::has_exact_potential(std::size_t bodies) const {
  return is_in_range(bodies) || direct_.has_exact_potential(bodies);
}

template <class Number>
std::optional<Precision> FmmOrDirect<Number>::few_body_precision(std::size_t bodies) const {
  if (is_in_range(bodies)) return std::nullopt;
  return direct_.few_body_precision(bodies);
}

template <class Number>
std::optional<ForceErrors> FmmOrDirect<Number>::errors() const {
  auto errors = fmm_.errors();
  if (errors && has_fallen_back_) errors->measured = 0.0;
  return errors;
}

template <class Number>
bool FmmOrDirect<Number>::is_exclusion_faster(std::size_t massive, std::size_t bodies) const {
  // A sweep costs about as much as this many pairs per body.
  constexpr std::size_t max_massive = 4096;
  return massive < max_massive || !is_in_range(bodies);
}

template <class Number>
void FmmOrDirect<Number>::exchange(SavedState& state) {
  // The keys and their order belong to the format of checkpoints.
  Solver<Stored>::exchange(state);
  fmm_.exchange_calibration(state);
  state.exchange("fmm/gave_up", has_fallen_back_);
  fmm_.exchange_accelerations(state);
}

template <class Number>
double FmmOrDirect<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  bool const is_tried = prefers_fmm(context, request);
  bool const has_succeeded = is_tried && evaluate_cells(context, request);
  if (is_tried && request.is_mutual()) has_fallen_back_ = !has_succeeded;
  if (!has_succeeded) sum_over_all_pairs(context, request);
  if (!request.wanted.has(Wants::forces)) return 0.0;
  return static_cast<double>(request.targets.total) * static_cast<double>(request.sources.total);
}

template <class Number>
bool FmmOrDirect<Number>::prefers_fmm(Context const& context,
                                      Request<Stored> const& request) const {
  if (!is_in_range(request.sources.total) || !fmm_.can_evaluate(context, request)) return false;
  // For fewer targets, building the cells costs more than it saves.
  constexpr std::size_t min_targets = 1024;
  return request.is_mutual() || request.targets.total > min_targets;
}

template <class Number>
bool FmmOrDirect<Number>::evaluate_cells(Context const& context, Request<Stored> const& request) {
  auto const sources = is_shared(context) ? this->all_sources(context, request) : request.sources;
  return fmm_.evaluate(context, request, sources, direct_);
}

/// Sums over all pairs. If potentials together with forces would be less exact, evaluates them in a
/// separate request, because has_exact_potential() promises exact ones.
template <class Number>
void FmmOrDirect<Number>::sum_over_all_pairs(Context const& context,
                                             Request<Stored> const& request) {
  auto const& wanted = request.wanted;
  bool const exact = direct_.has_exact_potential(request.sources.total);
  if (exact || !wanted.has(Wants::forces) || !wanted.has(Wants::potential)) {
    direct_.evaluate(context, request);
    return;
  }
  auto partial = request;
  partial.wanted.wants = wanted.wants & Wants::forces;
  direct_.evaluate(context, partial);
  partial.wanted.wants = Wants::potential;
  direct_.evaluate(context, partial);
}

template class FmmOrDirect<Single>;
template class FmmOrDirect<Double>;
template class FmmOrDirect<Mixed>;

}  // namespace apsis::forces
