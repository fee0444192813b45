// SPDX-License-Identifier: Apache-2.0
#include "orders.hpp"
#include "sweep_cells.hpp"

namespace apsis::forces::fmm {

template <class Number, int order>
void sweep_order(Evaluation<Number> const& evaluation, BodyOrder const& along,
                 FmmEvaluation<typename Number::Stored> const& of) {
  sweep_cells<Number, order>(evaluation, along, of);
}

template void sweep_order<Double, 4>(Evaluation<Double> const&, BodyOrder const&,
                                     FmmEvaluation<Double::Stored> const&);

}  // namespace apsis::forces::fmm
