// Poses of bodies at any time, and camera directions.
// SPDX-License-Identifier: BSD-3-Clause
import {indexAt} from './data.js';

/** @typedef {[number, number, number]} Vec */
/** @typedef {{position: Vec, rotation: [number, number, number, number]}} Pose  rotation: w x y z */

/** @type {Pose} */
export const atOrigin = {position: [0, 0, 0], rotation: [1, 0, 0, 0]};

/**
 * Pose at time t between two instants: position linear, rotation along the chord on the unit sphere (instants are close).
 * @param {ArrayLike<number>} time @param {ArrayLike<number>|undefined} pose 7 numbers per instant: x y z w x y z @param {number} t
 * @returns {Pose}
 */
export function poseAt(time, pose, t) {
  if (!pose || !time.length) return atOrigin;
  const i = indexAt(/** @type {any} */ (time), t);
  const j = Math.min(i + 1, time.length - 1);
  const f = j > i ? Math.min(1, Math.max(0, (t - time[i]) / (time[j] - time[i]))) : 0;
  const a = 7 * i;
  const b = 7 * j;
  let dot = 0;
  for (let k = 3; k < 7; ++k) dot += pose[a + k] * pose[b + k];
  const side = dot < 0 ? -1 : 1;
  const mix = (k, s = 1) => pose[a + k] * (1 - f) + s * pose[b + k] * f;
  const q = [mix(3, side), mix(4, side), mix(5, side), mix(6, side)];
  const length = Math.hypot(...q) || 1;
  return {position: [mix(0), mix(1), mix(2)], rotation: [q[0] / length, q[1] / length, q[2] / length, q[3] / length]};
}

/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
/** @param {Vec} a @param {number} s @returns {Vec} */
export const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
/** @param {Vec} a @param {Vec} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
/** @param {Vec} a @param {Vec} b @returns {Vec} */
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
/** @param {Vec} a */
export const norm = (a) => Math.hypot(a[0], a[1], a[2]);
/** @param {Vec} a @returns {Vec} */
export const unit = (a) => times(a, 1 / (norm(a) || 1));

/** Vector of the body in the ground frame. @param {Pose} pose @param {Vec} r @returns {Vec} */
export function rotate(pose, r) {
  const [w, x, y, z] = pose.rotation;
  const t = times(cross([x, y, z], r), 2);
  return add(add(r, times(t, w)), cross([x, y, z], t));
}
/** Point of the body in the ground frame. @param {Pose} pose @param {Vec} r @returns {Vec} */
export const place = (pose, r) => add(pose.position, rotate(pose, r));

/**
 * Parts of a cylinder along its line, from the base: piston position and end of the barrel.
 * @param {number} length base to rod end @param {{barrel: number, rod: number}} sizes lengths of barrel and rod
 */
export function cylinderParts(length, sizes) {
  const barrel = Math.min(sizes.barrel, 0.98 * length); // a barrel longer than the line is invalid data
  const piston = Math.min(Math.max(length - sizes.rod, 0.02 * barrel), barrel);
  return {barrel, piston};
}

/**
 * Lengths of barrel and rod from the range of the cylinder length: the piston stays inside, close to the bottom at minimum length.
 * @param {{barrel_length?: number, rod_length?: number}} cylinder @param {number} least @param {number} most
 */
export function cylinderSizes(cylinder, least, most) {
  const barrel = cylinder.barrel_length > 0 ? cylinder.barrel_length : Math.min(0.95 * least, Math.max(0.55 * most, most - least + 0.1 * least));
  const rod = cylinder.rod_length > 0 ? cylinder.rod_length : Math.max(least - 0.06 * barrel, most - 0.97 * barrel);
  return {barrel, rod};
}

/** Nice step for about `count` divisions: 1, 2 or 5 times a power of ten. @param {number} range @param {number} count */
export function niceStep(range, count) {
  const raw = range / count;
  if (!(raw > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const f = raw / power;
  return power * (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10);
}

/**
 * Viewing directions. Front looks along the horizontal axis closest to -x, side along y.
 * @param {Vec} up @returns {{front: Vec, side: Vec, top: Vec, oblique: Vec, forward: Vec}} unit vectors from target to camera; `forward`: the up direction of the top view
 */
export function viewDirections(up) {
  const u = unit(up);
  const level = /** @type {(v: Vec) => Vec} */ ((v) => minus(v, times(u, dot(v, u))));
  const candidates = /** @type {Vec[]} */ ([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).map(level).filter((v) => norm(v) > 0.5).map(unit);
  const front = candidates[0]; // looks against x
  const side = cross(front, u); // x to the right
  return {front, side, top: u, oblique: unit(add(add(times(side, 1), times(front, 0.65)), times(u, 0.5))), forward: candidates[1] ?? side};
}
