// Tables sorted by clicking a column header.
// SPDX-License-Identifier: BSD-3-Clause
import {h} from './dom.js';
import {formatCount, formatNumber} from './units.js';

const LONG = 60; // characters, from which a cell is formatted as a sentence

/**
 * Order of two cells: numbers, then texts; empty ones last.
 * @param {any} a @param {any} b
 */
export function compareCells(a, b) {
  const rank = (v) => (v == null || v === '' || Number.isNaN(v) ? 2 : typeof v === 'number' || typeof v === 'boolean' ? 0 : 1);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) === 2) return 0;
  return typeof a === 'string' ? a.localeCompare(String(b), undefined, {numeric: true}) : Number(a) - Number(b);
}

/**
 * Order of the rows. Empty cells stay at the end in both directions; the sort is stable.
 * @param {any[][]} rows @param {number} column @param {boolean} falling @returns {number[]} indices
 */
export function orderOf(rows, column, falling) {
  const empty = (v) => v == null || v === '' || Number.isNaN(v);
  return rows.map((_, i) => i).sort((i, j) => {
    const [a, b] = [rows[i][column], rows[j][column]];
    const order = compareCells(a, b);
    return (falling && !empty(a) && !empty(b) ? -order : order) || i - j;
  });
}

/** @param {any} value */
export function cellText(value) {
  if (value == null || value === '') return '–';
  if (typeof value === 'number') return Number.isInteger(value) ? formatCount(value) : formatNumber(value, 5);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return String(value);
}

/**
 * @param {{caption: string, columns: (string|{name: string, label?: string, unit?: string, description?: string})[], rows: any[][],
 *   lead?: (row: number) => any, leadLabel?: string, cell?: (value: any, row: number, column: number) => any, rowAttributes?: (row: number) => Record<string, any>}} options
 *   lead: an element before each row's cells
 */
export function sortableTable(options) {
  const {columns, rows} = options;
  const body = h('tbody');
  const number = columns.map((_, c) => rows.some((r) => typeof r[c] === 'number') && rows.every((r) => r[c] == null || r[c] === '' || typeof r[c] === 'number'));
  const lines = rows.map((row, i) => h('tr', options.rowAttributes?.(i) ?? {},
    options.lead ? h('td.lead', {}, options.lead(i)) : null,
    row.map((value, c) => h(number[c] ? 'td.number' : String(value).length > LONG ? 'td.long' : 'td', typeof value === 'number' ? {title: String(value)} : {}, options.cell?.(value, i, c) ?? cellText(value)))));
  body.append(...lines);
  let sorted = -1;
  let falling = false;
  const heads = columns.map((column, c) => {
    const {name, label, unit, description} = typeof column === 'string' ? {name: column, label: column} : /** @type {any} */ (column);
    const head = h(number[c] ? 'th.number' : 'th', {scope: 'col', 'aria-sort': 'none'},
      h('button.sort', {type: 'button', title: `${description ?? name}: sort`, onclick: () => {
        falling = sorted === c ? !falling : false;
        sorted = c;
        heads.forEach((other, k) => other.setAttribute('aria-sort', k === c ? (falling ? 'descending' : 'ascending') : 'none'));
        body.append(...orderOf(rows, c, falling).map((i) => lines[i]));
      }}, h('span', {}, label ?? name), unit ? h('span.unit', {}, unit) : null));
    return head;
  });
  return h('.table-scroll', {tabindex: 0, role: 'region', 'aria-label': options.caption},
    h('table', {}, h('caption.visually-hidden', {}, options.caption), h('thead', {}, h('tr', {}, options.lead ? h('th.lead', {scope: 'col'}, h('span.visually-hidden', {}, options.leadLabel ?? '')) : null, heads)), body));
}
