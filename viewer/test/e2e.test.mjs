// End-to-end tests of reports in Chromium: node --test test/e2e.test.mjs
// Tested: every report of TRUNNION_REPORTS (files or folders, separated by ":"), and the samples of sample.mjs.
//   TRUNNION_TEMPLATE      the template, if it is built (else it is built into a temporary folder)
//   TRUNNION_NODE_MODULES  folder with playwright-core (and esbuild, three, uplot)
//   TRUNNION_CHROMIUM      the browser [/usr/bin/chromium]
//   TRUNNION_SHOTS         folder for pictures of every page, light and dark, wide and narrow
// SPDX-License-Identifier: BSD-3-Clause
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {basename, dirname, join, resolve} from 'node:path';
import {after, before, describe, test} from 'node:test';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {inflateSync} from 'node:zlib';
import {contrast} from '../src/color.js';
import {samples} from './sample.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const modules = resolve(process.env.TRUNNION_NODE_MODULES ?? join(here, '../node_modules'));
const {chromium} = createRequire(join(modules, 'x.js'))('playwright-core');
const shots = process.env.TRUNNION_SHOTS;
if (shots) mkdirSync(shots, {recursive: true});

const folder = mkdtempSync(join(tmpdir(), 'trunnion-viewer-'));
let template = process.env.TRUNNION_TEMPLATE;
if (!template) {
  template = join(folder, 'report.html');
  execFileSync(process.execPath, [join(here, '../build.mjs'), template, '--modules', modules], {stdio: ['ignore', 'ignore', 'inherit']});
}
/** @type {Record<string, string>} */
const files = {};
for (const [name, html] of Object.entries(samples(readFileSync(template, 'utf8')))) {
  files[name] = join(folder, `${name}.html`);
  writeFileSync(files[name], html);
}
const outside = (process.env.TRUNNION_REPORTS ?? '').split(':').filter(Boolean).map((p) => resolve(p))
  .flatMap((p) => (statSync(p).isDirectory() ? readdirSync(p).filter((f) => f.endsWith('.html')).sort().map((f) => join(p, f)) : [p]));

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.TRUNNION_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-renderer-backgrounding', '--disable-component-update', '--disable-sync'],
  });
  await (await browser.newPage()).close(); // what the browser itself needs to start is not the report's
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const state = (page) => page.evaluate(() => window.trunnion && {
  time: window.trunnion.time, start: window.trunnion.start, end: window.trunnion.end, playing: window.trunnion.playing, speed: window.trunnion.speed, range: window.trunnion.range,
  dark: window.trunnion.dark, webgl: window.trunnion.webgl, runs: window.trunnion.runs, panels: window.trunnion.panels, openedAfter: window.trunnion.openedAfter,
});
/** Waits until something of the page is so. No string is evaluated in the page: its policy forbids that. */
async function until(page, what, test, limit = 30000) {
  const end = Date.now() + limit;
  for (;;) {
    const value = await page.evaluate(what);
    if (test(value)) return value;
    assert.ok(Date.now() < end, `waited in vain: ${what}; last value ${JSON.stringify(value)}`);
    await page.waitForTimeout(30);
  }
}

/** @param {string} file @param {{width?: number, height?: number, dark?: boolean, init?: () => void, context?: any}} [options] */
async function openReport(file, {width = 1440, height = 900, dark = false, init, context: more = {}} = {}) {
  const context = await browser.newContext({viewport: {width, height}, colorScheme: dark ? 'dark' : 'light', acceptDownloads: true, ...more});
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  if (init) await page.addInitScript(init);
  const url = pathToFileURL(file).href;
  await page.goto(url);
  await until(page, () => Boolean(window.trunnion) || Boolean(document.querySelector('.failure')), Boolean, 20000);
  const own = () => requests.filter((r) => r !== url && !/^(data|blob):/.test(r));
  return {page, errors, requests: own, close: () => context.close()};
}

