// SPDX-License-Identifier: Apache-2.0
// Reads a frame from the network; include/apsis/view/server.hpp describes its bytes.

const header = 64;
export const pointBytes = 8;

/** Returns the frame in `buffer`, its points unconverted for the graphics card; null if invalid. */
export function readFrame(buffer) {
  if (buffer.byteLength < header) return null;
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== 0x31535041) return null; // "APS1"
  const points = view.getUint32(4, true);
  if (buffer.byteLength !== header + points * pointBytes) return null;
  return {
    points,
    step: Number(view.getBigUint64(8, true)),
    bodies: Number(view.getBigUint64(16, true)),
    time: view.getFloat64(24, true),
    centre: [view.getFloat32(32, true), view.getFloat32(36, true), view.getFloat32(40, true)],
    half: view.getFloat32(44, true),
    speed: view.getFloat32(48, true),
    bytes: new Uint8Array(buffer, header),
    places: new Uint16Array(buffer, header), // x, y, z and two bytes of other data
  };
}

/** Species, in the order of the numbers in a frame. */
export const species = ['gas', 'dark matter', 'disk', 'bulge', 'stars', 'other'];
