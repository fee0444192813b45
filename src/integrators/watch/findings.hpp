// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
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

/// Calls visit(name, number) for each number of a finding.
template <class Visit>
void for_each_number(Approach& finding, Visit const& visit) {
  visit("squared", finding.squared);
  visit("time", finding.time);
  visit("first", finding.first);
  visit("second", finding.second);
}
template <class Visit>
void for_each_number(Passage& finding, Visit const& visit) {
  visit("measure", finding.measure);
  visit("distance", finding.distance);
  visit("time", finding.time);
  visit("body", finding.body);
  visit("massive", finding.massive);
}

/// Saves or restores a finding.
template <class Finding>
void exchange_finding(SavedState& state, std::string const& name, Finding& finding) {
  bool known = finding.is_known();
  state.exchange(name + "/is_known", known);
  if (!known) return;
  for_each_number(finding, [&](char const* number_name, auto& number) {
    state.exchange(name + "/" + number_name, number);
  });
}

/// Returns the finding, or nothing if it was not requested or nothing was found.
template <class Finding>
std::optional<Finding> if_known(bool is_requested, Finding const& finding) {
  return is_requested && finding.is_known() ? std::optional(finding) : std::nullopt;
}

}  // namespace apsis::integrators
