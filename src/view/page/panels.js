// SPDX-License-Identifier: Apache-2.0
// Contents of the panels. Texts from the simulator are written as text, never as HTML.

import { species } from './frame.js';
import { css, fastest, lines, speciesColours, speedColours } from './palette.js';
import { figures, rate, timeOf, whole } from './words.js';

const element = (id) => document.getElementById(id);

/** Sets a text only if it differs, so that screen readers announce changes only. */
export function write(id, text) {
  const place = element(id);
  if (place.textContent !== text) place.textContent = text;
}

export function make(name, properties = {}, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

/** Remarks on the errors of integrators, below the plot. */
const remarks = {
  euler: 'Euler\u2019s method, as in NVIDIA\u2019s sample, is of first order: its energy error is one of the '
    + 'method and shrinks only in proportion to the time step. A leapfrog of the same cost errs far less.',
};

/** Symbols of the errors in the plot. */
const symbols = { energy: '|ΔE/E|', momentum: '|ΔP|', angular_momentum: '|ΔL|' };

/** Shows the description of the run. */
export function writeHello(hello) {
  write('remark', remarks[hello.integrator] ?? '');
  element('remark').hidden = !remarks[hello.integrator];
  const presets = hello.presets?.length > 1 && Number.isInteger(hello.preset);
  const title = hello.title || 'Apsis';
  write('title', title);
  document.title = title === 'Apsis' ? title : `${title} · Apsis`;
  const parts = [hello.integrator?.replaceAll('_', ' '), hello.precision, hello.backend, hello.device];
  if (presets) parts.unshift(`${hello.preset + 1} of ${hello.presets.length}`);
  write('machine', parts.filter(Boolean).join(' · '));
  if (hello.bodies >= 0) write('bodies', whole(hello.bodies));
}

/**
 * Shows the buttons of the mode, none without control, and returns the accepted commands. After the
 * end (`over`) the buttons stay, disabled.
 */
export function showCommands(hello, over = false) {
  const control = Boolean(hello.control) || hello.mode !== 'run';
  const demo = control && hello.mode === 'demo', presets = demo && hello.presets?.length > 1;
  const available = {
    pause: control, go_on: control, single_step: control,
    restart: control, next: presets, previous: presets, hold: presets,
    stop: control && hello.mode === 'run',
  };
  for (const button of document.querySelectorAll('#commands [data-action]')) {
    button.hidden = !available[button.dataset.action];
    button.disabled = over;
  }
  const setup = document.querySelector('[data-action=setup]');
  setup.hidden = !demo;
  if (!demo) element('setup').hidden = true;
  element('speed-of-play').hidden = hello.mode !== 'play';
  element('watching').hidden = control;
  element('speed').disabled = over;
  element('seek').disabled = over || hello.mode !== 'play';
  if (over) return {};
  return { ...available, speed: hello.mode === 'play', seek: hello.mode === 'play',
    setup: demo, softening: demo, time_step: demo, damping: demo };
}

/** Shows the rates that a mode has; those of a finished run are means. */
export function showRates(mode, finished) {
  for (const id of ['steps-rate', 'interactions-rate', 'gflops'])
    element(id).parentElement.hidden = mode === 'play';
  element('means').hidden = mode === 'play' || !finished;
}

export function writeRates(state) {
  write('steps-rate', rate(state.steps_per_second));
  write('interactions-rate', rate(state.interactions_per_second));
  write('gflops', rate(state.gflops));
}

export function writeDrawn(frame, frames) {
  write('bodies', whole(frame.bodies));
  write('drawn', frame.points >= frame.bodies ? 'all' : whole(frame.points));
  write('frames-rate', frames > 0 ? frames.toFixed(0) : '–');
}

export function writeProgress({ time, step, steps, end, unit, held }) {
  write('time', timeOf(time, end, unit));
  write('step', steps > 0 ? `${whole(step)} / ${whole(steps)}` : `step ${whole(step)}`);
  const known = steps > 0 || end > 0;
  const part = steps > 0 ? step / steps : end > 0 ? time / end : 0;
  const seek = element('seek');
  seek.classList.toggle('endless', !known);
  if (!held) seek.value = Math.min(Math.max(part, 0), 1);
  seek.style.setProperty('--part', `${100 * seek.value}%`);
  seek.setAttribute('aria-valuetext', timeOf(time, end, unit));
}

/** Shows the status, which screen readers read aloud. */
export function writeStatus(text, kind) {
  write('status', text);
  element('status').dataset.kind = kind;
}

export function writePaused(paused) {
  const button = element('pause');
  button.classList.toggle('paused', paused);
  const label = paused ? 'Resume' : 'Pause';
  if (button.getAttribute('aria-label') === label) return;
  button.setAttribute('aria-label', label);
  button.title = `${label} (space)`;
}

/** Shows whether a demonstration stays with its preset. */
export function writeHeld(held) {
  document.querySelector('[data-action=hold]').setAttribute('aria-pressed', held);
}

/** Shows the names of the lines, their last values, and whether they are within their limits. */
export function writeLegend(plot) {
  const rows = Object.entries(plot.last()).map(([name, value]) => {
    const limit = plot.limit(name);
    const line = make('i', { className: name });
    line.style.setProperty('--line', lines[name]);
    const row = make('li', { className: value > limit ? 'broken' : '' }, line,
      make('span', { textContent: `${name.replace('_', ' ')} ${symbols[name]}` }), make('b', { textContent: figures(value, 2) }));
    if (limit) row.title = `limit ${figures(limit, 2)}`;
    return row;
  });
  element('legend').replaceChildren(...rows);
}

/** Shows the meaning of the colours. */
export function writeKey(colour, frame, seen, units) {
  const key = element('key');
  if (colour === 'speed') {
    const bar = make('span', { className: 'bar' });
    bar.style.background = `linear-gradient(to right, ${speedColours.map(css).join(', ')})`;
    const unit = units?.speed ? ` ${units.speed}` : '';
    const end = frame ? `${figures(fastest * frame.speed, 2)}${unit}` : 'fast';
    key.replaceChildren(make('span', { textContent: '0' }), bar, make('span', { textContent: end }));
  } else if (colour === 'species') {
    key.replaceChildren(...(seen ?? []).map((k) => {
      const dot = make('i');
      dot.style.background = css(speciesColours[k]);
      return make('span', { className: 'kind' }, dot, species[k]);
    }));
  } else {
    key.replaceChildren();
  }
}

/** Shows the controls for orbits and names. */
export function showDetails(visible) {
  element('details').hidden = !visible;
}

let noteTimer = 0;
/** Shows a short message over the picture for a moment; screen readers read it aloud. */
export function note(text) {
  // The same text twice in a row is announced only if it differs.
  const spoken = element('spoken');
  spoken.textContent = spoken.textContent === text ? `${text}\u00a0` : text;
  const place = element('note');
  place.textContent = text;
  place.hidden = false;
  place.classList.remove('gone');
  clearTimeout(noteTimer);
  noteTimer = setTimeout(() => place.classList.add('gone'), 1600);
}