/** The pixels of a PNG file as RGB triples. @param {Buffer} png */
function pixels(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = {2: 3, 6: 4}[png[25]];
  assert.ok(channels && png[24] === 8, 'a picture of 8 bits a channel');
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) if (png.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(data));
  const row = width * channels;
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let i = 0; i < row; ++i) {
      const a = i >= channels ? out[y * row + i - channels] : 0;
      const b = y ? out[(y - 1) * row + i] : 0;
      const c = y && i >= channels ? out[(y - 1) * row + i - channels] : 0;
      const p = a + b - c;
      const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
      const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
      out[y * row + i] = raw[y * (row + 1) + 1 + i] + guess;
    }
  }
  return {width, height, channels, data: out};
}
/** Share of pixels that differ. */
function difference(a, b) {
  assert.deepEqual([a.width, a.height], [b.width, b.height]);
  let count = 0;
  for (let i = 0; i < a.data.length; i += a.channels) {
    if (Math.abs(a.data[i] - b.data[i]) + Math.abs(a.data[i + 1] - b.data[i + 1]) + Math.abs(a.data[i + 2] - b.data[i + 2]) > 24) ++count;
  }
  return count / (a.width * a.height);
}
const canvasPixels = async (page) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return pixels(await page.locator('.stage canvas').screenshot());
};

/** All texts of the page with their colours, as the eye gets them; colours that are partly transparent are mixed with what is behind. */
const textColors = () => {
  const parse = (text) => {
    const numbers = text.match(/[\d.eE+-]+/g)?.map(Number) ?? [0, 0, 0, 0];
    if (text.startsWith('color(srgb')) return [...numbers.slice(-(text.includes('/') ? 4 : 3)).slice(0, 3), text.includes('/') ? numbers.at(-1) : 1];
    return [numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, numbers[3] ?? 1];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color[3] > 0) layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [1, 1, 1]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || ['SCRIPT', 'STYLE', 'OPTION', 'NOSCRIPT', 'TITLE'].includes(element.tagName) || element.closest('.visually-hidden, .skip, .announcer, [hidden]')) continue;
    if (!element.checkVisibility?.({opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true})) continue;
    const style = getComputedStyle(element);
    const background = behind(element);
    const color = over(parse(element instanceof SVGElement ? style.fill : style.color), background);
    const size = parseFloat(style.fontSize);
    found.push({text: text.slice(0, 30), at: `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`, color, background, large: size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)});
  }
  const root = getComputedStyle(document.documentElement);
  const hex = (name) => [1, 3, 5].map((i) => parseInt(root.getPropertyValue(name).trim().slice(i, i + 2), 16) / 255);
  found.push({text: 'axes of plots', at: 'canvas', color: hex('--muted'), background: hex('--surface'), large: false});
  return found;
};

