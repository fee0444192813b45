// SPDX-License-Identifier: Apache-2.0
// Tests of the page with the executable given by APSIS.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ask, brightSkyOf, browser, desktop, open, skyOf, startApsis, until, untilApsis } from './support.mjs';

const deck = new URL('../../inputs/plummer.json', import.meta.url).pathname;
const skip = process.env.APSIS ? false : 'APSIS names no executable';
const statusOf = (page) => page.locator('#status').textContent();

let directory;
before(async () => { directory = await mkdtemp(join(tmpdir(), 'apsis-page-')); });
after(() => rm(directory, { recursive: true, force: true }));

/** Defines a test with a page and its simulator; fails on errors and warnings of the page. */
function look(name, words, use) {
  test(name, { timeout: 90000, skip }, async () => {
    const apsis = await startApsis(...words());
    try {
      const page = await open(apsis.url);
      await use(page, apsis);
      assert.deepEqual(page.complaints(), []);
      await page.context().close();
    } finally {
      await apsis.kill();
    }
  });
}

const demo = () => ['demo', '--port', '0', '--bodies', '2048', '--seconds', '600', '--threads', '1'];
const run = (...more) => () => ['run', deck, '--set', 'run.end_time=1000', '--set', 'bodies.count=1024',
  '--set', 'conservation.max_relative_energy_error=1e-3', '--set', 'output.conservation_interval=0.015625',
  '--output', join(directory, 'live'), '--force', '--threads', '1', '--quiet', '--view', '0', ...more];
/** Makes a finished run for the player. */
function finished() {
  const output = join(directory, 'finished');
  execFileSync(process.env.APSIS, ['run', deck, '--set', 'run.end_time=1', '--set', 'bodies.count=512',
    '--set', 'conservation.max_relative_energy_error=1e-3',
    '--set', 'output.snapshot_interval=0.015625', '--output', output, '--threads', '1', '--quiet']);
  return ['view', output, '--port', '0'];
}

