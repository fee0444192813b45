// SPDX-License-Identifier: Apache-2.0
#include "textbook_loop.hpp"

namespace apsis::benchmark {

template <class Real>
void textbook_without_errno(ExecutionSpace const& space, Bodies<Real> const& bodies,
                            double softening, forces::BodyRange targets) {
  textbook_loop(space, bodies, softening, targets);
}

template void textbook_without_errno(ExecutionSpace const&, Bodies<float> const&, double,
                                     forces::BodyRange);
template void textbook_without_errno(ExecutionSpace const&, Bodies<double> const&, double,
                                     forces::BodyRange);

}  // namespace apsis::benchmark
