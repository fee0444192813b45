// SPDX-License-Identifier: Apache-2.0
#include "motion_codes.hpp"

namespace apsis::forces {

template void evaluate_motion(Evaluation<Double> const&, Workspace<Double>&, bool);

}  // namespace apsis::forces
