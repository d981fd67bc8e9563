// Content of a plot panel: its series, their axes, and CSV export. No drawing.
// SPDX-License-Identifier: BSD-3-Clause

/**
 * @typedef {import('./data.js').Run} Run
 * @typedef {{channel: string, run: Run, unit: string, si: string, factor: number, color: number, dash: number, values: import('./data.js').Values}} Series
 *   color, dash: indices in the lists of colours and dashes
 */

/**
 * Series of the channels over the visible runs. One run: a colour per channel. Several: a colour per run, a dash per channel,
 * so that a run has the same colour in all panels and in the animation.
 * @param {string[]} channels @param {Run[]} runs all of them @param {import('./units.js').Units} units
 * @returns {Series[]}
 */
export function seriesOf(channels, runs, units) {
  const several = runs.length > 1;
  /** @type {Series[]} */
  const out = [];
  channels.forEach((name, place) => {
    for (const run of runs) {
      const channel = run.visible ? run.channels.get(name) : undefined;
      if (!channel) continue;
      const shown = units.of(channel.unit);
      out.push({channel: name, run, si: channel.unit, unit: shown.unit, factor: shown.factor, color: several ? run.index : place, dash: several ? place : 0, values: channel.values});
    }
  });
  return out;
}

/** Units of a panel in the order of its series: the first is on the left axis, all others on the right. @param {Series[]} series */
export const axesOf = (series) => [...new Set(series.map((s) => s.unit))];

/** Unit in the header of a column or an axis. @param {string} unit */
export const bracket = (unit) => (unit ? `[${unit}]` : '');

/**
 * A file of comma separated values; gaps and instants that a series does not have are empty.
 * @param {string[]} head @param {ArrayLike<number|null|undefined>[]} columns
 */
export function csv(head, columns) {
  const quote = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [head.map(quote).join(',')];
  for (let i = 0; i < (columns[0]?.length ?? 0); ++i) lines.push(columns.map((c) => (c[i] == null || Number.isNaN(c[i]) ? '' : String(c[i]))).join(','));
  return lines.join('\n') + '\n';
}

/**
 * Range of an axis. A constant, or rounding noise about one, is shown as a level line.
 * @param {number|null} low @param {number|null} high @returns {[number, number]}
 */
export function rangeOf(low, high) {
  if (low == null || high == null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low <= 1e-9 * size || size < 1e-30) {
    const pad = size < 1e-30 ? 1 : 0.1 * size;
    return [low - pad, high + pad];
  }
  const pad = 0.06 * (high - low);
  // Zero is a good end of an axis.
  return [low >= 0 && low - pad < 0 ? 0 : low - pad, high <= 0 && high + pad > 0 ? 0 : high + pad];
}

/** Range of a logarithmic axis: whole powers of ten. @param {number|null} low @param {number|null} high @returns {[number, number]} */
export function logRangeOf(low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-16, 1];
  const a = Math.floor(Math.log10(low));
  const b = Math.ceil(Math.log10(high));
  return [10 ** a, 10 ** Math.max(b, a + 1)];
}

/**
 * Stacked series: positive values upwards from zero, negative ones downwards, at every instant.
 * @param {ArrayLike<number>[]} series @returns {{above: Float64Array[], below: Float64Array[], sum: Float64Array}} boundaries after each series
 */
export function stack(series) {
  const n = series[0]?.length ?? 0;
  const up = new Float64Array(n);
  const down = new Float64Array(n);
  /** @type {Float64Array[]} */
  const above = [];
  /** @type {Float64Array[]} */
  const below = [];
  for (const values of series) {
    for (let i = 0; i < n; ++i) {
      if (values[i] > 0) up[i] += values[i];
      else if (values[i] < 0) down[i] += values[i];
    }
    above.push(up.slice());
    below.push(down.slice());
  }
  return {above, below, sum: up.map((v, i) => v + down[i])};
}

/** The ledger's entries as changes since the first instant. @param {{name: string, sign?: number}[]} entries @param {Run} run */
export function changes(entries, run) {
  return entries.filter((e) => run.channels.has(e.name)).map((entry) => {
    const values = /** @type {import('./data.js').Channel} */ (run.channels.get(entry.name)).values;
    return {entry, values: Float64Array.from(values, (v) => (entry.sign ?? 1) * (v - values[0]))};
  });
}

/** Words of a search must all occur, in any order. @param {string} text @param {string} search */
export function matches(text, search) {
  const all = text.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
