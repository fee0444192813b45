// SPDX-License-Identifier: Apache-2.0
#include "kernel_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Mixed>> const& kernel_codes<Mixed>();
template KernelCode<Mixed> const& compact_code<Mixed>();

}  // namespace apsis::forces
