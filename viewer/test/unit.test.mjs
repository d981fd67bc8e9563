// Unit tests of the viewer's modules that do not draw: node --test test/unit.test.mjs
// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {test} from 'node:test';
import {contrast, curveColors, dashes, rgbOf, scales} from '../src/color.js';
import {align, arrayOf, bytesOfBase64, gunzip, indexAt, makeRun, nearestIndex, readReport, resolve, valueAt} from '../src/data.js';
import {axesOf, changes, csv, logRangeOf, matches, rangeOf, seriesOf, stack} from '../src/panel.js';
import {Player} from '../src/player.js';
import {cylinderParts, cylinderSizes, niceStep, place, poseAt, rotate, viewDirections} from '../src/pose.js';
import {incidents, summaryRows} from '../src/summary.js';
import {compareCells, orderOf} from '../src/table.js';
import {formatCount, formatNumber, quantities, systems, Units} from '../src/units.js';
import {fourBarAngles, fourBarRun, Packer} from './sample.mjs';

const near = (a, b, e = 1e-9) => assert.ok(Math.abs(a - b) <= e, `${a} is not ${b} within ${e}`);
const blocksOf = async (pack) => [await gunzip(bytesOfBase64(pack.block()))];

// ---------------------------------------------------------------- data

test('arrays come back from their block whatever the coding', async () => {
  const values = [1.5, -2.25, 0, 1e-30, 3.4e38, -0.1, 7, 7, 7.0001];
  const pack = new Packer();
  const plain = pack.add(values);
  const wide = pack.add(values, 'f64');
  const coded = ['planes', 'delta32', 'delta32 planes'].flatMap((coding) => [1, 3].map((stride) => pack.add(values, 'f32', {coding, stride})));
  const planes = pack.add(values, 'f64', {coding: 'planes'});
  const blocks = await blocksOf(pack);
  const single = Array.from(Float32Array.from(values));
  assert.deepEqual(Array.from(arrayOf(plain, blocks)), single);
  for (const ref of coded) assert.deepEqual(Array.from(arrayOf(ref, blocks)), single);
  assert.deepEqual(Array.from(arrayOf(wide, blocks)), values);
  assert.deepEqual(Array.from(arrayOf(planes, blocks)), values);
});

test('an array need not be aligned, and one outside its block is refused', () => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setFloat64(3, Math.PI, true);
  assert.equal(arrayOf({block: 0, offset: 3, count: 1, type: 'f64'}, [bytes.buffer])[0], Math.PI);
  assert.throws(() => arrayOf({block: 0, offset: 12, count: 1, type: 'f64'}, [bytes.buffer]), /is not in block 0/);
  assert.throws(() => arrayOf({block: 1, offset: 0, count: 1, type: 'f32'}, [bytes.buffer]), /is not in block 1/);
  assert.throws(() => arrayOf({block: 0, offset: 0, count: 1, type: 'f32', coding: 'zip'}, [bytes.buffer]), /unknown coding "zip"/);
});

test('references are found at any depth and plain lists are left alone', async () => {
  const pack = new Packer();
  const value = {a: {b: [{values: pack.add([1, 2])}]}, list: [1, 2, 3], none: null, text: 'x'};
  resolve(value, await blocksOf(pack));
  assert.deepEqual(Array.from(value.a.b[0].values), [1, 2]);
  assert.deepEqual(value.list, [1, 2, 3]);
});

