// SPDX-License-Identifier: Apache-2.0
// A mock simulator for the page: any number of bodies on circles, in every mode; it can drop
// connections. Its protocol is described in src/view/server/server.hpp.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const page = new URL('../../src/view/page/', import.meta.url);
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };
const policy = "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const accept = (key) =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

/** Decodes a masked message of a browser of at most 125 bytes; null if invalid. */
function unmask(bytes) {
  if (bytes.length < 6 || bytes[0] !== 0x81) return null;
  const length = bytes[1] & 127;
  const mask = bytes.subarray(2, 6);
  return Buffer.from(bytes.subarray(6, 6 + length).map((byte, i) => byte ^ mask[i % 4])).toString();
}

function wrap(payload, kind) {
  const bytes = Buffer.from(payload);
  const size = bytes.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65536 ? 4 : 10);
  head[0] = 0x80 | kind;
  head[1] = size < 126 ? size : size < 65536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, bytes]);
}

/** Makes a disk with a bulge: `bodies` on circles about the z axis. */
function makeBodies(bodies) {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  return Array.from({ length: bodies }, (_, i) => {
    const inner = i % 4 === 0;
    const radius = inner ? 0.12 * random() / (1.02 - random()) ** 0.6 : 0.08 + 0.9 * Math.sqrt(random() * random());
    const arm = inner ? 0 : 5 * Math.log(radius + 0.05) + (i % 2) * Math.PI + 1.2 * (random() - 0.5);
    return {
      radius, angle: inner ? 2 * Math.PI * random() : arm, height: (random() - 0.5) * (inner ? radius : 0.05),
      rate: 0.35 / (radius + 0.1), species: inner ? 3 : i % 7 === 1 ? 0 : 2,
    };
  });
}

export const gravity = 4 * Math.PI ** 2; // G in au³ / (Msun yr²)
/** Planets on circles: name, mass [Msun], radius [au], inclination. */
const planetList = [['Sun', 1, 0, 0], ['Earth', 3e-6, 1, 0.1], ['Mars', 3e-7, 1.52, 0.3], ['Jupiter', 1e-3, 5.2, 0.02]];

/** Returns the planets at a time [yr], as {id, mass, x, v}. */
function planetsAt(time) {
  return planetList.map(([, mass, radius, inclination], id) => {
    const rate = radius > 0 ? Math.sqrt((gravity * (1 + mass)) / radius ** 3) : 0;
    const turned = (along, across) => [
      along, across * Math.cos(inclination), across * Math.sin(inclination)];
    const angle = rate * time + id;
    return { id, mass, x: turned(radius * Math.cos(angle), radius * Math.sin(angle)),
      v: turned(-radius * rate * Math.sin(angle), radius * rate * Math.cos(angle)) };
  });
}

