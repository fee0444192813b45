// SPDX-License-Identifier: Apache-2.0
#include "textbook_loop.hpp"

namespace apsis::benchmark {

template <class Real>
void textbook(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
              forces::BodyRange targets) {
  textbook_loop(space, bodies, softening, targets);
}

template void textbook(ExecutionSpace const&, Bodies<float> const&, double, forces::BodyRange);
template void textbook(ExecutionSpace const&, Bodies<double> const&, double, forces::BodyRange);

}  // namespace apsis::benchmark
