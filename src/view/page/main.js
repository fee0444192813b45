// SPDX-License-Identifier: Apache-2.0
// The live view: draws the data of the simulator and sends it the user's commands.

import { makeCamera } from './camera.js';
import { makeCanvas } from './canvas.js';
import { recordFilm, savePicture } from './capture.js';
import { readFrame } from './frame.js';
import { speciesIn, surround } from './framing.js';
import { listen } from './gestures.js';
import { listenToKeys, writeHelp } from './keys.js';
import { makePace } from './pace.js';
import { colourings } from './palette.js';
import * as panels from './panels.js';
import { makePlot } from './plot.js';
import { makeScene } from './scene.js';
import { connect } from './stream.js';
import { slug, timeOf, whole } from './words.js';

const element = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
const narrow = matchMedia('(max-width: 700px), (max-height: 500px)').matches;
const mostRatio = 2; // pixels per CSS pixel
const framingInterval = 500; // [ms]

const settings = { size: 0, brightness: 0, colour: 'speed', trails: false, turn: false };
let hello = {};
let able = {};
let state = {};
let now = { time: NaN, step: 0 }; // of the newest message
let frame = null;
let fresh = null; // a frame that is not drawn yet
let asked = false; // whether a frame was requested
let over = '';
let dirty = true;
let plotDirty = true;
let film = null;
let framed = 0;
let seen = [];
let seeking = false;

const sky = element('sky');
const camera = makeCamera(still);
const plot = makePlot(element('plot'));
const draw = makeScene(sky, restored) ?? makeCanvas(sky);
const pace = makePace(draw.most);
const counted = { frames: 0, recent: [], lastPicture: 0 };

/**
 * State for tests, read-only: number of frames drawn, points of the last one, time and step of the
 * newest message, whether the run is paused, points in the plot, mode of the run, drawing method.
 */
window.apsis = Object.freeze(Object.defineProperties({}, {
  frames: { get: () => counted.frames, enumerable: true },
  points: { get: () => frame?.points ?? 0, enumerable: true },
  time: { get: () => now.time, enumerable: true },
  step: { get: () => now.step, enumerable: true },
  paused: { get: () => state.status === 'paused', enumerable: true },
  energy: { get: () => plot.points, enumerable: true },
  mode: { get: () => hello.mode ?? '', enumerable: true },
  drawing: { get: () => draw.kind, enumerable: true },
}));

// --- messages from the simulator

const hear = {
  hello(said) {
    hello = said;
    state = {};
    now = { time: NaN, step: 0 };
    over = '';
    able = panels.showCommands(hello);
    panels.writeHello(hello);
    panels.writePaused(false);
    plot.begin(hello.limits);
    plotDirty = true;
    draw.clearTrails();
    camera.restart();
    framed = 0;
    element('speed').value = '1';
    dirty = true;
  },
  state(said) {
    state = said;
    now = { time: said.time, step: said.step };
    panels.writeRates(said);
    panels.writePaused(said.status !== 'running');
    tell();
    progress();
  },
  conservation(said) {
    plot.add(said);
    plotDirty = true;
  },
  over(said) {
    over = said.message || 'the run is over';
    stream.end();
    tell();
  },
};

/** Writes the status. */
function tell() {
  if (over) return panels.writeStatus(over, 'finished');
  const words = [state.status, state.message].filter(Boolean).join(' · ');
  panels.writeStatus(words || 'connected', state.status ?? 'running');
}

function progress() {
  panels.writeProgress({
    ...now, steps: state.steps ?? 0, end: hello.end_time, unit: hello.units?.time, held: seeking });
}

const stream = connect({
  opened() {
    asked = false;
    tell();
  },
  frame(buffer) {
    const read = readFrame(buffer);
    if (!read) return;
    fresh = read;
    now = { time: read.time, step: read.step };
  },
  text(said) {
    if (Object.hasOwn(hear, said.type)) hear[said.type](said);
  },
  lost() {
    asked = false;
    if (!over) panels.writeStatus('no connection to the simulator; trying again', 'lost');
  },
});

// --- drawing

/** Returns the pixels of the canvas per CSS pixel. */
function ratio() {
  const affordable = Math.sqrt(draw.pixels / (sky.clientWidth * sky.clientHeight || 1));
  return Math.min(Math.min(devicePixelRatio || 1, mostRatio) * pace.detail, affordable);
}

