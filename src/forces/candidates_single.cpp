// SPDX-License-Identifier: Apache-2.0
#include "candidate_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Single>> const& candidate_codes<Single>();

}  // namespace apsis::forces
