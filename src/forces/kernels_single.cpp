// SPDX-License-Identifier: Apache-2.0
#include "kernel_codes.hpp"

namespace apsis::forces {

template std::vector<KernelCode<Single>> const& kernel_codes<Single>();
template KernelCode<Single> const& compact_code<Single>();

}  // namespace apsis::forces