/** Resizes the canvas to its element, and tells the camera the area that panels leave free. */
function fitCanvas() {
  const size = (length) => Math.max(1, Math.round(length * ratio()));
  const width = size(sky.clientWidth), height = size(sky.clientHeight);
  if (sky.width !== width || sky.height !== height) {
    sky.width = width;
    sky.height = height;
  }
  const hidden = document.body.classList.contains('bare');
  const wide = (id) => element(id).offsetWidth > 0.6 * sky.clientWidth;
  const lowest = ['transport', 'conservation', 'look'].filter((id) => !element(id).hidden && wide(id))
    .map((id) => element(id).offsetTop);
  const below = hidden ? 0 : sky.clientHeight - Math.min(sky.clientHeight, ...lowest);
  const above = hidden || !wide('about') ? 0 : Math.max(...['about', 'rates'].map(
    (id) => element(id).offsetTop + element(id).offsetHeight));
  camera.resize({ width: sky.clientWidth, height: sky.clientHeight, top: above, bottom: below });
  dirty = plotDirty = true;
}
new ResizeObserver(fitCanvas).observe(sky);
for (const id of ['about', 'rates', 'transport', 'conservation', 'look'])
  new ResizeObserver(fitCanvas).observe(element(id));

function takeFrame(at) {
  frame = fresh;
  fresh = null;
  asked = false;
  draw.take(frame);
  counted.frames++;
  counted.recent.push(at);
  if (at - framed > framingInterval || framed === 0) {
    framed = at;
    camera.surround(surround(frame));
    seen = speciesIn(frame);
    if (!element('look').hidden) panels.writeKey(settings.colour, frame, seen, hello.units);
    while (counted.recent.length > 1 && at - counted.recent[0] > 2000) counted.recent.shift();
    const span = at - counted.recent[0];
    panels.writeDrawn(frame, span > 0 ? (1000 * (counted.recent.length - 1)) / span : 0);
  }
  progress();
}

/** Adapts the number of points and pixels to the speed of this machine. */
function judge(interval, at) {
  const { detail } = pace;
  pace.drew(frame, interval, at);
  if (pace.detail !== detail) fitCanvas();
}

let before = 0;
function tick(at) {
  requestAnimationFrame(tick);
  const elapsed = Math.min(at - before, 100);
  const interval = at - before;
  before = at;
  if (fresh) {
    takeFrame(at);
    dirty = true;
  }
  if (settings.turn && !still) camera.turn(-elapsed * 0.02, 0);
  const moved = camera.move(elapsed);
  if (moved || dirty || film) {
    draw.draw(camera, frame, settings, ratio(), moved);
    if (frame && counted.lastPicture === at - interval && !document.hidden) judge(interval, at);
    counted.lastPicture = at;
    dirty = false;
  }
  if (plotDirty && !element('conservation').hidden) {
    plot.draw(hello.end_time);
    panels.writeLegend(plot);
    plotDirty = false;
  }
  if (!asked && !over) {
    asked = true;
    stream.send({ ready: pace.wanted });
  }
}
requestAnimationFrame(tick);

// --- actions of the user

function command(name, value) {
  if (over) return panels.note('the run is over');
  if (!able[name]) {
    const why = { next: 'only a demonstration has presets',
      speed: 'only playback has a speed', stop: 'stop it where it was started' };
    return panels.note(hello.mode === 'run' && !hello.control
      ? 'watching only: started without --view-control' : why[name] ?? 'not available here');
  }
  stream.send(value === undefined ? { do: name } : { do: name, value });
}

/** Commands that cannot be undone; the user is asked first. */
const grave = {
  stop: ['Stop the run?', 'It writes a checkpoint, from which apsis run --resume continues.', 'Stop'],
  restart: ['Restart the run?', 'Its output so far is replaced.', 'Restart'],
};
function makeSure(name) {
  if (!able[name] || over) return command(name);
  const dialog = element('sure');
  dialog.dataset.command = name;
  ['title', 'text', 'yes'].forEach((part, i) => { element(`sure-${part}`).textContent = grave[name][i]; });
  dialog.returnValue = '';
  dialog.showModal();
}

/** Changes a setting of the picture and shows it in the panel. */
function set(name, value) {
  settings[name] = value;
  const control = element(name);
  if (control.type === 'checkbox') control.checked = value;
  else control.value = value;
  if (name === 'trails') draw.clearTrails();
  panels.writeKey(settings.colour, frame, seen, hello.units);
  dirty = true;
}
const more = (name, by) => () => {
  set(name, Math.min(3, Math.max(-3, settings[name] + by)));
  panels.note(`${name === 'size' ? 'point size' : name} ${settings[name] > 0 ? '+' : ''}${settings[name]}`);
};

function show(id, visible) {
  element(id).hidden = !visible;
  const button = document.querySelector(`[data-action=${id === 'conservation' ? 'plot' : id}]`);
  button.setAttribute(id === 'look' ? 'aria-expanded' : 'aria-pressed', visible);
  plotDirty = true;
}
function bare(on) {
  document.body.classList.toggle('bare', on);
  if (on) panels.note('a tap or ` brings the panels back');
  fitCanvas();
}
function changeSpeed(by) {
  const speed = element('speed');
  const index = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
  if (able.speed) speed.selectedIndex = index;
  command('speed', Number(speed.value));
}
const nameOf = () => `apsis-${slug(hello.title ?? '')}-${String(now.step).padStart(6, '0')}`;

