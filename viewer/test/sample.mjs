// Reports for the tests: machines whose motion is known in closed form, packed as the program packs them.
//   node sample.mjs TEMPLATE FOLDER     writes four_bar.html, excavator.html, compare.html, linear.html, failed.html
// SPDX-License-Identifier: BSD-3-Clause
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';

const wave = (t, from, to) => { // smooth from 0 to 1
  const f = Math.min(1, Math.max(0, (t - from) / (to - from)));
  return f * f * (3 - 2 * f);
};

/** Collects arrays into one block. */
export class Packer {
  constructor() {
    this.parts = [];
    this.size = 0;
  }
  /** @param {ArrayLike<number>} values @param {'f32'|'f64'} type @param {{coding?: string, stride?: number}} [how] */
  add(values, type = 'f32', how = {}) {
    const array = type === 'f64' ? Float64Array.from(values) : Float32Array.from(values);
    let bytes = new Uint8Array(array.buffer);
    const size = type === 'f64' ? 8 : 4;
    if (how.coding?.includes('delta32')) {
      const words = new Uint32Array(bytes.buffer.slice(0));
      for (let i = words.length - 1; i >= (how.stride ?? 1); --i) words[i] -= words[i - (how.stride ?? 1)];
      bytes = new Uint8Array(words.buffer);
    }
    if (how.coding?.includes('planes')) {
      const planes = new Uint8Array(bytes.length);
      for (let i = 0; i < array.length; ++i) for (let b = 0; b < size; ++b) planes[b * array.length + i] = bytes[i * size + b];
      bytes = planes;
    }
    const gap = (8 - (this.size % 8)) % 8;
    if (gap) this.parts.push(new Uint8Array(gap));
    const offset = this.size + gap;
    this.parts.push(bytes);
    this.size = offset + bytes.length;
    return {block: 0, offset, count: array.length, type, ...how};
  }
  block() {
    return gzipSync(Buffer.concat(this.parts)).toString('base64');
  }
}

/** @param {string} template @param {any} report @param {string[]} blocks base64 */
export function fill(template, report, blocks) {
  const json = JSON.stringify(report).replaceAll('</', '<\\/');
  const data = `<script type="application/json" id="trunnion-data">${json}</script>\n` +
    blocks.map((b, i) => `<script type="application/octet-stream" id="trunnion-block-${i}">${b}</script>`).join('\n');
  return template.replace('<!-- TRUNNION_DATA -->', () => data);
}

const about = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
const times = (p, q) => [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2], p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]];
const turn = (q, r) => times(times(q, [0, ...r]), [q[0], -q[1], -q[2], -q[3]]).slice(1);
const add = (a, b) => a.map((v, i) => v + b[i]);
const minus = (a, b) => a.map((v, i) => v - b[i]);
const norm = (a) => Math.hypot(...a);

/** Angles of the four-bar mechanism with links 2, 8, 5 and base 10, for a crank angle. */
export function fourBarAngles(crank) {
  const a = [2 * Math.cos(crank), 2 * Math.sin(crank)];
  const d = [10 - a[0], -a[1]];
  const length = Math.hypot(...d);
  const coupler = Math.atan2(d[1], d[0]) + Math.acos((64 + length ** 2 - 25) / (16 * length));
  const b = [a[0] + 8 * Math.cos(coupler), a[1] + 8 * Math.sin(coupler)];
  return {a, b, coupler, rocker: Math.atan2(0 - b[1], 10 - b[0])}; // the rocker points from its upper end to the ground
}

const derivative = (t, f) => f.map((_, i) => {
  const [a, b] = [Math.max(0, i - 1), Math.min(f.length - 1, i + 1)];
  return (f[b] - f[a]) / (t[b] - t[a]);
});
const integral = (t, f) => {
  const out = [0];
  for (let i = 1; i < f.length; ++i) out.push(out[i - 1] + 0.5 * (f[i] + f[i - 1]) * (t[i] - t[i - 1]));
  return out;
};

/**
 * A run of the four-bar with its cylinder.
 * @param {Packer} pack @param {{name?: string, instants?: number, amplitude?: number, duration?: number, end?: number, extra?: any}} [options]
 */
