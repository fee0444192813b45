// SPDX-License-Identifier: Apache-2.0
#include "sweep_cells.hpp"

namespace apsis::forces::fmm {

APSIS_SWEEPS_OF(Double)

}  // namespace apsis::forces::fmm
