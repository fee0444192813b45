// SPDX-License-Identifier: Apache-2.0
// Formatting of numbers.

const large = [[1e15, 'quadrillion'], [1e12, 'trillion'], [1e9, 'billion'], [1e6, 'million']];

/** Returns an integer with narrow spaces between thousands. */
export const whole = (value) => Math.round(value).toLocaleString('en').replaceAll(',', '\u202f');

/** Returns three digits, with a word for large numbers. */
export function rate(value) {
  if (!Number.isFinite(value)) return '–';
  for (const [unit, word] of large) if (value >= unit) return `${(value / unit).toPrecision(3)} ${word}`;
  if (value >= 1000) return whole(Number(value.toPrecision(3)));
  if (value > 0 && value < 0.001) return '< 0.001';
  return value === 0 ? '0' : value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}

/** Returns a time with the decimals that are useful for a run to `end`. */
export function timeOf(value, end, unit) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.max(Math.abs(Number.isFinite(end) ? end : value), Math.abs(value));
  const decimals = size > 0 ? Math.min(Math.max(3 - Math.floor(Math.log10(size)), 0), 8) : 3;
  const text = size >= 1e7 || (size > 0 && size < 1e-4) ? value.toExponential(3) : value.toFixed(decimals);
  return unit ? `${text} ${unit}` : text;
}

/** Returns an error in the form 1.2 × 10⁻⁷. */
export function scientific(value, power) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const [digits, exponent] = value.toExponential(1).split('e');
  return `${digits} × ${power(Number(exponent))}`;
}

/** Returns a file name made from a title. */
export const slug = (title) =>
  title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60) || 'bodies';
