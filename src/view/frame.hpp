// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace apsis::view {

/// A body as a viewer draws it, in eight bytes: x, y, z in 1/65536 of the box, counted from its
/// lower corner; speed in 1/64 of the frame's speed (255: as fast or faster); species, or
/// no_species. x = y = z = 65535: outside the box, not drawn.
struct Point {
  std::uint16_t x, y, z;
  std::uint8_t speed, species;
};
static_assert(sizeof(Point) == 8);

/// Species of bodies in a system without species.
inline constexpr std::uint8_t no_species = 6;

/// A body with full digits, so that orbits of few bodies can be drawn: eight doubles.
struct BodyDetails {
  double id;           ///< exact below 2^53
  double mass;         ///< [mass]
  double position[3];  ///< [length]
  double velocity[3];  ///< [length / time]
};
static_assert(sizeof(BodyDetails) == 64);

/// Largest number of bodies for which a frame has details.
inline constexpr std::uint64_t max_detailed_bodies = 50;

/// Bodies at one time, or a subset of them that is the same in every frame. For every n the first n
/// points are a fair sample.
struct Frame {
  std::uint64_t step = 0;         ///< step of a run, or number of the snapshot that is played
  double time = 0.0;              ///< [time]
  std::uint64_t bodies = 0;       ///< number of bodies of the run; the points are a subset of them
  std::array<float, 3> centre{};  ///< of the box [length]
  float half = 1.0F;              ///< half of the edge of the box [length]
  float speed = 1.0F;             ///< unit of Point::speed, times 64 [length / time]
  std::span<Point const> points{};  ///< in ...
  std::shared_ptr<void const>
      memory{};  ///< ... memory that lives as long as the frame is being sent
  /// Details of the points, in their order; null for more than max_detailed_bodies bodies.
  std::shared_ptr<std::vector<BodyDetails> const> details{};
};

/// Returns the number of details in a message with `points` of the frame's points.
std::uint32_t detail_count(Frame const& frame, std::uint32_t points);

/// Returns the header that precedes `points` of the frame's points in a message; see Server.
std::array<unsigned char, 64> frame_header(Frame const& frame, std::uint32_t points);

}  // namespace apsis::view
