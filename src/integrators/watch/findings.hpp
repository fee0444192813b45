// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/integrators/passages.hpp>

#include <optional>
#include <string>

/// Findings of all rows and ranks.
namespace apsis::integrators {

/// Functor that returns the finding of a row.
template <class Finding>
struct FindingOfRow {
  Kokkos::View<Finding*, MemorySpace> rows;
  KOKKOS_FUNCTION Finding operator()(std::size_t i) const { return rows(i); }
};

/// Returns the best finding of all rows of all ranks; independent of the number of ranks.
template <class Finding>
Finding best_finding(Context const& context, Kokkos::View<Finding*, MemorySpace> const& rows,
                     std::size_t count) {
  return fixed_order_sum<Finding>(context, "apsis::integrators::step_watch::findings", count,
                                  FindingOfRow<Finding>{rows});
}

/// Saves or restores a finding.
inline void exchange_finding(SavedState& state, std::string const& name, Approach& finding) {
  bool known = finding.is_known();
  state.exchange(name + "/is_known", known);
  if (!known) return;
  state.exchange(name + "/squared", finding.squared);
  state.exchange(name + "/time", finding.time);
  state.exchange(name + "/first", finding.first);
  state.exchange(name + "/second", finding.second);
}

inline void exchange_finding(SavedState& state, std::string const& name, Passage& finding) {
  bool known = finding.is_known();
  state.exchange(name + "/is_known", known);
  if (!known) return;
  state.exchange(name + "/measure", finding.measure);
  state.exchange(name + "/distance", finding.distance);
  state.exchange(name + "/time", finding.time);
  state.exchange(name + "/body", finding.body);
  state.exchange(name + "/massive", finding.massive);
}

/// Returns the finding, or nothing if it was not requested or nothing was found.
template <class Finding>
std::optional<Finding> if_known(bool is_requested, Finding const& finding) {
  return is_requested && finding.is_known() ? std::optional(finding) : std::nullopt;
}

}  // namespace apsis::integrators
