// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/embedded.hpp"

namespace apsis::view {

/// Returns the embedded files of src/view/page.
std::span<Embedded const> page_files();

}  // namespace apsis::view
