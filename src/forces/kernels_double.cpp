// SPDX-License-Identifier: Apache-2.0
#include "kernel_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Double>> const& kernel_codes<Double>();
template KernelCode<Double> const& compact_code<Double>();

}  // namespace apsis::forces
