// The sections of the page below the animation.
// SPDX-License-Identifier: BSD-3-Clause
import {announce, h, icon, iconButton} from './dom.js';
import {align} from './data.js';
import {changes, stack} from './panel.js';
import {incidents, summaryRows} from './summary.js';
import {sortableTable, cellText} from './table.js';
import {TimePlot, swatch} from './timeplot.js';
import {formatNumber, pretty} from './units.js';
import {linearTicks, xyChart} from './xychart.js';

/** @typedef {import('./app.js').App} App */

/** A section with its title; `id` is its anchor. */
export function section(id, title, ...children) {
  return h('section.block', {id, 'aria-labelledby': `${id}-title`}, h('h2', {id: `${id}-title`}, title), ...children);
}

/** A button that moves the animation to a time. @param {App} app @param {number|null|undefined} time */
function timeButton(app, time) {
  if (time == null || !app.player.instants.length) return null;
  return h('button.at', {type: 'button', title: 'Show this instant', onclick: () => { app.player.pause(); app.player.setTime(time); app.showWorkbench(); }}, `at ${formatNumber(time, 4)} s`);
}

/** Failed runs and warnings, at the top of the page. @param {App} app @param {any[]} others sections that are not runs */
export function banners(app, others) {
  const out = [];
  for (const run of app.runs) {
    if (run.status === 'completed') continue;
    const end = run.summary.end_time;
    out.push(h('.banner.bad', {role: 'alert'}, h('strong', {}, `${run.label} ${run.status}${end == null ? '' : ` at ${formatNumber(end, 5)} s`}`), h('p', {}, run.message || 'No reason given.')));
  }
  const warnings = [...app.runs.map((r) => ({from: app.runs.length > 1 ? r.label : '', list: r.warnings})), ...others.map((s) => ({from: app.runs.length + others.length > 1 ? s.title ?? s.name ?? '' : '', list: s.warnings ?? [], time: s.time}))].filter((w) => w.list.length);
  if (warnings.length) {
    const number = warnings.reduce((n, w) => n + w.list.length, 0);
    out.push(h('.banner.warn', {role: 'note'}, h('strong', {}, number === 1 ? 'Warning' : `${number} warnings`),
      h('ul', {}, warnings.flatMap((w) => w.list.map((text) => h('li', {}, w.from ? h('b', {}, `${w.from}${w.time ? ` at ${formatNumber(w.time)} s` : ''}: `) : null, text))))));
  }
  return out;
}

/** @param {App} app */
export function summarySection(app) {
  const body = h('div');
  const draw = () => {
    const rows = summaryRows.flatMap(({title, rows: list}) => {
      const lines = list.map((row) => ({row, cells: app.runs.map((run) => row.of(run.summary, app.units, run))})).filter((l) => l.cells.some((c) => c != null));
      if (!lines.length) return [];
      return [h('tr.group', {}, h('th', {scope: 'rowgroup', colspan: app.runs.length + 1}, title)),
        ...lines.map(({row, cells}) => h('tr', {}, h('th', {scope: 'row', title: row.hint}, row.label, row.hint ? h('span.hint', {}, row.hint) : null), cells.map((cell) => {
          const figure = typeof cell === 'string' ? {text: cell} : cell;
          return h('td.number', {}, figure ? [h(figure.tone ? `span.tone.${figure.tone}` : 'span', {}, figure.text), timeButton(app, figure.time)] : '–');
        })))];
    });
    const told = app.runs.map((run) => incidents(run.summary, app.units));
    rows.push(h('tr.group', {}, h('th', {scope: 'rowgroup', colspan: app.runs.length + 1}, 'Incidents')),
      h('tr', {}, h('th', {scope: 'row'}, 'Events', h('span.hint', {}, 'Cavitation, end stops, relief valves, accumulators')), told.map((list) => h('td', {}, list.length ? h('ul.incidents', {}, list.map((i) => h('li', {}, i.text, timeButton(app, i.time)))) : 'none'))));
    body.replaceChildren(h('.table-scroll', {tabindex: 0, role: 'region', 'aria-label': 'Summary'}, h('table.summary', {},
      h('caption.visually-hidden', {}, 'Summary of the runs'),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'Figure'), app.runs.map((run) => h('th.number', {scope: 'col'}, runName(app, run))))), h('tbody', {}, rows))));
  };
  app.on('units', draw);
  draw();
  return section('summary', 'Summary', body);
}