test('a report is read from the elements of a page, part by part', async () => {
  const gzip = (array) => gzipSync(Buffer.from(array.buffer)).toString('base64');
  const elements = {
    'trunnion-data': {textContent: JSON.stringify({format: 1, sections: [{kind: 'run', time: {block: 1, offset: 0, count: 2, type: 'f64'}, x: {block: 0, offset: 4, count: 1, type: 'f32'}}]})},
    'trunnion-block-0': {textContent: gzip(new Float32Array([5, 6]))},
    'trunnion-block-1': {textContent: `\n  ${gzip(new Float64Array([0, 1]))}\n`},
  };
  const page = {getElementById: (id) => elements[id] ?? null};
  const told = [];
  const report = await readReport(page, (text) => told.push(text));
  assert.deepEqual(Array.from(report.sections[0].time), [0, 1]);
  assert.deepEqual(Array.from(report.sections[0].x), [6]);
  assert.deepEqual(told.slice(0, 2), ['Unpacking data, part 1 of 2 …', 'Unpacking data, part 2 of 2 …']);
  await assert.rejects(readReport({getElementById: () => null}, () => {}), /no data/);
  await assert.rejects(readReport({getElementById: (id) => (id === 'trunnion-data' ? {textContent: '{"format": 9}'} : null)}, () => {}), /format 9/);
});

test('values between instants are linear and outside the run constant', () => {
  const time = Float64Array.from([0, 1, 1, 3]);
  const values = Float32Array.from([0, 2, 4, 8]);
  near(valueAt(time, values, 0.5), 1);
  near(valueAt(time, values, 1), 4); // right limit of a jump
  near(valueAt(time, values, 2), 6);
  near(valueAt(time, values, -1), 0);
  near(valueAt(time, values, 9), 8);
  assert.equal(indexAt(time, 0.99), 0);
  assert.equal(nearestIndex(time, 2.2), 3);
  assert.equal(nearestIndex(time, 1.9), 2);
});

test('series of unlike instants share the union of their times without gaps', () => {
  const a = {time: Float64Array.from([0, 1, 2]), values: [1, NaN, 3]};
  const b = {time: Float64Array.from([0, 1.5, 2]), values: [4, 5, 6]};
  assert.deepEqual(align([a, b]), [[0, 1, 1.5, 2], [1, null, undefined, 3], [4, undefined, 5, 6]]);
  assert.deepEqual(align([a, {time: Float64Array.from([0, 1, 2]), values: [7, 8, 9]}]), [[0, 1, 2], [1, null, 3], [7, 8, 9]]);
  assert.deepEqual(align([]), [[]]);
});

test('a run of the writer becomes a run of the viewer', async () => {
  const pack = new Packer();
  const section = fourBarRun(pack, {instants: 11});
  section.channels.push({name: 'lost', unit: 'm', values: null});
  resolve(section, await blocksOf(pack));
  const run = makeRun(section, 2);
  assert.equal(run.index, 2);
  assert.equal(run.channels.get('v2.pressure').group, 'v2');
  assert.equal(run.channels.has('lost'), false);
  assert.equal(run.time.length, 11);
});

// ---------------------------------------------------------------- shapes

