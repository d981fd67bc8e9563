#!/usr/bin/env python3
"""Prints the table of docs/validation.md that compares components with their closed forms: runs the models of tests/data/components.

    tools/closed_forms.py [--program build/release/bin/trunnion]

A case is a function of a `Run` with the decorator `case(component, text, model, overrides ...)`; it gives the closed form, what the run made
of it, and the unit. Closed forms take their data from here, not from the model. Exit code 1 where a difference is more than the case allows.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import bisect
import cmath
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests/data/components"

B, RHO, TANK = 1.5e9, 850, 1e5  # bulk modulus [Pa], density [kg/m3], tank [Pa] of the models
ROUNDING = 1e-9  # smaller differences are due to rounding and the iteration tolerance
CASES = []


def case(component, text, model, *overrides, allowed=1e-3):
    def add(function):
        CASES.append((component, text, model, overrides, allowed, function))
        return function

    return add


class Run:
    """Channels of a run."""

    def __init__(self, program, model, overrides, folder):
        done = subprocess.run([program, "run", MODELS / (model + ".yaml"), "-q", "-o", folder, *(f"--set={text}" for text in overrides)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{model}: exit code {done.returncode}\n{done.stdout}")
        with open(pathlib.Path(folder) / "results.csv", newline="") as lines:
            rows = list(csv.reader(line for line in lines if not line.startswith("#")))
        self.columns = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
        self.time = self.columns["time"]

    def index(self, t):
        after = min(bisect.bisect_left(self.time, t), len(self.time) - 1)
        return after - (after > 0 and t - self.time[after - 1] < self.time[after] - t)

    def at(self, channel, t):
        return self.columns[channel][self.index(t)]

    def end(self, channel):
        return self.columns[channel][-1]

    def mean(self, channel, begin, end):
        values = self.columns[channel][self.index(begin) : self.index(end) + 1]
        return sum(values) / len(values)

    def frequency(self, channel, begin, end, guess):
        """Of the oscillation nearest `guess` [Hz], from the phases of two windows of some of its periods each."""
        length = max(1, math.floor((end - begin) / 2 * guess)) / guess
        middle = end - length

        def phase(first):
            i = self.index(first)
            j = self.index(first + length)
            values = self.columns[channel][i:j]
            mean = sum(values) / len(values)
            return cmath.phase(sum((v - mean) * cmath.exp(-2j * math.pi * guess * t) for v, t in zip(values, self.time[i:j])))

        turned = phase(middle) - phase(begin)
        turned -= 2 * math.pi * round(turned / (2 * math.pi))
        return guess + turned / (2 * math.pi * (self.time[self.index(middle)] - self.time[self.index(begin)]))


def root(f, low, high):
    """Of an increasing function."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return low


# ---------------------------------------------------------------- volume, orifice, cylinder


@case("volume, orifice", "pressure after 1 s of blow-down", "blow_down")
def _(run):
    C, V = 0.6 * math.pi / 4 * 1e-6 * math.sqrt(2 / RHO), 5e-3
    return TANK + (math.sqrt(20e6 - TANK) - C * B / (2 * V)) ** 2, run.end("vessel.pressure"), "Pa"


@case("cylinder", "frequency of a mass on its oil", "hydraulic_spring")
def _(run):
    k = B * ((50e-4) ** 2 / (1e-3 + 50e-4 * 0.4) + (40e-4) ** 2 / (1e-3 + 40e-4 * 0.6))
    f = math.sqrt(k / 1000) / (2 * math.pi)
    return f, run.frequency("mass.speed", 0, 1, f), "Hz"


@case("fluid", "pressure of oil with B = B_0 + 10 p, compressed by 1 %", "stiff_oil")
def _(run):
    return ((B + 10 * TANK) * math.exp(10 * 1e-4 / 10e-3) - B) / 10, run.end("vessel.pressure"), "Pa"


# ---------------------------------------------------------------- accumulators


def gas(run, n):
    def oil(p):
        return 10e-3 * (1 - (10e6 / p) ** (1 / n))

    p_1, V = 12e6, 1e-3
    return root(lambda p: oil(p) + V * (p - p_1) / B - oil(p_1) - 3e-3, p_1, 1e8), run.end("node.pressure"), "Pa"


@case("gas accumulator", "pressure after 3 L more, isothermal", "accumulator", "accumulators.store.gas.exponent=1")
def _(run):
    return gas(run, 1)


@case("gas accumulator", "pressure after 3 L more, adiabatic", "accumulator")
def _(run):
    return gas(run, 1.4)


@case("spring accumulator", "pressure after 1 L more", "spring_accumulator")
def _(run):
    return 2.5e6 + 1e-3 / (2e-3 / 4e6 + 1e-3 / B), run.end("node.pressure"), "Pa"


# ---------------------------------------------------------------- lines

