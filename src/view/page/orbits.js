// SPDX-License-Identifier: Apache-2.0
// Osculating orbits of few bodies about a dominant one, and the paths between two frames. This is
// the only place that computes them.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.sqrt(dot(a, a));

/** Returns the index of the body with more than half of the mass; -1 if there is none. */
export function dominant(bodies) {
  const total = bodies.reduce((sum, { mass }) => sum + mass, 0);
  return bodies.findIndex(({ mass }) => mass > 0.5 * total);
}

/**
 * Returns the ellipse of a bound two-body orbit from relative position `r` [length] and velocity `v`
 * [length / time]; `mu` = G (m1 + m2). Its points are centre + cos(E) major + sin(E) minor, relative
 * to the other body, for the eccentric anomaly E. Null for unbound and radial orbits. Murray &
 * Dermott 1999, Solar System Dynamics, equations (2.18), (2.41), (2.52).
 */
export function ellipse(mu, r, v) {
  const distance = length(r);
  const a = 1 / (2 / distance - dot(v, v) / mu);
  const h = cross(r, v);
  if (!(mu > 0) || !(a > 0) || !Number.isFinite(a) || !(length(h) > 0)) return null;
  // Eccentricity vector: towards the pericentre.
  const towards = minus(times(1 / mu, cross(v, h)), times(1 / distance, r));
  const e = length(towards);
  if (!(e < 1)) return null;
  // In a circular orbit the direction of the pericentre is rounding error, and any will do.
  const x = e > 1e-7 ? times(1 / e, towards) : times(1 / distance, r);
  const y = times(1 / length(h), cross(h, x));
  const major = times(a, x), minor = times(a * Math.sqrt(1 - e * e), y);
  // From the coordinates along both axes, which keep their digits in circular orbits.
  const E = Math.atan2(dot(r, y) / Math.sqrt(1 - e * e), dot(r, x) + a * e);
  const motion = Math.sqrt(mu / (a * a * a)); // mean motion [1 / time]
  return { centre: times(-e, major), major, minor, a, e, motion, E, M: E - e * Math.sin(E) };
}

/** Returns the point of an ellipse at the eccentric anomaly E. */
export const pointAt = ({ centre, major, minor }, E) =>
  add(centre, add(times(Math.cos(E), major), times(Math.sin(E), minor)));

/** Solves Kepler's equation E - e sin(E) = M by Newton's method. */
export function eccentricAnomaly(M, e) {
  const turns = 2 * Math.PI * Math.round(M / (2 * Math.PI));
  const m = M - turns;
  let E = m + Math.sign(m) * 0.85 * e; // Danby 1988, converges for all e < 1
  for (let i = 0; i < 50; ++i) {
    const change = (E - e * Math.sin(E) - m) / (1 - e * Math.cos(E));
    E -= change;
    if (Math.abs(change) < 1e-14) break;
  }
  return E + turns;
}

/** Returns {primary, ellipses}: the dominant body's index (or -1), and an ellipse or null per body. */
export function orbitsOf(bodies, G) {
  const primary = dominant(bodies);
  const ellipses = bodies.map((body, i) => {
    if (primary < 0 || i === primary) return null;
    const central = bodies[primary];
    return ellipse(G * (central.mass + body.mass), minus(body.position, central.position),
      minus(body.velocity, central.velocity));
  });
  return { primary, ellipses };
}

const arc = Math.PI / 36; // of the mean anomaly between two points of a path

/**
 * Returns the path of a body from one frame to the next, without its first and with its last point.
 * `before` and `after`: {body, centre, ellipse}, where `centre` is the position of the primary and
 * `ellipse` null without an orbit. On an orbit the path follows the two osculating ellipses, weighted
 * by time; of more than one revolution the last one alone, after a gap (null). Otherwise it is the cubic through both positions and
 * velocities. Null if the frames are too far apart for a cubic.
 */
export function path(before, after, dt) {
  const earlier = before.ellipse, later = after.ellipse;
  if (earlier && later && dt !== 0) {
    const swept = Math.abs(0.5 * (earlier.motion + later.motion) * dt);
    const first = swept > 2 * Math.PI ? 1 - (2 * Math.PI) / swept : 0;
    const count = Math.max(1, Math.ceil(((1 - first) * swept) / arc));
    const points = Array.from({ length: count }, (_, k) => {
      const s = first + ((1 - first) * (k + 1)) / count;
      const a = pointAt(earlier, eccentricAnomaly(earlier.M + earlier.motion * dt * s, earlier.e));
      const b = pointAt(later, eccentricAnomaly(later.M - later.motion * dt * (1 - s), later.e));
      const centre = add(times(1 - s, before.centre), times(s, after.centre));
      return add(centre, add(times(1 - s, a), times(s, b)));
    });
    return first > 0 ? [null, ...points] : points;
  }
  const x0 = before.body.position, x1 = after.body.position;
  const v0 = times(dt, before.body.velocity), v1 = times(dt, after.body.velocity);
  const chord = minus(x1, x0);
  const mean = times(0.5, add(v0, v1));
  // With a step that resolves the path, the mean velocity gives the chord.
  if (length(minus(chord, mean)) > 0.35 * Math.max(length(chord), length(mean))) return null;
  const count = length(minus(v0, v1)) > 0.02 * length(chord) ? 6 : 1;
  return Array.from({ length: count }, (_, k) => {
    const s = (k + 1) / count, r = 1 - s;
    return add(add(times(r * r * (1 + 2 * s), x0), times(s * s * (3 - 2 * s), x1)),
      add(times(s * r * r, v0), times(-s * s * r, v1)));
  });
}
