// Light and dark theme: the system setting until the user chooses.
// SPDX-License-Identifier: BSD-3-Clause
import {curveColors, dashes} from './color.js';

export class Theme {
  constructor() {
    this.root = document.documentElement;
    /** @type {(() => void)[]} */
    this.listeners = [];
    this.system = matchMedia('(prefers-color-scheme: dark)');
    this.choice = remembered('theme');
    // Read only here and from the event: reading `matches` before the event is dispatched suppresses it.
    this.systemIsDark = this.system.matches;
    this.system.addEventListener('change', (event) => {
      this.systemIsDark = event.matches;
      this.apply();
    });
    this.apply();
  }
  get dark() {
    return this.choice ? this.choice === 'dark' : this.systemIsDark;
  }
  toggle() {
    this.choice = this.dark ? 'light' : 'dark';
    remember('theme', this.choice);
    this.apply();
  }
  apply() {
    this.root.dataset.theme = this.dark ? 'dark' : 'light';
    this.cache = new Map();
    for (const listener of this.listeners) listener();
  }
  /** @param {() => void} listener */
  on(listener) {
    this.listeners.push(listener);
    return () => { this.listeners = this.listeners.filter((l) => l !== listener); };
  }
  /** A colour of the style sheet. @param {string} name */
  color(name) {
    let value = this.cache.get(name);
    if (!value) this.cache.set(name, (value = getComputedStyle(this.root).getPropertyValue(name).trim()));
    return value;
  }
  /** Colour of the n-th curve: a name of the style sheet, so that it changes with the theme. @param {number} n */
  curve(n) {
    return `--curve-${n % curveColors.light.length}`;
  }
  /** Dash of the n-th curve whose colours repeat, or of the n-th channel of a run. @param {number} n */
  dash(n) {
    return dashes[n % dashes.length];
  }
}

// The page may be a file, for which some browsers deny storage.
/** @param {string} key */
export function remembered(key) {
  try {
    return localStorage.getItem(`trunnion.${key}`);
  } catch {
    return null;
  }
}
/** @param {string} key @param {string} value */
export function remember(key, value) {
  try {
    localStorage.setItem(`trunnion.${key}`, value);
  } catch { /* not stored */ }
}
