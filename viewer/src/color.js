// Colours of curves and scales, and their contrast.
// SPDX-License-Identifier: BSD-3-Clause

/** @param {string} hex #rrggbb @returns {[number, number, number]} 0 to 1 */
export const rgbOf = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);
/** @param {number[]} rgb 0 to 1 */
export const hexOf = (rgb) => '#' + rgb.map((c) => Math.round(255 * Math.min(1, Math.max(0, c))).toString(16).padStart(2, '0')).join('');

const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
/** Relative luminance of WCAG. @param {number[]} rgb 0 to 1 */
export const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
/** Contrast ratio of WCAG, 1 to 21. @param {number[]} a @param {number[]} b */
export function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/**
 * Colours of curves for each theme. Optimised: contrast of at least 3:1 to the background, and maximum distance from each other
 * for normal vision, protanopia, deuteranopia and tritanopia (tested). After the last one the dash changes.
 */
export const curveColors = {
  light: ['#0b6bb5', '#de7300', '#00a499', '#63147c', '#9a4e00', '#17212b'],
  dark: ['#58a6ff', '#ff8a4c', '#43e9b5', '#ab4ec1', '#ffdc25', '#faffff'],
};
/** Dashes in order. */
export const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 5], [5, 2, 2, 2, 2, 2]];

// Anchors of viridis (for pressure) and of a blue - grey - orange scale (for force).
const viridis = ['#440154', '#482878', '#3e4a89', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'].map(rgbOf);
const diverging = ['#08519c', '#3182bd', '#9ecae1', '#d9d9d9', '#fdae6b', '#e6550d', '#a63603'].map(rgbOf);

/** @param {number[][]} anchors @param {number} f @returns {number[]} */
function along(anchors, f) {
  const x = Math.min(1, Math.max(0, Number.isFinite(f) ? f : 0)) * (anchors.length - 1);
  const i = Math.min(anchors.length - 2, Math.floor(x));
  return anchors[i].map((c, k) => c + (anchors[i + 1][k] - c) * (x - i));
}
export const scales = {
  /** @param {number} f 0 to 1 */
  pressure: (f) => along(viridis, f),
  /** @param {number} f 0 (max. tension), 0.5 (zero), 1 (max. compression) */
  force: (f) => along(diverging, f),
};
