// SPDX-License-Identifier: Apache-2.0
// Reads a frame from the network; src/view/server/server.hpp describes its bytes.

const header = 64;
export const pointBytes = 8;
const detailBytes = 64;

/** Returns the frame in `buffer`, its points unconverted for the graphics card; null if invalid. */
export function readFrame(buffer) {
  if (buffer.byteLength < header) return null;
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x31535041) return null; // "APS1"
  const points = view.getUint32(4, true);
  const count = view.getUint32(52, true); // bodies with details
  const end = header + points * pointBytes;
  if (count > points || buffer.byteLength !== end + count * detailBytes) return null;
  const frame = readPoints(view, buffer, points);
  // Only if every body has them, orbits can be drawn.
  if (count === 0 || count < frame.bodies) return frame;
  const values = new Float64Array(buffer, end);
  frame.details = Array.from({ length: count }, (_, i) => {
    const [id, mass, ...rest] = values.subarray(8 * i, 8 * i + 8);
    return { id, mass, position: rest.slice(0, 3), velocity: rest.slice(3) };
  });
  frame.fine = new Float32Array(frame.details.flatMap(({ position }) =>
    position.map((x, k) => (x - frame.centre[k]) / frame.half)));
  return frame;
}

function readPoints(view, buffer, points) {
  return {
    points,
    step: Number(view.getBigUint64(8, true)),
    bodies: Number(view.getBigUint64(16, true)),
    time: view.getFloat64(24, true),
    centre: [view.getFloat32(32, true), view.getFloat32(36, true), view.getFloat32(40, true)],
    half: view.getFloat32(44, true),
    speed: view.getFloat32(48, true),
    bytes: new Uint8Array(buffer, header, points * pointBytes),
    places: new Uint16Array(buffer, header, points * (pointBytes / 2)), // x, y, z and two bytes of other data
    details: null, // {id, mass, position, velocity} of each point, for few bodies
    fine: null, // their positions in the box, -1 to 1
  };
}

/** Returns the position of point i in lengths of the run; null if it is outside the box. */
export function placeOf(frame, i) {
  if (frame.details) return frame.details[i].position;
  const place = frame.places.subarray(4 * i, 4 * i + 3);
  if (place.every((at) => at === 65535)) return null;
  return Array.from(place, (at, k) => frame.centre[k] + frame.half * ((at + 0.5) / 32768 - 1));
}

/** Species, in the order of the numbers in a frame. */
export const species = ['gas', 'dark matter', 'disk', 'bulge', 'stars', 'other', 'no species'];

// The region that the camera should show. The first points of a frame are a fair sample.

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
