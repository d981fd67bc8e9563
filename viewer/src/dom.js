// Creation of page elements.
// SPDX-License-Identifier: BSD-3-Clause

/**
 * h('button.primary', {onclick, 'aria-label': 'Play'}, 'text', child)
 * @param {string} kind tag and classes @param {Record<string, any>} [attributes] properties `on...` are listeners; null and false are omitted
 * @param {...any} children @returns {any}
 */
export function h(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const svg = svgTags.has(tag);
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag || 'div');
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(/** @type {any} */ (element).style, value);
    else if (key in element && !svg && typeof value !== 'string') /** @type {any} */ (element)[key] = value;
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter((c) => c != null && c !== false));
  return element;
}
const svgTags = new Set(['svg', 'g', 'path', 'line', 'circle', 'rect', 'text', 'polyline', 'polygon', 'clipPath', 'defs', 'title_']);

// Icons of buttons: 20 x 20, drawn in the text colour.
const icons = {
  play: '<path d="M6 4l10 6-10 6z" fill="currentColor"/>',
  pause: '<path d="M6 4h3v12H6zM11 4h3v12h-3z" fill="currentColor" stroke="none"/>',
  back: '<path d="M14 4L7 10l7 6z" fill="currentColor"/><path d="M5 4v12"/>',
  forward: '<path d="M6 4l7 6-7 6z" fill="currentColor"/><path d="M15 4v12"/>',
  start: '<path d="M16 4l-6 6 6 6zM10 4l-6 6 6 6z" fill="currentColor"/>',
  loop: '<path d="M4 9a6 6 0 0 1 11-2.5M16 11a6 6 0 0 1-11 2.5M15 3v4h-4M5 17v-4h4"/>',
  plus: '<path d="M10 4v12M4 10h12"/>',
  close: '<path d="M5 5l10 10M15 5L5 15"/>',
  help: '<path d="M7.2 7.4a2.9 2.9 0 1 1 4.3 2.6c-1 .6-1.5 1.1-1.5 2.2M10 15.200v.1"/>',
  sun: '<circle cx="10" cy="10" r="3.2"/><path d="M10 2v2M10 16v2M2 10h2M16 10h2M4.4 4.400l1.4 1.400M14.2 14.200l1.4 1.400M4.4 15.600l1.4-1.400M14.2 5.800l1.4-1.4"/>',
  moon: '<path d="M15.5 12.300A6.5 6.5 0 0 1 7.7 4.500a6.5 6.5 0 1 0 7.8 7.800z"/>',
  ruler: '<path d="M2 13L13 2l5 5L7 18zM5.2 9.8l2.2 2.2M7.8 7.2l1.5 1.5M10.4 4.6l2.2 2.2"/>',
  image: '<path d="M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M12.5 7.500v.1"/>',
  table: '<path d="M3 4h14v12H3zM3 8h14M3 12h14M8 4v12"/>',
  list: '<path d="M7 5h10M7 10h10M7 15h10M3 5h.1M3 10h.1M3 15h.1"/>',
  copy: '<path d="M7 7h10v10H7zM13 7V3H3v10h4"/>',
  camera: '<path d="M3 6h3l1.5-2h5L14 6h3v10H3z"/><circle cx="10" cy="10.8" r="2.8"/>',
  eye: '<path d="M2 10s3-5.5 8-5.500S18 10 18 10s-3 5.5-8 5.500S2 10 2 10z"/><circle cx="10" cy="10" r="2.3"/>',
};
/** @param {keyof typeof icons} name */
export function icon(name) {
  const svg = h('svg.icon', {viewBox: '0 0 20 20', 'aria-hidden': 'true'});
  svg.innerHTML = icons[name];
  return svg;
}

/** A button with an icon and a name for screen readers and the tooltip. */
export const iconButton = (name, label, onclick, attributes = {}) =>
  h('button.icon-button', {type: 'button', 'aria-label': label, title: label, onclick, ...attributes}, icon(name));

/** Downloads a file. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const url = URL.createObjectURL(blob);
  h('a', {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** @param {string} text */
export const fileName = (text) => text.trim().replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 80) || 'trunnion';

/** Announces a text to screen readers and shows it briefly. @param {string} text */
export function announce(text) {
  const line = document.getElementById('announcer');
  if (!line) return;
  line.textContent = text;
  line.classList.add('shown');
  clearTimeout(announceTimer);
  announceTimer = setTimeout(() => line.classList.remove('shown'), 1800);
}
let announceTimer;

export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
