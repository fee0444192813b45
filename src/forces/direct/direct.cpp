// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/direct.hpp"

#include "forces/sweep.hpp"
#include "kernel_problems.hpp"
#include "panel_exchange.hpp"

#include <algorithm>

namespace apsis::forces {

namespace {

template <class Number>
void append(std::vector<CompiledKernel>& kernels, std::vector<KernelCode<Number>> const& codes,
            bool candidate) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    kernels.push_back({codes[i].kernel, codes[i].shape, candidate, i});
  }
}

template <class Number>
std::vector<CompiledKernel> compiled() {
  std::vector<CompiledKernel> kernels;
  append(kernels, kernel_codes<Number>(), false);
  append(kernels, candidate_codes<Number>(), true);
  return kernels;
}

template <class Number>
KernelCode<Number> const& code_named(std::string const& name) {
  for (auto const& code : kernel_codes<Number>()) {
    if (code.kernel == name) return code;
  }
  throw Error(ExitStatus::bad_input, kernel_problems({}, name));
}

}  // namespace

template <class Number>
std::vector<KernelCode<Number>>& candidate_codes() {
  static std::vector<KernelCode<Number>> codes;
  return codes;
}
template std::vector<KernelCode<Single>>& candidate_codes();
template std::vector<KernelCode<Double>>& candidate_codes();
template std::vector<KernelCode<Mixed>>& candidate_codes();

std::vector<CompiledKernel> compiled_kernels(Precision precision) {
  return in_precision(precision, []<class Number>(Number) { return compiled<Number>(); });
}

template <class Number>
struct Direct<Number>::State {
  bool may_sum_few = false;  ///< whether few bodies may be summed without the kernel
  KernelCode<Number> const* fixed_code = nullptr;  ///< null: selected by the number of bodies
  KernelCode<Number> const* selected_code = nullptr;
  std::size_t selected_for = 0;
  Workspace<Number> workspace;
  PanelExchange<Stored> exchange;
  Field<Stored> extra;  ///< results that come with the requested ones

  KernelCode<Number> const& code(std::size_t bodies) {
    if (fixed_code != nullptr) return *fixed_code;
    if (selected_code == nullptr || selected_for != bodies) {
      selected_code = &code_named<Number>(default_kernel(precision_for<Number>, bodies));
      selected_for = bodies;
    }
    return *selected_code;
  }

  /// Evaluates accelerations, and potentials if the kernel computes them together. Returns whether
  /// it did.
  bool accelerate(Evaluation<Number> evaluation, bool mutual) {
    // There may be more targets than sources.
    auto const& default_code = code(std::max(evaluation.sources.total, evaluation.targets.total));
    auto const& code = default_code.mutual && !mutual ? code_named<Number>("split") : default_code;
    // Targets of a list are packed into lanes, which cannot exclude the self-interaction.
    bool const fused = code.shape.has_value() && !evaluation.targets.rows.is_listed();
    if (!fused) evaluation.output.wants = Wants::acceleration;
    code.evaluate(evaluation, workspace);
    return fused;
  }

  void differentiate(Evaluation<Number> evaluation, bool mutual) {
    auto& output = evaluation.output;
    auto const add_result = [&](Wants result, auto& column, auto& buffer, char const* label) {
      if (output.has(result)) return;
      grow(evaluation.space, buffer, label, evaluation.rows());
      column = buffer;
    };
    add_result(Wants::acceleration, output.acceleration, extra.acceleration,
               "apsis::forces::direct::acceleration");
    add_result(Wants::jerk, output.jerk, extra.jerk, "apsis::forces::direct::jerk");
    output.wants = Wants::acceleration | Wants::jerk | (output.wants & Wants::snap);
    using Low = WithLowParts<Number>;
    if constexpr (Low::has_low_columns) {
      if (evaluation.sources.has_low_parts) {
        evaluate_motion_of_few<Low>(
            {evaluation.space, evaluation.gravity, evaluation.sources, evaluation.targets, output},
            workspace);
        return;
      }
    }
    evaluate_motion<Number>(evaluation, workspace, mutual);
  }

  /// `potential_targets`: targets of potentials that are evaluated separately.
  void evaluate(Evaluation<Number> const& evaluation, bool mutual,
                Targets<Stored> const& potential_targets) {
    auto const& wanted = evaluation.output;
    bool has_potential = !wanted.has(Wants::potential);
    if (wanted.has(Wants::jerk | Wants::snap)) {
      differentiate(evaluation, mutual);
    } else if (wanted.has(Wants::acceleration)) {
      has_potential = accelerate(evaluation, mutual) || has_potential;
    }
    if (has_potential || potential_targets.size() == 0) return;
    evaluate_potential<Stored>({evaluation.space, evaluation.gravity, evaluation.sources,
                                potential_targets, Field<Stored>::potentials(wanted.potential)},
                               workspace);
  }