/** Starts the server; returns {url, drop(), close(), ...}. Options: mode, control, bodies, interval between steps [ms], planets: four bodies with details. */
export async function startMock({ mode = 'demo', control = true, bodies = 2000, interval = 16, port = 0, planets = false,
  timeStep = 0.01 } = {}) {
  if (planets) bodies = planetList.length;
  const population = makeBodies(bodies);
  const viewers = new Set();
  let step = 0, paused = false, preset = 0;
  const presets = ['Spiral of circles', 'The same again'];
  let history = [];

  const frameOfPlanets = (count) => {
    const points = Math.min(count, bodies);
    const bytes = Buffer.alloc(64 + 72 * points);
    const half = 6;
    bytes.write('APS1');
    bytes.writeUInt32LE(points, 4);
    bytes.writeBigUInt64LE(BigInt(step), 8);
    bytes.writeBigUInt64LE(BigInt(bodies), 16);
    bytes.writeDoubleLE(step * timeStep, 24);
    bytes.writeFloatLE(half, 44);
    bytes.writeFloatLE(3, 48);
    bytes.writeUInt32LE(points, 52);
    planetsAt(step * timeStep).slice(0, points).forEach(({ id, mass, x, v }, i) => {
      x.forEach((at, k) => bytes.writeUInt16LE((32768 * (1 + at / half)) & 65535, 64 + 8 * i + 2 * k));
      bytes[64 + 8 * i + 6] = Math.min(255, (64 * Math.hypot(...v)) / 3);
      bytes[64 + 8 * i + 7] = 6;
      [id, mass, ...x, ...v].forEach((value, k) => bytes.writeDoubleLE(value, 64 + 8 * points + 64 * i + 8 * k));
    });
    return bytes;
  };
  const frame = (count) => {
    if (planets) return frameOfPlanets(count);
    const points = Math.min(count, bodies);
    const bytes = Buffer.alloc(64 + 8 * points);
    bytes.write('APS1');
    bytes.writeUInt32LE(points, 4);
    bytes.writeBigUInt64LE(BigInt(step), 8);
    bytes.writeBigUInt64LE(BigInt(bodies), 16);
    bytes.writeDoubleLE(step * 0.01, 24);
    bytes.writeFloatLE(1.5, 44);
    bytes.writeFloatLE(0.9, 48);
    for (let i = 0; i < points; ++i) {
      const b = population[i];
      const angle = b.angle + b.rate * step * 0.01;
      const offset = 64 + 8 * i;
      bytes.writeUInt16LE(((b.radius * Math.cos(angle)) / 3 + 0.5) * 65535 & 65535, offset);
      bytes.writeUInt16LE(((b.radius * Math.sin(angle)) / 3 + 0.5) * 65535 & 65535, offset + 2);
      bytes.writeUInt16LE((b.height / 3 + 0.5) * 65535 & 65535, offset + 4);
      bytes[offset + 6] = Math.min(255, 75 * b.rate ** 0.7 * b.radius ** 0.3);
      bytes[offset + 7] = b.species;
    }
    return bytes;
  };
  const text = (viewer, object) => viewer.socket.write(wrap(JSON.stringify(object), 1));
  const hello = () => ({
    type: 'hello', title: presets[preset], mode, control, bodies, backend: 'openmp', device: 'a mock of a machine',
    precision: 'double', integrator: 'leapfrog_kdk', units: { length: 'pc', time: 'Myr', speed: 'pc/Myr' },
    end_time: 20, limits: { energy: 1e-5, momentum: 1e-12 }, presets: mode === 'demo' ? presets : [], preset });
  const atEnd = () => mode === 'play' && step >= 2000;
  const stateNow = () => ({
    type: 'state', status: paused ? 'paused' : atEnd() ? 'finished' : 'running', step, steps: 2000, time: step * timeStep,
    steps_per_second: paused ? 0 : 1000 / interval, interactions_per_second: bodies ** 2 * 1000 / interval,
    gflops: bodies ** 2 * 20e-6 / interval, wall_seconds: step * interval / 1000, message: '' });
  const errors = () => ({
    type: 'conservation', time: history,
    energy: history.map((t) => 3e-7 * (1.2 + Math.sin(3 * t)) * Math.sqrt(t + 0.1)),
    momentum: history.map((t) => 2e-15 * (1 + t)), angular_momentum: history.map((t) => 1e-14 * (1.1 + Math.cos(t))) });
  const everyone = (object) => { for (const viewer of viewers) text(viewer, object); };
  const show = () => {
    for (const viewer of viewers) {
      if (viewer.ready === 0) continue;
      viewer.socket.write(wrap(frame(viewer.ready), 2));
      viewer.ready = 0;
    }
  };
  const advance = () => {
    if (atEnd()) return;
    ++step;
    if (step % 5 === 0) {
      history.push(step * 0.01);
      everyone({ ...errors(), time: [step * 0.01], energy: errors().energy.slice(-1),
        momentum: errors().momentum.slice(-1), angular_momentum: errors().angular_momentum.slice(-1) });
    }
    show();
  };
  const values = { softening: 0.1, time_step: 0.016, damping: 1 };
  const setup = { type: 'setup', held: false, now: { ...values }, deck: values };
  const change = (name) => (value) => {
    setup.now[name] = value;
    everyone(setup);
  };
  const begin = () => {
    step = 0;
    history = [];
    setup.now = { ...values };
    everyone(hello());
    if (mode === 'demo') everyone(setup);
    everyone(stateNow());
  };
  const commands = {
    pause: () => { paused = true; },
    go_on: () => {
      paused = false;
      if (atEnd()) step = 0;
    },
    single_step: () => { if (paused) advance(); },
    restart: begin,
    next: () => { preset = (preset + 1) % presets.length; begin(); },
    previous: () => { preset = (preset + presets.length - 1) % presets.length; begin(); },
    hold: (value) => {
      setup.held = value === 1;
      everyone(setup);
    },
    softening: change('softening'), time_step: change('time_step'), damping: change('damping'),
    stop: () => everyone({ type: 'over', message: 'stopped by a viewer' }),
    speed: () => {},
    seek: (value) => {
      step = Math.round(2000 * value);
      show();
    },
  };
  const said = [];

  const server = createServer(async (request, response) => {
    const name = new URL(request.url, 'http://mock').pathname.slice(1) || 'index.html';
    try {
      const body = await readFile(new URL(name, page));
      response.writeHead(200, { 'Content-Type': types[extname(name)], 'Content-Security-Policy': policy });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.on('upgrade', (request, socket) => {
    socket.write(['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept(request.headers['sec-websocket-key'])}`, '', ''].join('\r\n'));
    const viewer = { socket, ready: 0 };
    viewers.add(viewer);
    socket.setNoDelay(true);
    const gone = () => viewers.delete(viewer);
    socket.on('close', gone).on('error', gone);
    socket.on('data', (bytes) => {
      for (let offset = 0; offset < bytes.length; offset += 6 + (bytes[offset + 1] & 127)) {
        const message = unmask(bytes.subarray(offset));
        if (!message) return socket.end();
        const object = JSON.parse(message);
        said.push(object);
        if (object.ready) viewer.ready = object.ready;
        if (object.ready && !viewer.seen) {
          viewer.seen = true;
          show();
        }
        if (object.do && control) commands[object.do](object.value);
        if (object.do) everyone(stateNow());
      }
    });
    text(viewer, hello());
    if (mode === 'demo') text(viewer, setup);
    if (planets)
      text(viewer, { type: 'system', G: gravity, names: Object.fromEntries(planetList.map(([name], id) => [id, name])) });
    text(viewer, stateNow());
    text(viewer, errors());
  });
  await new Promise((done) => server.listen(port, '127.0.0.1', done));
  const stepping = setInterval(() => !paused && advance(), interval);
  const telling = setInterval(() => everyone(stateNow()), 200);
  const drop = () => {
    for (const viewer of viewers) viewer.socket.destroy();
    viewers.clear();
  };
  return {
    url: `http://127.0.0.1:${server.address().port}/`, port: server.address().port, said,
    /** Sends a text to every viewer. */
    tell: everyone,
    /** Sends no more frames and states of its own. */
    silence() {
      clearInterval(stepping);
      clearInterval(telling);
    },
    /** Ends all connections. */
    drop,
    async close() {
      clearInterval(stepping);
      clearInterval(telling);
      drop();
      await new Promise((done) => server.close(done));
    },
  };
}
