// SPDX-License-Identifier: Apache-2.0
// Tests of the page's functions without a browser: numbers, axes and orbits.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dominant, eccentricAnomaly, ellipse, orbitsOf, path, pointAt } from '../../src/view/page/orbits.js';
import { ticks, tickText } from '../../src/view/page/plot.js';
import { isChangeable, placeAt, valueAt } from '../../src/view/page/setup.js';
import { blurTaps } from '../../src/view/page/shaders.js';
import { figures, rate, timeOf } from '../../src/view/page/words.js';

describe('sliders', () => {
  const deck = { softening: 0.1, time_step: -0.016, damping: 0.98 };
  test('have powers of two of the values of the deck, and the damping itself', () => {
    assert.equal(valueAt('softening', 0, deck), 0.1);
    assert.equal(valueAt('softening', 2, deck), 0.4);
    assert.equal(valueAt('time_step', -1, deck), -0.008);
    assert.equal(valueAt('damping', 0.95, deck), 0.95);
    for (const name of Object.keys(deck))
      assert.ok(Math.abs(placeAt(name, valueAt(name, 0.97, deck), deck) - 0.97) < 1e-12, name);
  });
  test('are there for values that can be changed', () => {
    assert.ok(isChangeable('time_step', deck));
    assert.ok(!isChangeable('softening', { softening: 0 }));
    assert.ok(!isChangeable('damping', { damping: null }));
    assert.ok(!isChangeable('damping', null));
  });
});

describe('numbers', () => {
  test('have the requested digits and no exponent with a plus', () => {
    const cases = [[99.7, 2, '100'], [99.99, 3, '100'], [0.0125, 3, '0.0125'], [1, 2, '1.0'], [12345, 3, '12\u202f300'],
      [999999, 3, '1.00 × 10⁶'], [1.25e7, 3, '1.25 × 10⁷'], [3e-7, 2, '3.0 × 10⁻⁷'], [9.96e-8, 2, '1.0 × 10⁻⁷'],
      [0, 3, '0'], [NaN, 3, '–'], [0.00099, 2, '9.9 × 10⁻⁴'], [-2.5, 2, '-2.5'], [200, 1, '200']];
    for (const [value, digits, text] of cases) assert.equal(figures(value, digits), text);
  });

  test('have words for millions, also where rounding reaches the next word', () => {
    const cases = [[999.6e6, '1.00 billion'], [999.4e6, '999 million'], [1e6, '1.00 million'], [99.96, '100'], [100.4, '100'],
      [9.96, '10'], [3.14, '3.1'], [999.7, '1\u202f000'], [1234, '1\u202f230'], [0.0004, '< 0.001'], [0, '0'], [Infinity, '–']];
    for (const [value, text] of cases) assert.equal(rate(value), text);
  });

  test('never look like 1.0e+2', () => {
    for (let exponent = -12; exponent < 22; ++exponent)
      for (const mantissa of [1, 1.004, 1.05, 2.5, 9.94, 9.949, 9.95, 9.996, 9.9999]) {
        const value = mantissa * 10 ** exponent;
        for (const text of [rate(value), figures(value, 2), figures(value, 3), timeOf(value, undefined, 'yr')])
          assert.doesNotMatch(text, /e[+-]|NaN|undefined/);
      }
  });

  test('of an axis are round and within it', () => {
    assert.deepEqual(ticks(0, 20), [0, 5, 10, 15, 20]);
    assert.deepEqual(ticks(0, 2000), [0, 500, 1000, 1500, 2000]);
    assert.deepEqual(ticks(0.3, 0.3), [0.3]);
    const texts = (...range) => ticks(...range).map((t, _, all) => tickText(t, all));
    assert.deepEqual(texts(0, 20), ['0', '5', '10', '15', '20']);
    assert.deepEqual(texts(0, 1), ['0', '0.25', '0.50', '0.75', '1.00']);
    assert.deepEqual(texts(0, 2000), ['0', '500', '1\u202f000', '1\u202f500', '2\u202f000']);
    for (const [first, last] of [[0, 7], [-3, 11.2], [1e-5, 3e-5], [2451545, 2451600], [0, 40]]) {
      const values = ticks(first, last);
      assert.ok(values.length >= 2 && values.length <= 6, `${values}`);
      assert.equal(new Set(values.map((t) => tickText(t, values))).size, values.length);
      assert.ok(values.every((t) => t >= first - 1e-9 * Math.abs(first) && t <= last * (1 + 1e-9)));
    }
  });
});

describe('the glow', () => {
  test('is a Gaussian that ends below what can be seen', () => {
    const sum = blurTaps.reduce((all, [offset, weight]) => all + (offset === 0 ? 1 : 2) * weight, 0);
    assert.ok(Math.abs(sum - 1) < 1e-12);
    // A point of light 1000 at the end of the kernel: below half a step of 8-bit brightness.
    const [offset, weight] = blurTaps.at(-1);
    assert.ok(offset > 14 && (weight / 2) * blurTaps[0][1] * 0.22 < 1e-6);
  });
});

