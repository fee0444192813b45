// SPDX-License-Identifier: Apache-2.0
// The live view: draws the data of the simulator and sends it the user's commands.

import { makeActions } from './actions.js';
import { makeCamera } from './camera.js';
import { makeCanvas } from './canvas.js';
import { placeOf, readFrame, speciesIn, surround } from './frame.js';
import { listen } from './gestures.js';
import { listenToKeys } from './keys.js';
import { makePace } from './pace.js';
import { makeOverlay } from './overlay.js';
import * as panels from './panels.js';
import { makePlot } from './plot.js';
import { makeScene } from './scene.js';
import { listenToSetup, writeSetup } from './setup.js';
import { connect } from './stream.js';

const element = (id) => document.getElementById(id);
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
const narrow = matchMedia('(max-width: 700px), (max-height: 500px)').matches;
const mostRatio = 2; // pixels per CSS pixel
const framingInterval = 500; // [ms]

/** State of the page, shared with actions.js. */
const app = {
  settings: { size: 0, brightness: 0, colour: 'speed', trails: false, turn: false, orbits: true, names: true },
  hello: {},
  commands: {}, // commands that the simulator accepts
  state: {},
  setup: null, // what viewers of a demonstration may change
  newest: { time: NaN, step: 0 }, // of the newest message
  frame: null,
  species: [], // in the frame
  end: null, // {text, kind} of the run
  film: null,
  G: 1, // [length³ / (mass time²)]
  names: {}, // of bodies, by id
  followed: null, // id of the body (its index for many bodies) in the centre; null: none
  primary: -1, // index of the dominant body in the frame; -1: none
  dirty: true, // whether the picture must be drawn again
  plotDirty: true,
};
let fresh = null; // a frame that is not drawn yet
let isRequested = false; // whether a frame was requested
let lastFraming = 0;
let seeking = false;

const sky = element('sky');
const camera = makeCamera(still);
const plot = makePlot(element('plot'));
const draw = makeScene(sky, restored) ?? makeCanvas(sky);
const overlay = makeOverlay(element('overlay'));
const pace = makePace(draw.most);
const counted = { frames: 0, recent: [], lastPicture: 0 };

/**
 * State for tests, read-only: number of frames drawn, points of the last one, time and step of the
 * newest message, whether the run is paused, points in the plot, mode of the run, drawing method;
 * orbits and names that were drawn, name of the followed body, pixels of the bodies with names.
 */
const shown = {
  frames: () => counted.frames,
  points: () => app.frame?.points ?? 0,
  time: () => app.newest.time,
  step: () => app.newest.step,
  paused: () => app.state.status === 'paused',
  energy: () => plot.points,
  mode: () => app.hello.mode ?? '',
  drawing: () => draw.kind,
  orbits: () => overlay.shown.orbits,
  labels: () => overlay.shown.labels,
  followed: () => (app.followed === null ? '' : app.names[app.followed] ?? `body ${app.followed}`),
  places: () => Object.fromEntries((app.frame?.details ?? []).map(({ id, position }) =>
    [app.names[id] ?? id, camera.project(position)])),
};
window.apsis = Object.freeze(Object.defineProperties({}, Object.fromEntries(
  Object.entries(shown).map(([name, get]) => [name, { get, enumerable: true }]))));

// --- messages from the simulator

