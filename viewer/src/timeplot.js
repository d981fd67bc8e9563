// A plot over time: uPlot with the page's cursor, zoom, units and colours, its legend, and export.
// SPDX-License-Identifier: BSD-3-Clause
import uPlot from 'uplot';
import {h, save, fileName, announce} from './dom.js';
import {bracket, csv, logRangeOf, rangeOf} from './panel.js';
import {valueAt} from './data.js';
import {decades, tickTexts} from './ticks.js';
import {formatNumber, powerOfTen, withUnit} from './units.js';

/**
 * @typedef {{label: string, run?: string, unit: string, color: string, dash: number[], axis: number, time: ArrayLike<number>, values: ArrayLike<number>, factor: number,
 *   hidden?: boolean, silent?: boolean, fill?: string, width?: number, stepped?: boolean, key?: string, area?: boolean}} Line  silent: neither in the legend nor in files; values in SI
 * @typedef {{unit: string, log?: boolean}} Axis
 * @typedef {{title: string, x: number[], columns: any[], lines: Line[], axes: Axis[], bands?: {series: [number, number], fill: string}[]}} Picture
 *   columns: drawn values, in shown units and aligned with x
 * @typedef {{player: import('./player.js').Player, theme: import('./theme.js').Theme}} Context
 */

const leftSize = 74; // a mark such as 8·10⁻¹³ next to the unit
const rightSize = 62;

