// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <vector>

namespace apsis::forces {

/// Gathers the sources of all ranks, where each rank has its share of the bodies, and completes
/// requests collectively. Owns the gathered columns. Collective: all ranks make the same calls.
template <class Stored>
class AllSources {
 public:
  /// Completes a request with the number of targets of all ranks, so that is_mutual() agrees on all
  /// of them. Call first for each request.
  void complete_request(Context const& context, Request<Stored>& request);

  /// Gathers the columns that the request reads, in the order of the ranks: row i is body i. Valid
  /// until the next call. O(N) memory and traffic, compared with O(N^2 / P) work.
  Sources<Stored> gather(Context const& context, Request<Stored> const& request);

 private:
  VectorColumns<Stored> position_, velocity_, acceleration_, position_low_;
  Column<Stored> mass_;
  std::vector<std::size_t> first_bodies_;  ///< first body of each rank, and the total number
};

extern template class AllSources<float>;
extern template class AllSources<double>;

}  // namespace apsis::forces
