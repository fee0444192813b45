// SPDX-License-Identifier: Apache-2.0
#include "view/frame.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace apsis::view {

// Points are sent as they are in memory.
static_assert(std::endian::native == std::endian::little, "frames are little-endian");

std::uint32_t detail_count(Frame const& frame, std::uint32_t points) {
  if (frame.details == nullptr) return 0;
  return std::min(points, static_cast<std::uint32_t>(frame.details->size()));
}

std::array<unsigned char, 64> frame_header(Frame const& frame, std::uint32_t points) {
  std::array<unsigned char, 64> header{'A', 'P', 'S', '1'};
  std::size_t offset = 4;
  auto const put = [&](auto value) {
    std::memcpy(header.data() + offset, &value, sizeof value);
    offset += sizeof value;
  };
  put(points);
  put(frame.step);
  put(frame.bodies);
  put(frame.time);
  for (float const x : frame.centre) put(x);
  put(frame.half);
  put(frame.speed);
  put(detail_count(frame, points));
  return header;
}

}  // namespace apsis::view
