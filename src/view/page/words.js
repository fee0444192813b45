// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers.

const large = [[1e15, 'quadrillion'], [1e12, 'trillion'], [1e9, 'billion'], [1e6, 'million']];

/** Returns an integer with narrow spaces between thousands. */
export const whole = (value) => Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Returns 10⁻⁷ for -7. */
export function power(exponent) {
  const digits = [...String(Math.abs(exponent))].map((d) => superscripts[d]).join('');
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

/**
 * Returns a number with so many significant digits: 0.0125, 99.7, 12 300; as 1.25 × 10⁷ from a
 * million on and below 0.001. Every number of the page is written by this function or by whole().
 */
export function figures(value, digits) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  // Rounded first: 99.99 has three digits before the point with three digits.
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
  if (exponent < -3 || exponent > 5) return `${mantissa} × ${power(Number(exponent))}`;
  if (exponent >= digits - 1) return whole(Number(`${mantissa}e${exponent}`));
  return Number(`${mantissa}e${exponent}`).toFixed(digits - 1 - exponent);
}

/** Returns three digits, with a word for large numbers. */
export function rate(value) {
  if (!Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  const word = large.find(([size]) => rounded >= size);
  if (word) return `${figures(rounded / word[0], 3)} ${word[1]}`;
  if (rounded > 0 && rounded < 0.001) return '< 0.001';
  return figures(rounded, rounded >= 100 ? 3 : 2);
}

/** Returns a time with the decimals that are useful for a run to `end`. */
export function timeOf(value, end, unit) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.max(Math.abs(Number.isFinite(end) ? end : value), Math.abs(value));
  const decimals = size > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(size)), 0), 8) : 3;
  const text = size >= 1e7 || (size > 0 && size < 1e-4) ? figures(value, 4) : value.toFixed(decimals);
  return unit ? `${text} ${unit}` : text;
}

/** Returns a file name made from a title. */
export const slug = (title) =>
  title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'bodies';
