// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/forces/solver.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace apsis::driver {

/// The bodies at one synchronised time, as diagnostics ask for them, whatever precision they are
/// in. What several diagnostics ask for is found once.
class Instant {
 public:
  Instant(std::uint64_t step, double time, double G) : step_(step), time_(time), G_(G) {}
  virtual ~Instant() = default;

  std::uint64_t step() const { return step_; }
  double time() const { return time_; }
  double G() const { return G_; }

  virtual HostBodies const& bodies() = 0;
  /// Of each body, as forces::Solver::potential finds it.
  virtual std::vector<double> const& potential() = 0;
  virtual std::optional<diagnostics::DensityCentre> const& density_centre() = 0;
  virtual std::optional<diagnostics::PairDistances> pair_distances() = 0;
  /// Of the accelerations that the run's solver finds here, in a sample of so many bodies.
  virtual diagnostics::ForceErrors force_errors(std::uint64_t seed, std::size_t sample) = 0;

 private:
  std::uint64_t step_;
  double time_;
  double G_;
};

/// The bodies of a run as they are now. `potential` is theirs if it `is_known`, and is overwritten
/// with theirs when it is asked for otherwise.
template <class Real>
std::unique_ptr<Instant> make_instant(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                      forces::Solver<Real>& solver, Column<double> const& potential,
                                      bool is_known, std::uint64_t step, double time);

extern template std::unique_ptr<Instant> make_instant(ExecutionSpace const&, Bodies<float> const&,
                                                      forces::Solver<float>&, Column<double> const&,
                                                      bool, std::uint64_t, double);
extern template std::unique_ptr<Instant> make_instant(ExecutionSpace const&, Bodies<double> const&,
                                                      forces::Solver<double>&,
                                                      Column<double> const&, bool, std::uint64_t,
                                                      double);

}  // namespace apsis::driver
