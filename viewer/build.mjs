// Bundles the viewer into one HTML template: node build.mjs OUTPUT_FILE [--modules DIR]
// DIR is the node_modules folder with esbuild, three and uplot (default: beside this file, or TRUNNION_NODE_MODULES), so that
// packages may be installed below build/ and nothing is written among the sources.
// SPDX-License-Identifier: BSD-3-Clause
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const placeholder = '<!-- TRUNNION_DATA -->';

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(2);
}

const args = process.argv.slice(2);
const option = args.indexOf('--modules');
const modules = resolve(option >= 0 ? args.splice(option, 2)[1] ?? fail('--modules needs a folder') : process.env.TRUNNION_NODE_MODULES ?? join(here, 'node_modules'));
if (args.length !== 1 || args[0].startsWith('-')) fail('usage: node build.mjs OUTPUT_FILE [--modules DIR]');
const output = resolve(args[0]);

let esbuild;
try {
  esbuild = createRequire(join(modules, 'x.js'))('esbuild');
} catch {
  fail(`esbuild is not in ${modules}; install the packages first: npm ci`);
}
const result = await esbuild.build({
  entryPoints: [join(here, 'src/app.js')],
  bundle: true,
  write: false,
  outdir: 'out',
  format: 'iife',
  target: ['chrome109', 'firefox115', 'safari16.4'],
  minify: true,
  charset: 'utf8',
  legalComments: 'inline',
  nodePaths: [modules],
  logLevel: 'warning',
}).catch(() => process.exit(1)); // esbuild has said why
const text = (end) => result.outputFiles.find((f) => f.path.endsWith(end)).text.trim();
const script = text('.js');
const style = text('.css');
// What would end the script element early, or make the page's data land in the wrong place.
if (/<\/script|<!--/i.test(script)) fail('the bundled script contains "</script" or "<!--"');
const values = {HASH: createHash('sha256').update(script).digest('base64'), STYLE: style, SCRIPT: script};
const page = readFileSync(join(here, 'src/template.html'), 'utf8').replace(/@(HASH|STYLE|SCRIPT)@/g, (_, key) => values[key]);
if (page.split(placeholder).length !== 2) fail(`the template must hold ${placeholder} once`);
if (/(?:src|href)=["']?https?:|@import|url\(\s*["']?(?!data:|#)/i.test(page.replace(script, ''))) fail('the page would load something from outside');
mkdirSync(dirname(output), {recursive: true});
writeFileSync(`${output}.part`, page);
renameSync(`${output}.part`, output); // appears whole
console.log(`${output}: ${(page.length / 1000).toFixed(0)} kB`);
