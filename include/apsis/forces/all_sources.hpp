// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <vector>

namespace apsis::forces {

/// What the processes of a run ask for together, and the sources of all of them, where each has its
/// share of the bodies. Keeps the columns that they are gathered in. All processes make the same
/// calls.
template <class Stored>
class AllSources {
 public:
  /// Before anything else of a request. Completes it with what the others ask for: how many targets
  /// there are of all of them, so that is_mutual() says the same everywhere. One that has no bodies
  /// has no rows that would say what is wanted: it gets columns that nobody reads.
  void agree(Context const& context, Request<Stored>& request);

  /// Those columns that the request reads, of all processes in their order: row i is body i. They
  /// are good until the next call. O(N) memory and traffic, beside O(N^2 / P) work.
  Sources<Stored> gather(Context const& context, Request<Stored> const& request);

 private:
  VectorColumns<Stored> position_, velocity_, acceleration_;
  Column<Stored> mass_;
  std::vector<std::size_t> firsts_;  ///< the first body of each process, and how many there are
  Field<Stored> spare_;              ///< a row that nobody reads
  BodyList none_;                    ///< of which none is a target
};

extern template class AllSources<float>;
extern template class AllSources<double>;

}  // namespace apsis::forces
