// SPDX-License-Identifier: Apache-2.0
#include "motion.hpp"
#include "sweep.hpp"
#include <apsis/forces/direct.hpp>

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
  std::string why = "there is no kernel of that name";
  for (auto const& entry : kernels()) {
    if (entry.name == name) why = entry.unavailable;
  }
  throw Error(ExitStatus::bad_input, Problem{"gravity.kernel", "'" + name + "' is not available",
                                             why, "see 'apsis list'"});
}

}  // namespace

std::vector<CompiledKernel> compiled_kernels(Precision precision) {
  return in_precision(precision, []<class Number>(Number) { return compiled<Number>(); });
}

template <class Number>
struct Direct<Number>::State {
  KernelCode<Number> const* fixed = nullptr;  ///< nothing: chosen by the number of bodies
  Workspace<Number> workspace;
  Workspace<Widened<Stored>> potential_workspace;
  MotionWorkspace<Number> motion_workspace;

  KernelCode<Number> const& code(std::size_t bodies) const {
    if (fixed != nullptr) return *fixed;
    return code_named<Number>(picked_kernel(precision_for<Number>, bodies));
  }
};

template <class Number>
Direct<Number>::Direct(Gravity gravity, std::string const& kernel)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  if (has_size(gravity)) {
    if (kernel != "auto" && kernel != compact_kernel) {
      throw Error(ExitStatus::bad_input,
                  Problem{"gravity.kernel", "'" + kernel + "' is not available",
                          "sources of finite size have one kernel",
                          "use 'auto' or '" + std::string(compact_kernel) + "'"});
    }
    state_->fixed = &compact_code<Number>();
  } else if (kernel != "auto") {
    state_->fixed = &code_named<Number>(kernel);
  }
}

template <class Number>
Direct<Number>::Direct(Gravity gravity, CompiledKernel const& kernel)
    : Solver<Stored>(gravity), state_(std::make_unique<State>()) {
  state_->fixed = kernel.candidate ? &candidate_codes<Number>().at(kernel.index)
                                   : &kernel_codes<Number>().at(kernel.index);
}

template <class Number>
Direct<Number>::~Direct() = default;

template <class Number>
std::string Direct<Number>::kernel(std::size_t bodies) const {
  return state_->code(bodies).kernel;
}

template <class Number>
void Direct<Number>::rehearse(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                              BodyRange targets) {
  if (targets.count == 0) return;
  state_->code(bodies.size())
      .evaluate(
          {space, bodies, this->gravity(), Wanted::acceleration, bodies.acceleration, {}, targets},
          state_->workspace);
}

template <class Number>
void Direct<Number>::do_accelerate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                                   Column<double> const& potential) {
  if (bodies.size() == 0) return;
  auto const& code = state_->code(bodies.size());
  // The pair loop has no room for a potential.
  bool const fused = potential.extent(0) != 0 && code.shape.has_value();
  Evaluation<Number> const evaluation{space,
                                      bodies,
                                      this->gravity(),
                                      fused ? Wanted::both : Wanted::acceleration,
                                      bodies.acceleration,
                                      potential,
                                      {0, bodies.size()}};
  code.evaluate(evaluation, state_->workspace);
  if (potential.extent(0) != 0 && !fused) this->potential(space, bodies, potential);
}

template <class Number>
void Direct<Number>::potential(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                               Column<double> const& potential) {
  if (bodies.size() == 0) return;
  evaluate_potential<Stored>(
      {space, bodies, this->gravity(), Wanted::potential, {}, potential, {0, bodies.size()}},
      state_->potential_workspace);
}

template <class Number>
void Direct<Number>::do_differentiate(ExecutionSpace const& space, Bodies<Stored> const& bodies,
                                      BodyList const& listed, std::size_t targets,
                                      Derivatives<Stored> const& found) {
  evaluate_motion<Number>({space, bodies, this->gravity(), found, listed, targets},
                          state_->motion_workspace);
}

template class Direct<Single>;
template class Direct<Double>;
template class Direct<Mixed>;

}  // namespace apsis::forces
