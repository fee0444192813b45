// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

/// How space becomes a picture. Pixels are counted from the upper left corner, x to the right and y
/// down; the centre of the first is at (0.5, 0.5).
namespace apsis::render {

/// Of a picture [pixels].
struct Size {
  int width = 1920, height = 1080;

  int pixels() const { return width * height; }
};

enum class Lens { orthographic, perspective };

/// Where the camera is and what it sees.
struct Camera {
  Lens lens = Lens::orthographic;
  Vec3<double> target{};             ///< in the middle of the picture [length]
  Vec3<double> from{0.0, 0.0, 1.0};  ///< from the target to the eye; any length but 0
  Vec3<double> up{0.0, 1.0, 0.0};    ///< up in the picture; not along `from`
  double extent = 2.0;               ///< from the lower to the upper edge, at the target [length]
  double field_of_view = 40.0;       ///< of a perspective lens, from edge to edge [degrees]
};

/// A camera and a size, ready for kernels.
struct Projection {
  Vec3<double> target, right, up, back;  ///< unit vectors but for the target
  double scale;                          ///< at the target [pixels / length]
  double distance;                       ///< of the eye from the target [length]; 0: parallel rays
  double middle_x, middle_y;             ///< [pixels]

  struct Place {
    double x, y;  ///< [pixels]
    bool ahead;   ///< of the eye
  };

  APSIS_INLINE_FUNCTION Place operator()(Vec3<double> const& position) const {
    auto const seen = position - target;
    double enlarged = scale;
    bool ahead = true;
    if (distance > 0.0) {
      double const depth = distance - dot(seen, back);
      // What is nearer to the eye than a thousandth of the target would cover the picture.
      ahead = depth > 1e-3 * distance;
      if (ahead) enlarged *= distance / depth;
    }
    return {middle_x + enlarged * dot(seen, right), middle_y - enlarged * dot(seen, up), ahead};
  }
};

/// Throws an internal error for a camera that has no direction, or no extent.
Projection projection(Camera const& camera, Size size);

/// The vector turned about an axis of any length, by the right hand [degrees].
Vec3<double> turned(Vec3<double> const& vector, Vec3<double> const& axis, double degrees);

}  // namespace apsis::render