export function fourBarRun(pack, options = {}) {
  const {name = 'four_bar', instants = 1001, amplitude = 1, duration = 10, end = duration} = options;
  const t = Array.from({length: instants}, (_, i) => (end * i) / (instants - 1));
  const crank = t.map((s) => Math.PI / 3 + amplitude * (0.55 * wave(s, 1, 2.6) - 0.75 * wave(s, 5, 8.1) + 0.02 * Math.exp(-1.5 * Math.max(0, s - 2.6)) * Math.sin(14 * s) * (s > 2.6 ? 1 : 0)));
  const angles = crank.map(fourBarAngles);
  const rate = derivative(t, crank);
  const length = crank.map((c) => Math.hypot(Math.cos(c) + 1, Math.sin(c)));
  const speed = derivative(t, length);
  const force = crank.map((c, i) => 420 * Math.cos(c) + 900 * Math.tanh(40 * speed[i]) + 60 * Math.sin(17 * t[i]) * Math.exp(-((t[i] - 2.6) ** 2)));
  const areaA = (Math.PI / 4) * 0.08 ** 2;
  const areaB = areaA - (Math.PI / 4) * 0.035 ** 2;
  const v3 = t.map((s) => 3.5e6 + 0.4e6 * Math.sin(0.9 * s));
  const v2 = force.map((f, i) => (f + v3[i] * areaB) / areaA);
  const v1 = v2.map((p, i) => p + 2e5 * speed[i]);
  const spool = t.map((s) => (s > 1 && s < 2.5 ? 10 : s > 5 && s < 8 ? -10 : 0) * (1 - Math.exp(-((s % 1) + 0.01) * 200)));
  const kinetic = rate.map((r) => 260 * r * r);
  const potential = angles.map(({a, b}) => 9.81 * (16 * a[1] / 2 + 64 * (a[1] + b[1]) / 2 + 40 * b[1] / 2));
  const friction = integral(t, speed.map((s) => Math.abs(s) * 330));
  const throttling = integral(t, speed.map((s) => 2.5e4 * Math.abs(s)));
  const oil = v2.map((p, i) => (0.5 * 7.85e-5 * (p * p + v3[i] ** 2)) / 150e6);
  const supply = t.map((_, i) => kinetic[i] - kinetic[0] + potential[i] - potential[0] + friction[i] + throttling[i] + oil[i] - oil[0] + 40 * wave(t[i], 1, 9));
  const violation = rate.map((r, i) => (i ? 2e-13 + Math.abs(r) * 3e-12 * (1 + 0.8 * Math.sin(40 * t[i])) : 0));
  const iterations = rate.map((r, i) => (i ? 1 + (Math.abs(r) > 0.05 ? 1 : 0) + (i % 97 === 0 ? 1 : 0) : 0));
  const channel = (n, unit, description, values) => ({name: n, unit, description, group: n.split('.')[0], values: pack.add(values)});
  const channels = [
    channel('crank.angle', 'rad', 'angle of the joint', crank), channel('crank.rate', 'rad/s', 'angular velocity', rate), channel('crank.acceleration', 'rad/s^2', 'angular acceleration', derivative(t, rate)),
    channel('coupler.angle', 'rad', 'angle of the joint', angles.map((x, i) => x.coupler - crank[i])), channel('rocker.angle', 'rad', 'angle of the joint', angles.map((x) => x.rocker - x.coupler)),
    channel('crank.center_x', 'm', 'centre of mass', crank.map(Math.cos)), channel('crank.center_y', 'm', 'centre of mass', crank.map(Math.sin)),
    channel('lift.length', 'm', 'distance between the mounts', length), channel('lift.rate', 'm/s', 'rate of the length', speed), channel('lift.force', 'N', 'net force on the mechanism', force),
    channel('lift.friction', 'N', 'friction of the seals', speed.map((s) => 210 * Math.tanh(80 * s) + 330 * s)),
    channel('lift.flow_A', 'm^3/s', 'flow into chamber A', speed.map((s) => s * areaA)), channel('lift.flow_B', 'm^3/s', 'flow out of chamber B', speed.map((s) => s * areaB)),
    channel('v1.pressure', 'Pa', 'absolute pressure', v1), channel('v2.pressure', 'Pa', 'absolute pressure', v2), channel('v3.pressure', 'Pa', 'absolute pressure', v3),
    channel('pump.pressure', 'Pa', 'absolute pressure', t.map(() => 7.6e6)), channel('valve.spool', '', 'position of the spool', spool),
    channel('E.violation', 'm', 'error of the loop', violation), channel('E.multiplier_1', 'N', 'force of the loop', force.map((f) => 0.3 * f)),
    channel('energy.kinetic', 'J', 'kinetic energy', kinetic), channel('energy.potential', 'J', 'potential energy', potential), channel('energy.oil', 'J', 'compression of the oil', oil),
    channel('energy.throttling', 'J', 'heat of valves', throttling), channel('energy.friction', 'J', 'heat of seals', friction), channel('energy.supply', 'J', 'from sources', supply),
    channel('solver.iterations', '1', 'iterations of the step', iterations), channel('solver.violation', '', 'largest error of the constraints', violation),
  ];
  const pose = (f) => pack.add(t.flatMap((_, i) => f(i)), 'f32', options.extra ?? {});
  return {
    kind: 'run', name, directory: `results/${name}`, status: 'completed', message: '', warnings: [],
    summary: {
      program: 'trunnion 0.1.0', title: 'Four-bar mechanism driven by a double-acting cylinder', status: 'completed', message: '', end_time: end, steps: 10000, split_steps: 0, divided_steps: 0, capped_steps: 0,
      iterations: {mean: 1.4249, max: 3, position_mean: 0, histogram: {1: 6274, 2: 3203, 3: 523}}, step_seconds: 0.0495, step_nanoseconds: 4951, wall_seconds: 0.17, real_time_factor: 201.97,
      energy: {max_drift: 0.0223, max_drift_time: 2.513, drift_percent: 0.018, max_actuator_work: 18.49, max_actuator_work_time: 7.77, min_actuator_work: -120.98, min_actuator_work_time: 2.514,
        ledger: {kinetic: kinetic.at(-1), potential: potential.at(-1), oil: oil.at(-1), supply: supply.at(-1), throttling: throttling.at(-1), friction: friction.at(-1)}, closed_to_percent: 8.2e-5, oil_closed_to_percent: 1.3e-6},
      constraints: {rows: 2, rank: 2, degrees_of_freedom: 1, repartitions: 0, max_violation: 8.37e-13, max_violation_time: 5.021, max_velocity_violation: 8.1e-9, max_velocity_violation_time: 5.016},
      cavitation: {volumes: {}}, end_stops: {}, reliefs: {}, accumulators_emptied: {}, coupling: null,
    },
    model: fourBarModel,
    time: pack.add(t, 'f64'), channels,
    default_channels: [['crank.angle', 'crank.rate'], ['v2.pressure', 'v3.pressure', 'valve.spool'], ['lift.force', 'lift.friction'], ['lift.length']],
    ledger: {
      stacked: [{name: 'energy.kinetic', label: 'kinetic'}, {name: 'energy.potential', label: 'potential'}, {name: 'energy.oil', label: 'oil'}, {name: 'energy.throttling', label: 'throttling'}, {name: 'energy.friction', label: 'friction'}],
      balance: [{name: 'energy.supply', label: 'supply'}],
    },
    scene: {
      up: [0, 1, 0], planar: {normal: [0, 0, 1]}, box: {min: [-1.3, -1.2, -0.3], max: [10.3, 5.4, 0.3]},
      bodies: [
        {name: 'ground', ground: true, shapes: [{type: 'box', size: [0.5, 0.18, 0.5], at: [0, -0.12, 0]}, {type: 'box', size: [0.5, 0.18, 0.5], at: [10, -0.12, 0]}, {type: 'box', size: [0.3, 0.18, 0.3], at: [-1, -0.12, 0]}]},
        {name: 'crank', ground: false, shapes: [{type: 'cylinder', radius: 0.07, length: 2, axis: [1, 0, 0], at: [1, 0, 0]}], pose: pose((i) => [0, 0, 0, ...about([0, 0, 1], crank[i])])},
        {name: 'coupler', ground: false, shapes: [{type: 'cylinder', radius: 0.07, length: 8, axis: [1, 0, 0], at: [4, 0, 0]}], pose: pose((i) => [...angles[i].a, 0, ...about([0, 0, 1], angles[i].coupler)])},
        {name: 'rocker', ground: false, shapes: [{type: 'segments', points: [[[0, 0, 0], [5, 0, 0]]], radius: 0.07}], pose: pose((i) => [...angles[i].b, 0, ...about([0, 0, 1], angles[i].rocker)])},
      ],
      cylinders: [{name: 'lift', base: {body: 0, at: [-1, 0, 0]}, rod_end: {body: 1, at: [1, 0, 0]}, bore: 0.18, rod: 0.09, barrel_length: 1.05, channels: {force: 'lift.force', pressure_A: 'v2.pressure', pressure_B: 'v3.pressure', length: 'lift.length'}}],
      joints: [{name: 'crank', type: 'revolute', body: 1, at: [0, 0, 0], axis: [0, 0, 1], loop: false}, {name: 'coupler', type: 'revolute', body: 2, at: [0, 0, 0], axis: [0, 0, 1], loop: false}, {name: 'rocker', type: 'revolute', body: 3, at: [0, 0, 0], axis: [0, 0, 1], loop: false},
        {name: 'E', type: 'revolute', body: 3, at: [5, 0, 0], axis: [0, 0, 1], loop: true}],
      wheels: [], springs: [], forces: [],
    },
  };
}