export class TimePlot {
  /**
   * @param {HTMLElement} host @param {Context} context
   * @param {{height: number, legend?: HTMLElement, onremove?: (line: Line) => void, onhide?: (line: Line) => boolean|void, rightAxes?: () => number}} options
   */
  constructor(host, context, options) {
    this.context = context;
    this.options = options;
    this.canvasHost = h('.plot-canvas');
    this.legend = options.legend ?? h('ul.legend');
    host.append(...(options.legend ? [] : [this.legend]), this.canvasHost);
    /** @type {uPlot|null} */
    this.plot = null;
    /** @type {Picture|null} */
    this.picture = null;
    this.dragging = false;
    this.stops = [
      context.player.on('time', (source) => this.showTime(source)),
      context.player.on('range', () => this.showRange()),
      context.theme.on(() => this.picture && this.plot?.redraw(false, true)),
    ];
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.canvasHost);
  }

  destroy() {
    for (const stop of this.stops) stop();
    this.observer.disconnect();
    this.plot?.destroy();
    this.plot = null;
  }

  width() {
    return Math.max(160, Math.floor(this.canvasHost.clientWidth));
  }
  fit() {
    if (this.plot && this.canvasHost.clientWidth && this.plot.width !== this.width()) {
      this.plot.setSize({width: this.width(), height: this.options.height});
      this.showTime();
    }
  }

  /** @param {Picture} picture */
  show(picture) {
    this.plot?.destroy();
    this.picture = picture;
    const {player, theme} = this.context;
    const key = (axis) => `y${axis}`;
    /** @type {uPlot.Scales} */
    const scales = {x: {time: false, auto: false, min: player.range[0], max: player.range[1]}};
    picture.axes.forEach((axis, i) => {
      scales[key(i)] = axis.log
        ? {distr: 3, range: (_, low, high) => logRangeOf(low, high)}
        : {range: (_, low, high) => rangeOf(low, high)};
    });
    const grid = {stroke: () => theme.color('--grid'), width: 1};
    const common = {font: '12px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif', stroke: () => theme.color('--muted'), grid, ticks: {...grid, size: 5}};
    const narrow = this.width() < 480;
    const plot = new uPlot({
      width: this.width(),
      height: this.options.height,
      pxAlign: 1,
      padding: [8, () => this.rightPadding(), 0, 0],
      legend: {show: false},
      scales,
      series: [
        {},
        ...picture.lines.map((line) => ({
          label: line.label,
          scale: key(line.axis),
          stroke: () => (line.color.startsWith('--') ? theme.color(line.color) : line.color),
          width: line.width ?? 1.75,
          dash: line.dash.length ? line.dash : undefined,
          fill: line.fill,
          show: !line.hidden,
          spanGaps: false,
          points: {show: false},
          paths: line.stepped ? uPlot.paths.stepped?.({align: -1}) : undefined,
        })),
      ],
      bands: picture.bands,
      axes: [
        {...common, size: 30, space: narrow ? 52 : 72, values: (_, splits) => tickTexts(splits).map((t) => `${t} s`)},
        ...picture.axes.map((axis, i) => ({
          ...common,
          scale: key(i),
          side: /** @type {1|3} */ (i === 0 ? 3 : 1),
          size: i === 0 ? leftSize - 18 : rightSize - 18,
          gap: 4,
          space: 26,
          grid: i === 0 ? grid : {show: false},
          label: axis.unit || ' ',
          labelSize: 18,
          labelGap: 0,
          ...(axis.log ? {splits: (_, __, low, high) => decades(low, high), filter: (_, splits) => splits} : {}),
          values: axis.log ? (_, splits) => splits.map((v) => powerOfTen(Math.round(Math.log10(v)))) : (_, splits) => tickTexts(splits),
        })),
      ],
      cursor: {
        y: true,
        points: {size: 7, width: 2, show: true, fill: (u, i) => theme.color('--surface')},
        drag: {x: true, y: false, setScale: false, dist: 6},
        bind: {
          mousemove: (u, _, handler) => (event) => {
            if (!(event.buttons & 1) && (player.playing || !player.follow)) return null;
            handler(event);
            this.canvasHost.classList.add('pointed');
            if (!this.dragging && player.follow) this.hover();
            return null;
          },
          mousedown: (u, _, handler) => (event) => {
            if (event.button !== 0) return null;
            this.dragging = true;
            handler(event);
            return null;
          },
          mouseup: (u, _, handler) => (event) => {
            handler(event);
            this.dragging = false;
            return null;
          },
          mouseleave: () => () => {
            this.canvasHost.classList.remove('pointed');
            this.showTime();
            return null;
          },
          dblclick: () => () => {
            player.resetZoom();
            return null;
          },
        },
      },
      hooks: {
        setSelect: [(u) => {
          if (u.select.width > 6) {
            player.zoom(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
            announce('Zoomed. Double-click to show the full time range.');
          }
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    }, /** @type {any} */ ([picture.x, ...picture.columns]), this.canvasHost);
    this.plot = plot;
    // A click sets the time also if hovering does not, and while playing.
    plot.over.addEventListener('click', (event) => {
      player.setTime(plot.posToVal(event.offsetX, 'x'));
      this.showTime();
    });
    // A finger sets the time; vertical motion scrolls the page (touch-action in the style sheet).
    const touch = (event) => event.pointerType !== 'mouse' && player.setTime(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x'));
    plot.over.addEventListener('pointerdown', touch);
    plot.over.addEventListener('pointermove', touch);
    this.drawLegend();
    this.showTime();
  }

  /** Space for right axes of other panels is kept free, so that equal times are aligned on the page. */
  rightPadding() {
    const own = Math.max(0, (this.picture?.axes.length ?? 0) - 1);
    const most = this.width() < 480 ? own : Math.max(own, this.options.rightAxes?.() ?? 0);
    return most ? 8 + (most - own) * rightSize : 24;
  }
  /** After the axes of other panels changed. */
  realign() {
    this.plot?.redraw(false, true);
    this.showTime();
  }

  hover() {
    const plot = /** @type {uPlot} */ (this.plot);
    if (plot.cursor.left == null || plot.cursor.left < 0) return;
    this.context.player.setTime(plot.posToVal(plot.cursor.left, 'x'), this);
  }

  showRange() {
    const [min, max] = this.context.player.range;
    this.plot?.batch(() => {
      this.plot?.setScale('x', {min, max});
    });
    this.showTime();
  }

  /** @param {any} [source] */
  showTime(source) {
    const plot = this.plot;
    if (!plot || !this.picture) return;
    const t = this.context.player.time;
    if (source !== this && !this.dragging) {
      const [min, max] = this.context.player.range;
      const inside = t >= min && t <= max;
      // Not the time itself but the position of the last pixel, so that the end is inside.
      const left = inside ? Math.min(plot.over.clientWidth - 0.5, plot.valToPos(t, 'x')) : -10;
      plot.setCursor({left, top: inside ? 0 : -10}, false);
    }
    for (const {line, output, greatest} of this.values ?? []) {
      const value = valueAt(/** @type {any} */ (line.time), /** @type {any} */ (line.values), t);
      const text = withUnit(formatNumber(Math.abs(value) < 1e-12 * greatest ? 0 : value * line.factor, 4), line.unit); // no rounding noise
      if (output.textContent !== text) output.textContent = text;
    }
  }

  /** Time at the cursor line as drawn, for the tests. */
  cursorTime() {
    const left = this.plot?.cursor.left;
    return this.plot && left != null && left >= 0 ? this.plot.posToVal(left, 'x') : null;
  }

  drawLegend() {
    const {picture, options} = this;
    this.legend.replaceChildren();
    /** @type {{line: Line, output: HTMLElement, greatest: number}[]} */
    this.values = [];
    const lines = (picture?.lines ?? []).filter((line) => !line.silent);
    // With several runs a channel is one entry: its dash and name once, then the value of each run in the run's colour.
    const entries = lines.some((l) => l.run) ? grouped(lines) : lines.map((l) => [l]);
    for (const entry of entries) {
      const [first] = entry;
      const several = Boolean(first.run);
      const name = h('button.legend-name', {
        type: 'button', 'aria-pressed': String(!first.hidden), title: first.hidden ? 'Show' : 'Hide',
        onclick: () => {
          const hidden = !first.hidden;
          let handled = false;
          for (const line of entry) {
            line.hidden = hidden;
            handled = options.onhide?.(line) === true || handled;
          }
          if (handled) return; // already redrawn
          for (const line of entry) this.plot?.setSeries((picture?.lines.indexOf(line) ?? 0) + 1, {show: !hidden});
          item.classList.toggle('off', hidden);
          name.title = hidden ? 'Show' : 'Hide';
          name.setAttribute('aria-pressed', String(!hidden));
        },
      }, swatch(several ? {...first, color: '--text'} : first), h('span', {}, first.label));
      const values = entry.map((line, i) => {
        const output = h('output.legend-value', line.run ? {title: line.run} : {});
        this.values.push({line: several && i + 1 < entry.length ? {...line, unit: ''} : line, output, greatest: greatestOf(line.values)});
        return several ? h('span.legend-of-run', {}, h('span.run-dot', {style: {background: `var(${line.color})`}, title: line.run}), h('span.visually-hidden', {}, `${line.run}: `), output) : output;
      });
      const remove = options.onremove && h('button.legend-remove', {type: 'button', 'aria-label': `Remove ${first.label}`, title: 'Remove', onclick: () => options.onremove?.(first)}, '×');
      const item = h('li.legend-item', {}, name, several ? [remove, values] : [values, remove]);
      item.classList.toggle('several', several);
      item.classList.toggle('off', Boolean(first.hidden));
      this.legend.append(item);
    }
  }

  /** @param {string} name */
  savePng(name) {
    const {plot, picture} = this;
    if (!plot || !picture) return;
    const source = plot.ctx.canvas;
    const ratio = source.width / plot.width;
    const shown = picture.lines.filter((l) => !l.silent && !l.hidden);
    const canvas = document.createElement('canvas');
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    pen.font = `${13}px system-ui, sans-serif`;
    // The legend in rows above the picture.
    const places = [];
    let x = 12;
    let y = 20;
    for (const line of shown) {
      const text = line.label + (line.run ? ` (${line.run})` : '');
      const width = 34 + pen.measureText(text).width + 16;
      if (x + width > plot.width && x > 12) {
        x = 12;
        y += 20;
      }
      places.push({line, text, x, y});
      x += width;
    }
    const head = y + 12;
    canvas.width = source.width;
    canvas.height = Math.round(source.height + head * ratio);
    pen.scale(ratio, ratio);
    pen.fillStyle = this.context.theme.color('--surface');
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.font = '13px system-ui, sans-serif';
    for (const {line, text, x: left, y: base} of places) {
      pen.strokeStyle = line.color.startsWith('--') ? this.context.theme.color(line.color) : line.color;
      pen.lineWidth = 2.5;
      pen.setLineDash(line.dash);
      pen.beginPath();
      pen.moveTo(left, base - 4);
      pen.lineTo(left + 28, base - 4);
      pen.stroke();
      pen.fillStyle = this.context.theme.color('--text');
      pen.fillText(text, left + 34, base);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(source, 0, Math.round(head * ratio));
    canvas.toBlob((blob) => blob && save(`${fileName(name)}.png`, blob), 'image/png');
  }

  /** @param {string} name */
  saveCsv(name) {
    save(`${fileName(name)}.csv`, new Blob([this.csv()], {type: 'text/csv'}));
  }
  csv() {
    const picture = /** @type {Picture} */ (this.picture);
    const lines = picture.lines.map((line, i) => ({line, column: line.silent ? null : picture.columns[i]})).filter((l) => l.column);
    const title = (line) => `${line.run ? `${line.run}: ` : ''}${line.label}${line.unit ? ` ${bracket(line.unit)}` : ''}`;
    return csv(['time [s]', ...lines.map((l) => title(l.line))], [picture.x, ...lines.map((l) => l.column)]);
  }
}

/** A sample of the curve. @param {Line} line */
export function swatch(line) {
  const color = line.color.startsWith('--') ? `var(${line.color})` : line.color;
  if (line.area) return h('svg.swatch', {viewBox: '0 0 26 10', 'aria-hidden': 'true'}, h('rect', {x: 3, y: 0, width: 20, height: 10, rx: 2, style: {fill: color}}));
  return h('svg.swatch', {viewBox: '0 0 26 10', 'aria-hidden': 'true'},
    h('line', {x1: 0, y1: 5, x2: 26, y2: 5, 'stroke-width': 2.5, 'stroke-dasharray': line.dash.join(' ') || null, style: {stroke: color}}));
}

/** Maximum magnitude of the values. @param {ArrayLike<number>} values */
function greatestOf(values) {
  let greatest = 0;
  for (let i = 0; i < values.length; ++i) if (Math.abs(values[i]) > greatest) greatest = Math.abs(values[i]);
  return greatest;
}

/** Groups lines by channel. @param {Line[]} lines */
function grouped(lines) {
  /** @type {Map<string, Line[]>} */
  const groups = new Map();
  for (const line of lines) groups.set(line.key ?? line.label, [...(groups.get(line.key ?? line.label) ?? []), line]);
  return [...groups.values()];
}