// shapes.js needs three, whose folder node does not look for: bundled as in the page
const modules = process.env.TRUNNION_NODE_MODULES;
test('a mesh has a normal for each triangle, and the extent of its box in the body', {skip: !modules}, async () => {
  const {build} = createRequire(join(modules, 'x.js'))('esbuild');
  const bundle = await build({entryPoints: [fileURLToPath(new URL('../src/shapes.js', import.meta.url))], bundle: true, write: false, format: 'esm', nodePaths: [modules]});
  const {extentOf, geometryOf} = await import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].contents).toString('base64')}`);
  const shape = {type: 'mesh', points: Float32Array.from([0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]), triangles: Float32Array.from([0, 2, 1, 0, 1, 3]),
    box: {min: [0, 0, 0], max: [1, 2, 3]}, at: [10, 0, 0], rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2]};
  const geometry = geometryOf(shape, 1);
  assert.equal(geometry.attributes.position.count, 6);
  assert.deepEqual(Array.from(geometry.attributes.normal.array.slice(0, 9)), [0, 0, -1, 0, 0, -1, 0, 0, -1]);
  assert.deepEqual(Array.from(geometry.attributes.normal.array.slice(9, 12)), [0, -1, 0]);
  const points = extentOf(shape);
  const range = (k) => [Math.min(...points.map((p) => p[k])), Math.max(...points.map((p) => p[k]))];
  near(range(0)[0], 8); // a quarter turn about z: y of the mesh is -x of the body
  near(range(0)[1], 10);
  near(range(1)[1], 1);
  near(range(2)[1], 3);
});

// ---------------------------------------------------------------- units and numbers

test('units: known conversions, both ways of naming', () => {
  const units = new Units();
  assert.equal(units.text(1e5, 'Pa'), '100000 Pa');
  units.useSystem('workshop');
  assert.equal(units.text(2.5e7, 'Pa'), '250 bar');
  assert.equal(units.text(Math.PI, 'rad'), '180 deg');
  assert.equal(units.text(1 / 60000, 'm^3/s'), '1 L/min');
  units.use('Pa', 'psi');
  near(units.of('Pa').factor * 6894.757293168, 1, 1e-12);
  assert.equal(units.system, 'own');
  units.use('Pa', 'bar');
  assert.equal(units.system, 'workshop');
  units.useSystem('inch');
  near(units.of('m^3/s').factor * 3.785411784e-3, 60, 1e-9);
  near(units.of('W').factor * 745.69987158227, 1, 1e-9);
  near(units.of('N m').factor * 1.3558179483314, 1, 1e-9);
  assert.deepEqual(units.of('kg m^2'), {unit: 'kg m²', factor: 1});
  assert.deepEqual(units.of('1'), {unit: '', factor: 1});
});

test('every unit of a system is a choice of its quantity', () => {
  for (const system of Object.values(systems)) {
    for (const [si, unit] of Object.entries(system.units)) assert.ok(quantities.find((q) => q.si === si)?.choices.some((c) => c.unit === unit), `${si}: ${unit}`);
  }
});

test('numbers are short and exact', () => {
  assert.equal(formatNumber(0), '0');
  assert.equal(formatNumber(-121.0466, 5), '−121.05');
  assert.equal(formatNumber(100), '100');
  assert.equal(formatNumber(12340000), '1.234·10⁷');
  assert.equal(formatNumber(8.366e-13, 3), '8.37·10⁻¹³');
  assert.equal(formatNumber(0.00999999, 3), '0.01');
  assert.equal(formatNumber(null), '–');
  assert.equal(formatNumber(-Infinity), '−∞');
  assert.equal(formatNumber(999999.9, 4), '1000000');
  assert.equal(formatCount(1234567), '1\u202f234\u202f567');
  assert.equal(formatCount(0.5), '0.5');
});

// ---------------------------------------------------------------- motion

test('poses turn along the shorter way', () => {
  const h = Math.SQRT1_2;
  const pose = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, -h, 0, 0, -h]; // a quarter turn about z, written with the other sign
  const middle = poseAt([0, 1], pose, 0.5);
  assert.deepEqual(middle.position, [1, 0, 0]);
  const x = rotate(middle, [1, 0, 0]);
  near(Math.atan2(x[1], x[0]), Math.PI / 4);
  near(Math.hypot(...middle.rotation), 1);
  assert.deepEqual(poseAt([0, 1], undefined, 3).position, [0, 0, 0]);
});

test('the loop of the four-bar sample is closed in its poses', async () => {
  const pack = new Packer();
  const section = fourBarRun(pack, {instants: 501});
  resolve(section, await blocksOf(pack));
  const run = makeRun(section, 0);
  const rocker = run.scene.bodies.find((b) => b.name === 'rocker');
  for (const t of [0, 1.234, 5.678, 9.99]) {
    const end = place(poseAt(run.time, rocker.pose, t), [5, 0, 0]);
    near(end[0], 10, 2e-3); // between instants a chord, not an arc
    near(end[1], 0, 2e-3);
  }
  const {b} = fourBarAngles(1);
  near(Math.hypot(10 - b[0], b[1]), 5, 1e-12);
});

test('the piston stays in the barrel over the whole stroke', () => {
  for (const [least, most, barrel] of [[1.3, 1.9, 1.05], [1.5, 2.4, 0], [2.0, 2.0, 1.2]]) {
    const sizes = cylinderSizes({barrel_length: barrel}, least, most);
    for (const length of [least, (least + most) / 2, most]) {
      const {barrel: end, piston} = cylinderParts(length, sizes);
      assert.ok(piston > 0 && piston <= end && end < length, `length ${length}: piston ${piston}, barrel ${end}`);
    }
    const moved = cylinderParts(most, sizes).piston - cylinderParts(least, sizes).piston;
    near(moved, most - least, 0.03 * most); // it really extends
  }
});

test('views look at the machine from where their names say', () => {
  const z = viewDirections([0, 0, 1]);
  assert.deepEqual(z.front, [1, 0, 0]);
  assert.deepEqual(z.side.map((v) => v + 0), [0, -1, 0]); // x to the right, z up
  assert.deepEqual(viewDirections([0, 1, 0]).side, [0, 0, 1]);
  assert.deepEqual(z.top, [0, 0, 1]);
  assert.equal(niceStep(10, 10), 1);
  assert.equal(niceStep(37, 10), 5);
});

// ---------------------------------------------------------------- player

test('the player plays in real time times speed, stops at the end, and loops', () => {
  const frames = [];
  const player = new Player([Float64Array.from([0, 0.5, 1])], (draw) => frames.push(draw));
  const run = (...times) => { for (const now of times) frames.shift()?.(now); };
  player.setSpeed(2);
  player.play();
  run(1000, 1100);
  near(player.time, 0.2);
  run(1200, 1300, 1400, 1500, 1600);
  assert.equal(player.time, 1);
  assert.equal(player.playing, false);
  player.setOption('loop', true);
  player.play();
  assert.equal(player.time, 0); // from the start again
  frames.splice(0, frames.length - 1);
  run(0, 200, 400, 600);
  near(player.time, 0.2, 1e-9);
  assert.equal(player.playing, true);
});

test('steps go from instant to instant and the zoom stays inside the run', () => {
  const player = new Player([Float64Array.from([0, 0.5, 1]), new Float64Array(0)]);
  player.step(1);
  assert.equal(player.time, 0.5);
  player.step(9);
  assert.equal(player.time, 1);
  player.zoom(-3, 0.4);
  assert.deepEqual(player.range, [0, 0.4]);
  player.zoom(0.2, 0.2);
  assert.deepEqual(player.range, [0, 0.4]);
  player.resetZoom();
  player.setTime(0.25);
  player.zoomBy(0.5);
  assert.deepEqual(player.range, [0.125, 0.625]);
  const heard = [];
  player.on('time', (source) => heard.push(source));
  player.setTime(7, 'me');
  player.setTime(8);
  assert.deepEqual([player.time, heard], [1, ['me']]); // bounded; told once
  assert.equal(new Player([]).end, 0);
});

// ---------------------------------------------------------------- panels

const channel = (name, unit, values) => [name, {name, unit, description: '', group: name, values: Float32Array.from(values)}];
const bareRun = (name, index, ...channels) => ({...makeRun({name, time: Float64Array.from([0, 1]), channels: []}, index), channels: new Map(channels)});

test('one run has a colour per channel, several runs a colour each and a dash per channel', () => {
  const units = new Units();
  units.useSystem('workshop');
  const a = bareRun('a', 0, channel('p', 'Pa', [1e5, 2e5]), channel('x', 'm', [1, 2]), channel('q', 'Pa', [0, 0]));
  const one = seriesOf(['p', 'x', 'q', 'none'], [a], units);
  assert.deepEqual(one.map((s) => [s.color, s.dash]), [[0, 0], [1, 0], [2, 0]]);
  assert.deepEqual(axesOf(one), ['bar', 'mm']); // unlike units: a second axis
  const b = bareRun('b', 1, channel('p', 'Pa', [1, 2]), channel('x', 'm', [1, 2]));
  assert.deepEqual(seriesOf(['p', 'x'], [a, b], units).map((s) => [s.run.name, s.color, s.dash]), [['a', 0, 0], ['b', 1, 0], ['a', 0, 1], ['b', 1, 1]]);
  b.visible = false;
  assert.deepEqual(seriesOf(['p'], [a, b], units).map((s) => s.run.name), ['a']);
});

test('CSV quotes what needs it and leaves gaps empty', () => {
  assert.equal(csv(['time [s]', 'a, "b"'], [[0, 0.1], [null, 1e-7]]), 'time [s],"a, ""b"""\n0,\n0.1,1e-7\n');
});

test('axes do not blow up rounding noise', () => {
  assert.deepEqual(rangeOf(5, 5 + 1e-12), [5 - 0.1 * (5 + 1e-12), 5 + 1e-12 + 0.1 * (5 + 1e-12)]);
  assert.deepEqual(rangeOf(0, 0), [-1, 1]);
  assert.deepEqual(rangeOf(0, 10), [0, 10.6]);
  assert.deepEqual(rangeOf(null, null), [0, 1]);
  assert.deepEqual(logRangeOf(2e-13, 8e-12), [10 ** -13, 10 ** -11]);
  assert.deepEqual(logRangeOf(null, null), [1e-16, 1]);
});

test('marks of an axis are written alike', async () => {
  const {decades, tickTexts} = await import('../src/ticks.js');
  assert.deepEqual(tickTexts([-400000, 0, 500000, 1000000]), ['−0.4·10⁶', '0', '0.5·10⁶', '1.0·10⁶']);
  assert.deepEqual(tickTexts([0, 0.5, 1]), ['0.0', '0.5', '1.0']);
  assert.deepEqual(tickTexts([-50, -25, 0]), ['−50', '−25', '0']);
  assert.deepEqual(tickTexts([0, 2.5, 5, 7.5]), ['0.0', '2.5', '5.0', '7.5']);
  assert.deepEqual(tickTexts([0, 0.25, 0.5]), ['0.00', '0.25', '0.50']);
  assert.deepEqual(tickTexts([0.1, 0.1 + 0.2, 0.5]), ['0.1', '0.3', '0.5']);
  assert.deepEqual(tickTexts([0, 2.5e6, 5e6, 7.5e6]), ['0', '2.5·10⁶', '5.0·10⁶', '7.5·10⁶']);
  assert.deepEqual(tickTexts([0, 2e-4, 4e-4]), ['0', '2·10⁻⁴', '4·10⁻⁴']);
  assert.deepEqual(decades(1e-3, 1e-1).map(Math.log10), [-3, -2, -1]);
  assert.deepEqual(decades(1e-16, 1e-4).map(Math.log10), [-16, -14, -12, -10, -8, -6, -4]);
});

test('stacks grow apart from zero and their ends add up', () => {
  const {above, below, sum} = stack([[1, -2, 3], [4, 5, -6], [-1, 0, 2]]);
  assert.deepEqual(above.map((a) => [...a]), [[1, 0, 3], [5, 5, 3], [5, 5, 5]]);
  assert.deepEqual(below.map((a) => [...a]), [[0, -2, 0], [0, -2, -6], [-1, -2, -6]]);
  assert.deepEqual([...sum], [4, 3, -1]);
});

test('the ledger stacks changes with their signs', () => {
  const run = bareRun('a', 0, channel('energy.potential', 'J', [3113, 3110]), channel('energy.out', 'J', [0, 5]));
  const parts = changes([{name: 'energy.potential'}, {name: 'energy.out', sign: -1}, {name: 'absent'}], run);
  assert.deepEqual(parts.map((p) => [...p.values].map((v) => v + 0)), [[0, -3], [0, -5]]);
});

test('a search finds words in any order', () => {
  assert.ok(matches('lift.force net force on the mechanism N', 'FORCE lift'));
  assert.ok(!matches('lift.force', 'lift pressure'));
  assert.ok(matches('anything', ''));
});

test('tables sort numbers by size, texts by their numbers, and keep what is empty at the end', () => {
  const rows = [['v10', 3], ['v2', null], ['v1', -1], ['v2', 3]];
  assert.deepEqual(orderOf(rows, 0, false), [2, 1, 3, 0]);
  assert.deepEqual(orderOf(rows, 1, false), [2, 0, 3, 1]);
  assert.deepEqual(orderOf(rows, 1, true), [0, 3, 2, 1]);
  assert.ok(compareCells(2, 'a') < 0);
});

// ---------------------------------------------------------------- summary

test('incidents are told in the order of their times', () => {
  const units = new Units();
  const list = incidents({
    reliefs: {relief: {openings: 1, first_time: 8.875, max_flow: 0.00194}}, cavitation: {volumes: {v3: {steps: 31, first_time: 2.61, lowest_pressure: 1800}}},
    end_stops: {lift: {strikes: 2, first_time: 2.9, max_speed: 0.31}}, coupling: {accurate: false, max_ratio: 2, lost_time: 1},
  }, units);
  assert.deepEqual(list.map((i) => i.time), [1, 2.61, 2.9, 8.875]);
  assert.match(list[1].text, /v3 cavitated in 31 steps, lowest pressure 1800 Pa/);
  assert.match(list[3].text, /relief opened once/);
  assert.deepEqual(incidents({}, units), []);
});

test('no figure of the summary needs a key that a summary may lack', () => {
  const units = new Units();
  for (const {rows} of summaryRows) for (const row of rows) assert.doesNotThrow(() => row.of({}, units, makeRun({name: 'a'}, 0)), row.label);
  const violation = summaryRows.flatMap((g) => g.rows).find((r) => r.label === 'Max. constraint violation');
  assert.deepEqual(violation.of({constraints: {max_violation: 8.4e-13, max_violation_time: 5}}, units), {text: '8.4·10⁻¹³', time: 5});
});

// ---------------------------------------------------------------- colours

// Sight without one kind of cone (Machado, Oliveira, Fernandes 2009, severity 1), on linear RGB, and distances in Oklab.
const sights = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};
const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const seen = (hex, m) => {
  const l = rgbOf(hex).map(linear);
  const [r, g, b] = [0, 1, 2].map((i) => Math.max(0, m[3 * i] * l[0] + m[3 * i + 1] * l[1] + m[3 * i + 2] * l[2]));
  const [p, q, s] = [0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b, 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b].map(Math.cbrt);
  return [0.2104542553 * p + 0.793617785 * q - 0.0040720468 * s, 1.9779984951 * p - 2.428592205 * q + 0.4505937099 * s, 0.0259040371 * p + 0.7827717662 * q - 0.808675766 * s];
};

for (const [theme, background] of [['light', '#ffffff'], ['dark', '#15191e']]) {
  test(`colours of curves differ for all eyes on ${theme}`, () => {
    const colors = curveColors[theme];
    for (const color of colors) assert.ok(contrast(rgbOf(color), rgbOf(background)) >= 3, `${color}: ${contrast(rgbOf(color), rgbOf(background))}`);
    for (const [sight, m] of Object.entries(sights)) {
      colors.forEach((a, i) => colors.slice(i + 1).forEach((b) => {
        const d = Math.hypot(...seen(a, m).map((v, k) => v - seen(b, m)[k]));
        assert.ok(d > 0.1, `${a} and ${b} with ${sight}: ${d}`); // 0.02 is just noticeable
      }));
    }
  });
}

test('contrast is that of WCAG', () => {
  near(contrast([0, 0, 0], [1, 1, 1]), 21);
  near(contrast(rgbOf('#767676'), [1, 1, 1]), 4.54, 0.01);
});

test('scales run between their ends, and dashes differ', () => {
  assert.deepEqual(scales.pressure(-1), scales.pressure(0));
  assert.deepEqual(scales.force(2), scales.force(1));
  assert.equal(new Set(dashes.map(String)).size, dashes.length);
});

test('the style sheet has the colours of the curves', async () => {
  const {readFileSync} = await import('node:fs');
  const style = readFileSync(new URL('../src/style.css', import.meta.url), 'utf8');
  const blocks = [style.slice(0, style.indexOf("[data-theme='dark']")), style.slice(style.indexOf("[data-theme='dark']"))];
  for (const [i, theme] of ['light', 'dark'].entries()) curveColors[theme].forEach((c, n) => assert.ok(blocks[i].includes(`--curve-${n}: ${c};`), `${theme} ${n} ${c}`));
});
