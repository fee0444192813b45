// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace apsis::view {

/// A body as a viewer draws it, in eight bytes: x, y, z in 1/65536 of the box from its lower
/// corner, then speed in 1/64 of the frame's speed (255: as fast or faster), then species. x = y =
/// z = 65535: outside the box, not drawn.
struct Point {
  std::uint16_t x, y, z;
  std::uint8_t speed, species;
};
static_assert(sizeof(Point) == 8);

/// The bodies at one time, or some of them that stay the same from frame to frame: the first n of
/// the points are a fair sample for every n.
struct Frame {
  std::uint64_t step = 0;                ///< of the run; of a play the number of the snapshot
  double time = 0.0;                     ///< [time]
  std::uint64_t bodies = 0;              ///< of the run, of which the points are some
  std::array<float, 3> centre{};         ///< of the box [length]
  float half = 1.0F;                     ///< half of its edge [length]
  float speed = 1.0F;                    ///< what Point::speed is relative to [length / time]
  std::span<Point const> points{};       ///< in ...
  std::shared_ptr<void const> memory{};  ///< ... memory that is kept as long as somebody sends it
};

}  // namespace apsis::view
