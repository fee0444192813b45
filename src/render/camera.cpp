// SPDX-License-Identifier: Apache-2.0
#include "apsis/render/camera.hpp"

#include <apsis/core/error.hpp>

#include <numbers>

namespace apsis::render {

namespace {
constexpr double degree = std::numbers::pi / 180.0;

Vec3<double> unit(Vec3<double> const& a) {
  double const length = norm(a);
  APSIS_EXPECT(length > 0.0 && std::isfinite(length), "a camera has a direction");
  return (1.0 / length) * a;
}
}  // namespace

Projection projection(Camera const& camera, Size size) {
  APSIS_EXPECT(camera.extent > 0.0, "a camera sees some of space");
  Projection result{};
  result.target = camera.target;
  result.back = unit(camera.eye_direction);
  result.right = unit(cross(camera.up, result.back));
  result.up = cross(result.back, result.right);
  result.scale = size.height / camera.extent;
  if (camera.lens == Lens::perspective) {
    result.distance = 0.5 * camera.extent / std::tan(0.5 * camera.field_of_view * degree);
  }
  result.middle_x = 0.5 * size.width;
  result.middle_y = 0.5 * size.height;
  return result;
}

Vec3<double> rotate(Vec3<double> const& vector, Vec3<double> const& axis, double degrees) {
  // Rodrigues' rotation formula (1840).
  auto const k = unit(axis);
  double const s = std::sin(degrees * degree), c = std::cos(degrees * degree);
  return c * vector + s * cross(k, vector) + ((1.0 - c) * dot(k, vector)) * k;
}

}  // namespace apsis::render
