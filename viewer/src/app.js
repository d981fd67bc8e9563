// The page: reads the data, lays out the sections, and connects animation, plots and keys.
// SPDX-License-Identifier: BSD-3-Clause
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {announce, h, icon, iconButton, reducedMotion} from './dom.js';
import {makeRun, readReport} from './data.js';
import {Panels} from './panels.js';
import {Player, speeds} from './player.js';
import {poseAt} from './pose.js';
import {View} from './scene.js';
import {banners, compareSection, energySection, linearizeSection, modelSection, runName, section, solverSection, studySection, summarySection} from './sections.js';
import {remember, remembered, Theme} from './theme.js';
import {quantities, systems, Units, decimalsOf, formatNumber} from './units.js';

export class App {
  /** @param {any} report */
  constructor(report) {
    this.report = report;
    /** @type {import('./data.js').Run[]} */
    this.runs = report.sections.filter((s) => s.kind === 'run').map(makeRun);
    this.others = report.sections.filter((s) => s.kind !== 'run');
    this.theme = new Theme();
    this.units = new Units();
    this.units.useSystem(remembered('units') in systems ? /** @type {string} */ (remembered('units')) : 'workshop');
    const histories = this.others.map((s) => s.history?.time).filter(Boolean);
    this.player = new Player(this.runs.length ? this.runs.map((r) => r.time) : histories);
    /** @type {Record<'units'|'runs', (() => void)[]>} */
    this.listeners = {units: [], runs: []};
    /** @type {(() => void)[]} */
    this.later = [];
  }
  /** @param {'units'|'runs'} event @param {() => void} listener */
  on(event, listener) {
    this.listeners[event].push(listener);
  }
  tell(event) {
    for (const listener of this.listeners[event]) listener();
  }
  /** Plots need their width; those further down are drawn later. @param {() => void} draw */
  whenLaidOut(draw) {
    this.later.push(draw);
  }
  /** The first visible run: solid in the animation. */
  mainRun() {
    return this.runs.find((r) => r.visible) ?? this.runs[0];
  }
  /** @param {import('./data.js').Run} run @param {boolean} visible */
  showRun(run, visible) {
    run.visible = visible;
    this.panels?.draw();
    this.view?.rebuild();
    this.tell('runs');
  }
  unitsChanged() {
    remember('units', this.units.system);
    this.panels?.draw();
    this.view?.unitsChanged();
    this.tell('units');
  }
  showWorkbench() {
    document.getElementById('machine')?.scrollIntoView({block: 'start', behavior: reducedMotion() ? 'auto' : 'smooth'});
  }

  build() {
    const {report} = this;
    document.title = `${report.title || this.runs[0]?.name || 'Report'} · Trunnion`;
    /** @type {{id: string, title: string, element: HTMLElement}[]} */
    const blocks = [];
    let runsPlaced = false;
    const counts = {};
    const kinds = {
      compare: ['Comparison', compareSection],
      linearize: ['Linear model', linearizeSection],
      study: ['Study', studySection],
      curve: ['Curve', studySection],
    };
    for (const data of report.sections) {
      const number = (counts[data.kind] = (counts[data.kind] ?? 0) + 1);
      const id = number > 1 ? `${data.kind}-${number}` : data.kind;
      if (data.kind === 'run') {
        if (!runsPlaced) blocks.push(...this.runBlocks());
        runsPlaced = true;
        continue;
      }
      const [title, build] = kinds[data.kind] ?? [data.kind, () => section(id, data.kind, h('p.note', {}, `This viewer does not support sections of kind "${data.kind}".`))];
      const own = data.kind !== 'linearize' ? title : !data.eigenvalues ? 'Linear models' : data.time ? `At ${formatNumber(data.time)} s` : title;
      blocks.push(this.block(id, own, () => build(this, data, id)));
    }
    const main = h('main', {id: 'content', tabindex: -1}, banners(this, this.others), blocks.map((b) => b.element));
    document.body.replaceChildren(
      h('a.skip', {href: '#content'}, 'Skip to content'), this.header(blocks), main,
      h('footer.page-foot', {}, [report.program, report.created ? new Date(report.created).toLocaleString() : null, 'press ? for keyboard shortcuts'].filter(Boolean).join(' · ')),
      h('.announcer', {id: 'announcer', role: 'status', 'aria-live': 'polite'}));
    if (this.panels) {
      const run = this.runs[0];
      const defaults = run.defaults.map((names) => names.filter((n) => this.runs.some((r) => r.channels.has(n)))).filter((names) => names.length);
      for (const names of defaults.length ? defaults : [[...run.channels.keys()].slice(0, 3)]) this.panels.add(names);
    }
    this.keys();
    // Content below the first screen is drawn when the browser is idle, so that the page opens sooner.
    const idle = window.requestIdleCallback ?? ((run) => setTimeout(run, 30));
    const next = () => {
      this.later.shift()?.();
      if (this.later.length) idle(next, {timeout: 200});
    };
    requestAnimationFrame(() => idle(next, {timeout: 200}));
  }

