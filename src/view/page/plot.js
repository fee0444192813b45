// SPDX-License-Identifier: Apache-2.0
// Plot of the errors of conserved quantities against time, on a logarithmic scale.

import { lines } from './palette.js';
import { figures, power, whole } from './words.js';

const most = 4000; // points per line; beyond that every second one is dropped
const dashes = { energy: [], momentum: [7, 3], angular_momentum: [2, 3] };

/** Returns three to five round times from `first` to `last`. */
export function ticks(first, last) {
  const span = last - first;
  if (!(span > 0) || !Number.isFinite(span)) return [first];
  const raw = span / 4;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * decade).find((n) => n >= raw * 0.999);
  const begin = Math.ceil(first / step - 1e-9), end = Math.floor(last / step + 1e-9);
  return Array.from({ length: end - begin + 1 }, (_, k) => Number(((begin + k) * step).toPrecision(12)));
}

/** Returns the text of a time of an axis, with the decimals that tell its times apart. */
export function tickText(t, values) {
  const step = values.length > 1 ? values[1] - values[0] : Math.abs(t);
  if (t === 0) return '0';
  if (!(step >= 1e-4) || Math.abs(t) >= 1e7) return figures(t, 3);
  const decimals = [0, 1, 2, 3, 4, 5].find((n) => values.every((v) => Math.abs(v - v.toFixed(n)) < 1e-6 * step)) ?? 5;
  return Math.abs(t) >= 1000 && decimals === 0 ? whole(t) : t.toFixed(decimals);
}

function drawLine(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

export function makePlot(canvas) {
  let time = [];
  let errors = { energy: [], momentum: [], angular_momentum: [] };
  let limits = {};
  let came = 0;

  /** Keeps the point with the larger errors of each pair, so that peaks remain. */
  function thin() {
    const rows = [];
    for (let i = 0; i + 1 < time.length; i += 2) {
      const worse = Object.values(errors).some((e) => Math.abs(e[i]) > Math.abs(e[i + 1]));
      rows.push(worse ? i : i + 1);
    }
    time = rows.map((i) => time[i]);
    for (const name in errors) errors[name] = rows.map((i) => errors[name][i]);
  }

  /** Returns the decades of all errors and limits, at least three. */
  function decades() {
    const exponents = [...Object.values(errors).flat(), ...Object.values(limits)]
      .map((e) => Math.log10(Math.abs(e))).filter(Number.isFinite);
    if (exponents.length === 0) return null;
    let low = Infinity, high = -Infinity;
    for (const e of exponents) {
      low = Math.min(low, e);
      high = Math.max(high, e);
    }
    low = Math.max(Math.floor(low), -18);
    high = Math.max(Math.ceil(high + 0.05), low + 3);
    return { low, high };
  }

  /** Draws the axis of time. */
  function drawTimes(pen, { first, last, x, left, end, top, bottom, unit }) {
    const values = ticks(first, last);
    pen.textBaseline = 'top';
    for (const t of values) {
      pen.strokeStyle = 'rgb(255 255 255 / 6%)';
      drawLine(pen, x(t), top, x(t), bottom + 3);
      pen.fillStyle = '#9aa6ba';
      pen.textAlign = x(t) > end - 14 ? 'right' : x(t) < left + 14 ? 'left' : 'center';
      pen.fillText(tickText(t, values), x(t), bottom + 5);
    }
    pen.textAlign = 'center';
    pen.fillText(unit ? `time [${unit}]` : 'time', (left + end) / 2, bottom + 19);
    pen.textBaseline = 'middle';
  }

  return {
    /** Number of points received since the beginning. */
    get points() {
      return came;
    },
    begin(allowed) {
      time = [];
      errors = { energy: [], momentum: [], angular_momentum: [] };
      limits = Object.fromEntries(Object.entries(allowed ?? {}).filter(([, value]) => value > 0));
      came = 0;
    },
    add(said) {
      const more = Array.isArray(said.time) ? said.time : [];
      more.forEach((t, i) => {
        time.push(t);
        for (const name in errors) errors[name].push(said[name]?.[i] ?? NaN);
      });
      came += more.length;
      while (time.length > most) thin();
    },
    /** Returns the last error of each quantity that has one. */
    last() {
      return Object.fromEntries(Object.entries(errors).map(([name, e]) => [name, Math.abs(e.at(-1))])
        .filter(([, value]) => Number.isFinite(value)));
    },
    limit: (name) => limits[name],
    /** `unit`: of time; `place`: time that a mark shows, the player's; NaN: no mark. */
    draw(endTime, unit, place = NaN) {
      const ratio = Math.min(devicePixelRatio || 1, 3);
      const width = canvas.clientWidth, height = canvas.clientHeight;
      if (width === 0) return;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const pen = canvas.getContext('2d');
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      pen.font = '11px system-ui, sans-serif';
      pen.textBaseline = 'middle';
      const range = decades();
      if (!range) {
        pen.fillStyle = '#8d99ad';
        pen.textAlign = 'center';
        pen.fillText('no data yet', width / 2, height / 2);
        return;
      }
      const left = 38, bottom = height - 34, top = 8, end = width - 6;
      const first = time[0] ?? 0;
      const last = Math.max(time.at(-1) ?? 0, Number.isFinite(endTime) ? endTime : -Infinity);
      const x = (t) => left + ((t - first) / (last - first || 1)) * (end - left);
      const y = (error) => {
        const exponent = Math.max(Math.log10(Math.abs(error)), range.low);
        return bottom - ((exponent - range.low) / (range.high - range.low)) * (bottom - top);
      };
      const every = Math.max(1, Math.ceil((range.high - range.low) / 4));
      pen.lineWidth = 1;
      pen.textAlign = 'right';
      for (let e = range.low; e <= range.high; e += every) {
        pen.strokeStyle = 'rgb(255 255 255 / 9%)';
        drawLine(pen, left, y(10 ** e), end, y(10 ** e));
        pen.fillStyle = '#9aa6ba';
        pen.fillText(power(e), left - 6, y(10 ** e));
      }
      drawTimes(pen, { first, last, x, left, end, top, bottom, unit });
      pen.textAlign = 'right';
      for (const name in limits) {
        pen.strokeStyle = lines[name];
        pen.globalAlpha = 0.55;
        pen.setLineDash([1, 3]);
        const level = y(limits[name]);
        drawLine(pen, left, level, end, level);
        pen.fillStyle = lines[name];
        pen.fillText('limit', end, level + (level < bottom - 14 ? 7 : -7));
      }
      pen.globalAlpha = 1;
      pen.lineWidth = 1.6;
      pen.lineJoin = 'round';
      for (const name of Object.keys(errors).reverse()) {
        pen.strokeStyle = lines[name];
        pen.setLineDash(dashes[name]);
        pen.beginPath();
        let down = 0; // points since the line began
        errors[name].forEach((error, i) => {
          // An error of zero cannot be shown on this scale: the line has a gap.
          if (!Number.isFinite(error) || error === 0) {
            down = 0;
            return;
          }
          const alone = down === 0 && !(Math.abs(errors[name][i + 1]) > 0);
          if (down === 0) pen.moveTo(x(time[i]) - alone, y(error));
          if (down > 0 || alone) pen.lineTo(x(time[i]) + alone, y(error));
          ++down;
        });
        pen.stroke();
      }
      pen.setLineDash([]);
      if (place >= first && place <= last) {
        pen.strokeStyle = 'rgb(230 235 244 / 75%)';
        pen.lineWidth = 1;
        drawLine(pen, x(place), top, x(place), bottom);
      }
    },
  };
}
