// SPDX-License-Identifier: Apache-2.0
// Drawn over the sky for few bodies: osculating orbits, the paths behind the bodies, and names.

import { bodyColours } from './palette.js';
import { orbitsOf, path, pointAt } from './orbits.js';

const mostPoints = 12000; // of all paths together
const longestPath = 1500; // points of one path
const segments = 180; // of an ellipse
const fades = 12; // steps of brightness along a path

export function makeOverlay(canvas) {
  const pen = canvas.getContext('2d');
  const paths = new Map(); // by id
  let last = null; // {frame, orbits} of the newest frame
  let sense = 0; // direction of time
  let shown = { orbits: 0, labels: [] };

  const colourOf = (i) => bodyColours[i % bodyColours.length];

  function extend(frame, orbits) {
    const dt = frame.time - last.frame.time;
    const limit = Math.min(longestPath, Math.floor(mostPoints / frame.details.length));
    const was = new Map(last.frame.details.map((body, i) => [body.id, i]));
    const centreOf = (known) => (known.orbits.primary < 0 ? [0, 0, 0]
      : known.frame.details[known.orbits.primary].position);
    const now = { frame, orbits };
    frame.details.forEach((body, i) => {
      const k = was.get(body.id);
      const line = paths.get(body.id) ?? [];
      const more = k === undefined ? null : path(
        { body: last.frame.details[k], centre: centreOf(last), ellipse: last.orbits.ellipses[k] },
        { body, centre: centreOf(now), ellipse: orbits.ellipses[i] }, dt);
      if (more) line.push(...more);
      else line.push(null, body.position); // a gap
      paths.set(body.id, line.slice(-limit));
    });
  }

  function stroke(points, camera) {
    pen.beginPath();
    let down = false;
    for (const point of points) {
      const pixel = point && camera.project(point);
      if (!pixel) down = false;
      else if (down) pen.lineTo(pixel[0], pixel[1]);
      else {
        pen.moveTo(pixel[0], pixel[1]);
        down = true;
      }
    }
    pen.stroke();
  }

  function drawOrbits(camera, { frame, orbits }) {
    pen.lineWidth = 1;
    pen.globalAlpha = 0.42;
    orbits.ellipses.forEach((ellipse, i) => {
      if (!ellipse) return;
      const centre = frame.details[orbits.primary].position;
      pen.strokeStyle = colourOf(i);
      // From the body, so that a corner of the polygon lies on it.
      stroke(Array.from({ length: segments + 1 }, (_, k) =>
        pointAt(ellipse, ellipse.E + (2 * Math.PI * k) / segments).map((x, axis) => x + centre[axis])), camera);
      shown.orbits++;
    });
  }

  function drawPaths(camera, { frame }) {
    pen.lineWidth = 1.6;
    frame.details.forEach((body, i) => {
      const line = paths.get(body.id) ?? [];
      pen.strokeStyle = colourOf(i);
      const step = Math.ceil(line.length / fades) || 1;
      for (let first = 0; first + 1 < line.length; first += step) {
        pen.globalAlpha = 0.1 + (0.75 * (first + step)) / (line.length + step);
        stroke(line.slice(first, first + step + 1), camera);
      }
    });
  }

  function drawLabels(camera, { frame }, names, followed) {
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    pen.lineJoin = 'round';
    const boxes = [];
    const order = frame.details.map((body, i) => i)
      .sort((a, b) => (frame.details[b].id === followed) - (frame.details[a].id === followed)
        || frame.details[b].mass - frame.details[a].mass);
    for (const i of order) {
      const { id, position } = frame.details[i];
      const name = names[id] ?? (id === followed ? `body ${id}` : '');
      const pixel = name && camera.project(position);
      if (!pixel) continue;
      const box = { x: pixel[0] + 9, y: pixel[1] - 8, w: pen.measureText(name).width, h: 16 };
      const covers = (o) => box.x < o.x + o.w && o.x < box.x + box.w && box.y < o.y + o.h && o.y < box.y + box.h;
      if (boxes.some(covers)) continue;
      boxes.push(box);
      shown.labels.push(name);
      pen.globalAlpha = 0.9;
      pen.lineWidth = 3;
      pen.strokeStyle = 'rgb(5 7 11 / 85%)';
      pen.strokeText(name, box.x, pixel[1]);
      pen.fillStyle = id === followed ? '#ffffff' : '#cfd8e6';
      pen.fillText(name, box.x, pixel[1]);
    }
  }

  return {
    canvas,
    /** For tests: number of orbits and names that were drawn last. */
    get shown() {
      return shown;
    },
    clear() {
      paths.clear();
      sense = 0;
      last = null;
    },
    /** Takes a frame; returns the index of its dominant body, -1 without one. */
    take(frame, G) {
      if (!frame.details) {
        last = null;
        return -1;
      }
      const orbits = orbitsOf(frame.details, G);
      // After a change of direction, such as a seek or a restart, the old paths have no meaning.
      const direction = last ? Math.sign(frame.time - last.frame.time) : 0;
      if (direction * sense < 0) paths.clear();
      else if (direction !== 0) extend(frame, orbits);
      sense = direction * sense < 0 ? 0 : direction || sense;
      last = { frame, orbits };
      return orbits.primary;
    },
    draw(camera, { settings, names, followed }, ratio) {
      // Setting the size clears the canvas. After clearRect() alone Chromium may still copy the old
      // contents into a saved picture.
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
      shown = { orbits: 0, labels: [] };
      if (!last) return;
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.setLineDash([]);
      if (settings.orbits) drawOrbits(camera, last);
      if (settings.trails) drawPaths(camera, last);
      if (settings.names) drawLabels(camera, last, names, followed);
      pen.globalAlpha = 1;
    },
  };
}
