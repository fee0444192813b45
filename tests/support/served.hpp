// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/comes_true.hpp"
#include "view/server/server.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace apsis::testing {

/// Returns limits short enough for tests and long enough for busy machines.
inline view::Limits brief() {
  view::Limits limits;
  limits.request = std::chrono::milliseconds(500);
  limits.silence = std::chrono::milliseconds(2000);
  return limits;
}

/// Returns the port of a server's URL.
inline std::uint16_t port_of(view::Server const& server) {
  auto const url = server.url();
  auto const colon = url.find(':', url.find("://") + 3);
  return static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1)));
}

/// Returns a frame of `points` points that are all different.
inline view::Frame frame_of(std::size_t points, std::uint64_t step) {
  auto const memory = std::make_shared<std::vector<view::Point>>(points);
  for (std::size_t i = 0; i < points; ++i) {
    (*memory)[i] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(i >> 16U),
                    static_cast<std::uint16_t>(step), static_cast<std::uint8_t>(i % 251),
                    static_cast<std::uint8_t>(i % 3)};
  }
  view::Frame frame;
  frame.step = step;
  frame.bodies = 2 * points;
  frame.points = *memory;
  frame.memory = memory;
  return frame;
}

}  // namespace apsis::testing
