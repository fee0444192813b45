// SPDX-License-Identifier: Apache-2.0
// Finds the region that the camera should show. The first points of a frame are a fair sample.

const sample = 4096;
const few = 64; // up to this number, every body counts

/** Returns the drawn points of a frame, up to `most`, as [x, y, z] in lengths of the run. */
function placesOf(frame, most) {
  const places = [];
  const unit = (2 * frame.half) / 65536;
  for (let i = 0; i < frame.points && places.length < most; ++i) {
    const x = frame.places[4 * i], y = frame.places[4 * i + 1], z = frame.places[4 * i + 2];
    if (x === 65535 && y === 65535 && z === 65535) continue;
    places.push([x, y, z].map((at, k) => frame.centre[k] - frame.half + (at + 0.5) * unit));
  }
  return places;
}

const ascending = (a, b) => a - b;

/** Returns the ball {centre, radius} that contains most bodies; null if the frame draws none. */
export function surround(frame) {
  const places = placesOf(frame, sample);
  if (places.length === 0) return null;
  const all = places.length <= few;
  const centre = [0, 1, 2].map((k) => {
    const along = places.map((p) => p[k]).sort(ascending);
    return all ? (along[0] + along.at(-1)) / 2 : along[along.length >> 1];
  });
  const far = places.map((p) => Math.hypot(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]));
  far.sort(ascending);
  const radius = all ? far.at(-1) * 1.1 : far[Math.floor(0.9 * far.length)] * 1.3;
  return { centre, radius: Math.max(radius, frame.half * 1e-3) };
}

/** Returns the species of the first points, as an array of numbers. */
export function speciesIn(frame) {
  const seen = new Set();
  for (let i = 0; i < Math.min(frame.points, 4 * sample); ++i) seen.add(Math.min(frame.bytes[8 * i + 7], 5));
  return [...seen].sort(ascending);
}
