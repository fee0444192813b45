// SPDX-License-Identifier: Apache-2.0
#include "motion_codes.hpp"

namespace apsis::forces {

template void evaluate_motion(MotionEvaluation<Single> const&, MotionWorkspace<Single>&);

}  // namespace apsis::forces
