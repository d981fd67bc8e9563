"""Panels of figures as inline SVG: lines, linear and logarithmic axes, shaded intervals. No package is needed."""
# SPDX-License-Identifier: BSD-3-Clause
import html
import math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"]  # Okabe and Ito
DASHES = ["", "6 3", "2 2", "8 3 2 3"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 430, 300, 66, 10, 26, 44
POINTS = 700  # buckets of a curve; each keeps its extremes


CHARACTER = 6.2   # width of a character of the legend in the font of the page, 11 px, at most on average


def thin(x, y):
    """A curve over a monotonic abscissa with fewer points: of each bucket the first, the lowest, the highest and the last.

    Other curves, such as a force over a velocity, keep their points: chords between the extremes of a bucket would leave them.
    """
    if len(x) <= 4 * POINTS or any(b < a for a, b in zip(x, x[1:])):
        return list(zip(x, y))
    kept, size = [], len(x) / POINTS
    for k in range(POINTS):
        indices = range(int(k * size), min(int((k + 1) * size), len(x)))
        kept += [(x[i], y[i]) for i in sorted({indices[0], indices[-1], min(indices, key=y.__getitem__), max(indices, key=y.__getitem__)})]
    return kept


def ticks(low, high, log):
    if log:
        decades = range(math.floor(low), math.ceil(high) + 1)
        every = max(1, math.ceil(len(decades) / 7))
        return [(d, f"1e{d}") for d in decades if d % every == 0 and low - 1e-9 <= d <= high + 1e-9]
    raw = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [(k * step, f"{k * step:.6g}") for k in range(first, int(math.floor(high / step + 1e-9)) + 1)]


def span(values, log):
    low, high = min(values), max(values)
    margin = 0.04 * (high - low) or (0.5 if log else abs(high) * 0.05 or 1)
    return low - margin, high + margin


def legend(labels, wide):
    """Left edge and line of each entry: as many in a line as fit into the width."""
    places, x, line = [], 0, 0
    for label in labels:
        size = 24 + CHARACTER * len(label) + 12
        if x and x + size - 12 > wide:
            x, line = 0, line + 1
        places.append((x, line))
        x += size
    return places


def draw(panel):
    logs = ["x" in panel.log, "y" in panel.log]
    curves = []
    for curve in panel.curves:
        points = []
        for point in thin(curve.x, curve.y):
            if all(math.isfinite(v) and (v > 0 or not log) for v, log in zip(point, logs)):
                points.append([math.log10(v) if log else v for v, log in zip(point, logs)])
            else:
                points.append(None)  # a gap
        curves.append((curve.label, points))
    known = [p for _, points in curves for p in points if p]
    if not known:
        raise ValueError(f"nothing to draw in '{panel.title}'")
    (x0, x1), (y0, y1) = (span([p[i] for p in known], logs[i]) for i in (0, 1))
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    if panel.equal:
        scale = max((x1 - x0) / wide, (y1 - y0) / high)
        xm, ym = (x0 + x1) / 2, (y0 + y1) / 2
        x0, x1, y0, y1 = xm - scale * wide / 2, xm + scale * wide / 2, ym - scale * high / 2, ym + scale * high / 2

    def px(v):
        return LEFT + (v - x0) / (x1 - x0) * wide

    def py(v):
        return TOP + (y1 - v) / (y1 - y0) * high

    places = legend([label for label, _ in curves], WIDTH - LEFT) if len(curves) > 1 else []
    out = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT + (14 * (places[-1][1] + 1) if places else 0)}" role="img"><title>{html.escape(panel.title)}</title>']
    for begin, end in panel.shaded:
        a, b = max(px(begin), LEFT), min(px(end), LEFT + wide)
        if b > a:
            out.append(f'<rect x="{a:.1f}" y="{TOP}" width="{b - a:.1f}" height="{high}" fill="#cc79a7" opacity="0.15"/>')
    for value, text in ticks(x0, x1, logs[0]):
        out.append(f'<path d="M{px(value):.1f} {TOP}v{high}" stroke="#ddd"/><text x="{px(value):.1f}" y="{TOP + high + 14}" text-anchor="middle">{text}</text>')
    for value, text in ticks(y0, y1, logs[1]):
        out.append(f'<path d="M{LEFT} {py(value):.1f}h{wide}" stroke="#ddd"/><text x="{LEFT - 4}" y="{py(value) + 4:.1f}" text-anchor="end">{text}</text>')
    out.append(f'<rect x="{LEFT}" y="{TOP}" width="{wide}" height="{high}" fill="none" stroke="#555"/>')
    for i, (label, points) in enumerate(curves):
        path, pen, last = [], "M", ""
        for point in points:
            if point is None:
                pen, last = "M", ""
                continue
            place = f"{px(point[0]):.1f} {py(point[1]):.1f}"
            if place != last:  # many points of a dense curve are at the same place
                path.append(pen + place)
            pen, last = "L", place
        style = f'stroke="{COLOURS[i % 8]}" stroke-dasharray="{DASHES[i % 4]}" stroke-width="1.5" fill="none"'
        out.append(f'<path d="{"".join(path)}" {style}/>')
        if places:
            x, y = LEFT + places[i][0], HEIGHT + 14 * places[i][1]
            out.append(f'<path d="M{x:.1f} {y - 4}h20" {style}/><text x="{x + 24:.1f}" y="{y}">{html.escape(label)}</text>')
    out.append(f'<text x="{LEFT}" y="{TOP - 8}" font-weight="bold">{html.escape(panel.title)}</text>')
    out.append(f'<text x="{LEFT + wide / 2}" y="{TOP + high + 30}" text-anchor="middle">{html.escape(panel.x)}</text>')
    out.append(f'<text transform="translate(13 {TOP + high / 2}) rotate(-90)" text-anchor="middle">{html.escape(panel.y)}</text></svg>')
    return "\n".join(out)
