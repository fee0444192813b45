// SPDX-License-Identifier: Apache-2.0
#include "share_of_simulation.hpp"

#include "core/execution_space_for.hpp"
#include "simulation_of.hpp"
#include <apsis/bodies/transfer.hpp>

namespace apsis::simulation {

namespace {

/// Calls `make` with a context and a value of the type in which the bodies of this rank are stored.
template <class Make>
std::unique_ptr<Simulation> make_for_precision(
    deck::Configuration const& run, std::shared_ptr<Communicator const> const& communicator,
    Share const& share, Make const& make) {
  Context const context(execution_space_for(share.count, run.use_all_threads), communicator);
  return forces::in_precision(run.gravity.precision,
                              [&]<class Number>(Number) -> std::unique_ptr<Simulation> {
                                return make(context, typename Number::Stored());
                              });
}

Share own_share(std::shared_ptr<Communicator const> const& communicator, std::size_t total) {
  return communicator ? share_of(total, communicator->rank(), communicator->size())
                      : Share{0, total};
}

}  // namespace

std::unique_ptr<Simulation> make_share(deck::Configuration const& run,
                                       std::shared_ptr<Communicator const> const& communicator,
                                       HostBodies const& start, std::size_t total) {
  auto const share = own_share(communicator, total);
  return make_for_precision(
      run, communicator, share, [&]<class Real>(Context const& context, Real) {
        auto bodies = is_shared(context)
                          ? to_device<Real>(context.space, scatter_bodies(context, start, total))
                          : to_device<Real>(context.space, start);
        bodies.first = share.first;
        bodies.total = total;
        auto simulation = std::make_unique<SimulationOf<Real>>(context, run, std::move(bodies));
        simulation->set_species(start.species);
        simulation->set_radii(start.radius);
        simulation->set_names(start.name);
        simulation->identify_massless();
        simulation->watch();
        return simulation;
      });
}

std::unique_ptr<Simulation> restore_share(deck::Configuration const& run,
                                          std::shared_ptr<Communicator const> const& communicator,
                                          std::size_t total, SavedState& state) {
  auto const share = own_share(communicator, total);
  return make_for_precision(
      run, communicator, share, [&]<class Real>(Context const& context, Real) {
        auto bodies = allocate_bodies<Real>(context.space, share.count);
        bodies.first = share.first;
        bodies.total = total;
        auto simulation = std::make_unique<SimulationOf<Real>>(context, run, std::move(bodies));
        simulation->exchange(state);
        return simulation;
      });
}

}  // namespace apsis::simulation
