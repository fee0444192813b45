// SPDX-License-Identifier: Apache-2.0
// Colours that differ in more than red and green, and the light of points. Colours are linear, because their light is
// added up.

export const colourings = ['speed', 'species', 'plain'];

/** Colours of speed, from rest to very fast: blue, white, amber. */
export const speedColours = [
  [0.06, 0.14, 1.0], [0.10, 0.46, 1.0], [0.74, 0.82, 0.96], [1.0, 0.60, 0.20], [1.0, 0.32, 0.05]];
/** Speed of the last colour, relative to the frame's speed. */
export const fastest = 2;

/** Colours of species, in the order of the numbers in a frame; dark matter is faint. The last one is of no species. */
export const speciesColours = [
  [0.1, 0.75, 0.95], [0.2, 0.16, 0.42], [1.0, 0.62, 0.12], [1.0, 0.9, 0.55], [0.62, 0.76, 1.0], [0.85, 0.35, 0.6],
  [0.62, 0.78, 1.0]];

/** Colours of the orbits and paths of few bodies, in CSS notation. */
export const bodyColours = ['#f2c14e', '#8ab8ff', '#ff9d6b', '#7fd6a8', '#e38bd0', '#b9a3e8', '#5cd0e0', '#e0d07a',
  '#ff7f8f', '#a8c97f'];

export const plainColour = [0.62, 0.78, 1.0];

/** Colours of the lines of the plot, which also differ by their dashes. */
export const lines = { energy: '#f2a93b', momentum: '#5cb3f0', angular_momentum: '#b9a3e8' };

/** Returns a linear colour in CSS notation. */
export function css(colour) {
  return `rgb(${colour.map((c) => Math.round(255 * Math.min(1, c) ** 0.5)).join(' ')})`;
}

/** Returns the colour at `t`, 0 to 1, along `colours`. */
export function along(colours, t) {
  const place = Math.min(Math.max(t, 0), 1) * (colours.length - 1);
  const k = Math.min(Math.floor(place), colours.length - 2);
  return colours[k].map((c, i) => c + (colours[k + 1][i] - c) * (place - k));
}

/** Diameter in CSS pixels and light of a point, for a number of points and the user's settings. */
export function expose(points, settings) {
  const crowd = 65536 / Math.max(points, 1);
  return {
    diameter: Math.min(Math.max(3.4 * crowd ** 0.2, 2.2), 13) * 1.5 ** settings.size,
    light: Math.min(0.8 * crowd ** 0.3, 8) * 1.6 ** settings.brightness,
  };
}