/** Name of a run with the colour of its curves. @param {App} app @param {import('./data.js').Run} run */
export function runName(app, run) {
  if (app.runs.length === 1) return run.label;
  return h('span.run-name', {}, h('span.run-dot', {'aria-hidden': 'true', style: {background: `var(${app.theme.curve(run.index)})`}}), run.label);
}

/** Tools of a plot. @param {TimePlot} plot @param {() => string} name */
const plotTools = (plot, name) => h('.panel-tools', {}, iconButton('image', 'Save as PNG', () => plot.savePng(name())), iconButton('table', 'Save as CSV', () => plot.saveCsv(name())));

/** Energy over time, stacked, and the ledger at the end. @param {App} app */
export function energySection(app) {
  const runs = app.runs.filter((r) => r.ledger?.stacked?.some((e) => r.channels.has(e.name)));
  const atEnd = app.runs.filter((r) => r.summary.energy?.ledger);
  if (!runs.length && !atEnd.length) return null;
  const out = section('energy', 'Energy ledger');
  if (runs.length) {
    let run = runs[0];
    const legend = h('ul.legend');
    const host = h('.panel-body');
    const hidden = new Set();
    const plot = new TimePlot(host, app, {height: 280, legend, onhide: (line) => {
      if (line.hidden) hidden.add(line.key);
      else hidden.delete(line.key);
      draw();
      return true;
    }});
    const draw = () => {
      const shown = app.units.of('J');
      const time = run.time;
      const all = changes(run.ledger.stacked, run);
      const parts = all.filter((p) => !hidden.has(p.entry.name));
      const {above, below, sum} = stack(parts.map((p) => p.values.map((v) => v * shown.factor)));
      const zero = new Float64Array(time.length);
      const color = (entry) => app.theme.curve(all.findIndex((p) => p.entry === entry));
      const base = {unit: shown.unit, axis: 0, dash: [], factor: shown.factor, time};
      /** @type {any[]} */
      const lines = [{...base, label: 'zero', silent: true, color: 'transparent', values: zero}];
      const columns = [zero];
      const bands = [];
      parts.forEach((p, i) => {
        const tint = ledgerTint(app, all.indexOf(p));
        // Upper and lower boundary of this entry; the area between consecutive boundaries is filled.
        for (const [borders, direction] of /** @type {[Float64Array[], number][]} */ ([[above, 1], [below, -1]])) {
          lines.push({...base, label: p.entry.label, silent: true, color: color(p.entry), width: 0.8, values: borders[i]});
          columns.push(borders[i]);
          const before = i === 0 ? 1 : columns.length - 2;
          bands.push({series: direction > 0 ? [columns.length, before] : [before, columns.length], fill: tint, dir: -1});
        }
      });
      for (const p of all) {
        // Not drawn: legend and files contain the change of each entry, not the boundary of its area.
        lines.push({...base, label: p.entry.label ?? p.entry.name, key: p.entry.name, area: true, color: color(p.entry), values: p.values, width: 0, hidden: hidden.has(p.entry.name)});
        columns.push(p.values.map((v) => v * shown.factor));
      }
      lines.push({...base, label: 'sum', key: 'sum', color: '--text', width: 2, values: sum.map((v) => v / shown.factor)});
      columns.push(sum);
      if (run.ledger.balance) {
        const balance = changes(run.ledger.balance, run);
        const total = zero.map((_, i) => balance.reduce((s, b) => s + b.values[i], 0));
        lines.push({...base, label: run.ledger.balance_label ?? balance.map((b) => `${(b.entry.sign ?? 1) < 0 ? '− ' : ''}${b.entry.label ?? b.entry.name}`).join(' + ').replaceAll('+ −', '−'), key: 'balance', color: '--loop', dash: [8, 5], width: 2, values: total});
        columns.push(total.map((v) => v * shown.factor));
      }
      plot.show({title: 'Energy', x: Array.from(time), columns, lines, axes: [{unit: shown.unit}], bands});
    };
    const choose = runs.length > 1 ? h('label.inline', {}, 'Run ', h('select', {onchange: (e) => { run = runs[e.target.selectedIndex]; draw(); }}, runs.map((r) => h('option', {}, r.label)))) : null;
    out.append(h('p.note', {}, 'Changes since the start, stacked: gains upwards from zero, losses downwards.'),
      h('.panel', {role: 'group', 'aria-label': 'Energy over time, stacked'}, h('header.panel-head', {}, legend, h('.panel-tools', {}, choose, plotTools(plot, () => `${run.name}_energy`))), host));
    app.on('units', draw);
    app.whenLaidOut(draw);
  }
  if (atEnd.length) {
    const host = h('div');
    const keys = [...new Set(atEnd.flatMap((r) => Object.keys(r.summary.energy.ledger)))];
    const draw = () => host.replaceChildren(sortableTable({
      caption: 'Final energies',
      columns: [{name: 'energy', label: 'Final value'}, ...atEnd.map((r) => ({name: r.name, label: app.runs.length > 1 ? r.label : 'value', unit: app.units.of('J').unit}))],
      rows: keys.map((k) => [k.replaceAll('_', ' '), ...atEnd.map((r) => (r.summary.energy.ledger[k] ?? NaN) * app.units.of('J').factor)]),
      cell: (value, _, column) => (column === 0 ? h('b', {}, value) : formatNumber(value, 4)),
    }));
    app.on('units', draw);
    draw();
    out.append(h('details.fold', {}, h('summary', {}, 'Final ledger'), host));
  }
  return out;
}
/** Fill of an area: the curve's colour, lighter. @param {App} app @param {number} n */
function ledgerTint(app, n) {
  const color = app.theme.color(app.theme.curve(n));
  return color + (n >= 6 ? '55' : '99');
}

