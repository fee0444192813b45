// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/embedded.hpp"

namespace apsis::render {

/// Returns the embedded font, which is one file.
std::span<Embedded const> font_files();

}  // namespace apsis::render
