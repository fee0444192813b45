// SPDX-License-Identifier: Apache-2.0
// Draws the same picture without WebGL2: light is added up on the processor, for fewer points.

import { along, colourings, expose, fastest, plainColour, speciesColours, speedColours } from './palette.js';

const levels = 4096;
const brightest = 20;
const fadePerFrame = 0.9;

/** Brightness for an amount of light, as in developFragment of shaders.js. */
const shown = Uint8ClampedArray.from({ length: levels }, (_, i) => {
  const light = (i / (levels - 1)) * brightest;
  return 255 * Math.min(1, Math.asinh(3 * light) / Math.asinh(60)) ** 0.5;
});

export function makeCanvas(canvas) {
  const context = canvas.getContext('2d', { alpha: false });
  let sum = new Float32Array(0); // red, green and blue light
  let picture = null;
  let trailing = false;
  let aged = false;

  function resize() {
    const { width, height } = canvas;
    if (picture?.width === width && picture.height === height) return;
    picture = context.createImageData(width, height);
    picture.data.fill(255);
    sum = new Float32Array(3 * width * height);
  }

  const bySpeed = Array.from({ length: 256 }, (_, i) => along(speedColours, i / 64 / fastest));
  const colourOf = [
    (speed) => bySpeed[speed], (speed, species) => speciesColours[Math.min(species, 6)], () => plainColour];

  function addPoints(matrix, frame, light, colouring) {
    const { width, height } = picture;
    const m = matrix;
    const colour = colourOf[colouring];
    for (let i = 0; i < frame.points; ++i) {
      const qx = frame.places[4 * i], qy = frame.places[4 * i + 1], qz = frame.places[4 * i + 2];
      const { fine } = frame;
      if (!fine && qx === 65535 && qy === 65535 && qz === 65535) continue;
      const [x, y, z] = fine ? fine.subarray(3 * i, 3 * i + 3)
        : [(qx + 0.5) / 32768 - 1, (qy + 0.5) / 32768 - 1, (qz + 0.5) / 32768 - 1];
      const w = m[3] * x + m[7] * y + m[11] * z + m[15];
      if (w <= 0) continue;
      const u = (0.5 + (0.5 * (m[0] * x + m[4] * y + m[8] * z + m[12])) / w) * width - 0.5;
      const v = (0.5 - (0.5 * (m[1] * x + m[5] * y + m[9] * z + m[13])) / w) * height - 0.5;
      const column = Math.floor(u), row = Math.floor(v);
      if (column < 0 || row < 0 || column >= width - 1 || row >= height - 1) continue;
      const [r, g, b] = colour(frame.bytes[8 * i + 6], frame.bytes[8 * i + 7]);
      // Four pixels share the light of a point, so that points move smoothly.
      const du = u - column, dv = v - row;
      for (let k = 0; k < 4; ++k) {
        const part = light * (k & 1 ? du : 1 - du) * (k & 2 ? dv : 1 - dv);
        const offset = 3 * ((row + (k >> 1)) * width + column + (k & 1));
        sum[offset] += part * r;
        sum[offset + 1] += part * g;
        sum[offset + 2] += part * b;
      }
    }
  }

  return {
    kind: 'canvas',
    most: 50000,
    pixels: 900 * 600, // the browser enlarges them
    take() {
      aged = true;
    },
    clearTrails() {
      sum.fill(0);
    },
    draw(camera, frame, settings, ratio, moved) {
      resize();
      trailing = settings.trails && !moved;
      // A static picture must not grow brighter.
      const fade = trailing && aged ? fadePerFrame : 0;
      if (fade === 0) sum.fill(0);
      else for (let i = 0; i < sum.length; ++i) sum[i] *= fade;
      if (frame) {
        const { diameter, light } = expose(frame.points, settings);
        // The light of a point is that of its disc.
        const area = (diameter * ratio) ** 2 * 0.157;
        addPoints(camera.matrix(frame), frame, light * area * (1 - fade * 0.6),
          colourings.indexOf(settings.colour));
      }
      const data = picture.data;
      const scale = (levels - 1) / brightest;
      for (let source = 0, target = 0; source < sum.length; source += 3, target += 4)
        for (let k = 0; k < 3; ++k) data[target + k] = 5 + shown[Math.min(levels - 1, (sum[source + k] * scale) | 0)];
      context.putImageData(picture, 0, 0);
      aged = false;
    },
  };
}