PIPE_INERTIA = RHO * 2 / (math.pi * 0.006**2)  # rho L / A
PIPE_FRICTION = 128 * 0.04 * 2 / (math.pi * 0.012**4)  # of Hagen and Poiseuille, 40 mPa s


@case("line", "laminar flow at the end (Hagen-Poiseuille)", "pipe_flow")
def _(run):
    return 52396.68908375155 / PIPE_FRICTION, run.end("pipe.flow"), "m3/s"


@case("line", "laminar flow 0.1 s after the start", "pipe_flow")
def _(run):
    return 52396.68908375155 / PIPE_FRICTION * (1 - math.exp(-0.1 * PIPE_FRICTION / PIPE_INERTIA)), run.at("pipe.flow", 0.1), "m3/s"


@case("line", "turbulent flow at the end (Blasius)", "pipe_flow", "fluid.viscosity=4.7 mm^2/s", "sources.a.pressure=1.35 MPa")
def _(run):
    nu, d, L, dp = 4.7e-6, 0.012, 2, 0.35e6
    # dp = 0.3164 (v d/nu)^-1/4 L/d rho v^2/2
    v = (dp / (0.3164 * (d / nu) ** -0.25 * L / d * RHO / 2)) ** (1 / 1.75)
    return v * math.pi / 4 * d * d, run.end("pipe.flow"), "m3/s"


SOUND, HAMMER_AREA = math.sqrt(B / RHO), math.pi / 4 * 0.05**2


@case("line", "pressure rise of water hammer, rho c v (Joukowsky)", "water_hammer", allowed=5e-3)
def _(run):
    v = run.at("shut_off.flow", 0.6) / HAMMER_AREA
    back = 0.6 + 2 * 20 / SOUND  # the wave returns
    return RHO * SOUND * v, run.mean("end.pressure", 0.608, back - 0.004) - run.at("end.pressure", 0.6), "Pa"


@case("line", "frequency after water hammer, c / 4 L, 20 segments", "water_hammer")
def _(run):
    f = SOUND / (4 * 20)
    return f, run.frequency("end.pressure", 0.605, 1.2, f), "Hz"


# ---------------------------------------------------------------- pumps

D = 45e-6 / (2 * math.pi)


@case("pump", "flow at its nominal point", "pump")
def _(run):
    return 0.95 * 45e-6 * 30, run.end("main.flow"), "m3/s"


@case("pump", "power of the shaft at its nominal point", "pump")
def _(run):
    return D * 250e5 / 0.92 * 60 * math.pi, run.end("main.shaft_power"), "W"


DISPLACED, LEAKAGE, BAND = 110e-6 * 30, 1e-11, 5e5  # full flow [m3/s]


def resting(set_pressure, consumer):
    """Pressure where the control and a consumer agree: set pressure - band e, e D w - G (p - p_t) = Q(p)."""
    return set_pressure - BAND * root(lambda e: e * DISPLACED - LEAKAGE * (set_pressure - BAND * e - TANK) - consumer(set_pressure - BAND * e), 0, 1)


@case("pump, load sensing", "pressure above the load, 60 L/min", "pump_control")
def _(run):
    C = 60 / 6e4 / math.sqrt(20e5)
    closed = resting(12e6, lambda p: C * math.sqrt(p - 10e6)) - 10e6
    return closed, run.at("line.pressure", 1) - 10e6, "Pa"


@case("pump, load sensing", "pressure above the load, standby", "pump_control")
def _(run):
    return resting(12e6, lambda p: 0) - 10e6, run.at("line.pressure", 2) - 10e6, "Pa"


@case("pump, cut-off", "pressure against a closed valve", "pump_control")
def _(run):
    return resting(32e6, lambda p: 0), run.end("line.pressure"), "Pa"


@case("prime mover", "speed under load, 180 rad/s less the droop", "prime_mover")
def _(run):
    return 180 - 10 * 1.04 * D * 199e5 / 250, run.at("main.speed", 2), "rad/s"


@case("prime mover", "deceleration beyond its torque", "prime_mover")
def _(run):
    torque = 1.04 * D * 399e5
    return (250 - torque) / 0.8, (run.end("main.speed") - run.at("main.speed", 2.5)) / 0.5, "rad/s2"


# ---------------------------------------------------------------- valves

BAR, LITRE, GRAVITY = 1e5, 1e-3 / 60, 9.81  # [Pa], [m3/s] per L/min
BORE = math.pi / 4 * 0.08**2  # of all cylinders here
RING = BORE - math.pi / 4 * 0.056**2


def coefficient(flow, drop):
    """C of a nominal flow [L/min] at a pressure drop [bar]."""
    return flow * LITRE / math.sqrt(drop * BAR)


def f(dp):
    """Orifice law, linear below 2 bar; no reverse flow."""
    return max(dp, 0) / math.sqrt(2 * BAR) if dp < 2 * BAR else math.sqrt(dp)


