// SPDX-License-Identifier: Apache-2.0
#include "motion_codes.hpp"

namespace apsis::forces {

template void evaluate_motion(Evaluation<Single> const&, Workspace<Single>&, bool);

}  // namespace apsis::forces
