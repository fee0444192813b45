// SPDX-License-Identifier: Apache-2.0
// All keys, their actions and their descriptions in the help. Keys of the CUDA nbody sample for the
// same actions are included: space, ], `, Q.

import { make } from './panels.js';

/**
 * Groups of [values of KeyboardEvent.key, action, label of the keys, description, condition]. Each
 * action has a key that every keyboard has: ` [ ] { } are missing on many. The condition says where a
 * key works: for a command that the run accepts, or for few bodies.
 */
export const keys = {
  'The run': [
    [[' ', 'p', 'P'], 'pause', 'Space', 'pause, resume', 'pause'],
    [['.'], 'single_step', '.', 'single step', 'single_step'],
    [['r', 'R'], 'restart', 'R', 'restart', 'restart'],
    [['n', 'N'], 'next', 'N  ]', 'next preset', 'next'],
    [['m', 'M'], 'previous', 'M  [', 'previous preset', 'previous'],
    [['k', 'K'], 'hold', 'K', 'stay with this preset', 'hold'],
    [['[', '<'], 'slower', '[  <', 'play slower', 'speed'],
    [[']', '>'], 'faster', ']  >', 'play faster', 'speed'],
    [['q', 'Q'], 'stop', 'Q', 'stop the run', 'stop'],
  ],
  'The picture': [
    [['f', 'F'], 'fit', 'F', 'fit all bodies'],
    [['x'], 'follow', 'X', 'follow the next body', 'few'],
    [['X'], 'follow_back', 'Shift+X', 'follow the previous body', 'few'],
    [['o', 'O'], 'orbits', 'O', 'orbits', 'few'],
    [['i', 'I'], 'names', 'I', 'names', 'few'],
    [['c', 'C'], 'colour', 'C', 'colour by speed, species, plain'],
    [['t', 'T'], 'trails', 'T', 'trails'],
    [['-', '_'], 'smaller', '-', 'smaller points'],
    [['=', '+'], 'larger', '=  +', 'larger points'],
    [['{', 'b'], 'dimmer', '{  b', 'dimmer'],
    [['}', 'B'], 'brighter', '}  B', 'brighter'],
    [['a', 'A'], 'turn', 'A', 'turn slowly'],
    [['ArrowLeft'], 'turn_left', '← → ↑ ↓', 'turn'],
    [['ArrowRight'], 'turn_right', '', ''],
    [['ArrowUp'], 'turn_up', '', ''],
    [['ArrowDown'], 'turn_down', '', ''],
    [['PageUp'], 'nearer', 'PgUp PgDn', 'nearer, farther'],
    [['PageDown'], 'farther', '', ''],
  ],
  'The page': [
    [['g', 'G'], 'plot', 'G', 'conservation plot'],
    [['l', 'L'], 'look', 'L', 'look: colours, size, points'],
    [['e', 'E'], 'setup', 'E', 'softening, step, damping', 'setup'],
    [['`', 'u', 'U'], 'panels', '`  U', 'hide all panels'],
    [['Enter'], 'full', 'Enter', 'full screen'],
    [['s', 'S'], 'picture', 'S', 'save a picture'],
    [['v', 'V'], 'film', 'V', 'record a film'],
    [['h', 'H', '?'], 'help', 'H  ?', 'this help'],
  ],
};

const gestures = {
  'Mouse and fingers': [
    ['drag', 'turn'],
    ['shift or right drag, two fingers', 'pan'],
    ['wheel, pinch', 'zoom to the pointer'],
    ['click or tap on a body', 'follow it'],
    ['double click or tap', 'fit all bodies'],
  ],
};

const actionOf = new Map(Object.values(keys).flat().flatMap(([names, action]) => names.map((name) => [name, action])));

/** Whether an element needs a key itself. */
function needs(element, key) {
  if (element.matches('select, input[type=text], textarea')) return true;
  if (element.matches('input[type=range]')) return /^(Arrow|Page)/.test(key);
  return element.matches('button, input, summary, a') && (key === ' ' || key === 'Enter');
}

/** Calls actions[name](event) for pressed keys, unless `quiet()`. */
export function listenToKeys(actions, quiet) {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.altKey && event.key !== 'Enter') return;
    if (needs(event.target, event.key)) return;
    const action = actionOf.get(event.key);
    if (!action || quiet(action)) return;
    event.preventDefault();
    actions[action](event);
  });
}

/**
 * Writes the lists of the help into `place`: only what works now. `commands`: those that the run
 * accepts; `frame`: newest frame or null.
 */
export function writeHelp(place, { commands, frame }) {
  const works = ([, , , , condition]) => !condition || (condition === 'few' ? Boolean(frame?.details) : commands[condition]);
  const working = Object.fromEntries(Object.entries(keys)
    .map(([title, rows]) => [title, rows.filter(works).map(([, , label, text]) => [label, text])]));
  // Devices without a mouse hardly have keys.
  const touched = matchMedia('(hover: none)').matches;
  const lists = touched ? { ...gestures, ...working } : { ...working, ...gestures };
  place.replaceChildren();
  for (const [title, rows] of Object.entries(lists)) {
    if (rows.length === 0) continue;
    const isKey = title in keys;
    const lines = rows.filter(([written]) => written).map(([written, does]) => {
      const parts = isKey ? written.split(/ +/) : [written];
      const term = parts.flatMap((textContent) => [make(isKey ? 'kbd' : 'span', { textContent }), ' ']);
      return make('div', {}, make('dt', {}, ...term), make('dd', { textContent: does }));
    });
    place.append(make('section', {}, make('h3', { textContent: title }), make('dl', {}, ...lines)));
  }
}
