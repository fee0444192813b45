// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "panel_exchange.hpp"
#include "sweep.hpp"
#include <apsis/forces/panel_loop.hpp>

namespace apsis::forces {

/// This process's share of the pairs; then what all of them give to its bodies is in its place in
/// the columns of `part`.
template <class Loop, class Number>
void launch_shared(Loop const& loop, Evaluation<Number> const& part, char const* label) {
  auto const& context = *part.shared;
  PanelShares const shares(part.sources.size(), loop.panels(), loop.length(),
                           context.communicator->size());
  std::size_t const first = shares.first_pair(context.communicator->rank());
  loop.launch(part.space, label, first,
              shares.first_pair(context.communicator->rank() + 1) - first);
  part.exchange->exchange(context, shares, part.into);
}

}  // namespace apsis::forces