const actions = {
  pause: () => command(state.status === 'paused' ? 'go_on' : 'pause'),
  single_step: () => command('single_step'),
  restart: () => (hello.mode === 'run' ? makeSure('restart') : command('restart')),
  next: () => command('next'),
  stop: () => makeSure('stop'),
  slower: () => changeSpeed(-1),
  faster: () => (able.next ? command('next') : changeSpeed(1)),
  fit: () => camera.fit(frame && surround(frame)),
  colour() {
    set('colour', colourings[(colourings.indexOf(settings.colour) + 1) % colourings.length]);
    panels.note(element('colour').selectedOptions[0].textContent);
  },
  trails() {
    set('trails', !settings.trails);
    panels.note(settings.trails ? 'trails' : 'no trails');
  },
  turn() {
    set('turn', !settings.turn);
    panels.note(settings.turn ? 'turning slowly' : 'not turning');
  },
  smaller: more('size', -0.5),
  larger: more('size', 0.5),
  dimmer: more('brightness', -0.5),
  brighter: more('brightness', 0.5),
  turn_left: () => camera.turn(-20, 0),
  turn_right: () => camera.turn(20, 0),
  turn_up: () => camera.turn(0, 20),
  turn_down: () => camera.turn(0, -20),
  nearer: () => camera.zoom(0.85),
  farther: () => camera.zoom(1 / 0.85),
  plot() {
    show('conservation', element('conservation').hidden);
    if (narrow && !element('conservation').hidden) show('look', false);
  },
  look() {
    show('look', element('look').hidden);
    if (narrow && !element('look').hidden) show('conservation', false);
    panels.writeKey(settings.colour, frame, seen, hello.units);
  },
  panels: () => bare(!document.body.classList.contains('bare')),
  full() {
    const changed = document.fullscreenElement ? document.exitFullscreen()
      : document.documentElement.requestFullscreen?.() ?? Promise.reject();
    changed.catch(() => panels.note('this browser has no full-screen mode'));
  },
  picture() {
    draw.draw(camera, frame, settings, ratio(), false);
    const caption = [hello.title, `t = ${timeOf(now.time, hello.end_time, hello.units?.time)}`,
      frame && `${whole(frame.bodies)} bodies`, 'Apsis'].filter(Boolean).join('  ·  ');
    savePicture(sky, caption, nameOf());
    panels.note('picture saved');
  },
  film() {
    if (film) film.stop();
    film = film ? null : recordFilm(sky, nameOf());
    const button = document.querySelector('[data-action=film]');
    const recording = Boolean(film);
    if (!recording && button.getAttribute('aria-pressed') === 'false')
      return panels.note('this browser cannot record');
    button.setAttribute('aria-pressed', recording);
    button.setAttribute('aria-label', recording ? 'End the film' : 'Record a film');
    panels.note(recording ? 'recording' : 'film saved');
  },
  help: () => (element('help').open ? element('help').close() : element('help').showModal()),
};

/** Whether a dialog is open, so that keys do not control the run. */
const quiet = (action) => document.querySelector('dialog[open]') && (action !== 'help' || element('sure').open);
listenToKeys(actions, quiet);
listen(sky, camera, {
  taken: () => {},
  fit: actions.fit,
  tap: () => document.body.classList.contains('bare') && bare(false),
});
document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-action]');
  if (!button) return;
  actions[button.dataset.action](event);
  // After a mouse click, the space bar should control the run and not press this button again.
  if (event.detail > 0) button.blur();
});
for (const name of ['size', 'brightness'])
  element(name).addEventListener('input', (event) => set(name, Number(event.target.value)));
for (const name of ['trails', 'turn'])
  element(name).addEventListener('change', (event) => set(name, event.target.checked));
element('colour').addEventListener('change', (event) => set('colour', event.target.value));
element('points').addEventListener('change', (event) => {
  pace.choose(Number(event.target.value));
  asked = false;
});
element('speed').addEventListener('change', (event) => command('speed', Number(event.target.value)));
element('seek').addEventListener('input', (event) => {
  seeking = true;
  event.target.style.setProperty('--part', `${100 * event.target.value}%`);
});
element('seek').addEventListener('change', (event) => {
  seeking = false;
  command('seek', Number(event.target.value));
});
element('sure').addEventListener('close', (event) => {
  if (event.target.returnValue === 'yes') command(event.target.dataset.command);
  event.target.returnValue = '';
});
element('help').addEventListener('click', (event) => {
  if (event.target === event.currentTarget) event.target.close(); // outside the text
});

writeHelp(element('keys'));
panels.showCommands({ mode: 'run', control: false });
element('watching').hidden = true; // not known yet
if (narrow) show('conservation', false);

/** Uploads the last frame after the graphics context was restored. */
function restored() {
  if (frame) draw.take(frame);
  dirty = true;
}
