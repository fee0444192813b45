// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/driver/instant.hpp>

namespace apsis::driver {

namespace {

template <class Real>
class BodiesAtInstant final : public Instant {
 public:
  BodiesAtInstant(ExecutionSpace const& space, Bodies<Real> const& bodies,
                  forces::Solver<Real>& solver, Column<double> const& potential, bool is_known,
                  std::uint64_t step, double time)
      : Instant(step, time, solver.gravity().G),
        space_(space),
        on_device_(bodies),
        solver_(solver),
        potential_on_device_(potential),
        potential_is_known_(is_known) {}

  HostBodies const& bodies() override {
    if (!bodies_) bodies_ = to_host(space_, on_device_);
    return *bodies_;
  }

  std::vector<double> const& potential() override {
    if (!potential_) {
      if (!potential_is_known_)
        solver_.evaluate(space_, forces::potentials_of(on_device_, potential_on_device_));
      std::size_t const count = on_device_.size();
      potential_.emplace(count);
      Kokkos::deep_copy(space_, Kokkos::View<double*, Kokkos::HostSpace>(potential_->data(), count),
                        potential_on_device_);
      space_.fence("apsis::driver::instant: the host reads potentials");
    }
    return *potential_;
  }

  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    if (!centre_is_known_) {
      centre_ = diagnostics::density_centre(bodies(),
                                            diagnostics::neighbour_densities(space_, on_device_));
      centre_is_known_ = true;
    }
    return centre_;
  }

  std::optional<diagnostics::PairDistances> pair_distances() override {
    return diagnostics::pair_distances(space_, on_device_);
  }

  diagnostics::ForceErrors force_errors(std::uint64_t seed, std::size_t sample) override {
    // The integrator's own accelerations may be of other places, and it may want them back.
    auto looked_at = on_device_;
    looked_at.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(space_, "apsis::driver::instant::acceleration"), on_device_.size());
    auto look = forces::accelerations_of(looked_at);
    look.counted = false;
    solver_.evaluate(space_, look);
    return diagnostics::force_errors(
        space_, looked_at, solver_.gravity(),
        diagnostics::random_sample(seed, step(), sample, on_device_.size()));
  }

 private:
  ExecutionSpace space_;
  Bodies<Real> on_device_;
  forces::Solver<Real>& solver_;
  Column<double> potential_on_device_;
  bool potential_is_known_;
  std::optional<HostBodies> bodies_;
  std::optional<std::vector<double>> potential_;
  std::optional<diagnostics::DensityCentre> centre_;
  bool centre_is_known_ = false;
};

}  // namespace

template <class Real>
std::unique_ptr<Instant> make_instant(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                      forces::Solver<Real>& solver, Column<double> const& potential,
                                      bool is_known, std::uint64_t step, double time) {
  return std::make_unique<BodiesAtInstant<Real>>(space, bodies, solver, potential, is_known, step,
                                                 time);
}

template std::unique_ptr<Instant> make_instant(ExecutionSpace const&, Bodies<float> const&,
                                               forces::Solver<float>&, Column<double> const&, bool,
                                               std::uint64_t, double);
template std::unique_ptr<Instant> make_instant(ExecutionSpace const&, Bodies<double> const&,
                                               forces::Solver<double>&, Column<double> const&, bool,
                                               std::uint64_t, double);

}  // namespace apsis::driver
