// The time shared by all views of the page: the animation, the cursors, the zoom of the time axis.
// SPDX-License-Identifier: BSD-3-Clause
import {nearestIndex} from './data.js';

export const speeds = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

/** @typedef {'time'|'state'|'range'} PlayerEvent  time changed; play, speed or loop changed; the time axis was zoomed */

export class Player {
  /** @param {import('./data.js').Values[]} axes times of the runs @param {(draw: FrameRequestCallback) => number} [nextFrame] */
  constructor(axes, nextFrame = (draw) => requestAnimationFrame(draw)) {
    const filled = axes.filter((a) => a.length);
    this.start = Math.min(...filled.map((a) => a[0]));
    this.end = Math.max(...filled.map((a) => a[a.length - 1]));
    if (!filled.length) this.start = this.end = 0;
    this.instants = filled.reduce((a, b) => (b.length > a.length ? b : a), filled[0] ?? new Float64Array(0));
    this.time = this.start;
    this.playing = false;
    this.loop = false;
    this.speed = 1;
    this.follow = true; // hovering over a plot sets the time
    /** @type {[number, number]} */
    this.range = [this.start, this.end];
    this.nextFrame = nextFrame;
    /** @type {Record<PlayerEvent, ((source?: any) => void)[]>} */
    this.listeners = {time: [], state: [], range: []};
  }
  /** @param {PlayerEvent} event @param {(source?: any) => void} listener */
  on(event, listener) {
    this.listeners[event].push(listener);
    return () => { this.listeners[event] = this.listeners[event].filter((l) => l !== listener); };
  }
  /** @param {PlayerEvent} event @param {any} [source] */
  tell(event, source) {
    for (const listener of this.listeners[event]) listener(source);
  }

  /** @param {number} t @param {any} [source] its origin, which need not follow */
  setTime(t, source) {
    const inside = Math.min(this.end, Math.max(this.start, t));
    if (inside === this.time || Number.isNaN(inside)) return;
    this.time = inside;
    this.tell('time', source);
  }
  /** By whole instants. @param {number} count */
  step(count) {
    this.pause();
    const n = this.instants.length;
    if (n) this.setTime(this.instants[Math.min(n - 1, Math.max(0, nearestIndex(this.instants, this.time) + count))]);
  }
  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }
  play() {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.setTime(this.start);
    this.playing = true;
    this.tell('state');
    let last = NaN;
    const frame = (now) => {
      if (!this.playing) return;
      const passed = Number.isNaN(last) ? 0 : Math.min(0.25, (now - last) / 1000); // no jump after a suspended tab
      last = now;
      let t = this.time + passed * this.speed;
      if (t >= this.end) {
        if (this.loop) t = this.start + ((t - this.start) % (this.end - this.start));
        else {
          this.setTime(this.end);
          return this.pause();
        }
      }
      this.setTime(t);
      this.nextFrame(frame);
    };
    this.nextFrame(frame);
  }
  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.tell('state');
  }
  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.tell('state');
  }
  /** One step in the list of speeds. @param {number} direction */
  changeSpeed(direction) {
    const next = direction > 0 ? speeds.find((s) => s > this.speed) : speeds.findLast((s) => s < this.speed);
    if (next) this.setSpeed(next);
  }
  /** @param {'loop'|'follow'} option @param {boolean} on */
  setOption(option, on) {
    this[option] = on;
    this.tell('state');
  }
  /** @param {number} from @param {number} to */
  zoom(from, to) {
    const a = Math.max(this.start, from);
    const b = Math.min(this.end, to);
    if (!(b - a > 1e-9 * (this.end - this.start))) return;
    this.range = [a, b];
    this.tell('range');
  }
  /** Zoom about the current time; factor below 1 shows less. @param {number} factor */
  zoomBy(factor) {
    const [a, b] = this.range;
    const center = this.time >= a && this.time <= b ? this.time : (a + b) / 2;
    this.zoom(center + (a - center) * factor, center + (b - center) * factor);
  }
  resetZoom() {
    this.range = [this.start, this.end];
    this.tell('range');
  }
}
