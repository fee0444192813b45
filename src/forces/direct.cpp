// SPDX-License-Identifier: Apache-2.0
#include "kernel_problems.hpp"
#include "panel_exchange.hpp"
#include "sweep.hpp"
#include <apsis/forces/direct.hpp>

#include <algorithm>

namespace apsis::forces {

namespace {

template <class Number>
void append(std::vector<CompiledKernel>& to, std::vector<KernelCode<Number>> const& codes,
            bool candidate) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    to.push_back({codes[i].kernel, codes[i].shape, candidate, i});
  }
}

template <class Number>
std::vector<CompiledKernel> compiled() {
  std::vector<CompiledKernel> all;
  append(all, kernel_codes<Number>(), false);
  append(all, candidate_codes<Number>(), true);
  return all;
}

template <class Number>
KernelCode<Number> const& code_named(std::string const& name) {
  for (auto const& code : kernel_codes<Number>()) {
    if (code.kernel == name) return code;
  }
  throw Error(ExitStatus::bad_input, kernel_problems({}, name));
}

}  // namespace

std::vector<CompiledKernel> compiled_kernels(Precision precision) {
  return in_precision(precision, []<class Number>(Number) { return compiled<Number>(); });
}

template <class Number>
struct Direct<Number>::State {
  KernelCode<Number> const* fixed = nullptr;  ///< nothing: chosen by the number of bodies
  KernelCode<Number> const* picked = nullptr;
  std::size_t picked_for = 0;
  Workspace<Number> workspace;
  PanelExchange<Stored> exchange;
  Field<Stored> unwanted;  ///< what is found along with what is wanted

  KernelCode<Number> const& code(std::size_t bodies) {
    if (fixed != nullptr) return *fixed;
    if (picked == nullptr || picked_for != bodies) {
      picked = &code_named<Number>(picked_kernel(precision_for<Number>, bodies));
      picked_for = bodies;
    }
    return *picked;
  }

  /// Accelerations, with potentials if they come along; they do not from every kernel.
  bool accelerate(Evaluation<Number> evaluation, bool mutual) {
    // Few sources may have many targets.
    auto const& whole = code(std::max(evaluation.sources.total, evaluation.targets.total));
    auto const& code = whole.mutual && !mutual ? code_named<Number>("split") : whole;
    // Targets of a list are packed into lanes, in which none can tell itself from the others.
    bool const fused = code.shape.has_value() && !evaluation.targets.is_listed();
    if (!fused) evaluation.into.potential = {};
    code.evaluate(evaluation, workspace);
    return fused;
  }

  void differentiate(Evaluation<Number> evaluation, bool mutual) {
    auto& into = evaluation.into;
    into.potential = {};
    auto const room_for = [&](auto& column, auto& kept, char const* label) {
      if (column.extent(0) != 0) return;
      // An empty column is not wanted: also a process without bodies has a row.
      reserve(evaluation.space, kept, std::max<std::size_t>(1, evaluation.rows()), label);
      column = kept;
    };
    room_for(into.acceleration, unwanted.acceleration, "apsis::forces::direct::acceleration");
    room_for(into.jerk, unwanted.jerk, "apsis::forces::direct::jerk");
    evaluate_motion<Number>(evaluation, workspace, mutual);
  }

  /// `own`: where potentials are wanted that do not come along.
  void evaluate(Evaluation<Number> const& evaluation, bool mutual, Targets<Stored> const& own) {
    auto const& wanted = evaluation.into;
    bool has_potential = !wanted.has_potential();
    if (wanted.has_jerk() || wanted.has_snap()) {
      differentiate(evaluation, mutual);
    } else if (wanted.accelerates()) {
      has_potential = accelerate(evaluation, mutual) || has_potential;
    }
    if (has_potential || own.size() == 0) return;
    evaluate_potential<Stored>({evaluation.space,
                                evaluation.gravity,
                                evaluation.sources,
                                own,
                                {{}, {}, {}, wanted.potential}},
                               workspace);
  }

  /// Whether the kernel for all bodies meets each pair once and may leave some to other processes.
  bool shares_pairs(Request<Stored> const& request, Gravity const& gravity) {
    if (!request.wanted.has_forces()) return false;
    std::size_t const bodies = request.sources.total;
    if (!request.wanted.has_jerk() && !request.wanted.has_snap()) {
      return code(bodies).mutual && code(bodies).shape.has_value();
    }
    return !has_size(gravity) && by_pairs<ExecutionSpace, Number>(bodies);
  }
};

template <class Number>
Direct<Number>::Direct(Gravity const& gravity, DirectOptions const& options)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  auto const& kernel = options.kernel;
  if (has_size(gravity)) {
    auto problems = kernel_problems({gravity}, kernel);
    if (!problems.empty()) throw Error(ExitStatus::bad_input, std::move(problems));
    state_->fixed = &compact_code<Number>();
  } else if (kernel != "auto") {
    state_->fixed = &code_named<Number>(kernel);
  }
}

template <class Number>
Direct<Number>::Direct(Gravity const& gravity, CompiledKernel const& kernel)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  state_->fixed = kernel.candidate ? &candidate_codes<Number>().at(kernel.index)
                                   : &kernel_codes<Number>().at(kernel.index);
}

template <class Number>
Direct<Number>::~Direct() = default;

template <class Number>
std::string Direct<Number>::describe(std::size_t bodies, int derivatives,
                                     bool each_pair_once) const {
  auto const name = derivatives > 0 ? picked_motion_kernel(precision_for<Number>, bodies)
                                    : state_->code(bodies).kernel;
  return !each_pair_once && kernels().at(name).pairwise ? "split" : name;
}

template <class Number>
bool Direct<Number>::has_exact_potential(std::size_t bodies) const {
  auto const& shape = state_->code(bodies).shape;
  // A loop over single numbers is the compiler's to turn into vectors, as it likes in each form.
  return sizeof(typename Number::Real) == 8 && shape &&
         (shape->lanes > 1 || lane_exchange::width > 1);
}

template <class Number>
void Direct<Number>::rehearse(Context const& context, Bodies<Stored> const& bodies,
                              BodyRange targets) {
  if (targets.count == 0) return;
  auto part = accelerations_of(bodies);
  part.targets.range = targets;
  part.targets.total = targets.count;
  state_->code(bodies.total)
      .evaluate({context.space, this->gravity(), part.sources, part.targets, part.wanted},
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
    auto alone = request;
    alone.sources = this->all_sources(context, request);
    if (request.targets.size() > 0) {
      state_->evaluate({context.space, this->gravity(), alone.sources, alone.targets, alone.wanted},
                       false, alone.targets);
    }
  }
  if (!request.wanted.has_forces()) return 0.0;
  return static_cast<double>(request.targets.total) *
         static_cast<double>(is_shared(context) ? sources.total : sources.size());
}

template <class Number>
void Direct<Number>::evaluate_pairs(Context const& context, Request<Stored> const& request) {
  auto const sources = this->all_sources(context, request);
  auto const& with = *context.communicator;
  auto const share = share_of(sources.total, with.rank(), with.size());
  APSIS_EXPECT(share.first == request.sources.first && share.count == request.sources.size(),
               "the processes have the bodies in other shares");
  Targets<Stored> const everybody{
      sources.position, sources.velocity, sources.acceleration, 0, {0, sources.total}, {},
      sources.total};
  state_->evaluate({context.space, this->gravity(), sources, everybody, request.wanted, &context,
                    share, &state_->exchange},
                   true, request.targets);
}

template class Direct<Single>;
template class Direct<Double>;
template class Direct<Mixed>;

}  // namespace apsis::forces
