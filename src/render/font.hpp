// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/embedded.hpp>

namespace apsis::render {

/// The one file of the font.
std::span<Embedded const> font_files();

}  // namespace apsis::render