/** An excavator in space with many channels. Its cylinders are lines between points of bodies, whose motion is given. @param {Packer} pack */
export function excavatorRun(pack, {name = 'excavator', instants = 2000, channels: number = 350} = {}) {
  const duration = 10;
  const t = Array.from({length: instants}, (_, i) => (duration * i) / (instants - 1));
  const swing = t.map((s) => 1.5 * wave(s, 6, 9));
  const lift = t.map((s) => 0.44 - 0.35 * wave(s, 0.3, 2.5) + 0.8 * wave(s, 5, 8.8));
  const arm = t.map((s) => -0.96 - 0.7 * wave(s, 1.5, 4.5) + 0.5 * wave(s, 8, 10));
  const bucket = t.map((s) => 0.35 - 1.3 * wave(s, 2.8, 5.5));
  const y = [0, -1, 0];
  const frames = t.map((_, i) => {
    const upper = {at: [0, 0, 1], q: about([0, 0, 1], swing[i])};
    const on = (f, at, angle) => ({at: add(f.at, turn(f.q, at)), q: times(f.q, about(y, angle))});
    const b = on(upper, [0.2, 0, 0.9], lift[i]);
    const a = on(b, [5.16, 0, 0], arm[i]);
    const c = on(a, [2.59, 0, 0], bucket[i]);
    return {upper, boom: b, arm: a, bucket: c};
  });
  const point = (i, body, at) => (body === 'ground' ? at : add(frames[i][body].at, turn(frames[i][body].q, at)));
  const names = ['upper', 'boom', 'arm', 'bucket'];
  const bodyIndex = Object.fromEntries(names.map((n, i) => [n, i + 1]));
  const lines = {
    boom_left: {base: ['upper', [0.8, 0.55, 0.3]], end: ['boom', [2.3, 0.55, 0.5]], bore: 0.12, rod: 0.085},
    boom_right: {base: ['upper', [0.8, -0.55, 0.3]], end: ['boom', [2.3, -0.55, 0.5]], bore: 0.12, rod: 0.085},
    arm_lift: {base: ['boom', [2.4, 0, 0.9]], end: ['arm', [-0.65, 0, 0.2]], bore: 0.14, rod: 0.1},
    bucket_curl: {base: ['arm', [0.25, 0, 0.6]], end: ['bucket', [-0.05, 0, 0.42]], bore: 0.12, rod: 0.085},
  };
  const channels = [];
  const push = (n, unit, description, values) => channels.push({name: n, unit, description, group: n.split('.')[0], values: pack.add(values)});
  for (const [n, angle] of Object.entries({upper: swing, boom: lift, arm, bucket})) {
    push(`${n}.angle`, 'rad', 'angle of the joint', angle);
    push(`${n}.rate`, 'rad/s', 'angular velocity', derivative(t, angle));
  }
  for (const [n, line] of Object.entries(lines)) {
    const length = t.map((_, i) => norm(minus(point(i, ...line.end), point(i, ...line.base))));
    const rate = derivative(t, length);
    const force = t.map((s, i) => (n.startsWith('boom') ? 1.6e5 : -6e4) * (1 + 0.4 * Math.sin(lift[i] + arm[i])) + 4e4 * Math.tanh(5 * rate[i]) + 3e3 * Math.sin(30 * s));
    const area = (Math.PI / 4) * line.bore ** 2;
    push(`${n}.length`, 'm', 'distance between the mounts', length);
    push(`${n}.rate`, 'm/s', 'rate of the length', rate);
    push(`${n}.force`, 'N', 'net force on the mechanism', force);
    push(`${n}_A.pressure`, 'Pa', 'absolute pressure', force.map((f) => 2e6 + Math.max(0, f) / area));
    push(`${n}_B.pressure`, 'Pa', 'absolute pressure', force.map((f) => 1.5e6 + Math.max(0, -f) / (0.5 * area)));
    push(`${n}.flow_A`, 'm^3/s', 'flow into chamber A', rate.map((r) => r * area));
  }
  push('energy.kinetic', 'J', 'kinetic energy', t.map((_, i) => 8e3 * (channels[1] ? Math.sin(0.6 * t[i]) ** 2 : 0)));
  push('energy.potential', 'J', 'potential energy', t.map((_, i) => 9.81 * 2700 * frames[i].boom.at[2] + 9.81 * 735 * frames[i].arm.at[2]));
  push('energy.throttling', 'J', 'heat of valves', integral(t, t.map((s) => 3e4 + 2e4 * Math.sin(s))));
  push('solver.iterations', '1', 'iterations of the step', t.map((_, i) => (i ? 2 + (i % 7 === 0) + 5 * (i % 331 === 0) : 0)));
  push('solver.violation', '', 'largest error of the constraints', t.map((s, i) => (i ? 1e-14 * (1 + 5 * Math.abs(Math.sin(3 * s))) : 0)));
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let k = 0; channels.length < number; ++k) {
    const [a, b, c] = [random(), random(), random()];
    push(`component_${Math.floor(k / 4)}.${['pressure', 'flow', 'power_loss', 'spool'][k % 4]}`, ['Pa', 'm^3/s', 'W', ''][k % 4], 'state of a component', t.map((s) => [2e7, 5e-3, 3e4, 1][k % 4] * (a + 0.3 * Math.sin(b * 9 * s + c) * Math.exp(-0.1 * s) + 0.002 * random())));
  }
  const pose = (n) => pack.add(frames.flatMap((f) => [...f[n].at, ...f[n].q]), 'f32');
  const box = (size, at) => ({type: 'box', size, at});
  const joint = (n, at = [0, 0, 0], axis = y) => ({name: n, type: 'revolute', body: bodyIndex[n], at, axis, loop: false});
  const summary = fourBarRun(new Packer(), {instants: 11}).summary;
  return {
    kind: 'run', name, directory: `results/${name}`, status: 'completed', message: '', warnings: ['swing_valve: the step is longer than a quarter of the time constant of its pilot'],
    summary: {...summary, title: 'Excavator on load-sensing hydraulics', steps: 10000, iterations: {mean: 2.61, max: 9, histogram: {1: 1200, 2: 4100, 3: 3300, 4: 1000, 6: 300, 9: 100}}, real_time_factor: 11.9, step_nanoseconds: 84088,
      reliefs: {swing_relief_B: {openings: 1, steps: 52, first_time: 8.875, max_flow: 0.00194, max_flow_time: 8.9}}, constraints: {...summary.constraints, rows: 25, rank: 10, degrees_of_freedom: 4}},
    model: '# An excavator of some 20 t on load-sensing hydraulics\ntrunnion: 1\ntitle: Excavator on load-sensing hydraulics\nsolver:\n  step: 0.001  # [s]\n  duration: 10\n',
    time: pack.add(t, 'f64'), channels,
    default_channels: [['boom.angle', 'arm.angle', 'bucket.angle', 'upper.angle'], ['boom_left_A.pressure', 'arm_lift_A.pressure', 'bucket_curl_A.pressure'], ['boom_left.force', 'arm_lift.force', 'bucket_curl.force'], ['boom_left.flow_A', 'boom_left.rate']],
    ledger: {stacked: [{name: 'energy.kinetic', label: 'kinetic'}, {name: 'energy.potential', label: 'potential'}, {name: 'energy.throttling', label: 'throttling'}]},
    scene: {
      up: [0, 0, 1], planar: null, box: {min: [-2.6, -2.2, -1.5], max: [8.6, 8.6, 6.5]},
      bodies: [
        {name: 'ground', ground: true, shapes: [box([4.4, 0.7, 0.9], [0, 1.1, 0.45]), box([4.4, 0.7, 0.9], [0, -1.1, 0.45])]},
        {name: 'upper', ground: false, pose: pose('upper'), shapes: [box([3.6, 2.4, 0.5], [-0.5, 0, 0.3]), box([1.5, 1.0, 1.4], [0.3, 0.75, 1.2]), box([1.2, 2.4, 0.9], [-1.8, 0, 0.9])]},
        {name: 'boom', ground: false, pose: pose('boom'), shapes: [
          {type: 'plate', outline: [[-0.2, -0.15], [2.3, 0.1], [5.3, -0.15], [5.3, 0.15], [2.9, 0.7], [2.2, 0.75], [-0.2, 0.15]], thickness: 0.4, axes: [[1, 0, 0], [0, 0, 1]], at: [0, 0, 0]},
          {type: 'cylinder', length: 1.28, radius: 0.06, axis: [0, 1, 0], at: [2.3, 0, 0.5]}]},
        {name: 'arm', ground: false, pose: pose('arm'), shapes: [{type: 'segments', points: [[[-0.65, 0, 0.2], [0, 0, 0]], [[0, 0, 0], [2.59, 0, 0]], [[0.25, 0, 0.6], [0, 0, 0]]], radius: 0.12}]},
        {name: 'bucket', ground: false, pose: pose('bucket'), shapes: [box([0.9, 1.0, 0.5], [0.75, 0, 0.2]), {type: 'segments', points: [[[0, 0, 0], [1.33, 0, 0]], [[-0.05, 0, 0.42], [0, 0, 0]]], radius: 0.07}]},
      ],
      cylinders: Object.entries(lines).map(([n, l]) => ({name: n, base: {body: bodyIndex[l.base[0]], at: l.base[1]}, rod_end: {body: bodyIndex[l.end[0]], at: l.end[1]}, bore: l.bore, rod: l.rod, barrel_length: 1.2, channels: {force: `${n}.force`, pressure_A: `${n}_A.pressure`, pressure_B: `${n}_B.pressure`, length: `${n}.length`}})),
      joints: [joint('upper', [0, 0, 0], [0, 0, 1]), joint('boom'), joint('arm'), joint('bucket'), {name: 'link', type: 'revolute', body: 4, at: [-0.05, 0, 0.42], axis: [0, 1, 0], loop: true}],
      motors: [{name: 'swing', joint: 'upper', body: 0, turns: 1, at: [0, 0, 1], axis: [0, 0, 1], channels: {pressure_A: 'boom_left_A.pressure', pressure_B: 'boom_left_B.pressure'}}],
      wheels: [{name: 'sprocket', body: 0, at: [1.7, 1.1, 0.45], axis: [0, 1, 0], radius: 0.42, width: 0.75}],
      springs: [{name: 'hose', from: {body: 1, at: [0.4, 0, 1.2]}, to: {body: 2, at: [2.4, 0, 0.9]}, channel: 'boom.angle'}],
      forces: [{name: 'teeth', body: 4, at: [1.33, 0, 0], vector: pack.add(t.flatMap((s, i) => turn(frames[i].bucket.q, [3e4 * wave(s, 1.5, 2) * (1 - wave(s, 4.5, 5)), 0, 0])))}],
    },
  };
}

