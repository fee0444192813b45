// SPDX-License-Identifier: Apache-2.0
// Actions of the user: commands to the run, and changes of the picture and the page.

import { recordFilm, savePicture } from './capture.js';
import { placeOf, surround } from './frame.js';
import { writeHelp } from './keys.js';
import { colourings } from './palette.js';
import * as panels from './panels.js';
import { slug, timeOf, whole } from './words.js';

const mostFollowed = 1000; // among more points a click meets a body by chance

const element = (id) => document.getElementById(id);

/** Commands that cannot be undone; the user is asked first. */
const grave = {
  stop: ['Stop the run?', 'It writes a checkpoint, from which apsis run --resume continues.', 'Stop'],
  restart: ['Restart the run?', 'Its output so far is replaced.', 'Restart'],
};

/**
 * Returns {actions, set, show, bare, command}: the actions by name; set() changes a setting of the
 * picture, show() a panel, bare() hides all panels, command() sends a command; followAt() and
 * placeNear() look for a body near a pixel. `app`: state of the
 * page, see main.js; `narrow`: whether only one panel fits.
 */
export function makeActions(app, {
  camera, draw, overlay, stream, sky, paint, carry, resizeSky, fitCanvas, narrow }) {
  function command(name, value) {
    if (app.end) return panels.note('the run is over');
    if (!app.commands[name]) {
      const why = { next: 'only a demonstration has presets', previous: 'only a demonstration has presets',
        hold: 'only a demonstration has presets', speed: 'only playback has a speed', stop: 'stop it where it was started' };
      return panels.note(app.hello.mode === 'run' && !app.hello.control
        ? 'watching only: started without --view-control' : why[name] ?? 'not available here');
    }
    stream.send(value === undefined ? { do: name } : { do: name, value });
  }

  function makeSure(name) {
    if (!app.commands[name] || app.end) return command(name);
    const dialog = element('sure');
    dialog.dataset.command = name;
    ['title', 'text', 'yes'].forEach((part, i) => { element(`sure-${part}`).textContent = grave[name][i]; });
    dialog.returnValue = '';
    dialog.showModal();
  }

  /** Changes a setting of the picture and shows it in the panel. */
  function set(name, value) {
    app.settings[name] = value;
    const control = element(name);
    if (control.type === 'checkbox') control.checked = value;
    else control.value = value;
    if (name === 'trails') draw.clearTrails();
    panels.writeKey(app.settings.colour, app.frame, app.species, app.hello.units);
    app.dirty = true;
  }
  const toggle = (name, on, off) => () => {
    set(name, !app.settings[name]);
    panels.note(app.settings[name] ? on : off);
  };
  const more = (name, by) => () => {
    set(name, Math.min(3, Math.max(-3, app.settings[name] + by)));
    panels.note(`${name === 'size' ? 'point size' : name} ${app.settings[name] > 0 ? '+' : ''}${app.settings[name]}`);
  };

  /** Keeps a body in the centre, given by its id, or by its index for many bodies; null: none. */
  function follow(id) {
    app.followed = id;
    camera.carry(null, false);
    if (!app.frame) return;
    carry();
    if (id !== null) panels.note(`follows ${app.names[id] ?? `body ${id}`}; F shows all`);
    app.dirty = true;
  }
  function followNext(by) {
    const ids = app.frame?.details?.map(({ id }) => id).sort((a, b) => a - b);
    if (!ids) return panels.note('only few bodies can be followed by key; click on one');
    const index = ids.indexOf(app.followed);
    const next = (index < 0 ? (by > 0 ? 0 : ids.length - 1) : index + by + ids.length) % ids.length;
    follow(ids[next]);
  }
  /** Returns the index of the body next to a pixel; -1 if none of few bodies is within reach. */
  function indexNear([x, y]) {
    let nearest = -1, distance = 16; // [px]
    const points = app.frame?.points ?? 0;
    for (let i = 0; points <= mostFollowed && i < points; ++i) {
      const place = placeOf(app.frame, i);
      const pixel = place && camera.project(place);
      const off = pixel ? Math.hypot(pixel[0] - x, pixel[1] - y) : Infinity;
      if (off < distance) [nearest, distance] = [i, off];
    }
    return nearest;
  }
  function followAt(pixel) {
    const nearest = indexNear(pixel);
    if (nearest >= 0) follow(app.frame.details ? app.frame.details[nearest].id : nearest);
  }
  function placeNear(pixel) {
    const nearest = indexNear(pixel);
    return nearest < 0 ? null : placeOf(app.frame, nearest);
  }

  function show(id, visible) {
    element(id).hidden = !visible;
    const button = document.querySelector(`[data-action=${id === 'conservation' ? 'plot' : id}]`);
    button.setAttribute(id === 'conservation' ? 'aria-pressed' : 'aria-expanded', visible);
    app.plotDirty = true;
  }
  function bare(on) {
    document.body.classList.toggle('bare', on);
    if (on) panels.note('a tap or U brings the panels back');
    fitCanvas();
  }
  function changeSpeed(by) {
    const speed = element('speed');
    const index = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
    if (app.commands.speed) speed.selectedIndex = index;
    command('speed', Number(speed.value));
  }
  const full = () => Math.min(devicePixelRatio || 1, 2);
  const nameOf = () => `apsis-${slug(app.hello.title ?? '')}-${String(app.newest.step).padStart(6, '0')}`;

  return { set, show, bare, command, followAt, placeNear, actions: {
    // A player that has finished starts again.
    pause: () => command((app.state.status ?? 'running') === 'running' ? 'pause' : 'go_on'),
    single_step: () => command('single_step'),
    restart: () => (app.hello.mode === 'run' ? makeSure('restart') : command('restart')),
    next: () => command('next'),
    previous: () => command('previous'),
    hold() {
      const held = !app.setup?.held;
      command('hold', held ? 1 : 0);
      if (app.commands.hold) panels.note(held ? 'stays with this preset' : 'goes on to the next preset');
    },
    stop: () => makeSure('stop'),
    slower: () => (app.commands.previous ? command('previous') : changeSpeed(-1)),
    faster: () => (app.commands.next ? command('next') : changeSpeed(1)),
    fit() {
      follow(null);
      camera.fit(app.frame && surround(app.frame, app.primary));
    },
    follow: () => followNext(1),
    follow_back: () => followNext(-1),
    orbits: toggle('orbits', 'orbits', 'no orbits'),
    names: toggle('names', 'names', 'no names'),
    colour() {
      set('colour', colourings[(colourings.indexOf(app.settings.colour) + 1) % colourings.length]);
      panels.note(element('colour').selectedOptions[0].textContent);
    },
    trails: toggle('trails', 'trails', 'no trails'),
    turn: toggle('turn', 'turning slowly', 'not turning'),
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
      if (narrow && !element('conservation').hidden) {
        show('look', false);
        show('setup', false);
      }
    },
    setup() {
      if (!app.commands.setup) return panels.note('only a demonstration has values to change');
      show('setup', element('setup').hidden);
      if (element('setup').hidden) return;
      show('look', false);
      if (narrow) show('conservation', false);
    },
    look() {
      show('look', element('look').hidden);
      if (!element('look').hidden) show('setup', false);
      if (narrow && !element('look').hidden) show('conservation', false);
      panels.writeKey(app.settings.colour, app.frame, app.species, app.hello.units);
    },
    panels: () => bare(!document.body.classList.contains('bare')),
    full() {
      const changed = document.fullscreenElement ? document.exitFullscreen()
        : document.documentElement.requestFullscreen?.() ?? Promise.reject();
      changed.catch(() => panels.note('this browser has no full-screen mode'));
    },
    picture() {
      // At the resolution of the screen, whatever is affordable many times a second.
      resizeSky(full());
      paint(full(), false);
      const caption = [app.hello.title, `t = ${timeOf(app.newest.time, app.hello.end_time, app.hello.units?.time)}`,
        app.frame && `${whole(app.frame.bodies)} bodies`, 'Apsis'].filter(Boolean).join('  ·  ');
      savePicture([sky, overlay.canvas], caption, nameOf());
      fitCanvas();
      panels.note('picture saved');
    },
    film() {
      if (app.film) app.film.stop();
      app.film = app.film ? null : recordFilm(sky.clientWidth * full(), sky.clientHeight * full(), nameOf());
      fitCanvas();
      const button = document.querySelector('[data-action=film]');
      const recording = Boolean(app.film);
      if (!recording && button.getAttribute('aria-pressed') === 'false')
        return panels.note('this browser cannot record');
      button.setAttribute('aria-pressed', recording);
      button.setAttribute('aria-label', recording ? 'End the film' : 'Record a film');
      panels.note(recording ? 'recording' : 'film saved');
    },
    help() {
      if (element('help').open) return element('help').close();
      writeHelp(element('keys'), app);
      element('help').showModal();
    },
  } };
}