  runBlocks() {
    this.view = new View(this);
    this.panels = new Panels(this);
    const animated = this.runs.some((r) => r.scene);
    const workbench = h('section.block.workbench', {id: 'machine', 'aria-label': 'Animation and plots', class: `block workbench${animated ? '' : ' flat'}`},
      h('.bench-left', {}, this.runs.length > 1 ? this.runSwitches() : null, this.view.element, this.transport()), this.panels.element);
    return [
      {id: 'machine', title: 'Machine', element: workbench},
      this.block('summary', 'Summary', () => summarySection(this)),
      this.block('energy', 'Energy', () => energySection(this)),
      this.block('solver', 'Solver', () => solverSection(this)),
      this.block('model', 'Model file', () => modelSection(this)),
    ].filter((b) => b.element);
  }
  /** A section that cannot be drawn shows its error; the others are unaffected. @param {string} id @param {string} title @param {() => any} build */
  block(id, title, build) {
    try {
      return {id, title, element: build()};
    } catch (error) {
      console.error(error);
      return {id, title, element: section(id, title, h('.banner.bad', {role: 'alert'}, `This section cannot be shown: ${error instanceof Error ? error.message : error}`))};
    }
  }

  runSwitches() {
    return h('.run-switches', {role: 'group', 'aria-label': 'Runs'}, this.runs.map((run) => {
      const box = h('input', {type: 'checkbox', checked: run.visible, onchange: () => this.showRun(run, box.checked)});
      this.on('runs', () => { box.checked = run.visible; });
      return h('label.run-switch', {title: run.directory || run.name}, box, runName(this, run), run.status === 'failed' ? h('span.tone.bad', {}, 'failed') : null);
    }));
  }

  transport() {
    const {player} = this;
    const decimals = decimalsOf(player.instants.length > 1 ? (player.end - player.start) / (player.instants.length - 1) : 0.01);
    const play = iconButton('play', 'Play (Space)', () => player.toggle());
    play.classList.add('play');
    const loop = iconButton('loop', 'Repeat (L)', () => player.setOption('loop', !player.loop), {'aria-pressed': 'false'});
    const speed = h('select', {'aria-label': 'Speed', title: 'Speed ([ and ])', onchange: () => player.setSpeed(Number(speed.value))}, speeds.map((s) => h('option', {value: String(s)}, `${s} ×`)));
    const scrub = h('input.scrub', {
      type: 'range', min: String(player.start), max: String(player.end), step: 'any', 'aria-label': 'Time',
      oninput: () => { player.pause(); player.setTime(Number(scrub.value), scrub); },
      // The slider's own keys move by fractions of the range; those of the page move by instants.
      onkeydown: (event) => { if (this.key(event)) event.stopPropagation(); },
    });
    const clock = h('output.clock', {'aria-label': 'Time'});
    const followBox = h('input', {type: 'checkbox', checked: player.follow, onchange: () => player.setOption('follow', followBox.checked)});
    const showTime = (source) => {
      const text = player.time.toFixed(decimals);
      if (source !== scrub) scrub.value = String(player.time);
      scrub.style.setProperty('--done', `${(100 * (player.time - player.start)) / (player.end - player.start || 1)}%`);
      scrub.setAttribute('aria-valuetext', `${text} seconds`);
      clock.textContent = `${text} s`;
    };
    const showState = () => {
      play.replaceChildren(icon(player.playing ? 'pause' : 'play'));
      play.setAttribute('aria-label', player.playing ? 'Pause (Space)' : 'Play (Space)');
      play.title = play.getAttribute('aria-label');
      loop.setAttribute('aria-pressed', String(player.loop));
      speed.value = String(player.speed);
      followBox.checked = player.follow;
    };
    player.on('time', showTime);
    player.on('state', showState);
    showTime();
    showState();
    return h('.transport', {role: 'group', 'aria-label': 'Time'},
      h('.transport-row', {}, iconButton('start', 'Go to start (Home)', () => { player.pause(); player.setTime(player.start); }), iconButton('back', 'Back one instant (←)', () => player.step(-1)), play,
        iconButton('forward', 'Forward one instant (→)', () => player.step(1)), loop, speed, clock, h('span.clock-end', {}, `of ${formatNumber(player.end, 6)} s`),
        h('label.menu-check.follow-pointer', {title: 'Hovering over a plot sets the time'}, followBox, h('span', {}, 'Time follows pointer'))),
      scrub);
  }