/** Iterations and constraint violation of the steps. @param {App} app */
export function solverSection(app) {
  const kinds = [
    {name: 'solver.violation', also: 'solver.velocity_violation', title: 'Constraint violation', log: true},
    {name: 'solver.iterations', also: 'solver.position_iterations', title: 'Iterations per step', log: false},
  ].map((k) => ({...k, names: [k.name, k.also].filter((n) => app.runs.some((r) => r.channels.has(n) && (n === k.name || r.channels.get(n).values.some((v) => v !== 0))))}))
    .filter((k) => k.names.length);
  if (!kinds.length) return null;
  const out = section('solver', 'Solver');
  for (const kind of kinds) {
    const host = h('.panel-body');
    const legend = h('ul.legend');
    const plot = new TimePlot(host, app, {height: 190, legend});
    const draw = () => plot.show(logPicture(app, kind.title, app.runs.filter((r) => r.visible).flatMap((run) => kind.names.filter((n) => run.channels.has(n)).map((n) => ({
      label: n, run, place: kind.names.indexOf(n), unit: '', time: run.time, values: run.channels.get(n).values,
    }))), kind.log));
    app.on('runs', draw);
    app.whenLaidOut(draw);
    out.append(h('.panel', {role: 'group', 'aria-label': `${kind.title} over time`}, h('header.panel-head', {}, h('h3', {}, kind.title), legend, plotTools(plot, () => `${app.runs[0].name}_${kind.name}`)), host));
  }
  const histograms = app.runs.filter((r) => r.summary.iterations?.histogram && Object.keys(r.summary.iterations.histogram).length);
  if (histograms.length) out.append(h('.cards', {}, histograms.map((run) => histogram(app, run))));
  return out;
}

/**
 * @param {App} app @param {string} title
 * @param {{label: string, run?: any, runLabel?: string, color?: number, place: number, unit: string, time: any, values: any}[]} list @param {boolean} log
 */
function logPicture(app, title, list, log) {
  const several = app.runs.length > 1;
  const clean = list.map((s) => ({...s, values: log ? Float64Array.from(s.values, (v) => (v > 0 ? v : NaN)) : s.values}));
  const [x, ...columns] = align(clean);
  return {
    title, x, columns, axes: [{unit: '', log}],
    lines: list.map((s) => ({
      label: s.label, run: s.runLabel ?? (several && s.run ? s.run.label : undefined), unit: s.unit, color: app.theme.curve(s.color ?? (several ? s.run.index : s.place)),
      dash: several || s.color != null ? app.theme.dash(s.place) : [], axis: 0, time: s.time, values: s.values, factor: 1, width: 1.4, stepped: !log,
    })),
  };
}

