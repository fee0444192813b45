// SPDX-License-Identifier: Apache-2.0
#include "candidate_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Mixed>> const& candidate_codes<Mixed>();

}  // namespace apsis::forces
