// SPDX-License-Identifier: Apache-2.0
#include "sweep_cells.hpp"

namespace apsis::forces::fmm {

template SweepOutcome sweep_with_order<Double, 4>(Evaluation<Double> const&,
                                                  SweepInput<Double> const&);

}  // namespace apsis::forces::fmm
