// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/frame.hpp"

#include <array>
#include <cstdint>

namespace apsis::view {

/// Returns the number of details in a message with `points` of the frame's points.
std::uint32_t detail_count(Frame const& frame, std::uint32_t points);

/// Returns the header that precedes `points` of the frame's points in a message; see Server.
std::array<unsigned char, 64> frame_header(Frame const& frame, std::uint32_t points);

}  // namespace apsis::view
