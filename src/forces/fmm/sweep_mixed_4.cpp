// SPDX-License-Identifier: Apache-2.0
#include "sweep_cells.hpp"

namespace apsis::forces::fmm {

template SweepOutcome sweep_with_order<Mixed, 4>(Evaluation<Mixed> const&,
                                                 SweepInput<Mixed> const&);

}  // namespace apsis::forces::fmm
