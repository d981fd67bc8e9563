// The plot panels next to the animation, and the dialog to choose their channels.
// SPDX-License-Identifier: BSD-3-Clause
import {h, icon, iconButton, announce} from './dom.js';
import {align} from './data.js';
import {axesOf, matches, seriesOf} from './panel.js';
import {TimePlot} from './timeplot.js';

/** @typedef {import('./app.js').App} App */

/** Input of TimePlot for some channels. @param {string[]} channels @param {App} app @param {Set<string>} [hidden] */
export function pictureOf(channels, app, hidden = new Set()) {
  const series = seriesOf(channels, app.runs, app.units);
  const axes = axesOf(series);
  const several = app.runs.length > 1;
  const [x, ...columns] = align(series.map((s) => ({time: s.run.time, values: Float64Array.from(s.values, (v) => v * s.factor)})));
  return {
    title: channels.join(', '),
    x,
    columns,
    axes: axes.map((unit) => ({unit})),
    lines: series.map((s) => ({
      label: s.channel, run: several ? s.run.label : undefined, key: s.channel, unit: s.unit, color: app.theme.curve(s.color),
      dash: several ? app.theme.dash(s.dash) : app.theme.dash(Math.floor(s.color / 6)), axis: axes.indexOf(s.unit), time: s.run.time, values: s.values, factor: s.factor,
      hidden: hidden.has(`${s.channel} ${s.run.name}`), width: several && s.run !== app.mainRun() ? 1.4 : 1.75,
    })),
  };
}

/** One panel. */
class Panel {
  /** @param {App} app @param {Panels} panels @param {string[]} channels */
  constructor(app, panels, channels) {
    this.app = app;
    this.panels = panels;
    this.channels = channels;
    /** @type {Set<string>} */
    this.hidden = new Set();
    this.legend = h('ul.legend', {'aria-label': 'Curves'});
    this.body = h('.panel-body');
    this.empty = h('p.empty', {}, 'No channel selected. ', h('button.link', {type: 'button', onclick: () => this.choose()}, 'Choose channels'));
    this.element = h('section.panel', {role: 'group'},
      h('header.panel-head', {}, this.legend,
        h('.panel-tools', {},
          iconButton('list', 'Choose channels', () => this.choose()),
          iconButton('image', 'Save as PNG', () => this.plot.savePng(this.name())),
          iconButton('table', 'Save as CSV', () => this.plot.saveCsv(this.name())),
          iconButton('close', 'Remove panel', () => panels.remove(this)))),
      this.empty, this.body);
    this.plot = new TimePlot(this.body, app, {
      height: 190,
      legend: this.legend,
      rightAxes: () => panels.rightAxes,
      onhide: (line) => {
        const key = `${line.label} ${app.runs.find((r) => r.label === line.run)?.name ?? app.runs[0].name}`;
        if (line.hidden) this.hidden.add(key);
        else this.hidden.delete(key);
      },
      onremove: (line) => this.set(this.channels.filter((c) => c !== line.key)),
    });
  }
  name() {
    return `${this.app.runs[0]?.name ?? 'run'}_${this.channels.slice(0, 3).join('_')}`;
  }
  choose() {
    new Chooser(this.app).open(this);
  }
  /** @param {string[]} channels */
  set(channels) {
    this.channels = channels;
    this.draw();
    this.panels.realign();
  }
  draw() {
    const picture = pictureOf(this.channels, this.app, this.hidden);
    this.axes = picture.axes.length;
    this.empty.hidden = picture.lines.length > 0;
    this.body.hidden = picture.lines.length === 0;
    this.element.setAttribute('aria-label', picture.lines.length ? `Plot of ${picture.title} over time` : 'Empty plot');
    if (picture.lines.length) this.plot.show(picture);
    else this.legend.replaceChildren();
  }
}

export class Panels {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.rightAxes = 0;
    /** @type {Panel[]} */
    this.list = [];
    this.host = h('.panel-list');
    this.element = h('.panels', {}, this.host,
      h('button.add-panel', {type: 'button', onclick: () => this.add([]).choose()}, icon('plus'), 'Add panel'));
  }
  /** @param {string[]} channels */
  add(channels) {
    const panel = new Panel(this.app, this, channels);
    this.list.push(panel);
    this.host.append(panel.element);
    panel.draw();
    this.realign();
    return panel;
  }
  /** @param {Panel} panel */
  remove(panel) {
    panel.plot.destroy();
    panel.element.remove();
    this.list = this.list.filter((p) => p !== panel);
    this.realign();
    announce('Panel removed');
  }
  draw() {
    this.rightAxes = 0;
    for (const panel of this.list) panel.draw();
    this.realign();
  }
  realign() {
    const most = Math.max(0, ...this.list.map((p) => (p.axes ?? 1) - 1));
    if (most === this.rightAxes) return;
    this.rightAxes = most;
    for (const panel of this.list) panel.plot.realign();
  }
}

