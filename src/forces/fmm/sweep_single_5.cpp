// SPDX-License-Identifier: Apache-2.0
#include "sweep_cells.hpp"

namespace apsis::forces::fmm {

template SweepOutcome sweep_with_order<Single, 5>(Evaluation<Single> const&,
                                                  SweepInput<Single> const&);

}  // namespace apsis::forces::fmm
