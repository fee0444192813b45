// SPDX-License-Identifier: Apache-2.0
// Tests of the page with a mock simulator: drawing, texts and commands.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keys } from '../../src/view/page/keys.js';
import { startMock } from './mock.mjs';
import { ask, brightSkyOf, desktop, download, measure, open, skyOf, slowly,
  until, untilApsis, withoutFloats, withoutWebgl, testsOfPages } from './support.mjs';

const look = testsOfPages({ bodies: 2000, interval: 30 });

const press = (page, key) => page.keyboard.press(key);
const did = (mock, name) => mock.said.filter((said) => said.do === name).length;
const differs = (a, b) => !a.equals(b);
const hidden = (page, id) => page.locator(`#${id}`).isHidden();
const aria = (page, action, name) => page.locator(`[data-action=${action}]`).getAttribute(`aria-${name}`);
const textOf = (page, id) => page.locator(`#${id}`).textContent();

describe('the page', () => {
  look('draws moving bodies and the texts of the simulator', {}, async (page) => {
    const said = await ask(page);
    assert.equal(said.drawing, 'webgl2');
    assert.equal(said.points, 2000);
    assert.equal(said.mode, 'demo');
    const first = await brightSkyOf(page, 120, 90);
    const later = await untilApsis(page, ({ frames, step }) => frames > said.frames + 3 && step > said.step, 'frames');
    assert.ok(differs(first, await skyOf(page)));
    assert.ok(later.time > said.time);
    await untilApsis(page, ({ energy }) => energy > said.energy, 'a plot that grows');
    assert.match(await textOf(page, 'machine'), /leapfrog kdk · double · openmp/);
    assert.match(await textOf(page, 'bodies'), /2\D000/);
    assert.match(await textOf(page, 'interactions-rate'), /133 million/);
    assert.match(await textOf(page, 'time'), /^\d+\.\d\d Myr$/);
    assert.equal(await page.title(), 'Spiral of circles · Apsis');
  });

  look('requests a frame only when it has drawn the last one', { interval: 200 }, async (page, mock) => {
    const { frames } = await untilApsis(page, (said) => said.frames > 8, 'frames');
    const asked = mock.said.filter(({ ready }) => ready).length;
    assert.ok(asked >= frames && asked <= frames + 4, `${asked} times for ${frames} frames`);
  });

  look('pauses, steps once and resumes', {}, async (page, mock) => {
    await page.click('#pause');
    const { time, step } = await untilApsis(page, ({ paused }) => paused, 'a pause');
    await page.waitForTimeout(400);
    assert.equal((await ask(page)).time, time);
    assert.equal(await page.locator('#pause').getAttribute('aria-label'), 'Resume');
    await press(page, '.');
    await untilApsis(page, (said) => said.step === step + 1, 'a step');
    await page.waitForTimeout(300);
    assert.equal((await ask(page)).step, step + 1);
    await press(page, 'Space'); // without pressing the clicked button again
    await untilApsis(page, (said) => !said.paused && said.step > step + 1, 'steps');
    assert.equal(did(mock, 'go_on'), 1);
  });

  look('does not draw while nothing changes', {}, async (page) => {
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    const first = await skyOf(page);
    await page.waitForTimeout(300);
    assert.ok(!differs(first, await skyOf(page)));
  });

  look('resets for the next run', {}, async (page) => {
    await untilApsis(page, ({ energy, step }) => energy > 3 && step > 15, 'a plot');
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    await press(page, 'N');
    await untilApsis(page, ({ energy, step }) => energy === 0 && step === 0, 'an empty plot');
    assert.match(await textOf(page, 'machine'), /^2 of 2/);
    assert.equal(await textOf(page, 'title'), 'The same again');
  });

  look('reports the end of a run and remains usable', {}, async (page, mock) => {
    const verdict = 'done: t = 20 Myr, energy conserved to 1e-7, limit 1e-5';
    mock.tell({ type: 'over', message: verdict, verdict: 'good' });
    await until(async () => await textOf(page, 'status') === verdict, 'the end');
    const colourOf = () => page.locator('#status').evaluate((status) => getComputedStyle(status).color);
    const good = await colourOf();
    mock.tell({ type: 'over', message: 'not conserved', verdict: 'bad' });
    await until(async () => await colourOf() !== good, 'another colour');
    mock.tell({ type: 'over', message: verdict, verdict: 'good' });
    await until(async () => await colourOf() === good, 'the colour of a conserved run');
    assert.equal(await page.locator('#commands button:visible:enabled').count(), 0);
    assert.ok(await page.locator('#commands button:visible').count() > 0);
    mock.drop();
    await page.waitForTimeout(1500);
    assert.equal(await textOf(page, 'status'), verdict);
    const first = await skyOf(page);
    await press(page, 'ArrowLeft');
    await until(async () => differs(first, await skyOf(page)), 'a turn');
  });

  look('shows the mean rates of a run that has ended', { mode: 'run' }, async (page, mock) => {
    assert.ok(await hidden(page, 'means'));
    mock.silence(); // no states of its own
    mock.tell({ type: 'state', status: 'finished', step: 2000, steps: 2000, time: 20, steps_per_second: 1234,
      interactions_per_second: 5e9, gflops: 100, wall_seconds: 2, message: '' });
    await until(async () => await textOf(page, 'steps-rate') === '1\u202f230', 'the mean rate');
    assert.ok(!(await hidden(page, 'means')));
  });

  look('keeps the picture when a slow machine gets fewer pixels', {}, async (page, mock) => {
    mock.tell({ type: 'over', message: 'the end' });
    await until(async () => await textOf(page, 'status') === 'the end', 'the end');
    mock.drop();
    await page.waitForTimeout(300);
    // Pictures in a row, until the page reduces the number of pixels, which clears the canvas.
    const reduced = await page.evaluate(async () => {
      const sky = document.getElementById('sky');
      const { width } = sky;
      const move = (kind, x) => sky.dispatchEvent(new PointerEvent(kind, {
        pointerId: 1, clientX: x, clientY: 300, bubbles: true, button: 0, isPrimary: true }));
      sky.setPointerCapture = () => {};
      move('pointerdown', 400);
      for (let i = 0; i < 60 && sky.width === width; ++i) {
        move('pointermove', 400 + 2 * i);
        await new Promise((done) => requestAnimationFrame(done));
      }
      return sky.width < width;
    });
    assert.ok(reduced);
    await page.waitForTimeout(500);
    const { most } = await measure(await skyOf(page));
    assert.ok(most > 100, `brightest pixel: ${most}`);
  }, desktop, slowly);

  look('requests up to a million points, as many as it can draw', { bodies: 300000, interval: 300 }, async (page, mock) => {
    assert.equal(mock.said.find(({ ready }) => ready).ready, 100000);
    await page.click('[data-action=look]');
    await page.selectOption('#points', '10000');
    await untilApsis(page, ({ points }) => points === 10000, '10000 points');
    await page.selectOption('#points', '300000');
    await untilApsis(page, ({ points }) => points === 300000, '300000 points');
    await brightSkyOf(page);
  });

  test('reconnects after the simulator was lost', { timeout: 60000 }, async () => {
    let mock = await startMock();
    const { port } = mock;
    const page = await open(mock.url);
    await mock.close();
    await until(async () => /no connection/.test(await textOf(page, 'status')), 'a message');
    const { frames, points } = await ask(page);
    assert.equal(points, 2000); // the last frame remains
    mock = await startMock({ port });
    await untilApsis(page, (said) => said.frames > frames + 2, 'new frames');
    await until(async () => await textOf(page, 'status') === 'running', 'running');
    await page.context().close();
    await mock.close();
  });

  look('draws without WebGL2', {}, async (page, mock) => {
    const said = await ask(page);
    assert.equal(said.drawing, 'canvas');
    assert.equal(mock.said.find(({ ready }) => ready).ready, 50000);
    const first = await brightSkyOf(page, 100, 90);
    await untilApsis(page, ({ frames }) => frames > said.frames + 2, 'frames');
    assert.ok(differs(first, await skyOf(page)));
    for (const key of ['t', 'c', 'c', '=']) await press(page, key);
    await untilApsis(page, ({ frames }) => frames > said.frames + 5, 'frames with trails');
  }, desktop, withoutWebgl);

  look('draws without half-float render targets', {}, async (page) => {
    assert.equal((await ask(page)).drawing, 'webgl2');
    await press(page, 't');
    const { frames } = await ask(page);
    await untilApsis(page, (said) => said.frames > frames + 2, 'frames');
    await brightSkyOf(page, 100, 90);
  }, desktop, withoutFloats);

  look('draws again after a lost graphics context', {}, async (page) => {
    await untilApsis(page, ({ frames }) => frames > 8, 'frames'); // each buffer was used several times
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    const first = await skyOf(page);
    await page.evaluate(() => {
      window.loss = document.getElementById('sky').getContext('webgl2').getExtension('WEBGL_lose_context');
      window.loss.loseContext();
    });
    await page.waitForTimeout(300);
    await page.evaluate(() => window.loss.restoreContext());
    await until(async () => !differs(first, await skyOf(page)), 'the same picture');
  });

  look('can only watch without control', { mode: 'run', control: false }, async (page, mock) => {
    assert.equal(await page.locator('#commands button:visible').count(), 0);
    assert.equal(await page.locator('#watching').getAttribute('title'), 'the run was started without --view-control');
    await press(page, 'Space');
    assert.match(await textOf(page, 'note'), /without --view-control/);
    assert.equal(mock.said.some((said) => said.do), false);
  });

  look('asks before it stops or restarts a run', { mode: 'run' }, async (page, mock) => {
    await press(page, 'q');
    await press(page, 'Escape');
    await press(page, 'r');
    assert.equal(await textOf(page, 'sure-title'), 'Restart the run?');
    await press(page, 'Escape');
    assert.equal(did(mock, 'stop') + did(mock, 'restart'), 0);
    await press(page, 'r');
    await page.click('#sure button[value=yes]');
    await until(() => did(mock, 'restart') === 1, 'a command');
    assert.equal(did(mock, 'stop'), 0);
    await page.click('[data-action=stop]');
    await page.click('#sure button[value=yes]');
    await until(() => did(mock, 'stop') === 1, 'a command');
    await until(async () => /stopped/.test(await textOf(page, 'status')), 'the end');
  });

  look('goes to the presets before and after, and stays with one', {}, async (page, mock) => {
    await press(page, 'm');
    await until(() => did(mock, 'previous') === 1, 'a preset before');
    await press(page, '[');
    await until(() => did(mock, 'previous') === 2, 'another one');
    await page.click('[data-action=next]');
    await until(() => did(mock, 'next') === 1, 'the next one');
    assert.equal(await aria(page, 'hold', 'pressed'), 'false');
    await press(page, 'k');
    await until(async () => await aria(page, 'hold', 'pressed') === 'true', 'a preset that stays');
    await page.click('[data-action=hold]');
    await until(async () => await aria(page, 'hold', 'pressed') === 'false', 'the next presets');
    assert.deepEqual(mock.said.filter((said) => said.do === 'hold').map(({ value }) => value), [1, 0]);
  });

  look('has sliders for softening, time step and damping of a demonstration', {}, async (page, mock) => {
    assert.ok(await hidden(page, 'setup'));
    await press(page, 'e');
    assert.ok(!(await hidden(page, 'setup')));
    assert.equal(await textOf(page, 'softening-value'), '0.100 pc');
    const slide = (id, place) => page.locator(`#${id}`).evaluate((slider, value) => {
      slider.value = value;
      for (const kind of ['input', 'change']) slider.dispatchEvent(new Event(kind));
    }, place);
    await slide('softening', 1);
    await slide('time-step', -1);
    await slide('damping', 0.95);
    for (const [name, value] of [['softening', 0.2], ['time_step', 0.008], ['damping', 0.95]])
      await until(() => mock.said.some((said) => said.do === name && Math.abs(said.value - value) < 1e-12), name);
    await until(async () => await textOf(page, 'softening-value') === '0.200 pc', 'the new value');
    // Values that cannot be changed have no slider.
    const now = { softening: 0, time_step: 0.1, damping: null };
    mock.tell({ type: 'setup', held: false, now, deck: now });
    await until(() => hidden(page, 'damping'), 'fewer sliders');
    assert.ok(await hidden(page, 'softening'));
    assert.ok(!(await hidden(page, 'time-step')));
  });

  look('has neither presets nor values to change in a run', { mode: 'run' }, async (page, mock) => {
    for (const key of ['m', 'k', 'e']) await press(page, key);
    assert.ok(await hidden(page, 'setup'));
    for (const action of ['previous', 'hold', 'setup'])
      assert.ok(await page.locator(`[data-action=${action}]`).isHidden(), action);
    assert.equal(did(mock, 'previous') + did(mock, 'hold'), 0);
  });

  look('plays at a chosen speed and position', { mode: 'play' }, async (page, mock) => {
    await page.selectOption('#speed', '4');
    await until(() => mock.said.some((said) => said.do === 'speed' && said.value === 4), 'a speed');
    await press(page, 'Escape');
    await page.locator('#speed').blur();
    await press(page, '[');
    await until(() => mock.said.some((said) => said.do === 'speed' && said.value === 2), 'a slower one');
    const box = await page.locator('#seek').boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const seek = await until(() => mock.said.find((said) => said.do === 'seek'), 'a place');
    assert.ok(Math.abs(seek.value - 0.5) < 0.02);
    await untilApsis(page, ({ step }) => step > 900, 'that place');
  });

  look('shows limits and its place in the plot of a player, without rates', { mode: 'play' }, async (page) => {
    for (const id of ['steps-rate', 'interactions-rate', 'gflops']) assert.ok(await hidden(page, id), id);
    assert.ok(!(await hidden(page, 'drawn')));
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    const place = () => page.locator('#plot').evaluate((plot) => plot.toDataURL());
    const seek = async (part) => {
      const box = await page.locator('#seek').boundingBox();
      await page.mouse.click(box.x + part * box.width, box.y + box.height / 2);
    };
    await seek(0.3);
    await untilApsis(page, ({ step }) => step > 500 && step < 700, 'that place');
    await page.waitForTimeout(300);
    const first = await place();
    await seek(0.35);
    await until(async () => await place() !== first, 'a mark at another place');
  });

  look('starts again when Play is pressed at the end', { mode: 'play' }, async (page, mock) => {
    const box = await page.locator('#seek').boundingBox();
    await page.mouse.click(box.x + box.width - 1, box.y + box.height / 2);
    await until(async () => await page.locator('#pause').getAttribute('aria-label') === 'Resume', 'the end');
    await page.click('#pause');
    await until(() => did(mock, 'go_on') === 1, 'a start');
    assert.equal(did(mock, 'pause'), 0);
    await untilApsis(page, ({ step }) => step < 1000, 'the beginning');
  });

  look('turns, pans, zooms and fits by mouse', {}, async (page) => {
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    await press(page, '`');
    await page.waitForTimeout(2500); // until the note disappears
    const skies = [await skyOf(page)];
    const changes = async (what, act) => {
      await act();
      await until(async () => differs(skies.at(-1), await skyOf(page)), what);
      skies.push(await skyOf(page));
    };
    const drag = async (button) => {
      await page.mouse.move(400, 300);
      await page.mouse.down({ button });
      await page.mouse.move(460, 330, { steps: 3 });
      await page.mouse.up({ button });
    };
    await changes('a turn', () => drag('left'));
    await changes('a pan', () => drag('right'));
    await changes('a zoom', () => page.mouse.wheel(0, -400));
    await changes('a fit', () => page.mouse.dblclick(400, 300));
  });

  look('saves a picture', {}, async (page) => {
    const { name, bytes } = await download(page, () => page.click('[data-action=picture]'));
    assert.match(name, /^apsis-spiral-of-circles-\d{6}\.png$/);
    assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
    const { most, mean, width, height } = await measure(bytes);
    assert.ok(most > 120 && mean > 1);
    // All pixels of the screen, although a software renderer draws fewer in motion.
    assert.deepEqual([width, height], [desktop.viewport.width, desktop.viewport.height]);
    assert.ok(await page.locator('#sky').evaluate((sky) => sky.width) < desktop.viewport.width);
  });

  look('records a film, also of a static picture', {}, async (page) => {
    await press(page, 'Space');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    await press(page, 'v');
    assert.equal(await aria(page, 'film', 'pressed'), 'true');
    await page.waitForTimeout(6000); // a software renderer takes long for a picture of all pixels
    const { name, bytes } = await download(page, () => press(page, 'v'));
    assert.match(name, /\.webm$/);
    assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3); // EBML
    assert.ok(bytes.length > 2000, `${bytes.length} bytes`);
    assert.equal(await aria(page, 'film', 'pressed'), 'false');
  });

  look('shows the help until Escape', {}, async (page) => {
    await press(page, '?');
    const help = page.locator('#help');
    assert.ok(await help.isVisible());
    const works = (condition) => !['speed', 'stop', 'few'].includes(condition);
    for (const [, , , text, condition] of Object.values(keys).flat())
      if (text) assert.equal((await help.textContent()).includes(text), works(condition), text);
    await press(page, 'Space'); // presses the close button
    await press(page, 'h');
    await press(page, 'Escape');
    assert.ok(await help.isHidden());
  });

  look('lists in the help only what works', { mode: 'run', control: false }, async (page) => {
    await press(page, 'h');
    const help = await page.locator('#help').textContent();
    for (const text of ['pause', 'restart', 'preset', 'slower', 'orbits']) assert.ok(!help.includes(text), text);
    assert.ok(help.includes('save a picture'));
  });

  look('speaks its notes', {}, async (page) => {
    await press(page, 't');
    assert.equal(await textOf(page, 'spoken'), 'trails');
    assert.equal(await page.locator('#spoken').getAttribute('aria-live'), 'polite');
    await press(page, 't');
    assert.equal(await textOf(page, 'spoken'), 'no trails');
  });

  look('treats texts of the simulator as plain text', {}, async (page, mock) => {
    mock.tell({ type: 'hello', title: '<img src=x onerror=alert(1)>', mode: 'demo', bodies: 3 });
    await until(async () => /<img/.test(await textOf(page, 'title')), 'a title as it is');
    assert.equal(await page.locator('h1 img').count(), 0);
    const strange = [null, 3, [], {}, { type: 'constructor' }, { type: 'conservation' }, { type: 'state' }];
    for (const odd of strange) mock.tell(odd);
    const { frames } = await ask(page);
    await untilApsis(page, (said) => said.frames > frames + 1, 'frames');
  });
});