def clamp(x):
    return min(max(x, 0), 1)


def carried(mass, rod_side=TANK, drag=0):
    """Head pressure under a mass; drag [N] opposes the motion."""
    return (mass * GRAVITY + drag + RING * rod_side) / BORE


@case("directional valve, open centre", "pressure with the lever in neutral", "open_centre")
def _(run):
    return TANK + 7 * BAR, run.at("line.pressure", 0.4), "Pa"


@case("directional valve, open centre", "speed at full lever, all flow to the head", "open_centre")
def _(run):
    return 50 * LITRE / BORE, run.at("load.speed", 2.49), "m/s"


@case("relief valve with a poppet", "pressure at half its nominal flow", "relief_chatter", "valves.limit.relief.damping=10")
def _(run):
    C = coefficient(60, 220)
    dp = root(lambda p: C * (p - 200 * BAR) / (20 * BAR) * math.sqrt(p) - 30 * LITRE, 200 * BAR, 220 * BAR)
    return TANK + dp, run.end("line.pressure"), "Pa"


@case("pilot-operated check valve", "speed of the load lowered through a throttle", "pilot_check", allowed=1e-2)
def _(run):
    C = 1 / math.hypot(1 / coefficient(60, 5), 1 / coefficient(20, 60))
    return -root(lambda v: BORE * v - C * math.sqrt(carried(4000, drag=-20000 * v) - TANK), 0, 1), run.at("load.speed", 1.49), "m/s"


def lowered():
    """Rod-side pressure at which the counterbalance valve passes the flow displaced by 12 L/min."""
    v = 12 * LITRE / RING

    def excess(rod):
        head = carried(5000, rod, -40000 * v)
        return coefficient(60, 50) * clamp((head + rod - 2 * TANK - 140 * BAR) / (40 * BAR)) * math.sqrt(head - TANK) - BORE * v

    rod = root(excess, 0, 200 * BAR)
    return rod, carried(5000, rod, -40000 * v)


@case("counterbalance valve", "pilot pressure while lowering", "counterbalance", allowed=1e-2)
def _(run):
    return lowered()[0], run.at("rod.pressure", 3.95), "Pa"


@case("counterbalance valve", "load pressure while lowering", "counterbalance", allowed=1e-2)
def _(run):
    return lowered()[1], run.at("head.pressure", 3.95), "Pa"


@case("shuttle valve", "pressure of the load-sensing line: that of the heavier load", "flow_sharing")
def _(run):
    return run.at("heavy_head.pressure", 2.9), run.at("sensed.pressure", 2.9), "Pa"


@case("pressure-reducing valve", "pressure with outlet flow", "reducing")
def _(run):
    C, draw = coefficient(30, 10), coefficient(10, 30)
    p = root(lambda p: draw * math.sqrt(p - TANK) - C * (1 - (p - TANK - 30 * BAR) / (4 * BAR)) * math.sqrt(200 * BAR - p), 31 * BAR, 35 * BAR)
    return p, run.at("pilot.pressure", 0.9), "Pa"


@case("pressure-reducing valve", "pressure without flow: setting and range", "reducing")
def _(run):
    return TANK + 34 * BAR, run.at("pilot.pressure", 1.9), "Pa"


@case("pressure-reducing valve", "pressure with reverse flow, relieving", "reducing")
def _(run):
    C = coefficient(30, 10)
    return TANK + root(lambda p: C * (p - 35 * BAR) / (4 * BAR) * math.sqrt(p) - 6 * LITRE, 35 * BAR, 39 * BAR), run.end("pilot.pressure"), "Pa"


@case("pressure compensator, pre", "flow of the heavy load", "pre_compensated")
def _(run):
    C, metering = coefficient(80, 5), coefficient(30, 10)

    def excess(x):  # x: drop over the metering edge
        load = carried(4000, drag=20000 * metering * math.sqrt(x) / BORE)
        return metering * math.sqrt(x) - C * (1 - (x - 10 * BAR) / (2 * BAR)) * math.sqrt(180 * BAR - load - x)

    return metering * math.sqrt(root(excess, 10 * BAR, 12 * BAR)), run.end("heavy_meter.flow"), "m3/s"


@case("pressure compensator, pre", "flow of the light load, half open", "pre_compensated")
def _(run):
    C, metering = coefficient(80, 5), coefficient(30, 10) / 2

    def excess(x):
        load = carried(800, drag=20000 * metering * math.sqrt(x) / BORE)
        return metering * math.sqrt(x) - C * (1 - (x - 10 * BAR) / (2 * BAR)) * math.sqrt(180 * BAR - load - x)

    return metering * math.sqrt(root(excess, 10 * BAR, 12 * BAR)), run.at("light_meter.flow", 2.45), "m3/s"