  /** @param {{id: string, title: string}[]} blocks */
  header(blocks) {
    const {report, theme, units} = this;
    const links = blocks.map((b) => h('a.nav-link', {href: `#${b.id}`}, b.title));
    const system = h('select', {id: 'unit-system', 'aria-label': 'Units', title: 'Units', onchange: () => { units.useSystem(system.value); this.unitsChanged(); }},
      Object.entries(systems).map(([key, s]) => h('option', {value: key}, s.label)), h('option', {value: 'own', disabled: true, hidden: true}, 'custom'));
    this.on('units', () => { system.value = units.system; });
    system.value = units.system;
    const themeButton = iconButton(theme.dark ? 'sun' : 'moon', 'Light or dark theme (T)', () => theme.toggle());
    theme.on(() => themeButton.replaceChildren(icon(theme.dark ? 'sun' : 'moon')));
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) links.find((l) => l.hash === `#${entry.target.id}`)?.classList.toggle('here', entry.isIntersecting);
    }, {rootMargin: '-30% 0px -60% 0px'});
    requestAnimationFrame(() => blocks.forEach((b) => { const e = document.getElementById(b.id); if (e) observer.observe(e); }));
    return h('header.page-head', {}, h('.page-title', {}, h('h1', {}, report.title || this.runs[0]?.label || 'Report')),
      h('nav', {'aria-label': 'Sections'}, links),
      h('.page-tools', {}, system, iconButton('ruler', 'Units (U)', () => this.unitDialog()), themeButton, iconButton('help', 'Help and keyboard shortcuts (?)', () => this.help())));
  }

  /** @param {string} title @param {any[]} children @param {string} [kind] */
  dialog(title, children, kind = '') {
    const before = /** @type {HTMLElement|null} */ (document.activeElement);
    const dialog = h(`dialog.dialog${kind && `.${kind}`}`, {'aria-label': title, onclose: () => { dialog.remove(); before?.focus?.(); }, onclick: (event) => event.target === dialog && dialog.close()},
      h('header.dialog-head', {}, h('h2', {}, title), iconButton('close', 'Close', () => dialog.close())), h('.dialog-body', {tabindex: 0}, children));
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }
  unitDialog() {
    const {units} = this;
    const present = new Set(this.runs.flatMap((r) => [...r.channels.values()].map((c) => c.unit)));
    const list = quantities.filter((q) => present.has(q.si) || !present.size);
    this.dialog('Units', [h('.unit-grid', {}, list.map((q) => {
      const id = `unit-${q.si.replace(/\W/g, '_')}`;
      const select = h('select', {id, onchange: () => { units.use(q.si, select.value); this.unitsChanged(); }}, q.choices.map((c) => h('option', {value: c.unit}, c.unit)));
      select.value = units.of(q.si).unit;
      return [h('label', {for: id}, q.name), select];
    })), h('p.note', {}, 'The model file and CSV files written by the program are in SI; CSV files saved here use the units shown.')]);
  }
  help() {
    const keys = [
      ['Space', 'play, pause'], ['← →', 'one instant back, forward'], [', .', 'ten instants back, forward'], ['Home End', 'start, end'], ['[ ]', 'slower, faster'], ['L', 'repeat'],
      ['+ −', 'zoom the time axis about the current time'], ['0', 'show the full time range'], ['F', 'fit the machine into the view'], ['1 2 3 4 5', 'views as in the toolbar'],
      ['T', 'light or dark theme'], ['U', 'units'], ['?', 'this help'],
    ];
    this.dialog('Help', [
      h('h3', {}, 'Keys'), h('dl.keys', {}, keys.map(([k, text]) => [h('dt', {}, k.split(' ').map((one) => h('kbd', {}, one))), h('dd', {}, text)])),
      h('h3', {}, 'Animation'), h('p', {}, 'Drag to orbit, right-drag or two fingers to pan, wheel to zoom at the pointer. With the view focused: Shift and arrows orbit, + and − zoom. Cylinder barrels show chamber A from the base to the piston and chamber B from there to the rod; motor drums show one port on each half.'),
      h('h3', {}, 'Plots'), h('p', {}, 'Hovering sets the time in all views. Drag to zoom the time axis, double-click to reset. Click a name to hide its curve.'),
      this.runs.length > 1 ? h('p', {}, 'Several runs: the first visible run is solid, the others are transparent in the colour of their curves; dashes distinguish channels.') : null,
      h('h3', {}, 'About'), h('p.note', {}, `${this.report.program ?? 'Trunnion'}. Drawn with three.js and uPlot (MIT licence). This page is self-contained and makes no network requests.`),
    ], 'help');
  }

  /** The keys of the whole page. @param {KeyboardEvent} event @returns {boolean} whether it was handled */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const {player, view} = this;
    const views = view?.presetButtons ? [...view.presetButtons.keys()] : [];
    /** @type {Record<string, () => void>} */
    const actions = {
      ' ': () => player.toggle(),
      'ArrowLeft': () => player.step(-1), 'ArrowRight': () => player.step(1), ',': () => player.step(-10), '.': () => player.step(10),
      'Home': () => { player.pause(); player.setTime(player.start); }, 'End': () => { player.pause(); player.setTime(player.end); },
      '[': () => player.changeSpeed(-1), ']': () => player.changeSpeed(1),
      'l': () => player.setOption('loop', !player.loop), '+': () => player.zoomBy(0.5), '=': () => player.zoomBy(0.5), '-': () => player.zoomBy(2), '0': () => player.resetZoom(),
      'f': () => view?.renderer && view.fit(), 't': () => this.theme.toggle(), 'u': () => this.unitDialog(), '?': () => this.help(),
    };
    views.forEach((name, i) => { actions[String(i + 1)] = () => view?.preset(name); });
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const timeKeys = [' ', 'ArrowLeft', 'ArrowRight', ',', '.', 'Home', 'End', '[', ']', 'l'];
    if (!action || (!player.instants.length && timeKeys.includes(event.key))) return false;
    action();
    event.preventDefault();
    if (event.key === '[' || event.key === ']') announce(`Speed ${player.speed} ×`);
    return true;
  }
  keys() {
    document.addEventListener('keydown', (event) => {
      const target = /** @type {HTMLElement} */ (event.target);
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      if (target.closest('input:not([type=checkbox]), select, textarea')) return;
      if (event.key === ' ' && target.closest('button, a, summary, input, label')) return; // they handle it themselves
      if (/^(Arrow|Home|End)/.test(event.key) && target.closest('.table-scroll, pre')) return; // they scroll
      this.key(event);
    });
  }

  /** Interface for tests. */
  state() {
    const app = this;
    return Object.freeze({
      get time() { return app.player.time; },
      get start() { return app.player.start; },
      get end() { return app.player.end; },
      get playing() { return app.player.playing; },
      get speed() { return app.player.speed; },
      get loop() { return app.player.loop; },
      get range() { return [...app.player.range]; },
      get webgl() { return Boolean(app.view?.renderer); },
      get dark() { return app.theme.dark; },
      get units() { return {...app.units.chosen}; },
      get runs() { return app.runs.map((r) => ({name: r.name, visible: r.visible, channels: [...r.channels.keys()], instants: r.time.length, bodies: (r.scene?.bodies ?? []).map((b) => b.name)})); },
      get panels() { return (app.panels?.list ?? []).map((p) => ({channels: [...p.channels], cursor: p.plot.cursorTime(), axes: p.plot.picture?.axes.map((a) => a.unit) ?? []})); },
      /** @param {string} body @param {string} [run] */
      pose(body, run) {
        const r = run ? app.runs.find((one) => one.name === run) : app.mainRun();
        const found = r?.scene?.bodies.find((b) => b.name === body);
        return r && found ? poseAt(r.time, found.pose, app.player.time) : null;
      },
      /** @param {number} panel */
      csv: (panel) => app.panels?.list[panel]?.plot.csv() ?? '',
      ready: true,
      openedAfter: performance.now(), // milliseconds since the navigation began
    });
  }
}

async function open() {
  const progress = h('p.opening', {role: 'status'}, 'Reading …');
  document.body.append(progress);
  try {
    performance.mark('script');
    const report = await readReport(document, async (text) => { progress.textContent = text; });
    performance.mark('data');
    const app = new App(report);
    app.build();
    performance.mark('built');
    requestAnimationFrame(() => requestAnimationFrame(() => Object.defineProperty(window, 'trunnion', {value: app.state()})));
  } catch (error) {
    console.error(error);
    document.body.replaceChildren(h('main.failure', {role: 'alert'}, h('h1', {}, 'This report cannot be shown'), h('p', {}, String(error instanceof Error ? error.message : error))));
  }
}
open();
