// SPDX-License-Identifier: Apache-2.0
#include "motion_codes.hpp"

namespace apsis::forces {

template void evaluate_motion(Evaluation<Mixed> const&, Workspace<Mixed>&, bool);

}  // namespace apsis::forces