const hear = {
  hello(message) {
    app.hello = message;
    app.state = {};
    app.newest = { time: NaN, step: 0 };
    app.end = null;
    app.commands = panels.showCommands(app.hello);
    panels.showRates(app.hello.mode, false);
    panels.writeHello(app.hello);
    panels.writePaused(false);
    plot.begin(app.hello.limits);
    app.plotDirty = true;
    draw.clearTrails();
    overlay.clear();
    app.names = {};
    app.followed = null;
    camera.carry(null, false);
    camera.restart();
    lastFraming = 0;
    element('speed').value = '1';
    app.dirty = true;
  },
  state(message) {
    app.state = message;
    app.newest = { time: message.time, step: message.step };
    panels.writeRates(message);
    panels.showRates(app.hello.mode, message.status === 'finished');
    panels.writePaused(message.status !== 'running' && !app.end);
    if (app.hello.mode === 'play') app.plotDirty = true; // the mark of the player's place
    tell();
    progress();
  },
  conservation(message) {
    plot.add(message);
    app.plotDirty = true;
  },
  setup(message) {
    if (!message.now || !message.deck) return;
    app.setup = message;
    panels.writeHeld(Boolean(message.held));
    writeSetup(message, app.hello.units, sliderInUse());
  },
  system(message) {
    app.G = message.G > 0 ? message.G : 1;
    app.names = message.names && typeof message.names === 'object' ? message.names : {};
    app.dirty = true;
  },
  over(message) {
    const verdicts = ['good', 'bad', 'stopped'];
    app.end = { text: message.message || 'the run is over',
      kind: verdicts.includes(message.verdict) ? message.verdict : 'finished' };
    stream.end();
    app.commands = panels.showCommands(app.hello, true);
    panels.writePaused(false);
    tell();
  },
};

/** Writes the status. */
function tell() {
  if (app.end) return panels.writeStatus(app.end.text, app.end.kind);
  const words = [app.state.status, app.state.message].filter(Boolean).join(' · ');
  panels.writeStatus(words || 'connected', app.state.status ?? 'running');
}

function progress() {
  panels.writeProgress({
    ...app.newest, steps: app.state.steps ?? 0, end: app.hello.end_time, unit: app.hello.units?.time, held: seeking });
}

const stream = connect({
  opened() {
    isRequested = false;
    tell();
  },
  frame(buffer) {
    const read = readFrame(buffer);
    if (!read) return;
    fresh = read;
    app.newest = { time: read.time, step: read.step };
    if (app.hello.mode === 'play') app.plotDirty = true;
  },
  text(message) {
    if (Object.hasOwn(hear, message.type)) hear[message.type](message);
  },
  lost() {
    isRequested = false;
    if (!app.end) panels.writeStatus('no connection to the simulator; trying again', 'lost');
  },
});

// --- drawing

/** Returns the pixels of the canvas per CSS pixel; all of the screen for pictures and films. */
function ratio() {
  const full = Math.min(devicePixelRatio || 1, mostRatio);
  if (app.film) return full;
  const affordable = Math.sqrt(draw.pixels / (sky.clientWidth * sky.clientHeight || 1));
  return Math.min(full * pace.detail, affordable);
}

/** Sets the pixels of the sky per CSS pixel. */
function resizeSky(pixels) {
  const size = (length) => Math.max(1, Math.round(length * pixels));
  const width = size(sky.clientWidth), height = size(sky.clientHeight);
  if (sky.width === width && sky.height === height) return;
  sky.width = width;
  sky.height = height;
}

/** Resizes the canvas to its element, and tells the camera the area that panels leave free. */
function fitCanvas() {
  resizeSky(ratio());
  const hidden = document.body.classList.contains('bare');
  const wide = (id) => element(id).offsetWidth > 0.6 * sky.clientWidth;
  const lowest = ['transport', 'conservation', 'look', 'setup'].filter((id) => !element(id).hidden && wide(id))
    .map((id) => element(id).offsetTop);
  const below = hidden ? 0 : sky.clientHeight - Math.min(sky.clientHeight, ...lowest);
  const above = hidden || !wide('about') ? 0 : Math.max(...['about', 'rates'].map(
    (id) => element(id).offsetTop + element(id).offsetHeight));
  camera.resize({ width: sky.clientWidth, height: sky.clientHeight, top: above, bottom: below });
  app.dirty = app.plotDirty = true;
}
new ResizeObserver(fitCanvas).observe(sky);
for (const id of ['about', 'rates', 'transport', 'conservation', 'look', 'setup'])
  new ResizeObserver(fitCanvas).observe(element(id));

