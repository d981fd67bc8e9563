// Pictures of machines from their reports, in headless Chromium: node picture.mjs [--modules DIR] [--size WxH] REPORT TIME PICTURE ...
// TIME [s] is of the run. Each PICTURE is a PNG file of twice the size, as the page itself saves it. DIR is the node_modules folder with
// playwright-core (default: beside this file, or TRUNNION_NODE_MODULES); TRUNNION_CHROMIUM the browser [/usr/bin/chromium].
// SPDX-License-Identifier: BSD-3-Clause
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(2);
}

const args = process.argv.slice(2);
/** @param {string} name @param {string} otherwise */
const option = (name, otherwise) => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : args.splice(at, 2)[1] ?? fail(`${name} needs a value`);
};
const modules = resolve(option('--modules', process.env.TRUNNION_NODE_MODULES ?? join(dirname(fileURLToPath(import.meta.url)), 'node_modules')));
const [width, height] = option('--size', '640x400').split('x').map(Number);
if (!args.length || args.length % 3 || !(width > 0 && height > 0)) fail('usage: node picture.mjs [--modules DIR] [--size WxH] REPORT TIME PICTURE ...');

const {chromium} = createRequire(join(modules, 'x.js'))('playwright-core');
const browser = await chromium.launch({
  executablePath: process.env.TRUNNION_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  for (let i = 0; i < args.length; i += 3) {
    const page = await browser.newPage({viewport: {width: width + 200, height: height + 400}, colorScheme: 'light'});
    page.setDefaultTimeout(30000);
    await page.goto(pathToFileURL(resolve(args[i])).href);
    const stage = page.locator('.stage');
    await stage.locator('canvas').waitFor(); // fails where there is no animation
    await stage.evaluate((element, size) => { Object.assign(element.style, size); }, {flex: 'none', width: `${width}px`, height: `${height}px`, minHeight: '0'});
    await page.locator('input.scrub').evaluate((slider, time) => {
      /** @type {HTMLInputElement} */ (slider).value = time;
      slider.dispatchEvent(new Event('input', {bubbles: true}));
    }, args[i + 1]);
    // Of a machine in space the machine as it stands then; in the plane all of its motion, which is the better picture there.
    if (!(await page.getByRole('button', {name: 'Plane', exact: true}).count())) {
      const follow = page.getByLabel('Follow a body');
      if ((await follow.inputValue()) === '-1') await follow.selectOption({index: 1});
      await page.getByRole('button', {name: 'Fit', exact: true}).click();
    }
    await page.waitForTimeout(100); // the size of the stage is observed
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', {name: 'Save picture as PNG'}).click()]);
    await download.saveAs(resolve(args[i + 2]));
    await page.close();
  }
} finally {
  await browser.close();
}