  /// Whether the kernel for all bodies evaluates each pair once and can share the pairs among
  /// ranks.
  bool shares_pairs(Request<Stored> const& request, Gravity const& gravity) {
    if (!request.wanted.has(Wants::forces)) return false;
    std::size_t const bodies = request.sources.total;
    if (!request.wanted.has(Wants::jerk | Wants::snap)) {
      return code(bodies).mutual && code(bodies).shape.has_value();
    }
    return !has_size(gravity) && uses_pairwise<ExecutionSpace, Number>(bodies);
  }
};

template <class Number>
Direct<Number>::Direct(Gravity const& gravity, DirectOptions const& options)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  auto const& kernel = options.kernel;
  state_->may_sum_few = kernel == "auto";
  if (has_size(gravity)) {
    auto problems = kernel_problems({gravity}, kernel);
    if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
    state_->fixed_code = &compact_code<Number>();
  } else if (kernel != "auto") {
    state_->fixed_code = &code_named<Number>(kernel);
  }
}

template <class Number>
Direct<Number>::Direct(Gravity const& gravity, CompiledKernel const& kernel)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  state_->fixed_code = kernel.candidate ? &candidate_codes<Number>().at(kernel.index)
                                        : &kernel_codes<Number>().at(kernel.index);
}

template <class Number>
Direct<Number>::~Direct() = default;

template <class Number>
std::string Direct<Number>::describe(std::size_t bodies, int derivatives,
                                     bool each_pair_once) const {
  auto const name = derivatives > 0 ? default_motion_kernel(precision_for<Number>, bodies)
                                    : state_->code(bodies).kernel;
  return !each_pair_once && kernels().get(name).pairwise ? "split" : name;
}

template <class Number>
bool Direct<Number>::has_exact_potential(std::size_t bodies) const {
  auto const& shape = state_->code(bodies).shape;
  // The compiler vectorises a loop over scalars differently in each instance.
  return sizeof(typename Number::Real) == 8 && shape &&
         (shape->lanes > 1 || lane_exchange::width > 1);
}

template <class Number>
void Direct<Number>::rehearse(Context const& context, Bodies<Stored> const& bodies,
                              BodyRange targets) {
  if (targets.count == 0) return;
  auto request = accelerations_of(bodies);
  request.targets.select(BodyRows::range(targets.first, targets.count), targets.count);
  state_->code(bodies.total)
      .evaluate({context.space, this->gravity(), request.sources, request.targets, request.wanted},
                state_->workspace);
}

template <class Number>
double Direct<Number>::do_evaluate(Context const& context, Request<Stored> const& request) {
  auto const& sources = request.sources;
  bool const mutual = request.is_mutual();
  if (!is_shared(context)) {
    if (request.targets.size() > 0) {
      state_->evaluate({context.space, this->gravity(), sources, request.targets, request.wanted},
                       mutual && sources.size() == sources.total, request.targets);
    }
  } else if (mutual && state_->shares_pairs(request, this->gravity())) {
    evaluate_pairs(context, request);
  } else {
    auto gathered_request = request;
    gathered_request.sources = this->all_sources(context, request);
    if (request.targets.size() > 0) {
      state_->evaluate({context.space, this->gravity(), gathered_request.sources,
                        gathered_request.targets, gathered_request.wanted},
                       false, gathered_request.targets);
    }
  }
  if (!request.wanted.has(Wants::forces)) return 0.0;
  return static_cast<double>(request.targets.total) *
         static_cast<double>(is_shared(context) ? sources.total : sources.size());
}

template <class Number>
std::optional<Precision> Direct<Number>::few_body_precision(std::size_t bodies) const {
  auto const& code = state_->code(bodies);
  bool const sums_in_packs = state_->may_sum_few && code.shape && !code.mutual &&
                             code.shape->lanes == simd::native_lanes<typename Number::Real> &&
                             code.shape->tile >= static_cast<int>(max_few_bodies);
  if (!sums_in_packs) return std::nullopt;
  return precision_for<Number>;
}

template <class Number>
void Direct<Number>::evaluate_pairs(Context const& context, Request<Stored> const& request) {
  auto const sources = this->all_sources(context, request);
  auto const& communicator = *context.communicator;
  auto const share = share_of(sources.total, communicator.rank(), communicator.size());
  APSIS_EXPECT(share.first == request.sources.first && share.count == request.sources.size(),
               "bodies must be shared among ranks as by share_of()");
  Targets<Stored> const all_targets{sources.position, sources.velocity, sources.acceleration,
                                    BodyRows::all(sources.total), sources.total};
  state_->evaluate({context.space, this->gravity(), sources, all_targets, request.wanted, &context,
                    share, &state_->exchange},
                   true, request.targets);
}

template class Direct<Single>;
template class Direct<Double>;
template class Direct<Mixed>;

}  // namespace apsis::forces