@case("pressure compensator, post", "share of the heavy load at insufficient flow", "flow_sharing")
def _(run):
    C = coefficient(80, 5)

    def section(line, metering, load, highest):
        edge = root(lambda p: C * clamp((p - highest - 3 * BAR) / BAR) * f(p - load) - metering * f(line - p), highest, line)
        return metering * f(line - edge)

    heavy_flow = 26 * LITRE
    for _i in range(20):  # the drag of the cylinders follows the flows
        heavy, light = carried(4000, drag=20000 * heavy_flow / BORE), carried(800, drag=20000 * (40 * LITRE - heavy_flow) / BORE)
        flows = lambda line: (section(line, coefficient(60, 10), heavy, heavy), section(line, coefficient(30, 10), light, heavy))
        line = root(lambda p: sum(flows(p)) - 40 * LITRE, heavy + 3 * BAR, heavy + 30 * BAR)
        heavy_flow = flows(line)[0]
    return heavy_flow / (40 * LITRE), run.end("heavy_meter.flow") / (40 * LITRE), ""


@case("flow divider", "share of the heavy load", "flow_divider")
def _(run):
    metering = math.sqrt(2) * coefficient(40, 16) / 2

    def flows(s, line):
        # loads without their drag, which oscillates; pressures as measured
        heavy, light = run.at("heavy_head.pressure", 1.95), run.at("light_head.pressure", 1.95)
        through = lambda sigma, load: metering * 2 * sigma / math.sqrt(1 + 4 * sigma**2) * f(line - load)
        return through(s, heavy), through(1 - s, light)

    def supply(s):
        return root(lambda p: sum(flows(s, p)) - 40 * LITRE, 1e5, 5e7)

    def excess(s):  # drops over the metering orifices against the springs
        A, B_side = flows(s, supply(s))
        return (A / metering) ** 2 - (B_side / metering) ** 2 - 2 * 0.5 * BAR * (0.5 - s)

    s = root(excess, 0.01, 0.99)
    A, B_side = flows(s, supply(s))
    return A / (A + B_side), run.at("divider.flow_A", 1.95) / (run.at("divider.flow_A", 1.95) + run.at("divider.flow_B", 1.95)), ""


@case("priority valve", "pressure of the steering at standstill", "priority")
def _(run):
    return TANK + 9 * BAR, run.at("steering.pressure", 0.9), "Pa"


@case("priority valve", "flow of the steering", "priority")
def _(run):
    C, steer, bleed = coefficient(60, 6), coefficient(20, 7), 0.8 * math.pi / 4 * 0.8e-3**2 * math.sqrt(2 / RHO)

    def served(s):
        drop = (7 + 2 * s) * BAR
        Q = steer * math.sqrt(drop)
        load = root(lambda p: bleed * math.sqrt(p - TANK) + max(p - TANK - 49 * BAR, 0) / BAR * 20 * LITRE - Q, TANK, 80 * BAR)
        line = load + drop + (Q / (C * (1 - s))) ** 2
        rest = root(lambda p: max(p - TANK - 80 * BAR, 0) / (2 * BAR) * 60 * LITRE - C * s * f(line - p), TANK, line)
        return Q, C * s * f(line - rest)

    s = root(lambda s: sum(served(s)) - 60 * LITRE, 0, 0.999)
    return served(s)[0], run.at("priority.flow_CF", 1.9), "m3/s"


@case("resistance", "pressure drop of the filter at its nominal flow", "return_line")
def _(run):
    return 2 * BAR, run.at("between.pressure", 0.9) - TANK, "Pa"


@case("resistance", "pressure drop of the cooler at 1.2 of its nominal flow", "return_line")
def _(run):
    return 2 * BAR * (0.2 * 1.2 + 0.8 * 1.2**2), run.end("back.pressure") - run.end("between.pressure"), "Pa"


# ---------------------------------------------------------------- table


def number(value):
    """Six digits, in the format of the page."""
    return short(f"{value:.6g}")


def short(text):
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def difference(off):
    return "< 1e-9" if abs(off) < ROUNDING else short(f"{off:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/trunnion"))
    program = str(pathlib.Path(parser.parse_args().program).resolve())
    runs, wrong = {}, []
    print("| component | case | closed form | result | difference |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for component, text, model, overrides, allowed, function in CASES:
            key = (model, overrides)
            if key not in runs:
                runs[key] = Run(program, model, overrides, pathlib.Path(folder) / str(len(runs)))
            closed, result, unit = function(runs[key])
            off = result / closed - 1
            print(f"| {component} | {text} | {number(closed)} {unit}".rstrip() + f" | {number(result)} {unit}".rstrip() + f" | {difference(off)} |")
            if not abs(off) <= allowed:
                wrong.append(f"{component}, {text}: {off:.2g}, more than {allowed:g}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
