// SPDX-License-Identifier: Apache-2.0
#include "benchmark/textbook.hpp"

#include "textbook_loop.hpp"

namespace apsis::benchmark {

template void textbook<true>(ExecutionSpace const&, Bodies<float> const&, double, forces::BodyRange,
                             VectorColumns<float> const&);
template void textbook<true>(ExecutionSpace const&, Bodies<double> const&, double,
                             forces::BodyRange, VectorColumns<double> const&);

}  // namespace apsis::benchmark