/** The dialog with all channels in groups. Keys while the search field has the focus: arrows, Enter, Escape. */
class Chooser {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
  }
  /** @param {Panel} panel */
  open(panel) {
    const {app} = this;
    this.panel = panel;
    /** @type {Map<string, import('./data.js').Channel>} */
    const all = new Map();
    for (const run of app.runs) for (const [name, channel] of run.channels) if (!all.has(name)) all.set(name, channel);
    /** @type {Map<string, import('./data.js').Channel[]>} */
    const groups = new Map();
    for (const channel of all.values()) groups.set(channel.group, [...(groups.get(channel.group) ?? []), channel]);

    this.options = [];
    this.list = h('.chooser-list', {role: 'listbox', id: 'chooser-list', 'aria-multiselectable': 'true', 'aria-label': 'Channels'});
    let number = 0;
    this.groups = [...groups].map(([group, channels]) => {
      const id = `chooser-group-${number}`;
      const items = channels.map((channel) => {
        const option = h('.chooser-option', {
          role: 'option', id: `chooser-option-${number++}`, 'aria-selected': String(panel.channels.includes(channel.name)),
          onclick: () => { this.toggle(entry); this.activate(entry, false); this.search.focus(); },
        }, h('span.check', {'aria-hidden': 'true'}), h('span.chooser-name', {}, channel.name), h('span.chooser-description', {}, channel.description), h('span.chooser-unit', {}, app.units.of(channel.unit).unit));
        const entry = {channel, option, text: `${channel.name} ${channel.description} ${channel.unit} ${group}`};
        this.options.push(entry);
        return entry;
      });
      const element = h('.chooser-group', {role: 'group', 'aria-labelledby': id}, h('.chooser-title', {id}, group), items.map((i) => i.option));
      this.list.append(element);
      return {element, items};
    });
    this.nothing = h('p.empty', {hidden: true}, 'No channel matches.');
    this.count = h('span.chooser-count', {role: 'status'});
    this.search = h('input.chooser-search', {
      type: 'search', placeholder: 'Search: name, description, unit …', 'aria-label': 'Search channels', autocomplete: 'off', spellcheck: 'false',
      role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'chooser-list',
      oninput: () => this.filter(), onkeydown: (event) => this.key(event),
    });
    this.dialog = h('dialog.dialog.chooser', {'aria-label': 'Choose channels', onclose: () => { this.dialog.remove(); panel.element.querySelector('button')?.focus(); },
      onclick: (event) => event.target === this.dialog && this.dialog.close()},
    h('header.dialog-head', {}, h('h2', {}, 'Channels of this panel'), iconButton('close', 'Close', () => this.dialog.close())),
    this.search, this.nothing, this.list,
    h('footer.dialog-foot', {}, this.count, h('span.hint', {}, '↑ ↓ move · Enter selects · Esc closes'),
      h('button', {type: 'button', onclick: () => this.apply([])}, 'Clear'), h('button.primary', {type: 'button', onclick: () => this.dialog.close()}, 'Done')));
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.search.focus();
    this.filter();
    this.say();
    const first = this.options.find((o) => panel.channels.includes(o.channel.name));
    if (first) this.activate(first);
  }
  shown() {
    return this.options.filter((o) => !o.option.hidden);
  }
  filter() {
    for (const entry of this.options) entry.option.hidden = !matches(entry.text, this.search.value);
    for (const group of this.groups) group.element.hidden = group.items.every((i) => i.option.hidden);
    const shown = this.shown();
    this.nothing.hidden = shown.length > 0;
    this.activate(shown.includes(this.active) ? this.active : shown[0]);
  }
  /** @param {any} entry @param {boolean} [scroll] */
  activate(entry, scroll = true) {
    this.active?.option.classList.remove('active');
    this.active = entry;
    if (!entry) return this.search.removeAttribute('aria-activedescendant');
    entry.option.classList.add('active');
    this.search.setAttribute('aria-activedescendant', entry.option.id);
    if (scroll) entry.option.scrollIntoView({block: 'nearest'});
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    const shown = this.shown();
    const place = shown.indexOf(this.active);
    const to = {ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + 10, PageUp: place - 10}[event.key];
    if (to != null) this.activate(shown[Math.min(shown.length - 1, Math.max(0, to))]);
    else if (event.key === 'Enter' && this.active) this.toggle(this.active);
    else if (event.key === 'Escape') this.dialog.close(); // instead of only clearing the field
    else return;
    event.preventDefault();
  }
  toggle(entry) {
    const {channels} = this.panel;
    const name = entry.channel.name;
    this.apply(channels.includes(name) ? channels.filter((c) => c !== name) : [...channels, name]);
  }
  /** @param {string[]} channels */
  apply(channels) {
    this.panel.set(channels);
    for (const {channel, option} of this.options) option.setAttribute('aria-selected', String(channels.includes(channel.name)));
    this.say();
  }
  say() {
    this.count.textContent = `${this.panel.channels.length} of ${this.options.length} chosen`;
  }
}
