// An SVG chart of curves and points: force-velocity curves, eigenvalues. Hovering shows the nearest point.
// SPDX-License-Identifier: BSD-3-Clause
import {h} from './dom.js';
import {niceStep} from './pose.js';
import {formatNumber} from './units.js';
import {tickTexts} from './ticks.js';

/** Linear near zero within `c`, logarithmic outside, odd. */
export const symlog = (c) => ({
  to: (v) => Math.sign(v) * Math.log10(1 + Math.abs(v) / c),
  from: (s) => Math.sign(s) * c * (10 ** Math.abs(s) - 1),
});
export const identity = {to: (v) => v, from: (v) => v};

/** Ticks of a symmetric logarithmic axis: zero and powers of ten. @param {number} low @param {number} high @param {number} c */
export function symlogTicks(low, high, c) {
  const out = low <= 0 && high >= 0 ? [0] : [];
  for (let e = Math.ceil(Math.log10(c)); e <= 15; ++e) {
    if (10 ** e <= high && 10 ** e >= low) out.push(10 ** e);
    if (-(10 ** e) >= low && -(10 ** e) <= high) out.push(-(10 ** e));
  }
  return out.sort((a, b) => a - b);
}

/** @param {number} low @param {number} high @param {number} count */
export function linearTicks(low, high, count) {
  const step = niceStep(high - low, count);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) out.push(i * step);
  return out;
}

/**
 * @typedef {{name: string, x: ArrayLike<number>, y: ArrayLike<number>, color: string, dash?: number[], style?: string, marks?: boolean, texts?: string[]}} Curve  marks: a dot at each point; texts: of the points
 * @typedef {{x: number, y: number, text: string, kind?: string, onhover?: (on: boolean) => void}} Point
 */

/**
 * @param {{label: string, xLabel: string, yLabel: string, height: number, curves?: Curve[], points?: Point[], log?: {x: number, y: number}|null, zeroLines?: boolean,
 *   guides?: (scale: {x: (v: number) => number, y: (v: number) => number}, limits: {x: number[], y: number[]}) => any[], shade?: 'left'}} options
 */
