// SPDX-License-Identifier: Apache-2.0
#include "candidate_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Double>> const& candidate_codes<Double>();

}  // namespace apsis::forces
