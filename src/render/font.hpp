// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace apsis::render {

/// The file of the font, which cmake/embed.cmake puts into the executable.
std::span<unsigned char const> font();

}  // namespace apsis::render