export function xyChart(options) {
  const curves = options.curves ?? [];
  const points = options.points ?? [];
  const host = h('.xy', {role: 'group', 'aria-label': options.label});
  const tip = h('.xy-tip', {role: 'status', hidden: true});
  let state = options;
  let zoom = null;

  const candidates = () => [
    ...curves.flatMap((c) => Array.from(c.x, (vx, i) => ({x: vx, y: c.y[i], text: c.texts?.[i] ?? '', curve: c}))).filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y)),
    ...points,
  ];
  const all = candidates();

  function draw() {
    const width = Math.max(260, host.clientWidth || 600);
    const height = state.height;
    const margin = {left: 70, right: 16, top: 12, bottom: 44};
    const [mx, my] = state.log ? [symlog(state.log.x), symlog(state.log.y)] : [identity, identity];
    const extent = (key, map) => {
      let low = Infinity;
      let high = -Infinity;
      for (const p of all) {
        low = Math.min(low, map.to(p[key]));
        high = Math.max(high, map.to(p[key]));
      }
      if (!(high >= low)) [low, high] = [0, 1];
      if (state.zeroLines) [low, high] = [Math.min(0, low), Math.max(0, high)];
      const pad = 0.07 * (high - low) || 0.1 * Math.abs(high) || 1;
      return [low - pad, high + pad];
    };
    const limits = zoom ?? {x: extent('x', mx), y: extent('y', my)};
    const ticks = (map, c, [low, high], count) => state.log ? symlogTicks(map.from(low), map.from(high), c) : linearTicks(low, high, count);
    const labels = (values) => (state.log ? values.map((v) => formatNumber(v, 1).replace('1·10', '10')) : tickTexts(values));
    const ty = ticks(my, state.log?.y, limits.y, 6);
    const ly = labels(ty);
    margin.left = 36 + 7 * Math.max(3, ...ly.map((l) => l.length));
    const inner = {w: width - margin.left - margin.right, h: height - margin.top - margin.bottom};
    const sx = (v) => margin.left + ((mx.to(v) - limits.x[0]) / (limits.x[1] - limits.x[0])) * inner.w;
    const sy = (v) => margin.top + (1 - (my.to(v) - limits.y[0]) / (limits.y[1] - limits.y[0])) * inner.h;
    const tx = ticks(mx, state.log?.x, limits.x, width < 480 ? 4 : 7);
    // Overlapping labels are omitted.
    const sparse = (values, position, gap) => {
      let last = -Infinity;
      const order = values.map((v, i) => i).sort((a, b) => position(values[a]) - position(values[b]));
      const keep = new Set();
      for (const i of order) if (Math.abs(position(values[i]) - last) >= gap) { keep.add(i); last = position(values[i]); }
      return keep;
    };
    const lx = labels(tx);
    const [kx, ky] = [sparse(tx, sx, 46), sparse(ty, sy, 16)];
    const clip = `clip-${(clipNumber += 1)}`;
    const path = (curve) => {
      let d = '';
      let pen = false;
      for (let i = 0; i < curve.x.length; ++i) {
        const good = Number.isFinite(curve.x[i]) && Number.isFinite(curve.y[i]);
        if (good) d += `${pen ? 'L' : 'M'}${sx(curve.x[i]).toFixed(1)} ${sy(curve.y[i]).toFixed(1)}`;
        pen = good;
      }
      return d;
    };
    const svg = h('svg.xy-svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': options.label},
      h('defs', {}, h('clipPath', {id: clip}, h('rect', {x: margin.left, y: margin.top, width: inner.w, height: inner.h}))),
      state.shade === 'left' ? h('rect.xy-shade', {x: Math.max(margin.left, Math.min(margin.left + inner.w, sx(0))), y: margin.top, width: Math.max(0, margin.left + inner.w - Math.max(margin.left, sx(0))), height: inner.h}) : null,
      tx.map((v, i) => h('g', {}, h('line.xy-grid', {x1: sx(v), x2: sx(v), y1: margin.top, y2: margin.top + inner.h}), kx.has(i) ? h('text.xy-tick', {x: sx(v), y: height - 27, 'text-anchor': 'middle'}, lx[i]) : null)),
      ty.map((v, i) => h('g', {}, h('line.xy-grid', {x1: margin.left, x2: margin.left + inner.w, y1: sy(v), y2: sy(v)}), ky.has(i) ? h('text.xy-tick', {x: margin.left - 8, y: sy(v) + 4, 'text-anchor': 'end'}, ly[i]) : null)),
      h('g', {'clip-path': `url(#${clip})`},
        state.guides?.({x: sx, y: sy}, {x: limits.x.map(mx.from), y: limits.y.map(my.from)}) ?? [],
        state.zeroLines ? [h('line.xy-zero', {x1: sx(0), x2: sx(0), y1: margin.top, y2: margin.top + inner.h}), h('line.xy-zero', {x1: margin.left, x2: margin.left + inner.w, y1: sy(0), y2: sy(0)})] : null,
        curves.map((c) => (c.style === 'points'
          ? h('g', {}, Array.from(c.x, (vx, i) => h('circle', {cx: sx(vx), cy: sy(c.y[i]), r: 2.6, style: {fill: `var(${c.color})`}})))
          : [h('path.xy-curve', {d: path(c), 'stroke-dasharray': c.dash?.join(' ') || null, style: {stroke: `var(${c.color})`}}),
            c.marks ? Array.from(c.x, (vx, i) => h('circle', {cx: sx(vx), cy: sy(c.y[i]), r: 2.6, style: {fill: `var(${c.color})`}})) : null])),
        points.map((p) => h('g', {class: `xy-point ${p.kind ?? ''}`, transform: `translate(${sx(p.x)} ${sy(p.y)})`}, h('path', {d: 'M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5'})))),
      h('rect.xy-frame', {x: margin.left, y: margin.top, width: inner.w, height: inner.h}),
      h('text.xy-label', {x: margin.left + inner.w / 2, y: height - 7, 'text-anchor': 'middle'}, options.xLabel),
      h('text.xy-label', {x: 0, y: 0, 'text-anchor': 'middle', transform: `translate(15 ${margin.top + inner.h / 2}) rotate(-90)`}, options.yLabel));
    const mark = h('circle.xy-mark', {r: 5.5, visibility: 'hidden'});
    const select = h('rect.xy-select', {y: margin.top, height: inner.h, visibility: 'hidden'});
    svg.append(mark, select);
    let hovered = null;
    let down = null;
    const spot = (event) => {
      const box = svg.getBoundingClientRect();
      return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
    };
    const leave = () => {
      mark.setAttribute('visibility', 'hidden');
      tip.hidden = true;
      hovered?.onhover?.(false);
      hovered = null;
    };
    svg.addEventListener('pointermove', (event) => {
      const [px, py] = spot(event);
      if (down) {
        select.setAttribute('x', String(Math.min(px, down[0])));
        select.setAttribute('width', String(Math.abs(px - down[0])));
        select.setAttribute('y', String(Math.min(py, down[1])));
        select.setAttribute('height', String(Math.abs(py - down[1])));
        if (Math.hypot(px - down[0], py - down[1]) > 6) select.setAttribute('visibility', 'visible');
      }
      let best = null;
      let least = 60 ** 2;
      for (const p of all) {
        const d = (sx(p.x) - px) ** 2 + (sy(p.y) - py) ** 2;
        if (d < least) [best, least] = [p, d];
      }
      if (!best) return leave();
      if (best !== hovered) {
        hovered?.onhover?.(false);
        best.onhover?.(true);
        hovered = best;
      }
      mark.setAttribute('cx', String(sx(best.x)));
      mark.setAttribute('cy', String(sy(best.y)));
      mark.setAttribute('visibility', 'visible');
      tip.hidden = false;
      tip.textContent = best.text || `${best.curve.name}: ${formatNumber(best.x)}, ${formatNumber(best.y)}`;
      const scale = svg.getBoundingClientRect().width / width;
      tip.style.left = `${Math.min(sx(best.x) * scale + 12, host.clientWidth - tip.offsetWidth - 4)}px`;
      tip.style.top = `${Math.max(0, sy(best.y) * scale - 34)}px`;
    });
    svg.addEventListener('pointerleave', leave);
    svg.addEventListener('pointerdown', (event) => {
      if (event.pointerType === 'mouse' && event.button === 0) down = spot(event);
    });
    svg.addEventListener('pointerup', (event) => {
      const from = down;
      const to = spot(event);
      down = null;
      select.setAttribute('visibility', 'hidden');
      if (!from || Math.abs(to[0] - from[0]) < 8 || Math.abs(to[1] - from[1]) < 8) return;
      const ux = (p) => limits.x[0] + ((p - margin.left) / inner.w) * (limits.x[1] - limits.x[0]);
      const uy = (p) => limits.y[0] + (1 - (p - margin.top) / inner.h) * (limits.y[1] - limits.y[0]);
      zoom = {x: [ux(Math.min(from[0], to[0])), ux(Math.max(from[0], to[0]))], y: [uy(Math.max(from[1], to[1])), uy(Math.min(from[1], to[1]))]};
      draw();
    });
    svg.addEventListener('dblclick', () => {
      zoom = null;
      draw();
    });
    host.replaceChildren(svg, tip);
    host.mark = (index) => {
      const p = index == null ? null : points[index];
      if (!p) return mark.setAttribute('visibility', 'hidden');
      mark.setAttribute('cx', String(sx(p.x)));
      mark.setAttribute('cy', String(sy(p.y)));
      mark.setAttribute('visibility', 'visible');
    };
  }
  let drawn = 0;
  new ResizeObserver(() => {
    if (host.clientWidth && host.clientWidth !== drawn) {
      drawn = host.clientWidth;
      draw();
    }
  }).observe(host);
  return {
    element: host,
    /** @param {Partial<typeof options>} change */
    update(change) {
      state = {...state, ...change};
      zoom = null;
      draw();
    },
    /** @param {number|null} index of a point to mark */
    mark: (index) => host.mark?.(index),
  };
}
let clipNumber = 0;