/** What screen readers and keys need. */
const accessibility = () => {
  const problems = [];
  const name = (e) => e.getAttribute('aria-label') || (e.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('') || [...(e.labels ?? [])].map((l) => l.textContent).join('') || e.textContent.trim() || e.getAttribute('alt');
  for (const e of document.querySelectorAll('button, a[href], input, select, textarea, dialog, [role=img], [role=region], [role=toolbar], canvas[tabindex], summary, img')) {
    if (!name(e)) problems.push(`no name: ${e.outerHTML.slice(0, 120)}`);
  }
  for (const e of document.querySelectorAll('[tabindex]')) if (Number(e.getAttribute('tabindex')) > 0) problems.push(`tabindex above 0: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll('[aria-labelledby], [aria-controls]')) {
    for (const id of (e.getAttribute('aria-labelledby') ?? e.getAttribute('aria-controls')).split(' ')) if (!document.getElementById(id)) problems.push(`no element with id ${id}`);
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  for (const id of new Set(ids)) if (ids.filter((i) => i === id).length > 1) problems.push(`id ${id} twice`);
  if (document.querySelectorAll('h1').length !== 1) problems.push('not one h1');
  if (!document.querySelector('main')) problems.push('no main');
  if (!document.documentElement.lang) problems.push('no language');
  return problems;
};

/** Tests that every report must pass, whatever it shows. */
function common(name, file) {
  describe(name, () => {
    let report;
    before(async () => { report = await openReport(file); });
    after(() => report?.close());

    test('opens without errors, without requests, in a few seconds', async () => {
      assert.equal(await report.page.locator('.failure').count(), 0);
      assert.deepEqual(report.errors, []);
      assert.deepEqual(report.requests(), []);
      // Under 2 s on an idle machine of today; others are slower or busy, and the best of three counts.
      const kOpened = 4000; // [ms]
      let least = (await state(report.page)).openedAfter;
      for (let i = 0; i < 2 && least >= kOpened; ++i) {
        const again = await openReport(file);
        least = Math.min(least, (await state(again.page)).openedAfter);
        await again.close();
      }
      assert.ok(least < kOpened, `opened after ${least.toFixed(0)} ms`);
    });

    test('the picture is not blank, and playing moves the machine', async (t) => {
      const {page} = report;
      const at = await state(page);
      if (!at.webgl) return t.skip('no animation');
      await page.keyboard.press('Home');
      const first = await canvasPixels(page);
      const colors = new Set();
      for (let i = 0; i < first.data.length; i += first.channels) colors.add(first.data.readUIntBE(i, 3));
      assert.ok(colors.size > 60, `${colors.size} colours`);
      const bodies = at.runs[0].bodies;
      const poses = () => page.evaluate((names) => names.map((n) => window.trunnion.pose(n)), bodies);
      const start = await poses();
      await page.keyboard.press(' ');
      await until(page, () => window.trunnion.time, (time) => time > at.start + Math.min(1.6, 0.5 * (at.end - at.start)), 15000);
      assert.equal((await state(page)).playing, true);
      await page.keyboard.press(' ');
      const now = await state(page);
      assert.equal(now.playing, false);
      // Where it stands still at first, go on to where it moves.
      let moved = false;
      for (const part of [null, 0.25, 0.5, 0.75, 1]) {
        if (part != null) await page.locator('.scrub').evaluate((e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }, at.start + part * (at.end - at.start));
        const later = await poses();
        moved = bodies.some((_, i) => [...later[i].position, ...later[i].rotation].some((v, k) => Math.abs(v - [...start[i].position, ...start[i].rotation][k]) > 1e-2));
        if (moved) break;
      }
      assert.ok(moved, 'no body moved');
      const share = difference(first, await canvasPixels(page));
      assert.ok(share > 2e-4, `${share} of the pixels changed`);
      await page.keyboard.press('Home');
    });

    test('the pointer over one plot moves the cursors of all, and the time', async (t) => {
      const {page} = report;
      const at = await state(page);
      if (!at.panels.length) return t.skip('no plots');
      const over = page.locator('.panel-list .u-over').first();
      await over.scrollIntoViewIfNeeded();
      const box = await over.boundingBox();
      for (const part of [0.3, 0.7]) {
        await page.mouse.move(box.x + part * box.width, box.y + box.height / 2);
        const wanted = at.range[0] + part * (at.range[1] - at.range[0]);
        const tolerance = (2 / box.width) * (at.range[1] - at.range[0]);
        const now = await state(page);
        assert.ok(Math.abs(now.time - wanted) < tolerance, `time ${now.time}, wanted ${wanted}`);
        for (const panel of now.panels) if (panel.channels.length) assert.ok(Math.abs(panel.cursor - wanted) < 2 * tolerance, `cursor of ${panel.channels}: ${panel.cursor}, wanted ${wanted}`);
      }
      // The other way round: the time moves the cursors.
      await page.mouse.move(2, 2);
      await page.keyboard.press('Home');
      const home = await state(page);
      for (const panel of home.panels) if (panel.channels.length) assert.ok(Math.abs(panel.cursor - at.start) < 0.01 * (at.end - at.start));
    });

    test('a drag zooms the time of all plots, a double click shows all', async (t) => {
      const {page} = report;
      const at = await state(page);
      if (!at.panels.length) return t.skip('no plots');
      const over = page.locator('.panel-list .u-over').first();
      await over.scrollIntoViewIfNeeded();
      const box = await over.boundingBox();
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + 0.2 * box.width, y);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.4 * box.width, y, {steps: 4});
      await page.mouse.move(box.x + 0.6 * box.width, y, {steps: 4});
      await page.mouse.up();
      const {range} = await state(page);
      const length = at.end - at.start;
      assert.ok(Math.abs(range[0] - at.start - 0.2 * length) < 0.02 * length && Math.abs(range[1] - at.start - 0.6 * length) < 0.02 * length, String(range));
      await page.mouse.dblclick(box.x + 0.5 * box.width, y);
      assert.deepEqual((await state(page)).range, [at.start, at.end]);
    });

    test('channels are chosen by search and keys', async (t) => {
      const {page} = report;
      const at = await state(page);
      if (!at.panels.length) return t.skip('no plots');
      const channel = at.runs[0].channels.find((c) => !at.panels[0].channels.includes(c));
      await page.locator('.panel-list .panel').first().getByRole('button', {name: 'Choose channels'}).first().click();
      await page.keyboard.type(channel);
      const shown = await page.locator('.chooser-option:visible .chooser-name').allTextContents();
      assert.ok(shown.includes(channel) && shown.length < at.runs[0].channels.length);
      for (let i = 0; i < shown.indexOf(channel); ++i) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      assert.deepEqual((await state(page)).panels[0].channels, [...at.panels[0].channels, channel]);
      await page.keyboard.press('Enter');
      assert.deepEqual((await state(page)).panels[0].channels, at.panels[0].channels);
      await page.keyboard.press('Escape');
      await until(page, () => document.querySelectorAll('dialog').length, (n) => n === 0);
    });

    for (const dark of [false, true]) {
      const theme = dark ? 'dark' : 'light';
      test(`texts can be read and named, ${theme}`, async () => {
        const {page} = report;
        await page.setViewportSize({width: 1440, height: 900});
        await page.emulateMedia({colorScheme: theme});
        await until(page, () => window.trunnion.dark, (now) => now === dark);
        const folds = await page.evaluate(() => [...document.querySelectorAll('details.fold:not([open])')].map((d) => { d.open = true; }).length);
        await page.mouse.move(2, 2);
        await page.waitForTimeout(150);
        await until(page, () => [...document.querySelectorAll('.plot-canvas')].filter((e) => !e.firstChild && e.checkVisibility()).length, (n) => n === 0);
        const weak = (await page.evaluate(textColors)).map((t) => ({...t, ratio: contrast(t.color, t.background)})).filter((t) => t.ratio < (t.large ? 3 : 4.5));
        assert.deepEqual(weak.map((t) => `${t.at} "${t.text}" ${t.ratio.toFixed(2)}`), []);
        assert.deepEqual(await page.evaluate(accessibility), []);
        if (folds) await page.evaluate(() => document.querySelectorAll('details.fold + details.fold').forEach((d) => { d.open = false; }));
        if (shots) await page.screenshot({path: join(shots, `${name}_wide_${theme}.png`), fullPage: true});
      });

      test(`nothing sticks out of a narrow page, ${theme}`, async () => {
        const {page} = report;
        await page.emulateMedia({colorScheme: theme});
        for (const width of [400, 420]) {
          await page.setViewportSize({width, height: 860});
          await until(page, () => [...document.body.querySelectorAll('main *, header *')].filter((e) => e.checkVisibility() && !e.closest('.table-scroll, pre, nav, .stage, svg, .visually-hidden') && e.getBoundingClientRect().right > innerWidth + 1)
            .map((e) => `${e.tagName}.${e.getAttribute('class')}`).slice(0, 5).join(' '), (wide) => wide === '');
        }
        await until(page, () => window.trunnion.dark, (now) => now === dark);
        if (shots) await page.screenshot({path: join(shots, `${name}_narrow_${theme}.png`), fullPage: true});
        await page.setViewportSize({width: 1440, height: 900});
        await page.emulateMedia({colorScheme: 'light'});
        assert.deepEqual(report.errors, []);
      });
    }

    test('keys: steps, ends, help, theme', async (t) => {
      const {page} = report;
      const at = await state(page);
      await page.evaluate(() => document.activeElement?.blur());
      if (at.end > at.start) {
        await page.keyboard.press('Home');
        await page.keyboard.press('ArrowRight');
        const one = (await state(page)).time;
        assert.ok(one > at.start && one < at.start + 0.05 * (at.end - at.start));
        await page.keyboard.press('ArrowLeft');
        assert.equal((await state(page)).time, at.start);
        await page.keyboard.press('End');
        assert.equal((await state(page)).time, at.end);
        await page.keyboard.press('[');
        assert.ok((await state(page)).speed < 1);
        await page.keyboard.press(']');
      } else t.diagnostic('no time');
      await page.keyboard.press('?');
      assert.equal(await page.locator('dialog[open]').count(), 1);
      await page.keyboard.press('Escape');
      await until(page, () => document.querySelectorAll('dialog').length, (n) => n === 0);
      const {dark} = await state(page);
      await page.keyboard.press('t');
      assert.equal((await state(page)).dark, !dark);
      await page.keyboard.press('t');
      // The first Tab leads into the page, and what has the focus shows it.
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      assert.notEqual(outline, 'none');
    });

  });
}

// with reports of the program only those samples that are of another kind
for (const [name, file] of Object.entries(files)) if (!outside.length || ['linear', 'failed'].includes(name)) common(`sample_${name}`, file);
for (const file of outside) common(basename(file, '.html'), file);

// ---------------------------------------------------------------- what only the samples have for certain

const withReport = (name, options, body) => async (t) => {
  const report = await openReport(files[name], options);
  try {
    await body(report, t);
    assert.deepEqual(report.requests(), []);
  } finally {
    await report.close();
  }
};

describe('four-bar', () => {
  test('the crank turns and its cylinder extends on the screen', withReport('four_bar', {}, async ({page}) => {
    const angle = () => page.evaluate(() => 2 * Math.acos(window.trunnion.pose('crank').rotation[0]));
    const before = await angle();
    const first = await canvasPixels(page);
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    await page.keyboard.press(' ');
    await until(page, () => window.trunnion.time, (t) => t > 2.4);
    await page.keyboard.press(' ');
    assert.ok((await angle()) - before > 0.4);
    assert.ok(difference(first, await canvasPixels(page)) > 0.005);
  }));

  test('forces, joints, loops, grid and names can be switched', withReport('four_bar', {}, async ({page}) => {
    await page.locator('.menu summary').click();
    for (const label of ['Forces', 'Joints', 'Loop closures', 'Grid', 'Names']) {
      const before = pixels(await page.locator('.stage').screenshot());
      await page.getByLabel(label, {exact: true}).click();
      await page.waitForTimeout(80);
      assert.ok(difference(before, pixels(await page.locator('.stage').screenshot())) > 1e-4, label);
    }
  }));

  test('views and orbit change the picture, the plane view brings it back', withReport('four_bar', {}, async ({page}) => {
    const plane = await canvasPixels(page);
    await page.keyboard.press('2');
    assert.ok(difference(plane, await canvasPixels(page)) > 0.01);
    await page.keyboard.press('1');
    assert.ok(difference(plane, await canvasPixels(page)) < 1e-3);
    const box = await page.locator('.stage canvas').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(box.x + 420, box.y + 240, {steps: 3});
    await page.mouse.up();
    assert.ok(difference(plane, await canvasPixels(page)) > 0.01);
  }));

  test('units of axes and legends follow the choice', withReport('four_bar', {}, async ({page}) => {
    assert.deepEqual((await state(page)).panels[1].axes, ['bar', '']);
    await page.locator('#unit-system').selectOption('si');
    assert.deepEqual((await state(page)).panels[1].axes, ['Pa', '']);
    assert.match(await page.locator('.scene-legend').textContent(), /\[Pa\]/);
    await page.keyboard.press('u');
    await page.getByLabel('Pressure', {exact: true}).selectOption('psi');
    assert.deepEqual((await state(page)).panels[1].axes, ['psi', '']);
  }));

  test('panels come and go, and are saved as PNG and CSV', withReport('four_bar', {}, async ({page}) => {
    const count = (await state(page)).panels.length;
    const panel = page.locator('.panel-list .panel').first();
    const saved = async (label) => {
      const [download] = await Promise.all([page.waitForEvent('download'), panel.getByRole('button', {name: label}).click()]);
      return {name: download.suggestedFilename(), data: readFileSync(await download.path())};
    };
    const table = await saved('Save as CSV');
    assert.match(table.name, /^four_bar_crank\.angle.*\.csv$/);
    const lines = table.data.toString().trim().split('\n');
    assert.equal(lines[0], 'time [s],crank.angle [deg],crank.rate [deg/s]');
    assert.equal(lines.length, 1002);
    assert.ok(Math.abs(Number(lines[1].split(',')[1]) - 60) < 1e-4);
    const picture = await saved('Save as PNG');
    const image = pixels(picture.data);
    assert.ok(image.width > 300 && image.height > 190);
    await panel.getByRole('button', {name: 'Remove panel'}).click();
    assert.equal((await state(page)).panels.length, count - 1);
    await page.getByRole('button', {name: 'Add panel'}).click();
    await page.keyboard.type('E.violation');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    assert.deepEqual((await state(page)).panels.at(-1).channels, ['E.violation']);
  }));

  test('the picture is saved at twice the resolution of the screen', withReport('four_bar', {}, async ({page}) => {
    const shown = await page.locator('.stage canvas').evaluate((c) => [c.width, c.height]);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Save picture as PNG'}).click()]);
    assert.match(download.suggestedFilename(), /^four_bar_0\.00s\.png$/);
    const image = pixels(readFileSync(await download.path()));
    assert.deepEqual([image.width, image.height], shown.map((n) => 2 * n));
    assert.deepEqual(await page.locator('.stage canvas').evaluate((c) => [c.width, c.height]), shown);
    const colors = new Set();
    for (let i = 0; i < image.data.length; i += 40 * image.channels) colors.add(image.data.readUIntBE(i, 3));
    assert.ok(colors.size > 4, `${colors.size} colours`);
  }));

  test('a time of the summary shows that instant; the model file is found by the browser', withReport('four_bar', {}, async ({page}) => {
    await page.locator('#summary .at').first().click();
    assert.ok(Math.abs((await state(page)).time - 5.021) < 1e-9);
    assert.equal(await page.evaluate(() => window.find('penalty: 1e11')), true);
  }));

  test('without WebGL a message stands in the place of the picture, and all else works', withReport('four_bar', {
    init: () => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith('webgl') ? null : get.call(this, kind, ...rest); };
    },
  }, async ({page, errors}) => {
    assert.match(await page.locator('.refusal').textContent(), /WebGL/);
    assert.equal((await state(page)).webgl, false);
    await page.keyboard.press('ArrowRight');
    const now = await state(page);
    assert.ok(now.time > 0 && now.panels.length === 4);
    assert.deepEqual(errors, []);
  }));

  test('motion that the user does not want is not there', withReport('four_bar', {context: {reducedMotion: 'reduce'}}, async ({page}) => {
    assert.equal((await state(page)).playing, false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.getElementById('announcer')).transitionDuration.replaceAll('0s', '').trim()), '');
  }));

  test('the policy of the page lets nothing out', withReport('four_bar', {}, async ({page}) => {
    assert.equal(await page.evaluate(() => fetch('data:text/plain,x').then(() => 'let out', () => 'blocked')), 'blocked');
    assert.match(await page.locator('meta[http-equiv]').getAttribute('content'), /default-src 'none'/);
  }));
});

describe('excavator', () => {
  test('plates are solid: the pointer finds the boom at its middle', withReport('excavator', {}, async ({page}) => {
    await page.getByRole('button', {name: 'Side', exact: true}).click();
    await page.locator('.menu summary').click();
    await page.getByLabel('Names').check();
    await page.keyboard.press('Escape');
    const tag = page.locator('.name-tag', {hasText: /^boom$/});
    let tip = '';
    for (let i = 0; i < 100 && tip !== 'boom'; ++i) { // the camera may still be on its way, the browser may leave out moves while it draws
      const {x, y, width, height} = await tag.boundingBox() ?? {x: 0, y: 0, width: 0, height: 0};
      await page.mouse.move(x + width / 2 + (i % 2), y + height / 2);
      await page.waitForTimeout(100);
      tip = await page.evaluate(() => document.querySelector('.scene-tip:not([hidden])')?.textContent ?? '');
    }
    assert.equal(tip, 'boom');
  }));
});

describe('compare', () => {
  test('the table sorts, and its ticks switch runs in plots and animation', withReport('compare', {}, async ({page}) => {
    const column = () => page.locator('#compare tbody tr td:nth-child(2)').allTextContents();
    const head = page.locator('#compare thead').getByRole('button', {name: 'iterations'});
    const first = await column();
    await head.click();
    await head.click();
    assert.deepEqual(await column(), first.slice().reverse());
    assert.equal(await page.locator('#compare th[aria-sort=descending]').count(), 1);
    await page.locator('.scrub').evaluate((e) => { e.value = '9'; e.dispatchEvent(new Event('input')); });
    const all = await canvasPixels(page);
    for (const run of ['brown_mcphee', 'lugre', 'modified_lugre']) await page.getByLabel(`Show run ${run}`).uncheck();
    assert.deepEqual((await state(page)).runs.map((r) => r.visible), [true, false, false, false]);
    assert.ok(difference(all, await canvasPixels(page)) > 2e-4);
    assert.equal(await page.evaluate(() => window.trunnion.csv(0).split('\n')[0]), 'time [s],bengisu_akay: crank.angle [deg],bengisu_akay: crank.rate [deg/s]');
    await page.getByLabel('Show run lugre').check();
    assert.equal(await page.evaluate(() => window.trunnion.csv(0).split('\n')[0].split(',').length), 5);
  }));
});

describe('linear model', () => {
  test('eigenvalues, their picture and the verdict', withReport('linear', {}, async ({page}) => {
    assert.equal(await page.locator('.linear-table tbody tr').count(), 5); // a pair is one row
    assert.equal(await page.locator('.xy-point').count(), 6);
    assert.match(await page.locator('.verdict').textContent(), /Stable except for/);
    const point = await page.locator('.xy-point').nth(2).boundingBox();
    await page.mouse.move(point.x + point.width / 2, point.y + point.height / 2);
    assert.match(await page.locator('.linear .xy-tip').textContent(), /21\.8 Hz, damping 0\.591/);
    assert.equal(await page.locator('.linear-table tr.marked').count(), 1);
    await page.getByLabel(/Logarithmic/).click();
    await page.locator('.xy-guide').nth(5).waitFor({state: 'attached'});
  }));
  test('a root locus, its table and the model beside a run', withReport('linear', {}, async ({page}) => {
    assert.match(await page.locator('#linearize').textContent(), /viscous goes from 100 to 400 \(3 values\)/);
    await page.locator('.linear .xy-curve').nth(1).waitFor({state: 'attached'});
    await page.locator('summary', {hasText: /^Root locus/}).click();
    const table = page.getByRole('region', {name: 'Root locus'});
    await table.locator('tbody tr').first().waitFor();
    assert.deepEqual(await table.locator('tbody tr').first().locator('td').allTextContents(), ['100', '−100', '10']); // bar
    assert.match(await page.locator('#linearize-beside .xy-svg').getAttribute('aria-label'), /^crank\.angle \[deg\]/);
    assert.equal(await page.locator('#linearize-beside .xy-curve').count(), 2);
  }));
  test('curves answer the pointer', withReport('linear', {}, async ({page}) => {
    await page.locator('#curve .xy-svg').scrollIntoViewIfNeeded();
    const box = await page.locator('#curve .xy-svg').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert.match(await page.locator('#curve .xy-tip').textContent(), /^lever/);
  }));
});

describe('failed run', () => {
  test('says so on top, with its warnings and incidents', withReport('failed', {}, async ({page}) => {
    assert.match(await page.locator('.banner.bad').textContent(), /four_bar failed at 3\.2 s/);
    assert.equal(await page.locator('.banner.warn li').count(), 2);
    const top = await page.locator('.banner.bad').boundingBox();
    assert.ok(top.y < 200);
    assert.deepEqual(await page.locator('.incidents li').evaluateAll((l) => l.map((e) => e.textContent.slice(0, 13))), ['v3 cavitated ', 'lift struck i']);
    assert.match(await page.locator('.refusal').textContent(), /no geometry/);
  }));
});

describe('empty template', () => {
  test('says that it holds nothing', async () => {
    const {page, close} = await openReport(template);
    assert.match(await page.locator('.failure').textContent(), /contains no data/);
    await close();
  });
});