/** Steps per number of iterations. @param {App} app @param {any} run */
function histogram(app, run) {
  const entries = Object.entries(run.summary.iterations.histogram).map(([k, v]) => [Number(k), Number(v)]).sort((a, b) => a[0] - b[0]);
  const most = Math.max(...entries.map((e) => e[1]));
  const total = entries.reduce((s, e) => s + e[1], 0);
  return h('.card', {}, h('h3', {}, 'Steps per number of iterations', app.runs.length > 1 ? [': ', runName(app, run)] : null),
    h('table.bars', {}, h('caption.visually-hidden', {}, `Steps of ${run.label} per number of iterations`),
      h('thead.visually-hidden', {}, h('tr', {}, h('th', {}, 'Iterations'), h('th', {}, 'Share'), h('th', {}, 'Steps'))),
      h('tbody', {}, entries.map(([k, v]) => h('tr', {}, h('th', {scope: 'row'}, String(k)), h('td.bar-cell', {}, h('span.bar', {style: {width: `${(100 * v) / most}%`, background: `var(${app.theme.curve(app.runs.length > 1 ? run.index : 0)})`}})), h('td.number', {}, `${formatNumber((100 * v) / total, 3)} %`))))));
}

/** @param {App} app */
export function modelSection(app) {
  const runs = app.runs.filter((r) => r.model);
  if (!runs.length) return null;
  const out = section('model', 'Model file');
  out.append(h('p.note', {}, 'With all settings and defaults of the run, in SI units.'));
  for (const [i, run] of runs.entries()) {
    const lines = run.model.replace(/\n$/, '').split('\n');
    const code = h('pre.code', {tabindex: 0, 'aria-label': `Model file of ${run.label}`}, h('code', {}, lines.map((line, n) => [colored(line), n + 1 < lines.length ? '\n' : ''])));
    out.append(h('details.fold', {open: i === 0 ? '' : null}, h('summary', {}, runName(app, run), h('span.hint', {}, `${lines.length} lines`)),
      h('.code-frame', {}, h('button.copy', {type: 'button', onclick: () => copy(run.model, code)}, icon('copy'), 'Copy'), code)));
  }
  return out;
}
/** A line of YAML: comments and keys have colours. @param {string} line */
function colored(line) {
  const comment = line.search(/(^|\s)#/);
  const body = comment < 0 ? line : line.slice(0, comment);
  const key = body.match(/^(\s*(?:- )?)([^:#{}[\],"']+)(:)(?=\s|$)/);
  return [key ? [key[1], h('span.key', {}, key[2]), key[3], body.slice(key[0].length)] : body, comment < 0 ? null : h('span.comment', {}, line.slice(comment))];
}
/** @param {string} text @param {HTMLElement} element */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    announce('Copied');
  } catch {
    // Pages opened from a file may not use the clipboard: select the text and use execCommand.
    const selection = /** @type {Selection} */ (getSelection());
    selection.selectAllChildren(element);
    announce(document.execCommand('copy') ? 'Copied' : 'Selected: press Ctrl+C');
  }
}

/** @param {App} app @param {any} data @param {string} id */
export function compareSection(app, data, id) {
  const out = section(id, data.title ?? 'Comparison');
  const runs = (data.runs ?? []).map((name) => app.runs.find((r) => r.name === name));
  const lead = runs.some(Boolean) ? (row) => {
    const run = runs[row];
    if (!run) return null;
    const box = h('input', {type: 'checkbox', checked: run.visible, 'aria-label': `Show run ${run.label}`, onchange: () => app.showRun(run, box.checked)});
    app.on('runs', () => { box.checked = run.visible; });
    return h('label.run-check', {}, box, h('span.run-dot', {'aria-hidden': 'true', style: {background: `var(${app.theme.curve(run.index)})`}}));
  } : undefined;
  out.append(h('p.note', {}, `${data.rows.length} combinations. Click a column header to sort${lead ? '; check a row to show it in animation and plots' : ''}.`),
    sortableTable({caption: data.title ?? 'Comparison', columns: data.columns, rows: data.rows, lead, leadLabel: 'Shown',
      cell: (value) => (typeof value === 'string' && /^(simulation )?failed\b/.test(value) ? h('span.tone.bad', {}, value) : value === 'completed' ? h('span.tone.good', {}, value) : cellText(value))}));
  const panels = historyPanels(app, data, id);
  if (panels.length) out.append(h('details.fold', {open: lead ? null : ''}, h('summary', {}, 'Step history', h('span.hint', {}, 'violation, iterations, time')), panels));
  return out;
}

/** Step histories of compared runs: a plot for each kind of channel. @param {App} app @param {any} data @param {string} id */
function historyPanels(app, data, id) {
  const {history} = data;
  if (!history?.channels?.length) return [];
  const kinds = [...new Set(history.channels.map((c) => c.name.slice(c.name.lastIndexOf('.') + 1)))];
  const names = [...new Set(history.channels.map((c) => c.name.slice(0, c.name.lastIndexOf('.'))))];
  const titles = {violation: 'Constraint violation', velocity_violation: 'Constraint violation rate', iterations: 'Iterations per step', position_iterations: 'Solves for dependent positions', step_seconds: 'Computing time of the steps since the start [s]'};
  return kinds.map((kind) => {
    const channels = history.channels.filter((c) => c.name.endsWith(`.${kind}`) && c.values.some((v) => v > 0));
    if (!channels.length) return null;
    const host = h('.panel-body');
    const legend = h('ul.legend');
    const plot = new TimePlot(host, app, {height: 190, legend});
    const draw = () => plot.show(logPicture(app, kind, channels.map((c) => {
      const name = c.name.slice(0, c.name.lastIndexOf('.'));
      const run = app.runs.find((r) => r.name === name);
      return {label: run?.label ?? name, runLabel: undefined, color: run?.index ?? names.indexOf(name), place: 0, unit: c.unit ?? '', time: history.time, values: c.values, visible: run?.visible ?? true};
    }).filter((s) => s.visible), /violation/.test(kind)));
    app.on('runs', draw);
    app.whenLaidOut(draw);
    return h('.panel', {role: 'group', 'aria-label': `${titles[kind] ?? kind} over time`}, h('header.panel-head', {}, h('h3', {}, titles[kind] ?? kind), legend, plotTools(plot, () => `${id}_${kind}`)), host);
  }).filter(Boolean);
}

const verdicts = {
  asymptotically_stable: ['good', 'Asymptotically stable'],
  stable_but_null: ['good', 'Stable except for null eigenvalues'],
  drifting: ['warn', 'Drifting'],
  undamped: ['warn', 'Undamped'],
  unstable: ['bad', 'Unstable'],
};

/** @param {App} app @param {any} data @param {string} id */
export function linearizeSection(app, data, id) {
  const name = data.title ?? (data.eigenvalues ? `Linear model${data.name ? `: ${data.name}` : ''}` : 'Eigenvalues over time');
  const out = section(id, data.time ? `${name}, at ${formatNumber(data.time)} s` : name);
  const locus = locusCurves(data.locus);
  if (!data.eigenvalues) { // several times are shown together here, each model in its own section
    if (locus.length) out.append(xyChart({label: 'Eigenvalues in the complex plane', xLabel: 'Re [1/s]', yLabel: 'Im [1/s]', height: 380, curves: locus, zeroLines: true, shade: 'left'}).element, locusNote(data.locus));
    return out.append(...folds(app, data, id)), out;
  }
  const notes = data.notes ?? (data.null ?? []).map((n) => `${n.eigenvalue + 1} is zero: ${n.text}`);
  const motion = data.motion ?? data.reference?.motion;
  const [tone, text] = verdicts[data.stability] ?? ['warn', data.stability ?? 'No verdict'];
  out.append(h(`.verdict.${tone}`, {role: 'status'}, h('strong', {}, data.message ? data.message[0].toUpperCase() + data.message.slice(1) : text),
    notes.length ? h('ul', {}, notes.map((n) => h('li', {}, n))) : null));

  // Conjugate pairs are one row.
  /** @type {{numbers: number[], value: any}[]} */
  const rows = [];
  data.eigenvalues.forEach((value, i) => {
    const last = rows.at(-1);
    const twin = last && last.numbers.length === 1 && value.im !== 0 && last.value.im === -value.im && last.value.re === value.re;
    if (twin) last.numbers.push(i + 1);
    else rows.push({numbers: [i + 1], value});
  });
  const tone_ = (v) => (v.re > 0 && Math.abs(v.re) > 1e-9 ? 'unstable' : v.re === 0 && v.im === 0 ? 'null' : v.re === 0 ? 'undamped' : 'stable');
  const states = (list) => h('.participation', {}, (list ?? []).slice(0, 5).map(([name, share]) => h('span.state', {title: `participation ${formatNumber(share, 3)}`}, h('span.state-bar', {'aria-hidden': 'true', style: {width: `${Math.max(2, 100 * share)}%`}}), h('span', {}, name), h('span.state-share', {}, formatNumber(share, 2)))));
  const table = sortableTable({
    caption: 'Eigenvalues',
    columns: [{name: '#'}, {name: 're', label: 'Re', unit: '1/s'}, {name: 'im', label: 'Im', unit: '1/s'}, {name: 'f', label: 'Frequency', unit: 'Hz'}, {name: 'damping', label: 'Damping ratio'}, {name: 'T', label: 'Time constant', unit: 's'}, {name: 'states', label: 'Participating states'}],
    rows: rows.map(({numbers, value: v}) => [numbers[0], v.re, Math.abs(v.im), v.im ? v.frequency_hz : null, v.damping_ratio, v.time_constant ?? (v.re < 0 ? -1 / v.re : null), v.states?.[0]?.[0] ?? '']),
    cell: (value, row, column) => {
      const {numbers, value: v} = rows[row];
      if (column === 0) return h('span', {}, h(`span.eigen-dot.${tone_(v)}`, {'aria-hidden': 'true'}), numbers.join(', '));
      if (column === 2) return v.im ? `${numbers.length > 1 ? '± ' : ''}${formatNumber(Math.abs(v.im), 5)}` : '0';
      if (column === 6) return states(v.states);
      return value == null ? '–' : formatNumber(value, column === 1 ? 5 : 4);
    },
    rowAttributes: (row) => ({'data-row': row, tabindex: 0, onpointerenter: () => mark(row), onpointerleave: () => mark(null), onfocus: () => mark(row), onblur: () => mark(null)}),
  });
  const points = data.eigenvalues.map((v, i) => ({
    x: v.re, y: v.im, kind: tone_(v), text: `${i + 1}: ${formatNumber(v.re)} ${v.im ? `${v.im < 0 ? '−' : '+'} ${formatNumber(Math.abs(v.im))} i` : ''} 1/s${v.im ? ` · ${formatNumber(v.frequency_hz, 3)} Hz, damping ${formatNumber(v.damping_ratio, 3)}` : ''}`,
    onhover: (on) => table.querySelector(`[data-row="${rows.findIndex((r) => r.numbers.includes(i + 1))}"]`)?.classList.toggle('marked', on),
  }));
  const sizes = data.eigenvalues.map((v) => Math.hypot(v.re, v.im)).filter((s) => s > 1e-9).sort((a, b) => a - b);
  const spread = sizes.length ? sizes[sizes.length - 1] / sizes[0] : 1;
  const c = sizes.length ? 10 ** Math.floor(Math.log10(sizes[0])) / 1 : 1;
  let log = spread > 30;
  const guides = (scale, limits) => {
    if (log) return [];
    // Lines of equal damping and circles of equal frequency in the stable half.
    const far = Math.max(Math.abs(limits.x[0]), Math.abs(limits.y[0]), Math.abs(limits.y[1]));
    return [
      [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((z) => [1, -1].map((s) => h('line.xy-guide', {x1: scale.x(0), y1: scale.y(0), x2: scale.x(-z * 2 * far), y2: scale.y(s * Math.sqrt(1 - z * z) * 2 * far)}))),
      linearTicks(0, far, 4).slice(1).map((w) => h('path.xy-guide', {d: Array.from({length: 37}, (_, i) => Math.PI / 2 + (Math.PI * i) / 36).map((a, i) => `${i ? 'L' : 'M'}${scale.x(w * Math.cos(a)).toFixed(1)} ${scale.y(w * Math.sin(a)).toFixed(1)}`).join('')})),
    ];
  };
  const chart = xyChart({label: `Eigenvalues of ${data.name ?? 'the machine'} in the complex plane`, xLabel: 'Re [1/s]', yLabel: 'Im [1/s]', height: 380, points, curves: locus, zeroLines: true, shade: 'left', guides, log: log ? {x: c, y: c} : null});
  const mark = (row) => chart.mark(row == null ? null : rows[row].numbers[0] - 1);
  const toggle = h('label.menu-check.inline', {}, h('input', {type: 'checkbox', checked: log, onchange: (e) => { log = e.target.checked; chart.update({log: log ? {x: c, y: c} : null}); }}), h('span', {}, `Logarithmic beyond ${formatNumber(c, 1)} 1/s`));
  out.append(h('.linear', {}, h('.linear-plane', {}, h('header.panel-head', {}, h('h3', {}, 's-plane'), toggle), chart.element, locus.length ? locusNote(data.locus) : null, h('p.note', {}, 'The shaded half is unstable. Drag to zoom, double-click to reset.')), h('.linear-table', {}, table)));
  const facts = [['states', data.states], ['inputs', data.inputs], ['outputs', data.outputs]].filter(([, l]) => l);
  out.append(h('p.note', {}, facts.map(([n, l]) => `${l.length} ${n}`).join(', '), data.time == null ? '' : `; about the state at ${formatNumber(data.time)} s`, motion ? ` (${motion})` : '', '.'));
  if (data.figures?.length) out.append(h('h3', {}, 'Responses'), pictures(data.figures));
  for (const [name, heads, sides] of [['A', data.states, data.states], ['B', data.inputs, data.states], ['C', data.states, data.outputs], ['D', data.inputs, data.outputs]]) {
    const matrix = data[name];
    if (!matrix?.length || !matrix[0]?.length) continue;
    const fold = h('details.fold', {}, h('summary', {}, `Matrix ${name}`, h('span.hint', {}, `${matrix.length} × ${matrix[0].length}`)));
    fold.addEventListener('toggle', () => {
      if (fold.open && fold.children.length === 1) fold.append(sortableTable({caption: `Matrix ${name}`, columns: [{name: name === 'A' || name === 'B' ? 'd/dt' : 'output', label: name === 'A' || name === 'B' ? 'd/dt' : 'output'}, ...heads], rows: matrix.map((r, i) => [sides[i], ...r]), cell: (v) => (typeof v === 'number' ? (v === 0 ? h('span.zero', {}, '0') : formatNumber(v, 4)) : h('b', {}, v))}));
    });
    out.append(fold);
  }
  out.append(...folds(app, data, id));
  return out;
}

/** Comparison of linear model and run, tables, the model file. @param {App} app @param {any} data @param {string} id */
function folds(app, data, id) {
  const out = [];
  if (data.simulate?.channels?.length) out.push(besideRun(app, data, id));
  for (const table of data.tables ?? []) {
    const fold = h('details.fold', {}, h('summary', {}, table.title ?? 'Table', h('span.hint', {}, `${table.rows.length} rows`)));
    fold.addEventListener('toggle', () => { if (fold.open && fold.children.length === 1) fold.append(shownTable(app, table)); });
    out.push(fold);
  }
  if (data.model) out.push(h('details.fold', {}, h('summary', {}, 'Model file'), h('pre.code', {tabindex: 0, 'aria-label': 'Model file'}, h('code', {}, data.model))));
  return out;
}

/** Channels of the machine and of the linear model from the same state. @param {App} app @param {any} data @param {string} id */
function besideRun(app, data, id) {
  const {time, channels} = data.simulate;
  const names = channels.map((c) => c.name).filter((n) => channels.some((c) => c.name === `${n}.linear`));
  const host = h('.redrawn');
  const values = (name) => channels.find((c) => c.name === name).values;
  const choice = h('select', {'aria-label': 'Channel to compare with the linear model', onchange: () => draw()}, names.map((n) => h('option', {value: n}, n)));
  const draw = () => {
    const name = choice.value;
    const shown = app.units.of(data.units?.outputs?.[(data.outputs ?? []).indexOf(name)] ?? '');
    const curves = [[name, 'machine', []], [`${name}.linear`, 'linear model', [7, 4]]].map(([channel, label, dash], i) => ({
      name: label, x: time, y: Float64Array.from(values(channel), (v) => v * shown.factor), color: app.theme.curve(i), dash}));
    const label = `${name}${shown.unit ? ` [${shown.unit}]` : ''}`;
    host.replaceChildren(h('.panel', {role: 'group', 'aria-label': `${name} of machine and linear model`}, h('header.panel-head', {}, choice, curveLegend(curves)),
      xyChart({label: `${label} over time`, xLabel: 'time [s]', yLabel: label, height: 320, curves}).element));
  };
  app.on('units', draw);
  draw();
  return h('.beside', {id: `${id}-beside`}, h('h3', {}, 'Comparison with the run'), host);
}

const curveLegend = (curves) => h('ul.legend', {}, curves.map((c) => h('li.legend-item', {}, h('span.legend-name', {}, swatch(/** @type {any} */ ({...c, dash: c.dash ?? []})), h('span', {}, c.name)))));

/** A table whose columns use the selected units. @param {App} app @param {any} table */
function shownTable(app, table) {
  const host = h('div');
  const draw = () => {
    const shown = table.columns.map((c) => (c.unit ? app.units.of(c.unit) : null));
    host.replaceChildren(sortableTable({
      caption: table.title ?? 'Table',
      columns: table.columns.map((c, i) => (shown[i] ? {...c, unit: shown[i].unit} : c)),
      rows: table.rows.map((row) => row.map((v, i) => (shown[i] && typeof v === 'number' ? v * shown[i].factor : v))),
      cell: (value, _, c) => cellText(['unit', 'units'].includes(table.columns[c].name ?? table.columns[c]) && value ? pretty(value) : value),
    }));
  };
  if (table.columns.some((c) => c.unit)) app.on('units', draw);
  draw();
  return host;
}

/** Parameter range of the branches. @param {any} locus */
function locusNote(locus) {
  const values = [...new Set(locus.points.map((p) => p.value))];
  return h('p.note', {}, `Curves: eigenvalues as ${locus.parameter} goes from ${values[0]} to ${values.at(-1)}${locus.unit ? ` ${locus.unit}` : ''} (${values.length} values).`);
}

/** Branches of a root locus as curves. @param {any} locus */
function locusCurves(locus) {
  if (!locus?.points?.length) return [];
  const branches = [...new Set(locus.points.map((p) => p.branch))];
  return branches.map((b) => {
    const own = locus.points.filter((p) => p.branch === b);
    return {name: `branch ${b}`, x: own.map((p) => p.re), y: own.map((p) => p.im), color: '--curve-0', marks: true,
      texts: own.map((p) => `${locus.parameter} = ${p.value}: ${formatNumber(p.re)} ${p.im ? `${p.im < 0 ? '−' : '+'} ${formatNumber(Math.abs(p.im))} i` : ''} 1/s`)};
  });
}

/** Studies, actuator curves, and other sections with tables and figures. @param {App} app @param {any} data @param {string} id */
export function studySection(app, data, id) {
  const out = section(id, data.title ?? data.name ?? (data.kind === 'curve' ? 'Force over velocity' : 'Study'));
  if (data.message) out.append(h('p', {}, data.message));
  /** @type {Map<string, any[]>} */
  const panels = new Map();
  for (const curve of data.curves ?? []) {
    const key = curve.panel ?? `${curve.x_label}|${curve.y_label}`;
    panels.set(key, [...(panels.get(key) ?? []), curve]);
  }
  const tables = () => {
    for (const table of data.tables ?? []) {
      if (table.title) out.append(h('h3', {}, table.title));
      out.append(shownTable(app, table));
    }
  };
  if (data.kind !== 'curve') tables(); // for a curve they are its points
  for (const curves of panels.values()) {
    const host = h('.redrawn');
    const draw = () => host.replaceChildren(curvePanel(app, curves, data.kind === 'curve'));
    app.on('units', draw);
    draw();
    out.append(host);
  }
  if (data.kind === 'curve') tables();
  if (data.figures?.length) out.append(pictures(data.figures));
  return out;
}

/** Pictures with their titles. @param {{name: string, title?: string, svg: string}[]} figures */
function pictures(figures) {
  return h('.figures', {}, figures.map((figure) => h('figure', {},
    // As an image, not inline: it can neither run scripts nor change styles.
    h('img', {src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(figure.svg)}`, alt: figure.title ?? figure.name}),
    h('figcaption', {}, figure.title ?? figure.name))));
}

/** Curves over one pair of axes, in the selected units if the axis labels contain units. @param {App} app @param {any[]} curves @param {boolean} zeroLines */
function curvePanel(app, curves, zeroLines) {
  const axis = (label) => {
    const [, name, unit] = /^(.*) \[(.*)\]$/.exec(label ?? '') ?? [];
    if (!unit) return {label: label ?? '', factor: 1};
    const shown = app.units.of(unit);
    return {label: `${name} [${shown.unit}]`, factor: shown.factor};
  };
  const [x, y] = [axis(curves[0].x_label), axis(curves[0].y_label)];
  const scaled = (values, factor) => (factor === 1 ? values : Float64Array.from(values, (v) => v * factor));
  const drawn = curves.map((c, i) => ({name: c.name, x: scaled(c.x, x.factor), y: scaled(c.y, y.factor), style: c.style, color: app.theme.curve(i), dash: app.theme.dash(Math.floor(i / 6))}));
  const chart = xyChart({label: `${y.label} over ${x.label}`, xLabel: x.label, yLabel: y.label, height: 380, curves: drawn, zeroLines});
  return h('.panel', {role: 'group', 'aria-label': curves[0].panel ?? 'Curves'}, h('header.panel-head', {}, curves[0].panel ? h('h3', {}, curves[0].panel) : null, curveLegend(drawn)), chart.element);
}