describe('a demonstration', () => {
  look('moves, pauses, steps once and resumes', demo, async (page) => {
    const said = await ask(page);
    assert.equal(said.mode, 'demo');
    assert.equal(said.points, 2048);
    const first = await brightSkyOf(page);
    const { frames: before, time: earlier } = await ask(page);
    await untilApsis(page, ({ frames, time }) => frames > before + 3 && time > earlier, 'frames');
    assert.ok(!first.equals(await skyOf(page)));
    await untilApsis(page, ({ energy }) => energy > 1, 'a plot that grows');

    await page.keyboard.press('Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    await page.waitForTimeout(600);
    const { time, step } = await ask(page);
    await page.waitForTimeout(600);
    assert.equal((await ask(page)).time, time);
    await page.keyboard.press('.');
    await untilApsis(page, (now) => now.step > step, 'a step');
    await page.waitForTimeout(600);
    assert.equal((await ask(page)).step, step + 1);
    await page.keyboard.press('Space');
    await untilApsis(page, (now) => !now.paused && now.step > step + 1, 'steps');
  });

  look('goes to the next preset and restarts', demo, async (page) => {
    const machine = () => page.locator('#machine').textContent();
    const place = (await machine()).split(' · ')[0];
    await page.keyboard.press('n');
    await until(async () => !(await machine()).startsWith(place), 'another preset');
    await page.keyboard.press('m');
    await until(async () => (await machine()).startsWith(place), 'the preset before');
    await page.keyboard.press('n');
    await until(async () => !(await machine()).startsWith(place), 'the next one again');
    const { step } = await untilApsis(page, (said) => said.step > 100, 'steps');
    await page.keyboard.press('r');
    await untilApsis(page, (said) => said.step < step, 'a restart');
  });

  look('shows any deck, whose values change while it moves', () => ['demo', deck, '--bodies', '512', '--port', '0', '--threads', '1'],
    async (page) => {
      assert.equal((await ask(page)).points, 512);
      assert.ok(await page.locator('[data-action=next]').isHidden());
      await page.keyboard.press('e');
      const { time } = await untilApsis(page, (said) => said.step > 10, 'steps');
      const before = await page.locator('#time-step-value').textContent();
      await page.locator('#time-step').evaluate((slider) => {
        slider.value = -1;
        slider.dispatchEvent(new Event('change'));
      });
      await until(async () => await page.locator('#time-step-value').textContent() !== before, 'another step');
      await untilApsis(page, (said) => said.time > time && said.step > 10, 'bodies that go on');
    });

  look('shows the same in two browsers', demo, async (page, apsis) => {
    const other = await open(apsis.url);
    await other.keyboard.press('Space');
    for (const each of [page, other]) await untilApsis(each, ({ paused }) => paused, 'a pause');
    await page.waitForTimeout(800);
    const [a, b] = await Promise.all([ask(page), ask(other)]);
    assert.equal(a.time, b.time);
    assert.equal(a.step, b.step);
    await other.context().close();
  });

  test('is reported as lost when it ends', { timeout: 60000, skip }, async () => {
    const apsis = await startApsis(...demo());
    const page = await open(apsis.url);
    await apsis.kill('SIGKILL');
    await until(async () => /no connection/.test(await statusOf(page)), 'a message');
    assert.equal((await ask(page)).points, 2048);
    await page.context().close();
  });
});

const planets = new URL('../../inputs/solar_system.json', import.meta.url).pathname;
const system = (...more) => () => ['run', planets, '--output', join(directory, 'planets'), '--force', '--threads', '1', '--quiet',
  '--view', '0', ...more];

describe('planets', () => {
  look('have names and orbits', system('--view-wait', 'yes', '--pace', '0.5'), async (page) => {
    const { labels, orbits } = await untilApsis(page, (said) => said.orbits === 8, 'orbits');
    assert.equal(orbits, 8);
    for (const name of ['Sun', 'Jupiter', 'Neptune']) assert.ok(labels.includes(name), `${labels}`);
    const { time } = await ask(page);
    await page.waitForTimeout(2000);
    const { time: later } = await ask(page);
    assert.ok(later > time && later < time + 4, `${time} to ${later}`);
  });

  test('stay after the end, with a verdict, also for late viewers', { timeout: 90000, skip }, async () => {
    const apsis = await startApsis(...system('--view-wait', 'yes')());
    for (let viewer = 0; viewer < 2; ++viewer) {
      const page = await open(apsis.url, desktop, undefined, 1);
      await until(async () => /^done: t = 50 yr, energy conserved to .*, limit 1e-13$/.test(await statusOf(page)), 'a verdict');
      assert.ok(Number.parseFloat(await page.locator('#steps-rate').textContent()) > 0);
      await untilApsis(page, ({ step, orbits }) => step === 5000 && orbits === 8, 'the last state');
      assert.deepEqual(page.complaints(), []);
      await page.context().close();
    }
    await apsis.kill('SIGINT');
    assert.equal(await apsis.done, 0);
  });
});

describe('a run', () => {
  look('can only be watched without --view-control', run(), async (page) => {
    assert.equal((await ask(page)).mode, 'run');
    assert.equal(await page.locator('#commands button:visible').count(), 0);
    const { energy } = await ask(page);
    await untilApsis(page, (now) => now.energy > energy, 'a plot that grows');
  });

  look('can be paused and stopped with --view-control', run('--view-control'), async (page, apsis) => {
    await page.keyboard.press('Space');
    const { step } = await untilApsis(page, ({ paused }) => paused, 'a pause');
    await page.keyboard.press('.');
    await untilApsis(page, (now) => now.step > step, 'a step');
    await page.keyboard.press('r');
    await page.click('#sure button[value=yes]');
    await untilApsis(page, (now) => now.step < step && !now.paused, 'the run from its start');
    await page.keyboard.press('q');
    await page.click('#sure button[value=yes]');
    assert.equal(await apsis.done, 75);
    await until(async () => !/running|paused|no connection/.test(await statusOf(page)), 'the end');
    assert.ok((await ask(page)).points > 0);
  });
});

describe('a page of another site', () => {
  test('shows the view in a frame if it is named, with the token', { timeout: 90000, skip }, async () => {
    let target = '';
    const server = createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      response.end(`<!doctype html><title>notebook</title><iframe width=800 height=500 src="${target}"></iframe>`);
    });
    await new Promise((done) => server.listen(0, 'localhost', done));
    const origin = `http://localhost:${server.address().port}`;
    const context = await browser.newContext();
    const framed = async (options, what) => {
      const apsis = await startApsis(...demo(), ...options);
      target = what(apsis.url);
      const page = await context.newPage();
      await page.goto(origin);
      const [, frame] = page.frames();
      return { apsis, page, frame };
    };
    try {
      const shown = await framed(['--view-frame', origin], (url) => url);
      assert.match(shown.apsis.url, /[?]token=/);
      await until(() => shown.frame.evaluate(() => window.apsis?.frames > 0), 'a picture in the frame');
      await shown.page.close();
      await shown.apsis.kill();
      for (const [options, what] of [[[], (url) => url], [['--view-frame', 'http://localhost:1'], (url) => url],
        [['--view-frame', origin], (url) => url.replace(/[?].*/, '')]]) {
        const refused = await framed(options, what);
        await refused.page.waitForTimeout(1500);
        const drawn = await refused.frame.evaluate(() => window.apsis?.frames ?? 0).catch(() => 0);
        assert.equal(drawn, 0);
        await refused.page.close();
        await refused.apsis.kill();
      }
    } finally {
      await context.close();
      server.close();
    }
  });
});

describe('a player', () => {
  look('plays, pauses and seeks', finished, async (page) => {
    assert.equal((await ask(page)).mode, 'play');
    await page.keyboard.press('Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    const box = await page.locator('#seek').boundingBox();
    await page.mouse.click(box.x + 0.75 * box.width, box.y + box.height / 2);
    await untilApsis(page, ({ time }) => time > 0.65 && time < 0.85, 'a later time');
    // The displayed position is the requested one.
    await until(async () => Math.abs(await page.locator('#seek').evaluate((seek) => seek.value / seek.max) - 0.75) < 0.11,
      'the place');
    await page.keyboard.press('r');
    await untilApsis(page, ({ time }) => time < 0.65, 'the beginning');
    await until(async () => (await ask(page)).energy > 0, 'a plot');
  });
});
