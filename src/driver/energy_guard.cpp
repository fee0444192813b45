// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/energy_guard.hpp>

namespace apsis::driver {

std::vector<Problem> broken_limits(Configuration const& run,
                                   diagnostics::Conservation const& conservation) {
  std::vector<Problem> broken;
  auto const check = [&](std::string const& what, double error, std::optional<double> limit,
                         std::string const& key) {
    if (!limit || error <= *limit) return;
    broken.push_back({"conservation." + key,
                      what + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
                      "largest of the times in conservation.csv",
                      "reduce integrator.time_step or raise the limit"});
  };
  check("relative energy error", conservation.max_relative_energy_error(),
        run.max_relative_energy_error, "max_relative_energy_error");
  check("momentum error", conservation.max_momentum_error(), run.max_momentum_error,
        "max_momentum_error");
  return broken;
}

template <class Real>
EnergyGuard<Real>::EnergyGuard(ExecutionSpace const& space, Configuration const& run,
                               std::size_t count)
    : run_(run) {
  if (run.on_violation != OnViolation::retry) return;
  auto const room = [&](std::string const& label) {
    return VectorColumns<Real>(Kokkos::view_alloc(space, label), count);
  };
  position_ = room("apsis::driver::EnergyGuard::position");
  velocity_ = room("apsis::driver::EnergyGuard::velocity");
}

template <class Real>
typename EnergyGuard<Real>::Verdict EnergyGuard<Real>::judge(ExecutionSpace const& space,
                                                             Bodies<Real> const& bodies,
                                                             State const& now) {
  if (run_.on_violation == OnViolation::report) return Verdict::go_on;
  bool const may_retry = run_.on_violation == OnViolation::retry && retries_ < most_retries;
  if (!broken_limits(run_, now.conservation).empty()) {
    return may_retry ? Verdict::go_back : Verdict::stop;
  }
  if (may_retry) {
    Kokkos::deep_copy(space, position_, bodies.position);
    Kokkos::deep_copy(space, velocity_, bodies.velocity);
    good_ = now;
  }
  return Verdict::go_on;
}

template <class Real>
typename EnergyGuard<Real>::State const& EnergyGuard<Real>::go_back(ExecutionSpace const& space,
                                                                    Bodies<Real> const& bodies) {
  Kokkos::deep_copy(space, bodies.position, position_);
  Kokkos::deep_copy(space, bodies.velocity, velocity_);
  ++retries_;
  return good_;
}

template <class Real>
void EnergyGuard<Real>::exchange(ExecutionSpace const& space, SavedState& state) {
  if (run_.on_violation != OnViolation::retry) return;
  state.exchange("guard/retries", retries_);
  state.exchange("guard/step", good_.step);
  good_.conservation.exchange(state);
  state.exchange("guard/log_bytes", good_.log.bytes);
  state.exchange("guard/log_digest", good_.log.digest);
  state.exchange("guard/snapshots", good_.snapshots);
  state.exchange(space, "guard/position", position_);
  state.exchange(space, "guard/velocity", velocity_);
}

template class EnergyGuard<float>;
template class EnergyGuard<double>;

}  // namespace apsis::driver
