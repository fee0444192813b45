// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"
#include "panel_exchange.hpp"
#include "panel_loop.hpp"

namespace apsis::forces {

/// Evaluates this rank's share of the pairs and exchanges the partial sums: the rows of its bodies
/// in `partial` are complete afterwards.
template <class Loop, class Number>
void launch_shared(Loop const& loop, Evaluation<Number> const& partial, char const* label) {
  auto const& context = *partial.shared;
  PanelShares const shares(partial.sources.size(), loop.panels(), loop.length(),
                           context.communicator->size());
  std::size_t const first = shares.first_pair(context.communicator->rank());
  loop.launch(partial.space, label, first,
              shares.first_pair(context.communicator->rank() + 1) - first);
  partial.exchange->exchange(context, shares, partial.output);
}

}  // namespace apsis::forces