export const compareSection = (runs) => ({
  kind: 'compare', runs,
  columns: [{name: 'cylinders.lift.friction.model', label: 'friction model'}, {name: 'status', label: 'status'}, {name: 'iterations_mean', label: 'iterations'}, {name: 'step_nanoseconds', label: 'time per step', unit: 'ns'},
    {name: 'min_work', label: 'least work', unit: 'J'}, {name: 'paper.min_work', label: 'least work, paper', unit: 'J'}, {name: 'max_violation', label: 'violation', unit: 'm'}, {name: 'repartitions', label: 'repartitions'}],
  rows: runs.map((name, i) => [name, 'completed', 1.42 + 0.08 * i, 5397 - 300 * i, -121.05 + 0.02 * i, i === 2 ? null : -121.02 + 0.05 * i, 8.3e-13 * (1 + i), 0]),
});

/** @param {Packer} pack */
export function linearSection(pack) {
  return {
    kind: 'linearize', name: 'four_bar', states: ['coupler.angle', 'coupler.rate', 'v1.pressure', 'v2.pressure', 'v3.pressure', 'valve.spool'], inputs: ['valve.signal', 'pump.pressure', 'tank.pressure'], outputs: ['crank.angle', 'lift.force'],
    eigenvalues: [
      {re: 0, im: 0, frequency_hz: 0, damping_ratio: null, states: [['coupler.angle', 1]]}, {re: 0, im: 0, frequency_hz: 0, damping_ratio: null, states: [['v2.pressure', 1], ['v3.pressure', 0.54]]},
      {re: -100.356, im: 137.164, frequency_hz: 21.83, damping_ratio: 0.5905, states: [['coupler.rate', 1], ['v3.pressure', 0.67], ['v2.pressure', 0.31]]}, {re: -100.356, im: -137.164, frequency_hz: 21.83, damping_ratio: 0.5905, states: [['coupler.rate', 1], ['v3.pressure', 0.67], ['v2.pressure', 0.31]]},
      {re: -219.911, im: 0, frequency_hz: 0, damping_ratio: 1, states: [['valve.spool', 1]]}, {re: -11434.6, im: 0, frequency_hz: 0, damping_ratio: 1, states: [['v1.pressure', 1]]},
    ],
    stability: 'stable_but_null', message: 'stable except for 2 null eigenvalues', notes: ['1 is zero: trapped oil: v3.pressure moves with coupler.angle without changing the rates', '2 is zero: trapped oil: v1.pressure, v2.pressure and v3.pressure move together'],
    warnings: ['valve.spool = 0 is on a kink: the model holds at and above this value, not below'],
    A: [[0, 1, 0, 0, 0, 0], [6.66, -200.65, 0, 1.54e-5, -1.24e-5, 0], [0, 0, -10654.7, 10654.7, 0, 2.04e8], [0, -6.7e8, 779.95, -779.95, 0, 0], [0, 1.5e9, 0, 0, 0, -3.56e7], [0, 0, 0, 0, 0, -219.91]],
    B: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [219.91, 0, 0]], C: [[0.5, 0, 0, 0, 0, 0], [0, 1e3, 0, 5e-3, -4e-3, 0]], D: [[0, 0, 0], [0, 0, 0]],
    locus: {parameter: 'cylinders.lift.friction.viscous', points: [100, 200, 400].flatMap((value, i) => [-1, 1].map((side, k) => ({value: String(value), branch: k + 3, re: -100 - 20 * i, im: 137 * side})))},
    tables: [{title: 'Root locus', columns: [{name: 'cylinders.lift.friction.viscous'}, {name: 're', unit: '1/s'}, {name: 'pressure', unit: 'Pa'}], rows: [[100, -100, 1e6], [200, -120, 2e6]]}],
    simulate: {time: pack.add([0, 0.5, 1], 'f64'), channels: [{name: 'crank.angle', unit: '', values: pack.add([0, 0.1, 0.2])}, {name: 'crank.angle.linear', unit: '', values: pack.add([NaN, 0.1, 0.19])}]},
    units: {outputs: ['rad', 'N']},
    time: 0, motion: 'rest',
  };
}

