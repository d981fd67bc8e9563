// Tick labels of axes.
// SPDX-License-Identifier: BSD-3-Clause
import {powerOfTen} from './units.js';

/** Tick labels of an axis in a common format. @param {number[]} splits */
export function tickTexts(splits) {
  const size = Math.max(...splits.map(Math.abs));
  const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : size;
  if (size >= 1e6 || (size > 0 && size < 1e-3)) {
    // All with the same power of ten.
    const power = Math.floor(Math.log10(size) + 1e-9);
    const exact = (/** @type {number} */ digits) =>
      splits.every((v) => Math.abs(v / 10 ** power - Number((v / 10 ** power).toFixed(digits))) <= (1e-6 * step) / 10 ** power);
    let digits = Math.max(0, Math.min(6, Math.ceil(power - Math.log10(step) - 1e-9)));
    while (digits < 6 && !exact(digits)) ++digits;
    const ten = powerOfTen(power);
    return splits.map((v) => (Math.abs(v) < 1e-9 * size ? '0' : `${(v / 10 ** power).toFixed(digits).replace('-', '−')}·${ten}`));
  }
  // As many decimals as necessary: a step of 2.5 has one, and ticks need not be multiples of their step.
  const exact = (/** @type {number} */ decimals) => splits.every((v) => Math.abs(v - Number(v.toFixed(decimals))) <= 1e-6 * step);
  let decimals = Math.max(0, Math.min(8, -Math.floor(Math.log10(step) + 1e-9)));
  while (decimals < 8 && !exact(decimals)) ++decimals;
  return splits.map((v) => v.toFixed(decimals).replace(/^-(?=0(\.0*)?$)/, '').replace('-', '−'));
}

/** Powers of ten between two values, about six at most. @param {number} low @param {number} high */
export function decades(low, high) {
  const [a, b] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const step = Math.max(1, Math.ceil((b - a) / 6));
  return Array.from({length: Math.max(0, Math.floor((b - a) / step) + 1)}, (_, i) => 10 ** (a + i * step));
}