function takeFrame(now) {
  app.frame = fresh;
  fresh = null;
  isRequested = false;
  draw.take(app.frame);
  app.primary = overlay.take(app.frame, app.G);
  carry();
  counted.frames++;
  counted.recent.push(now);
  if (now - lastFraming > framingInterval || lastFraming === 0) {
    lastFraming = now;
    camera.surround(surround(app.frame, app.primary));
    panels.showDetails(Boolean(app.frame.details));
    app.species = speciesIn(app.frame);
    if (!element('look').hidden) panels.writeKey(app.settings.colour, app.frame, app.species, app.hello.units);
    while (counted.recent.length > 1 && now - counted.recent[0] > 2000) counted.recent.shift();
    const span = now - counted.recent[0];
    panels.writeDrawn(app.frame, span > 0 ? (1000 * (counted.recent.length - 1)) / span : 0);
  }
  progress();
}

/** Keeps the followed body, or else the dominant one, in the centre. */
function carry() {
  const { details } = app.frame;
  const index = app.followed === null ? app.primary
    : details ? details.findIndex(({ id }) => id === app.followed) : app.followed;
  const place = index >= 0 && index < app.frame.points ? placeOf(app.frame, index) : null;
  if (app.followed !== null || camera.isFitted) camera.carry(place, app.followed !== null);
}

/** Adapts the number of points and pixels to the speed of this machine. */
function judge(interval, now) {
  const { detail } = pace;
  pace.drew(app.frame, interval, now);
  if (pace.detail !== detail) fitCanvas();
}

/** Draws the sky and what is over it. */
function paint(pixels, moved) {
  // The paths of few bodies are lines over the sky.
  const trails = app.settings.trails && !app.frame?.details;
  draw.draw(camera, app.frame, { ...app.settings, trails }, pixels, moved);
  overlay.draw(camera, app, Math.min(devicePixelRatio || 1, mostRatio));
  app.film?.add(sky, overlay.canvas);
}

let before = 0;
function tick(now) {
  requestAnimationFrame(tick);
  const elapsed = Math.min(now - before, 100);
  const interval = now - before;
  before = now;
  if (fresh) {
    takeFrame(now);
    app.dirty = true;
  }
  if (app.settings.turn && !still) camera.turn(-elapsed * 0.02, 0);
  const moved = camera.move(elapsed);
  if (moved || app.dirty || app.film) {
    paint(ratio(), moved);
    app.dirty = false;
    // judge() may resize the canvas, which clears it: then the next tick draws again.
    if (app.frame && counted.lastPicture === now - interval && !document.hidden) judge(interval, now);
    counted.lastPicture = now;
  }
  if (app.plotDirty && !element('conservation').hidden) {
    plot.draw(app.hello.end_time, app.hello.units?.time, app.hello.mode === 'play' ? app.newest.time : NaN);
    panels.writeLegend(plot);
    app.plotDirty = false;
  }
  if (!isRequested) {  // also after the end: a late viewer gets the last state
    isRequested = true;
    stream.send({ ready: pace.wanted });
  }
}
requestAnimationFrame(tick);

// --- actions of the user

const { actions, set, show, bare, command, followAt, placeNear } = makeActions(app, {
  camera, draw, overlay, stream, sky, paint, carry, resizeSky, fitCanvas, narrow });

const sliderInUse = listenToSetup(app, command);

/** Whether a dialog is open, so that keys do not control the run. */
const quiet = (action) => document.querySelector('dialog[open]') && (action !== 'help' || element('sure').open);
listenToKeys(actions, quiet);
listen(sky, camera, {
  taken: () => {},
  fit: actions.fit,
  tap: (place) => (document.body.classList.contains('bare') ? bare(false) : followAt(place)),
  placeAt: (pixel) => placeNear(pixel) ?? camera.placeAt(pixel),
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
for (const name of ['trails', 'turn', 'orbits', 'names'])
  element(name).addEventListener('change', (event) => set(name, event.target.checked));
element('colour').addEventListener('change', (event) => set('colour', event.target.value));
element('points').addEventListener('change', (event) => {
  pace.choose(Number(event.target.value));
  isRequested = false;
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

panels.showCommands({ mode: 'run', control: false });
element('watching').hidden = true; // not known yet
if (narrow) show('conservation', false);

/** Uploads the last frame after the graphics context was restored. */
function restored() {
  if (app.frame) draw.take(app.frame);
  app.dirty = true;
}
