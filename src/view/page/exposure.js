// SPDX-License-Identifier: Apache-2.0
// Size and brightness of points, so that ten bodies and a million both give a picture.

/** Diameter in CSS pixels and light of a point, for a number of points and the user's settings. */
export function expose(points, settings) {
  const crowd = 65536 / Math.max(points, 1);
  return {
    diameter: Math.min(Math.max(3.4 * crowd ** 0.2, 2.2), 13) * 1.5 ** settings.size,
    light: Math.min(0.8 * crowd ** 0.3, 8) * 1.6 ** settings.brightness,
  };
}
