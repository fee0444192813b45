// SPDX-License-Identifier: Apache-2.0
// Browsers whose pages must report no errors, and simulators for them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { startMock } from './mock.mjs';

/** The browser of all tests, with any available software renderer: WebGL2 without a graphics card. */
export let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--mute-audio'],
  });
});
after(() => browser.close());

export const desktop = { viewport: { width: 960, height: 600 }, reducedMotion: 'reduce' };
export const phone = {
  viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2,
  reducedMotion: 'reduce' };

export const phoneOnItsSide = { ...phone, viewport: { width: 844, height: 390 } };

const patience = 20000; // [ms]; test machines are busy

/** Waits until `holds` returns a true value, and returns it. */
export async function until(holds, what) {
  const end = Date.now() + patience;
  for (;;) {
    const value = await holds();
    if (value) return value;
    assert.ok(Date.now() < end, `in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Returns window.apsis. */
export const ask = (page) => page.evaluate(() => ({ ...window.apsis }));

/** Waits until `holds` is true for window.apsis. */
export const untilApsis = (page, holds, what) => until(async () => {
  const said = await ask(page);
  return holds(said) && said;
}, what);

/**
 * Returns look() for the tests of a file, which defines a test with a page and its mock simulator and fails on errors and
 * warnings of the page.
 */
export function testsOfPages(mockDefaults) {
  return function look(name, mockOptions, use, pageOptions = desktop, prepare = undefined) {
    test(name, { timeout: 90000 }, async () => {
      const mock = await startMock({ ...mockDefaults, ...mockOptions });
      const page = await open(mock.url, pageOptions, prepare);
      try {
        await use(page, mock);
        assert.deepEqual(page.complaints(), []);
      } finally {
        await page.context().close();
        await mock.close();
      }
    });
  };
}

/** Opens a page and waits until it has drawn; page.complaints() returns errors, warnings and violated policies. */
export async function open(url, options = desktop, prepare = undefined, pictures = 2) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    // Performance warnings of a software driver are not errors of the page.
    if (['error', 'warning'].includes(message.type()) && !/GL Driver Message/.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  if (prepare) await page.addInitScript(prepare);
  await page.goto(url);
  await untilApsis(page, ({ frames }) => frames >= pictures, 'the first pictures');
  page.complaints = () => complaints;
  return page;
}

/** Disables WebGL2, as on old machines. */
export function withoutWebgl() {
  const get = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === 'webgl2' ? null : get.call(this, kind, ...rest);
  };
}

/** Makes each picture take 45 ms, as on a slow machine. */
export function slowly() {
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 45);
}

/** Disables half-float render targets. */
export function withoutFloats() {
  const get = WebGL2RenderingContext.prototype.getExtension;
  WebGL2RenderingContext.prototype.getExtension = function (name) {
    return /color_buffer/.test(name) ? null : get.call(this, name);
  };
}

/** Returns the file that the page downloads when `act` is called. */
export async function download(page, act) {
  const [file] = await Promise.all([page.waitForEvent('download', { timeout: patience }), act()]);
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

/** Returns a PNG of the sky without panels, in a window of the size `desktop`. */
export const skyOf = (page) => page.screenshot({ clip: { x: 340, y: 160, width: 310, height: 310 } });

/** Returns the brightness of a PNG: mean and largest value, 0 to 255, and its size. */
export async function measure(png) {
  const page = await browser.newPage();
  const result = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let sum = 0, most = 0;
    for (let i = 0; i < data.length; ++i) {
      if (i % 4 === 3) continue;
      sum += data[i];
      most = Math.max(most, data[i]);
    }
    return { width: image.width, height: image.height, most, mean: sum / (0.75 * data.length) };
  }, png.toString('base64'));
  await page.close();
  return result;
}

/**
 * Waits for a sky with bright points and returns its PNG. A browser can show a frame later than the
 * page draws it.
 */
export const brightSkyOf = (page, bright = 100, brightest = 256) => until(async () => {
  const sky = await skyOf(page);
  const { most, mean } = await measure(sky);
  return most > bright && mean > 1 && mean < brightest && sky;
}, 'bright points in the sky');

/** Starts the executable's server and waits for its URL; returns {url, kill(), done}. */
export async function startApsis(...words) {
  const child = spawn(process.env.APSIS, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const done = new Promise((ended) => child.on('exit', (code) => ended(code)));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { printed += text; });
  const address = /http:\/\/127\.0\.0\.1:\d+\/\S*/;
  await until(() => address.test(printed) || child.exitCode !== null, 'an address');
  assert.match(printed, address);
  return {
    url: printed.match(address)[0],
    done,
    async kill(signal = 'SIGTERM') {
      child.kill(signal);
      return done;
    },
  };
}
