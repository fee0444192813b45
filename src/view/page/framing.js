// SPDX-License-Identifier: Apache-2.0
// Finds the region that the camera should show. The first points of a frame are a fair sample.

import { placeOf, species } from './frame.js';

const sample = 4096;
const few = 64; // up to this number, every body counts

const dark = 1, luminous = [2, 3, 4]; // species: dark matter; disk, bulge, stars

/** Returns the drawn points of a frame, up to `most`, as [x, y, z] in lengths of the run. */
function placesOf(frame, most, isChosen) {
  const places = [];
  for (let i = 0; i < frame.points && places.length < most; ++i) {
    const place = isChosen(frame.bytes[8 * i + 7]) && placeOf(frame, i);
    if (place) places.push(place);
  }
  return places;
}

const ascending = (a, b) => a - b;

/**
 * Returns the ball {centre, radius} that contains most bodies; null if the frame draws none. With
 * `primary`, the index of a dominant body, it is centred there. Galaxies are framed by their disks
 * and stars, since halos reach much further.
 */
export function surround(frame, primary = -1) {
  const kinds = speciesIn(frame);
  const isGalaxy = kinds.includes(dark) && kinds.some((kind) => luminous.includes(kind));
  const places = placesOf(frame, sample, (kind) => !isGalaxy || kind !== dark);
  if (places.length === 0) return null;
  const isComplete = places.length <= few;
  const centre = primary >= 0 ? placeOf(frame, primary) : [0, 1, 2].map((k) => {
    const along = places.map((p) => p[k]).sort(ascending);
    return isComplete ? (along[0] + along.at(-1)) / 2 : along[along.length >> 1];
  });
  const far = places.map((p) => Math.hypot(p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]));
  far.sort(ascending);
  const radius = isComplete ? far.at(-1) * 1.1 : far[Math.floor(0.9 * far.length)] * 1.3;
  return { centre, radius: Math.max(radius, frame.half * 1e-3) };
}

/** Returns the species of the first points, as an array of numbers. */
export function speciesIn(frame) {
  const kinds = new Set();
  for (let i = 0; i < Math.min(frame.points, 4 * sample); ++i) kinds.add(Math.min(frame.bytes[8 * i + 7], species.length - 1));
  return [...kinds].sort(ascending);
}
