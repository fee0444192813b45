// SPDX-License-Identifier: Apache-2.0
// Tests of the page with four planets: orbits, names, paths, and bodies that are followed.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ask, desktop, download, measure, until, untilApsis, testsOfPages } from './support.mjs';

const look = testsOfPages({ planets: true, mode: 'demo', interval: 30 });

const pause = async (page) => {
  await page.keyboard.press('g'); // the plot may cover a planet
  await page.keyboard.press('Space');
  await untilApsis(page, ({ paused }) => paused, 'a pause');
  // Until the last frame is drawn.
  let last = '';
  await until(async () => {
    const now = JSON.stringify((await ask(page)).places);
    await page.waitForTimeout(1500);
    return last === (last = now);
  }, 'rest');
};
const away = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
/** Counts the drawn pixels of the canvas over the sky. */
const inked = (page) => page.locator('#overlay').evaluate((canvas) => {
  const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  pen.drawImage(canvas, 0, 0);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 3; i < data.length; i += 4) count += data[i] > 20;
  return count;
});

describe('planets', () => {
  look('have orbits and names, centred on the Sun', {}, async (page) => {
    const { orbits, labels, places } = await untilApsis(page, (said) => said.labels.length > 2, 'names');
    assert.equal(orbits, 3);
    for (const name of ['Sun', 'Jupiter']) assert.ok(labels.includes(name), `${labels}`);
    const sun = places.Sun;
    assert.ok(Math.abs(sun[0] - desktop.viewport.width / 2) < 3, `${sun}`);
    await page.waitForTimeout(600);
    assert.ok(away((await ask(page)).places.Sun, sun) < 3);
    await pause(page);
    const count = await inked(page);
    await page.keyboard.press('i');
    await untilApsis(page, (said) => said.labels.length === 0, 'no names');
    await page.keyboard.press('o');
    await untilApsis(page, (said) => said.orbits === 0, 'no orbits');
    assert.ok(count > 1000 && await inked(page) === 0);
  });

  look('leave paths that stay on the orbits, however far apart the frames are', { timeStep: 0.37 }, async (page) => {
    await page.keyboard.press('i');
    await page.keyboard.press('t');
    const { frames } = await ask(page);
    await untilApsis(page, (said) => said.frames > frames + 10, 'frames');
    await pause(page);
    const both = await inked(page);
    await page.keyboard.press('t');
    await until(async () => await inked(page) !== both, 'no paths');
    const orbits = await inked(page);
    // The paths cover the orbits and nothing else; chords would cross the space within.
    assert.ok(both < 2.2 * orbits, `${both} pixels with paths, ${orbits} of orbits`);
    await page.keyboard.press('o');
    await page.keyboard.press('t');
    await until(async () => await inked(page) > 0.4 * orbits, 'paths alone');
  });

  look('are followed after a click or X, until F', {}, async (page) => {
    await pause(page);
    const [x, y] = (await ask(page)).places.Jupiter;
    assert.ok(y < 530, 'not below the bar');
    await page.mouse.click(x + 3, y - 3);
    await untilApsis(page, ({ followed }) => followed === 'Jupiter', 'Jupiter');
    await page.waitForTimeout(500);
    const centre = (await ask(page)).places.Jupiter;
    assert.ok(Math.abs(centre[0] - desktop.viewport.width / 2) < 3, `${centre}`);
    await page.keyboard.press('Space');
    const { step } = await ask(page);
    const later = await untilApsis(page, (said) => said.step > step + 20, 'steps');
    assert.ok(away(later.places.Jupiter, centre) < 3);
    assert.ok(later.labels.includes('Jupiter'));
    await page.keyboard.press('x');
    await untilApsis(page, ({ followed }) => followed === 'Sun', 'the next body, which is the first');
    await page.keyboard.press('Shift+X');
    await untilApsis(page, ({ followed }) => followed === 'Jupiter', 'the body before');
    assert.match(await page.locator('#spoken').textContent(), /follows Jupiter/);
    await page.keyboard.press('f');
    await untilApsis(page, ({ followed }) => followed === '', 'none');
  });

  look('stay under the pointer when the wheel zooms', {}, async (page) => {
    await pause(page);
    const { places } = await ask(page);
    await page.mouse.move(...places.Jupiter);
    await page.mouse.wheel(0, -150);
    await untilApsis(page, (said) => away(said.places.Sun, places.Sun) > 30, 'a zoom');
    await page.waitForTimeout(500);
    const now = (await ask(page)).places;
    assert.ok(away(now.Jupiter, places.Jupiter) < 2, JSON.stringify([places, now]));
  });

  look('are in saved pictures with their orbits', {}, async (page) => {
    await pause(page);
    const withOrbits = await download(page, () => page.keyboard.press('s'));
    await page.keyboard.press('o');
    await page.keyboard.press('i');
    await untilApsis(page, ({ orbits }) => orbits === 0, 'no orbits');
    const without = await download(page, () => page.keyboard.press('s'));
    const [a, b] = [await measure(withOrbits.bytes), await measure(without.bytes)];
    assert.ok(a.mean > b.mean + 0.1, `${a.mean} and ${b.mean}`);
  });
});