/** @param {Packer} pack */
export function curveSection(pack) {
  const v = Array.from({length: 201}, (_, i) => -0.04 + 0.0004 * i);
  const force = (lever) => v.map((x) => 1e6 * Math.tanh((lever - 60 * x)) - 480e3 * Math.sign(x) * 0.1);
  return {
    kind: 'curve', name: 'lift', title: 'Force over velocity of lift',
    curves: [0, 0.5, 1, -0.5].map((l) => ({name: `lever ${l}`, x: pack.add(v), y: pack.add(force(l).map((f) => f / 1000)), x_label: 'velocity [m/s]', y_label: 'force [kN]'})),
    tables: [{title: 'Saturation', columns: ['lever', 'at rest [kN]', 'free [m/s]', 'segments'], rows: [[0, -480, 0, 'FhM hold -FrM'], [0.5, 200, 0.021, 'FhM hold'], [1, 800, 0.039, 'FhM']]}],
    figures: [{name: 'curve.svg', title: 'As drawn by gnuplot', svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 200"><rect width="400" height="200" fill="white"/><path d="M20 180C120 20 260 190 380 30" stroke="#0b6bb5" fill="none" stroke-width="3"/><text x="200" y="195" font-size="12" text-anchor="middle">velocity</text></svg>'}],
  };
}

const fourBarModel = `# A four-bar mechanism lifted and lowered by a double-acting cylinder.
trunnion: 1
title: Four-bar mechanism driven by a double-acting cylinder
gravity: [0, -9.81, 0]
bodies:
  crank:
    rod: {length: 2, mass: 16}  # [m], [kg]
  coupler:
    rod: {length: 8, mass: 64}
  rocker:
    rod: {length: 5, mass: 40}
joints:
  crank: {revolute: {parent: ground, at: [0, 0, 0], axis: z}, angle: 1.0471975511965976, hold: true}
cylinders:
  lift:
    base: {body: ground, at: [-1, 0, 0]}
    rod_end: {body: crank, at: [1, 0, 0]}
    bore: 0.08
    rod: 0.035
solver: {coordinates: relative, constraints: penalty, integrator: trapezoidal, step: 0.001, duration: 10, penalty: 1e11}
`;

/** All reports by file name. @param {string} template */
export function samples(template) {
  const make = (title, sections, created) => (pack) => ({format: 1, program: 'trunnion 0.1.0', title, created, sections: sections(pack)});
  const friction = ['bengisu_akay', 'brown_mcphee', 'lugre', 'modified_lugre'];
  const reports = {
    four_bar: make('Four-bar mechanism driven by a double-acting cylinder', (p) => [fourBarRun(p)], '2026-01-02T03:04:05Z'),
    excavator: make('Excavator on load-sensing hydraulics', (p) => [excavatorRun(p)]),
    compare: make('Four-bar mechanism: friction models', (p) => [compareSection(friction), ...friction.map((name, i) => fourBarRun(p, {name, amplitude: 1 - 0.07 * i, instants: 1001 - 100 * (i % 2), extra: {coding: 'delta32 planes', stride: 7}}))]),
    linear: make('Four-bar mechanism: linear model', (p) => [linearSection(p), curveSection(p)]),
    failed: make('Four-bar mechanism that fails', (p) => {
      const run = fourBarRun(p, {end: 3.2, instants: 321});
      return [{...run, status: 'failed', message: 'Newton’s method does not converge at 3.2 s in the equations of loops.E; try a shorter solver.step', warnings: ['step is long for virtual elements', 'v3 is small'], scene: null, scene_missing: 'no geometry',
        summary: {...run.summary, status: 'failed', end_time: 3.2, cavitation: {acted: true, volumes: {v3: {steps: 31, first_time: 2.61, lowest_pressure: 1800}}}, end_stops: {lift: {strikes: 2, steps: 40, first_time: 2.9, max_speed: 0.31, max_depth: 0.004}}}}];
    }),
  };
  return Object.fromEntries(Object.entries(reports).map(([name, report]) => {
    const pack = new Packer();
    const data = report(pack);
    return [name, fill(template, data, [pack.block()])];
  }));
}

if (process.argv[1] && import.meta.url === new URL(`file://${process.argv[1]}`).href) {
  const [template, folder] = process.argv.slice(2);
  mkdirSync(folder, {recursive: true});
  for (const [name, html] of Object.entries(samples(readFileSync(template, 'utf8')))) writeFileSync(join(folder, `${name}.html`), html);
}
