// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>
#include <apsis/render/shot.hpp>

/// Projection of space onto pictures. Pixels are counted from the upper left corner, x to the right
/// and y down; the centre of the first pixel is at (0.5, 0.5).
namespace apsis::render {

/// Position, orientation and field of view of the camera.
struct Camera {
  Lens lens = Lens::orthographic;
  Vec3<double> target{};  ///< centre of the picture [length]
  Vec3<double> eye_direction{0.0, 0.0,
                             1.0};  ///< direction from the target to the eye; any length but 0
  Vec3<double> up{
      0.0, 1.0, 0.0};  ///< direction that points up in the picture; not parallel to `eye_direction`
  double extent = 2.0;          ///< height of the picture, measured at the target [length]
  double field_of_view = 40.0;  ///< vertical opening angle of a perspective lens [degrees]
};

/// Camera and picture size, prepared for use in kernels.
struct Projection {
  Vec3<double> target, right, up, back;  ///< unit vectors, except the target
  double scale;                          ///< magnification at the target [pixels / length]
  double distance;                       ///< from the eye to the target [length]; 0: parallel rays
  double middle_x, middle_y;             ///< centre of the picture [pixels]

  struct PixelPosition {
    double x, y;  ///< [pixels]
    bool ahead;   ///< in front of the eye
  };

  APSIS_INLINE_FUNCTION PixelPosition operator()(Vec3<double> const& position) const {
    auto const relative = position - target;
    double enlarged = scale;
    bool ahead = true;
    if (distance > 0.0) {
      double const depth = distance - dot(relative, back);
      // A body nearer than a thousandth of the target's distance would cover the whole picture.
      ahead = depth > 1e-3 * distance;
      if (ahead) enlarged *= distance / depth;
    }
    return {middle_x + enlarged * dot(relative, right), middle_y - enlarged * dot(relative, up),
            ahead};
  }
};

/// Returns the projection. Throws an internal error if the camera has no direction or no extent.
Projection projection(Camera const& camera, Size size);

/// Returns the vector rotated by an angle [degrees] about an axis of any length (right-hand rule).
Vec3<double> rotate(Vec3<double> const& vector, Vec3<double> const& axis, double degrees);

}  // namespace apsis::render
