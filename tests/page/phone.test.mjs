// SPDX-License-Identifier: Apache-2.0
// Tests of the page on a phone, upright and on its side, with a mock simulator.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { phone, phoneOnItsSide, until, untilApsis, testsOfPages } from './support.mjs';

const look = testsOfPages({ bodies: 2000, interval: 30 });

const did = (mock, name) => mock.said.filter((said) => said.do === name).length;
const hidden = (page, id) => page.locator(`#${id}`).isHidden();

/** Checks that panels and buttons are within the window, do not overlap, and are large enough. */
async function assertOrder(page) {
  const wrong = await page.evaluate(() => {
    const wrong = [];
    const visible = (list) => [...list].filter((e) => e.getClientRects().length > 0);
    const inside = (box) => box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    const panels = visible(document.querySelectorAll('.panel'));
    panels.forEach((panel, i) => {
      const a = panel.getBoundingClientRect();
      if (!inside(a)) wrong.push(`${panel.id} is outside`);
      if (panel.scrollWidth > panel.clientWidth + 1) wrong.push(`${panel.id} overflows`);
      for (const other of panels.slice(i + 1)) {
        const b = other.getBoundingClientRect();
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          wrong.push(`${panel.id} overlaps ${other.id}`);
      }
    });
    const controls = '.panel button, .panel select, .panel input:not(:disabled)';
    for (const button of visible(document.querySelectorAll(controls))) {
      const box = button.getBoundingClientRect();
      const name = button.getAttribute('aria-label') ?? button.id;
      if (!inside(box)) wrong.push(`${name} is outside`);
      if (button.matches('button') && Math.min(box.width, box.height) < 44) wrong.push(`${name} is small`);
      const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!button.contains(hit)) wrong.push(`${name} is covered`);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page scrolls');
    return wrong;
  });
  assert.deepEqual(wrong, []);
}

describe('a phone', () => {
  for (const [mode, control] of [['demo', true], ['play', true], ['run', true], ['run', false]]) {
    look(`fits everything of ${mode}${control ? '' : ' without control'}`, { mode, control }, async (page) => {
      await assertOrder(page);
      for (const panel of mode === 'demo' ? ['look', 'setup', 'plot'] : ['look', 'plot']) {
        await page.tap(`[data-action=${panel}]`);
        await page.waitForTimeout(100);
        await assertOrder(page);
      }
    }, phone);
  }
  for (const [mode, control] of [['demo', true], ['play', true], ['run', true]]) {
    look(`on its side fits everything of ${mode}`, { mode, control }, async (page) => {
      await assertOrder(page);
      for (const panel of mode === 'demo' ? ['look', 'setup', 'plot', 'plot'] : ['look', 'plot', 'plot']) {
        await page.tap(`[data-action=${panel}]`);
        await page.waitForTimeout(100);
        await assertOrder(page);
      }
    }, phoneOnItsSide);
  }
  look('is operated by touch', {}, async (page, mock) => {
    await page.tap('#pause');
    await untilApsis(page, ({ paused }) => paused, 'a pause');
    assert.equal(did(mock, 'pause'), 1);
    await page.tap('[data-action=look]');
    await page.tap('[data-action=panels]');
    await until(() => hidden(page, 'transport'), 'no panels');
    await page.waitForTimeout(500); // not to make a double tap
    await page.tap('#sky', { position: { x: 200, y: 300 } });
    await until(async () => !(await hidden(page, 'transport')), 'panels');
    await page.tap('[data-action=help]');
    assert.ok(await page.locator('#help').isVisible());
    assert.ok(await page.locator('#help').evaluate((help) => help.scrollWidth <= help.clientWidth));
    await page.tap('#help [aria-label=Close]');
  }, phone);
});
