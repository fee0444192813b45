// SPDX-License-Identifier: Apache-2.0
// Sliders for values of a demonstration that may change while it moves. Those of softening and time
// step are powers of two, times the value of the deck; that of the damping is its value.

import { figures } from './words.js';

const element = (id) => document.getElementById(id);
const sendInterval = 100; // [ms]

/** Elements of the values in the page, by the names of the simulator. */
const sliders = { softening: 'softening', time_step: 'time-step', damping: 'damping' };

/** Returns the value at a place of a slider. */
export const valueAt = (name, place, deck) => (name === 'damping' ? place : deck[name] * 2 ** place);

/** Returns the place of a value on its slider. */
export const placeAt = (name, value, deck) => (name === 'damping' ? value : Math.log2(value / deck[name]));

/** Whether a value can be changed: a softening of 0 has no multiples, most integrators no damping. */
export const isChangeable = (name, deck) => Number.isFinite(deck?.[name]) && (name === 'damping' || deck[name] !== 0);

function write(name, value, units) {
  const unit = { softening: units?.length, time_step: units?.time }[name];
  const text = `${figures(value, 3)}${unit ? ` ${unit}` : ''}`;
  element(`${sliders[name]}-value`).textContent = text;
  element(sliders[name]).setAttribute('aria-valuetext', text);
}

/** Shows the present values; `held`: the name of the slider in use, which stays where it is. */
export function writeSetup(setup, units, held) {
  for (const [name, id] of Object.entries(sliders)) {
    const isUsed = isChangeable(name, setup.deck);
    element(id).closest('label').hidden = !isUsed;
    if (!isUsed || name === held) continue;
    element(id).value = placeAt(name, setup.now[name], setup.deck);
    write(name, setup.now[name], units);
  }
}

/**
 * Sends changed values by command(name, value), a few times per second. `app`: state of the page.
 * Returns a function that returns the name of the slider in use, if any.
 */
export function listenToSetup(app, command) {
  let used = null, timer = 0;
  for (const [name, id] of Object.entries(sliders)) {
    const send = () => {
      timer = 0;
      command(name, valueAt(name, Number(element(id).value), app.setup.deck));
    };
    element(id).addEventListener('input', () => {
      used = name;
      write(name, valueAt(name, Number(element(id).value), app.setup.deck), app.hello.units);
      timer ||= setTimeout(send, sendInterval);
    });
    element(id).addEventListener('change', () => {
      used = null;
      clearTimeout(timer);
      send();
    });
  }
  return () => used;
}
