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

template <class Real>
void textbook_jerk(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
                   VectorColumns<Real> const& jerk) {
  textbook_jerk_loop(space, bodies, softening, jerk);
}

template void textbook_jerk(ExecutionSpace const&, Bodies<float> const&, double,
                            VectorColumns<float> const&);
template void textbook_jerk(ExecutionSpace const&, Bodies<double> const&, double,
                            VectorColumns<double> const&);

}  // namespace apsis::benchmark
