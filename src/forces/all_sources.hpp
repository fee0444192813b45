// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/forces/request.hpp>

namespace apsis::forces {

/// The sources of all processes, where each has its share of the bodies. Keeps the columns that
/// they are gathered in.
template <class Stored>
class AllSources {
 public:
  /// Those columns that the request reads, of all processes in their order: row i is body i. Every
  /// process calls this at once. They are good until the next call. Fences. O(N) memory and
  /// traffic, beside O(N^2 / P) work.
  Sources<Stored> gather(Context const& context, Request<Stored> const& request);

 private:
  VectorColumns<Stored> position_, velocity_, acceleration_;
  Column<Stored> mass_;
};

extern template class AllSources<float>;
extern template class AllSources<double>;

}  // namespace apsis::forces
