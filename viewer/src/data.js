// The data of a report: from the script elements of the page to typed arrays.
// An array is a reference into a block, a block is base64 of a gzip stream.
// SPDX-License-Identifier: BSD-3-Clause

/**
 * @typedef {{block: number, offset: number, count: number, type: 'f32'|'f64', coding?: string, stride?: number}} ArrayReference
 * @typedef {Float32Array|Float64Array} Values
 * @typedef {{name: string, unit: string, description: string, group: string, values: Values}} Channel
 */

/** @param {string} text base64, white space allowed @returns {Uint8Array<ArrayBuffer>} */
export function bytesOfBase64(text) {
  const clean = text.trim();
  const fast = /** @type {any} */ (Uint8Array).fromBase64;
  if (fast) return fast.call(Uint8Array, clean);
  const raw = atob(clean);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>} bytes a gzip stream @returns {Promise<ArrayBuffer>} */
export async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/**
 * The array of a reference. Plain arrays are copied only if not aligned.
 * @param {ArrayReference} ref @param {ArrayBuffer[]} blocks @returns {Values}
 */
export function arrayOf(ref, blocks) {
  const block = blocks[ref.block];
  const size = ref.type === 'f64' ? 8 : 4;
  const Type = ref.type === 'f64' ? Float64Array : Float32Array;
  if (!block || ref.offset + ref.count * size > block.byteLength) {
    throw new Error(`array of ${ref.count} values at byte ${ref.offset} is not in block ${ref.block}`);
  }
  if (!ref.coding) {
    return ref.offset % size === 0 ? new Type(block, ref.offset, ref.count) : new Type(block.slice(ref.offset, ref.offset + ref.count * size));
  }
  const coding = ref.coding.split(' ');
  const unknown = coding.find((c) => c !== 'planes' && c !== 'delta32');
  if (unknown) throw new Error(`unknown coding "${unknown}"; known are planes and delta32`);
  let bytes = new Uint8Array(block.slice(ref.offset, ref.offset + ref.count * size));
  if (coding.includes('planes')) {
    const whole = new Uint8Array(bytes.length);
    for (let b = 0; b < size; ++b) for (let i = 0; i < ref.count; ++i) whole[i * size + b] = bytes[b * ref.count + i];
    bytes = whole;
  }
  if (coding.includes('delta32')) {
    const words = new Uint32Array(bytes.buffer);
    for (let i = ref.stride ?? 1; i < words.length; ++i) words[i] += words[i - (ref.stride ?? 1)];
  }
  return new Type(bytes.buffer);
}

/** @param {any} value @returns {boolean} */
const isReference = (value) => typeof value === 'object' && value !== null && 'block' in value && 'offset' in value && 'count' in value;

/**
 * Replaces every reference within a value by its array, in place.
 * @param {any} value @param {ArrayBuffer[]} blocks
 */
export function resolve(value, blocks) {
  if (Array.isArray(value) ? typeof value[0] === 'number' : typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    if (isReference(value[key])) value[key] = arrayOf(value[key], blocks);
    else resolve(value[key], blocks);
  }
}

/**
 * Reads the page's data. `progress` is called with the current action; between blocks the browser may draw.
 * @param {Document} page @param {(text: string) => void} progress @returns {Promise<any>}
 */
export async function readReport(page, progress) {
  const element = page.getElementById('trunnion-data');
  if (!element) throw new Error('this page contains no data: it is the empty template of a report');
  const report = JSON.parse(element.textContent ?? '');
  if (report.format !== 1) throw new Error(`unknown data format ${report.format}; this viewer reads format 1`);
  const scripts = [];
  for (let i = 0; ; ++i) {
    const script = page.getElementById(`trunnion-block-${i}`);
    if (!script) break;
    scripts.push(script);
  }
  const blocks = [];
  for (const [i, script] of scripts.entries()) {
    progress(`Unpacking data${scripts.length > 1 ? `, part ${i + 1} of ${scripts.length}` : ''} …`);
    blocks.push(await gunzip(bytesOfBase64(script.textContent ?? '')));
    script.textContent = ''; // the text is as large as the data
  }
  progress('Drawing …');
  for (const section of report.sections) resolve(section, blocks);
  return report;
}

/** Group of a channel: the text before the first dot, unless given. */
const groupOf = (channel) => channel.group || (channel.name.includes('.') ? channel.name.slice(0, channel.name.indexOf('.')) : 'other');

/**
 * A section of kind "run" as the viewer uses it.
 * @param {any} section @param {number} index
 */
export function makeRun(section, index) {
  /** @type {Map<string, Channel>} */
  const channels = new Map();
  for (const channel of section.channels ?? []) {
    if (!channel.values) continue;
    channels.set(channel.name, {description: '', ...channel, unit: channel.unit ?? '', group: groupOf(channel)});
  }
  const time = section.time ?? new Float64Array(0);
  return {
    index,
    name: section.name,
    label: section.label ?? section.name,
    directory: section.directory ?? '',
    status: section.status ?? 'completed',
    message: section.message ?? '',
    warnings: section.warnings ?? [],
    summary: section.summary ?? {},
    model: section.model ?? '',
    ledger: section.ledger ?? null,
    defaults: section.default_channels ?? [],
    scene: section.scene ?? null,
    sceneMissing: section.scene_missing ?? '',
    time,
    channels,
    visible: true,
  };
}
/** @typedef {ReturnType<typeof makeRun>} Run */

/** Index of the last instant at or before t (0 if there is none). @param {Values} time @param {number} t */
export function indexAt(time, t) {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Index of the instant nearest to t. @param {Values} time @param {number} t */
export function nearestIndex(time, t) {
  const i = indexAt(time, t);
  return i + 1 < time.length && time[i + 1] - t < t - time[i] ? i + 1 : i;
}

/** Value at t, linear between instants. @param {Values} time @param {Values} values @param {number} t */
export function valueAt(time, values, t) {
  const i = indexAt(time, t);
  if (i + 1 >= time.length || t <= time[i]) return values[i];
  const f = (t - time[i]) / (time[i + 1] - time[i]);
  return values[i] + f * (values[i + 1] - values[i]);
}

/**
 * Several series on one time axis. Equal times are used unchanged; otherwise the axis is the union, and a series
 * is `undefined` (not a gap) at instants it does not have. Non-finite values are gaps (`null`).
 * @param {{time: Values, values: ArrayLike<number>}[]} series
 * @returns {[number[], ...(number|null|undefined)[][]]}
 */
export function align(series) {
  /** @type {Values[]} */
  const axes = [];
  const axisOf = series.map((s) => {
    let k = axes.findIndex((a) => a === s.time || (a.length === s.time.length && a.every((t, i) => t === s.time[i])));
    if (k < 0) k = axes.push(s.time) - 1;
    return k;
  });
  const value = (v) => (Number.isFinite(v) ? v : null);
  if (axes.length <= 1) return [Array.from(axes[0] ?? []), ...series.map((s) => Array.from(s.values, value))];
  const union = Float64Array.from(new Set(axes.flatMap((a) => Array.from(a)))).sort();
  const places = axes.map((axis) => {
    const place = new Int32Array(union.length).fill(-1);
    for (let i = 0, k = 0; k < axis.length; ++i) {
      if (union[i] === axis[k]) place[i] = k++;
      else if (union[i] > axis[k]) { ++k; --i; } // repeated instants: the first is used
    }
    return place;
  });
  return [
    Array.from(union),
    ...series.map((s, n) => Array.from(places[axisOf[n]], (k) => (k < 0 ? undefined : value(s.values[k])))),
  ];
}