describe('every key', () => {
  /** Visible effects of actions: before() returns the state that seen() compares with. */
  const commands = ['pause', 'single_step', 'restart', 'next', 'previous', 'hold'];
  const pictures = ['fit', 'smaller', 'larger', 'dimmer', 'brighter',
    'turn_left', 'turn_right', 'turn_up', 'turn_down', 'nearer', 'farther'];
  const state = {
    colour: (page) => page.inputValue('#colour'),
    trails: (page) => page.isChecked('#trails'),
    turn: (page) => page.isChecked('#turn'),
    plot: (page) => hidden(page, 'conservation'),
    look: (page) => hidden(page, 'look'),
    setup: (page) => hidden(page, 'setup'),
    panels: (page) => hidden(page, 'rates'),
    full: (page) => page.evaluate(() => Boolean(document.fullscreenElement)),
    help: (page) => hidden(page, 'help'),
    film: (page) => aria(page, 'film', 'pressed'),
  };
  look('does what the help describes', {}, async (page, mock) => {
    for (const [names, action] of keys['The run'].filter(([, action]) => commands.includes(action))) {
      for (const name of names) {
        const count = () => did(mock, action) + (action === 'pause' ? did(mock, 'go_on') : 0);
        const was = count();
        const { paused } = await ask(page);
        await press(page, name);
        await until(() => count() === was + 1, `${action} by ${name}`);
        if (action === 'pause') await untilApsis(page, (said) => said.paused !== paused, 'paused or not');
      }
    }
    if (!(await ask(page)).paused) await press(page, 'p');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    const rest = [...keys['The picture'], ...keys['The page']].filter(([, , , , condition]) => condition !== 'few');
    for (const [names, action] of rest.filter(([, action]) => action in state)) {
      for (const name of names) {
        const was = await state[action](page);
        await press(page, name);
        await until(async () => await state[action](page) !== was, `${action} by ${name}`);
        if (names.length === 2) continue; // back by the other key
        if (['film', 'full'].includes(action)) await page.waitForTimeout(500); // they take some time
        await press(page, name);
        await until(async () => await state[action](page) === was, `${action} back by ${name}`);
      }
    }
    if (await page.locator('#help').isVisible()) await press(page, 'Escape');
    for (const wanted of [true, false]) {
      await page.waitForTimeout(500);
      await press(page, 'Alt+Enter');
      await until(async () => await state.full(page) === wanted, 'full screen or not');
    }
    for (const [names, action] of rest.filter(([, action]) => pictures.includes(action))) {
      for (const name of names) {
        if (action === 'fit') await press(page, 'PageUp');
        await page.waitForTimeout(200);
        const was = await skyOf(page);
        await press(page, name);
        await until(async () => differs(was, await skyOf(page)), `${action} by ${name}`);
      }
    }
    const { bytes } = await download(page, () => press(page, 's'));
    assert.ok(bytes.length > 1000);
    const known = [...commands, ...pictures, ...Object.keys(state), 'picture', 'stop', 'slower', 'faster',
      'follow', 'follow_back', 'orbits', 'names']; // the last four: planets.test.mjs
    for (const [, action] of Object.values(keys).flat()) assert.ok(known.includes(action), `${action} is not tested`);
  });
});