/** Returns position and velocity on a Kepler orbit in the usual elements; independent of orbits.js. */
function onOrbit({ mu, a, e, i, node, peri, E }) {
  const n = Math.sqrt(mu / a ** 3), b = a * Math.sqrt(1 - e * e);
  const rate = n / (1 - e * Math.cos(E));
  const turn = ([x, y]) => {
    const [p, q] = [x * Math.cos(peri) - y * Math.sin(peri), x * Math.sin(peri) + y * Math.cos(peri)];
    const [s, t, z] = [p, q * Math.cos(i), q * Math.sin(i)];
    return [s * Math.cos(node) - t * Math.sin(node), s * Math.sin(node) + t * Math.cos(node), z];
  };
  return {
    r: turn([a * (Math.cos(E) - e), b * Math.sin(E)]),
    v: turn([-a * rate * Math.sin(E), b * rate * Math.cos(E)]),
  };
}
const distance = (x, y) => Math.hypot(...x.map((at, k) => at - y[k]));

describe('osculating orbits', () => {
  for (const e of [0, 1e-9, 0.2, 0.7, 0.99]) {
    test(`are the ellipse of eccentricity ${e}`, () => {
      const elements = { mu: 39.5, a: 2.5, e, i: 0.7, node: 1.9, peri: -0.8 };
      for (const E of [0, 0.4, 2.1, Math.PI, 4.5]) {
        const { r, v } = onOrbit({ ...elements, E });
        const orbit = ellipse(elements.mu, r, v);
        assert.ok(Math.abs(orbit.a / 2.5 - 1) < 1e-10, `a = ${orbit.a}`);
        assert.ok(Math.abs(orbit.e - e) < 1e-8, `e = ${orbit.e}`);
        assert.ok(Math.abs(orbit.motion / Math.sqrt(39.5 / 2.5 ** 3) - 1) < 1e-10);
        assert.ok(distance(pointAt(orbit, orbit.E), r) < 1e-7);
        // Every other point of the orbit lies on it as well.
        for (const other of [1, 3, 5]) {
          const { r: point } = onOrbit({ ...elements, E: other });
          const closest = Math.min(...Array.from({ length: 2000 }, (_, k) =>
            distance(pointAt(orbit, (2 * Math.PI * k) / 2000), point)));
          assert.ok(closest < 5e-3 * 2.5, `${closest}`);
        }
      }
    });
  }

  test('exist for bound orbits with angular momentum only', () => {
    assert.equal(ellipse(1, [1, 0, 0], [0, 1.5, 0]), null); // hyperbola
    assert.equal(ellipse(1, [1, 0, 0], [0, Math.SQRT2, 0]), null); // parabola
    assert.equal(ellipse(1, [1, 0, 0], [0.1, 0, 0]), null); // radial
    assert.equal(ellipse(0, [1, 0, 0], [0, 1, 0]), null);
    assert.equal(ellipse(1, [0, 0, 0], [0, 0, 0]), null);
  });

  test('need a body with more than half of the mass', () => {
    const body = (mass) => ({ mass, position: [mass, 0, 0], velocity: [0, mass, 0] });
    assert.equal(dominant([body(1), body(1)]), -1);
    assert.equal(dominant([body(1), body(2.5), body(1)]), 1);
    assert.deepEqual(orbitsOf([body(1), body(1)], 1), { primary: -1, ellipses: [null, null] });
  });

  test('follow Kepler’s equation', () => {
    for (const e of [0, 0.3, 0.9, 0.999])
      for (const E of [-9, -3, -0.01, 0, 1e-6, 1, 3.1, 20])
        assert.ok(Math.abs(eccentricAnomaly(E - e * Math.sin(E), e) - E) < 1e-9, `e = ${e}, E = ${E}`);
  });
});

describe('paths between frames', () => {
  const elements = { mu: 39.5, a: 1, e: 0.3, i: 0.4, node: 0.2, peri: 1 };
  const motion = Math.sqrt(39.5);
  const stateAt = (t) => {
    const M = motion * t;
    const { r, v } = onOrbit({ ...elements, E: eccentricAnomaly(M, 0.3) });
    return { body: { position: r, velocity: v }, centre: [0, 0, 0], ellipse: ellipse(39.5, r, v) };
  };

  for (const [dt, what] of [[0.1, 'a short step'], [0.7, 'most of a revolution'], [7.3, 'many revolutions'], [-0.4, 'a step back']]) {
    test(`stay on the orbit over ${what}`, () => {
      const line = path(stateAt(0.2), stateAt(0.2 + dt), dt);
      const points = line.filter(Boolean);
      // A revolution takes 1 / 1.0003: a longer path begins after a gap.
      assert.equal(line.length - points.length, dt > 1 ? 1 : 0);
      assert.ok(points.length > 3 && points.length < 80);
      assert.ok(distance(points.at(-1), stateAt(0.2 + dt).body.position) < 1e-9);
      for (const point of points) {
        // Independent: distances to the two foci add up to 2 a.
        const { centre } = stateAt(0).ellipse;
        const sum = Math.hypot(...point) + distance(point, centre.map((x) => 2 * x));
        assert.ok(Math.abs(sum - 2) < 1e-8, `${sum}`);
      }
    });
  }

  test('are cubics without an orbit, and gaps where frames are too far apart', () => {
    const free = (t) => ({ ...stateAt(t), ellipse: null });
    const points = path(free(0), free(0.02), 0.02);
    const half = stateAt(0.01).body.position;
    assert.ok(distance(points[2], half) < 2e-4);
    assert.equal(path(free(0), free(0.6), 0.6), null);
  });
});
