"""Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita: nonsmooth quasistatic hydraulics."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from entries import ROUNDING, Curve, Item, Panel, Paper, Statement

DEGREES = 180 / math.pi
BLEED = "--set quasistatic.circuit.bleed.command=0.2"
ARM, PROCEDURE, OPEN, SHUT, TWO, ONE = (f"{name}/results.csv" for name in ("arm", "procedure", "regeneration", "regeneration_shut", "two_arms", "one_arm"))
MOVING = "0,0.05,0.1,0.2"

# Table 1: states of the valves (hR, hSC, pR, rSC, rR) in each segment: o open, x closed, - either. Segments as named by the program.
TABLE = {"-FrM": "xo-xo", "+3": "xo-xx", "+2b": "xxoxo", "+2a": "xxoxx", "+1b": "xxxxo", "+1a": "xxxxx", "+0b": "ox-xo", "+0a": "ox-xx",
         "-0a": "xx-xo", "-0b": "ox-xo", "-1a": "xxxxx", "-1b": "oxxxx", "-2a": "xxoxx", "-2b": "oxoxx", "-3": "xx-ox", "FhM": "ox-ox"}
CURVES = ["figure_3a", "figure_3b", "figure_3c", "figure_3d"]
LOWER = ["table_1a", "table_1b"]  # with chamber reliefs that open earlier, for the other segments


def states(row):
    """Flows [m3/s] through hR, hSC, pR, rSC, rR."""
    a, b, pump = (float(row[name]) for name in ("relief_flow_A", "relief_flow_B", "pump_relief_flow"))
    return [max(a, 0), max(-a, 0), pump, max(-b, 0), max(b, 0)]


def wrong_states(r):
    """Points of the curves with a valve in another state than in table 1. On breakpoints a flow is zero: both states are right."""
    wrong = 0
    for name in CURVES + LOWER:
        for row in r.rows(f"{name}/curve.csv"):
            if row["segment"] in TABLE:
                wrong += any((state == "x" and flow > 1e-9) or (state == "o" and flow < -1e-9) for state, flow in zip(TABLE[row["segment"]], states(row)))
    return wrong


def open_valves_flow(r):
    """Share of the points with all valves open, inside of their segments, through which oil flows where table 1 says `o`."""
    flows, points = 0, 0
    for name in CURVES + LOWER:
        for row in r.rows(f"{name}/curve.csv"):
            for state, flow in zip(TABLE.get(row["segment"], ""), states(row)):
                points += state == "o"
                flows += state == "o" and flow > 1e-9
    return flows / points


def visited(r):
    return len({row["segment"] for name in CURVES + LOWER for row in r.rows(f"{name}/curve.csv")} & set(TABLE))


def family(r, name, varied, x="velocity", y="force", of_y=1e-3, label=""):
    """A curve for each varied value."""
    rows, curves = r.rows(f"{name}/curve.csv"), {}
    for row in rows:
        curve = curves.setdefault(row[varied], Curve(f"{label}{float(row[varied]):g}", [], []))
        curve.x.append(float(row[x]))
        curve.y.append(of_y * float(row[y]))
    return list(curves.values())


def segments(r, name):
    """The curve by its segments, which are drawn apart."""
    curves, before = {}, None
    for row in r.rows(f"{name}/curve.csv"):
        point = (float(row["velocity"]), 1e-3 * float(row["force"]))
        curve = curves.setdefault(row["segment"], Curve(row["segment"], [], []))
        if before:
            curve.x.append(before[0])
            curve.y.append(before[1])
        curve.x.append(point[0])
        curve.y.append(point[1])
        before = point
    return list(curves.values())


def column(r, name):
    """Name of the varied value of figures 3(d), 8 and 12."""
    return next(key for key in r.rows(f"{name}/curve.csv")[0] if key == "lift_2.velocity" or key.endswith(("bleed.command", "B_A.command")))


def rising(r, name, varied):
    """Largest increase of the force [N] along any curve."""
    largest, before = -math.inf, None
    for row in r.rows(f"{name}/curve.csv"):
        if before and row[varied] == before[varied]:
            largest = max(largest, float(row["force"]) - float(before["force"]))
        before = row
    return largest


def free_velocities(r, name):
    return [curve["free_velocity"] for curve in r.json(f"{name}/curve.json")["curves"]]


def ends_ratio(values):
    return values[-1] / values[0]


def smallest_change(values):
    return min(b - a for a, b in zip(values, values[1:]))


def force_at(r, name, varied, velocity, y="force"):
    """Interpolated values of each curve at a velocity."""
    found = []
    for curve in family(r, name, varied, y=y, of_y=1):
        i = next(k for k in range(1, len(curve.x)) if curve.x[k] >= velocity > curve.x[k - 1])
        share = (velocity - curve.x[i - 1]) / (curve.x[i] - curve.x[i - 1])
        found.append(curve.y[i - 1] + share * (curve.y[i] - curve.y[i - 1]))
    return found


def still(r, begin, end):
    values = r.between(ARM, "lift.piston", begin, end)
    return max(values) - min(values)


def first_at(r, force, file=ARM):
    data = r.columns(file)
    return next(t for t, f in zip(data["time"], data["lift.force"]) if t > 6.5 and f <= force * (1 - 1e-9))


def fluctuation(r, begin, end):
    """Standard deviation [rad/s] of the arm's rate about its mean."""
    values = r.between(ARM, "arm.rate", begin, end)
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))


def largest_force(r, begin, end):
    return max(map(abs, r.between(ARM, "lift.force", begin, end)))


def velocity_at(r, name, varied, force):
    """Velocities of each curve at a force [N]."""
    found = []
    for curve in family(r, name, varied, of_y=1):
        i = next(k for k in range(1, len(curve.x)) if curve.y[k - 1] >= force > curve.y[k])
        found.append(curve.x[i - 1] + (curve.y[i - 1] - force) / (curve.y[i - 1] - curve.y[i]) * (curve.x[i] - curve.x[i - 1]))
    return found


def flow_relations(r):
    """Figure 2: flows over the pressures that drive them, at points of curves of figure 3 and of those with chamber reliefs that open earlier."""
    def points(flow, pressure, names):
        found = sorted({(1e-6 * pressure(row), 6e4 * float(row[flow])) for name in names for row in r.rows(f"{name}/curve.csv")})
        return [Curve(flow, [p for p, _ in found], [q for _, q in found])]
    return [Panel("(a) main valve from the pump to the head side, u_c = 0.5", "pressure drop [MPa]", "flow [L/min]",
                  points("flow_P_A", lambda row: max(float(row["pump_pressure"]) - float(row["pressure_A"]), 0), ["figure_3a"])),
            Panel("(b) bleed valve, u_b = 0.2", "pressure of the pump [MPa]", "flow [L/min]", points("bleed_flow", lambda row: float(row["pump_pressure"]), ["figure_3a", "figure_3b", "figure_3c"])),
            Panel("(b) relief valve of the pump", "pressure of the pump [MPa]", "flow [L/min]", points("pump_relief_flow", lambda row: float(row["pump_pressure"]), ["figure_3a", "figure_3b", "figure_3c"])),
            Panel("(d) relief and suction check valve of the head side", "pressure of the chamber [MPa]", "flow out of it [L/min]",
                  points("relief_flow_A", lambda row: float(row["pressure_A"]), ["figure_3a", "figure_3b"]))]


def main_valve(r):
    """Coefficients flow over the square root of the drop of the main valve at all points with flow."""
    drops = [(float(row["pump_pressure"]) - float(row["pressure_A"]), float(row["flow_P_A"])) for row in r.rows("figure_3a/curve.csv")]
    return [q / math.sqrt(drop) for drop, q in drops if q > 1e-6]


def outside_of_limits(r):
    """Number of points with flow through the reliefs of pump and head side below their pressures, or through the suction check valve above that of the tank."""
    wrong = 0
    for row in (row for name in ("figure_3a", "figure_3b", "figure_3c") for row in r.rows(f"{name}/curve.csv")):
        pump, chamber = float(row["pump_pressure"]), float(row["pressure_A"])
        flow_pump, flow_chamber = float(row["pump_relief_flow"]), float(row["relief_flow_A"])
        wrong += (flow_pump > 1e-9 and pump < 36e6 * (1 - 1e-9)) + (flow_chamber > 1e-9 and chamber < 42e6 * (1 - 1e-9)) + (flow_chamber < -1e-9 and chamber > 1e-3)
    return wrong


def element(r, file=ARM, label="p - l"):
    data = r.columns(file)
    return Curve(label, data["time"], [1e3 * (p - length) for p, length in zip(data["lift.piston"], data["lift.length"])])


def two(r, x, y, of_y, files):
    return [r.curve(file, x, y, label, of_y=of_y) for file, label in files]


def difference(r, channel, one, other):
    return max(abs(a - b) for a, b in zip(r.columns(one)[channel], r.columns(other)[channel], strict=True))


def change(r, file, channel, begin, end):
    return DEGREES * (r.at(file, channel, end) - r.at(file, channel, begin))


REGENERATION = ((OPEN, "u_a = 0.5"), (SHUT, "u_a = 0"))
SCENARIOS = ((ONE, "I: arm 2 not driven"), (TWO, "II: arm 2 driven"))
PAPER = Paper(
    key="quasistatic", title="Quasistatic hydraulics",
    citation="R. Kikuuwe, T. Okada, H. Yoshihara, T. Doi, T. Nanjo, K. Yamashita, \"Nonsmooth quasistatic modeling of hydraulic actuators\"",
    equations="Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics), all in `hydraulics/quasistatic/`",
    commands={
        "figure_3a": f"trunnion curve examples/arm_quasistatic.yaml -o figure_3a --command 0.5 {BLEED}",
        "figure_3b": f"trunnion curve examples/arm_quasistatic.yaml -o figure_3b --command=-0.5 {BLEED}",
        "figure_3c": f"trunnion curve examples/arm_quasistatic.yaml -o figure_3c --command=-1,-0.8,-0.6,-0.4,-0.2,0,0.2,0.4,0.6,0.8,1 {BLEED}",
        "figure_3d": "trunnion curve examples/arm_quasistatic.yaml -o figure_3d --command 0.7 --vary quasistatic.circuit.bleed.command=0,0.1,0.2,0.3,0.5,1",
        "table_1a": "trunnion curve examples/arm_quasistatic.yaml -o table_1a --command=-0.5,0.5 --set quasistatic.circuit.bleed.command=0 "
                    "--set 'quasistatic.circuit.actuators.lift.relief_A=15 MPa' --set 'quasistatic.circuit.actuators.lift.relief_B=15 MPa'",
        "table_1b": "trunnion curve examples/arm_quasistatic.yaml -o table_1b --command 0.2,0.5 --vary quasistatic.circuit.bleed.command=0,0.2,0.5 "
                    "--vary 'quasistatic.circuit.actuators.lift.relief_A=10 MPa,42 MPa' --set 'quasistatic.circuit.actuators.lift.relief_B=2 MPa'",
        "arm": "trunnion run examples/arm_quasistatic.yaml -o arm --set 'record.channels=[\"*\", tip.factor]'",
        "procedure": "trunnion run examples/arm_quasistatic.yaml -o procedure --set quasistatic.circuit.form=discrete "
                     "--set solver.integrator=semi_implicit_euler --set solver.constraints=double_step",
        "figure_8": f"trunnion curve examples/arm_regeneration.yaml -o figure_8 --command 0.5 {BLEED} --vary quasistatic.circuit.actuators.lift.B_A.command=0,0.25,0.5,0.75,1",
        "regeneration": "trunnion run examples/arm_regeneration.yaml -o regeneration",
        "regeneration_shut": "trunnion run examples/arm_regeneration.yaml -o regeneration_shut --set signals.regeneration=0",
        "figure_12_up": f"trunnion curve examples/two_arms_one_pump.yaml -o figure_12_up --actuator lift_1 --command 0.5 --command lift_2=0.5 --moving lift_2={MOVING}",
        "figure_12_down": "trunnion curve examples/two_arms_one_pump.yaml -o figure_12_down --actuator lift_1 --command=-0.5 --command lift_2=-0.5 --moving lift_2=0,-0.05,-0.1,-0.2",
        "two_arms": "trunnion run examples/two_arms_one_pump.yaml -o two_arms",
        "one_arm": "trunnion run examples/two_arms_one_pump.yaml -o one_arm --set signals.lever_2=0",
    },
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "actuator and circuit"), (4, "virtual viscoelastic element"), (5, "arm"), (7, "circuit with regeneration"),
            (9, "solution with regeneration"), (11, "several actuators on a pump")]),
        Item("Figure 2", "relations of flow and pressure of the valves", ("figure_3a", "figure_3b", "figure_3c"), panels=flow_relations,
             note="Sketches in the paper; drawn with the points of the curves of figure 3. (c), the check valve of the pump, has no flow of its own in these files.", statements=(
            Statement("(a) the flow is proportional to the square root of the drop: largest over smallest coefficient", lambda r: max(main_valve(r)) / min(main_valve(r)), (0.999999, 1.000001), true=(0.999, 1.001),
                      form=".6f", why="it is not"),
            Statement("(b), (d) relief and check valves have flow at their limits only: points with flow elsewhere", outside_of_limits, (0, 0), true=(0, 0), form="g", why="some have"))),
        Item("Table 1", "states of the valves in each segment", tuple(CURVES + LOWER),
             note="Checked at every point of the curves of figure 3 and of curves with chamber reliefs that open earlier. On a breakpoint the flow of a valve is zero and both states are right. In the table rSC is the suction check valve of the rod side.",
             statements=(
            Statement("points with flow through a valve that is closed in the table", wrong_states, (0, 0), true=(0, 0), form="g"),
            Statement("share of open valves with flow (the others are breakpoints)", open_valves_flow, (0.9, 1), true=(0.9, 1), form=".3f"),
            Statement("segments of the table that occur on the curves, of 16", visited, (16, 16), true=(16, 16), form="g"))),
        Item("Figure 3", "force-velocity curves", tuple(CURVES), panels=lambda r: [
            Panel("(a) u_c = 0.5, u_b = 0.2", "v [m/s]", "f [kN]", segments(r, "figure_3a")), Panel("(b) u_c = -0.5, u_b = 0.2", "v [m/s]", "f [kN]", segments(r, "figure_3b")),
            Panel("(c) u_c from -1 to 1, u_b = 0.2", "v [m/s]", "f [kN]", family(r, "figure_3c", "command", label="u_c = ")),
            Panel("(d) u_c = 0.7, u_b from 0 to 1", "v [m/s]", "f [kN]", family(r, "figure_3d", column(r, "figure_3d"), label="u_b = "))], statements=(
            *(Statement(f"({name[-1]}) the curves decrease: largest increase of the force", lambda r, name=name: rising(r, name, "command" if name[-1] != "d" else column(r, name)), (-1, 1e-6),
                        true=(-1e9, 1e-6), unit="N", form=".1e", wide="zero on vertical and horizontal segments, up to rounding") for name in CURVES),
            Statement("(a) set-valued at v = 0: highest less lowest force", lambda r: max(float(row["force_high"]) - float(row["force_low"]) for row in r.rows("figure_3a/curve.csv") if float(row["velocity"]) == 0) / 1e3,
                      (143, 145), true=(1, 1e9), unit="kN"),
            Statement("largest force F_hM = A_h P_hM", lambda r: max(float(row["force"]) for row in r.rows("figure_3a/curve.csv")) / 1e3, (1007.9, 1008.1), 0.024 * 42e3, unit="kN"),
            Statement("smallest force -F_rM = -A_r P_rM", lambda r: min(float(row["force"]) for row in r.rows("figure_3a/curve.csv")) / 1e3, (-480.1, -479.9), -0.012 * 40e3, unit="kN"),
            Statement("(c) the velocity at zero force increases with u_c: smallest change from curve to curve", lambda r: smallest_change(free_velocities(r, "figure_3c")), (0.01, 0.014), true=(1e-9, 9),
                      unit="m/s", form=".3g"),
            Statement("(d) it decreases as u_b increases: smallest decrease", lambda r: smallest_change(free_velocities(r, "figure_3d")[::-1]), (0.025, 0.03), true=(1e-9, 9), unit="m/s", form=".3g"))),
        Item("Figure 6", "arm with a load: inputs and results", ("arm", "procedure"),
             note="The signals and the base of the cylinder are not in the text of the paper; panels (b) and (d) to (f) are chosen. The second command is the simulation procedure of section 4.3.", panels=lambda r: [
            Panel("(a) inputs: opening of the valves", "time [s]", "u_c", [r.curve(ARM, "time", "lift.spool", "u_c")]),
            Panel("(a) inputs: load at the tip", "time [s]", "f_ey [kN]", [r.curve(ARM, "time", "tip.factor", "f_ey", of_y=1e-3)]),
            Panel("(b) angle", "time [s]", "theta [deg]", [r.curve(ARM, "time", "arm.angle", "theta", of_y=DEGREES)]),
            Panel("(c) angular velocity", "time [s]", "d theta/dt [rad/s]", [r.curve(ARM, "time", "arm.rate", "rate")]),
            Panel("(d) actuator force", "time [s]", "f [kN]", [r.curve(ARM, "time", "lift.force", "f", of_y=1e-3)]),
            Panel("(e) length and actuator itself", "time [s]", "[m]", [r.curve(ARM, "time", "lift.length", "l"), r.curve(ARM, "time", "lift.piston", "p")]),
            Panel("(f) deflection of the element", "time [s]", "p - l [mm]", [element(r)])], statements=(
            Statement("the force reaches -F_rM", lambda r: first_at(r, -480e3), (7.402, 7.406), 7.404, unit="s", form=".3f"),
            Statement("the same by the procedure of section 4.3", lambda r: first_at(r, -480e3, PROCEDURE), (7.402, 7.406), 7.404, unit="s", form=".3f"),
            Statement("largest difference of the angle by the procedure", lambda r: DEGREES * difference(r, "arm.angle", ARM, PROCEDURE), (0.003, 0.009), true=(0, 1), unit="deg", form=".3f"),
            Statement("0 to 3 s: the arm holds its angle, motion of the actuator itself", lambda r: still(r, 0, 3), (0, 1e-12), true=(0, 1e-6), unit="m", form=".1e", wide=ROUNDING),
            Statement("3 to 6 s: the arm moves up", lambda r: change(r, ARM, "arm.angle", 3, 6), (69, 70), true=(0, 180), unit="deg", form=".2f"),
            Statement("the velocity fluctuates more than with closed valves: ratio of standard deviations", lambda r: fluctuation(r, 3.5, 6) / fluctuation(r, 0.5, 3), (1.8, 2.4), true=(1, 1e9), form=".3g"),
            Statement("after 6 s the arm does not move until 7.404 s: motion of the actuator itself", lambda r: still(r, 6.01, 7.4), (0, 1e-12), true=(0, 1e-6), unit="m", form=".1e", wide=ROUNDING),
            Statement("then it starts to move down: change of the angle from 7.404 to 8 s", lambda r: change(r, ARM, "arm.angle", 7.404, 8), (-45, -35), true=(-180, -1), unit="deg", form=".1f"),
            Statement("the deflection stays below a few centimetres", lambda r: max(map(abs, element(r).y)), (9, 10), true=(0, 30), unit="mm", form=".2f"),
            *(Statement(f"spike of the force at {at} s: its largest magnitude within 0.3 s over that between the spikes, 3.3 to 6 s", lambda r, at=at: largest_force(r, at, at + 0.3) / largest_force(r, 3.3, 5.99),
                        band, true=(1.5, 99), form=".2f", why="there is none") for at, band in ((3, (2.9, 3.4)), (6, (4.4, 5)))))),
        Item("Figure 8", "force-velocity curves with regeneration", ("figure_8",), panels=lambda r: [
            Panel("(a) force", "v [m/s]", "f [kN]", family(r, "figure_8", column(r, "figure_8"), label="u_a = ")),
            Panel("(b) regeneration flow", "v [m/s]", "[L/min]", family(r, "figure_8", column(r, "figure_8"), y="flow_B_A", of_y=6e4, label="u_a = "))], statements=(
            Statement("the velocity at zero force increases with u_a: smallest change from curve to curve", lambda r: smallest_change(free_velocities(r, "figure_8")), (0.015, 0.02), true=(1e-9, 9),
                      unit="m/s", form=".3g"),
            Statement("especially at f < 0: velocity with u_a = 1 over that with u_a = 0, f = -100 kN", lambda r: ends_ratio(velocity_at(r, "figure_8", column(r, "figure_8"), -1e5)), (2.9, 3.1), true=(1.1, 99),
                      form=".2f", why="it is about the same"),
            Statement("the same at f = 100 kN", lambda r: ends_ratio(velocity_at(r, "figure_8", column(r, "figure_8"), 1e5)), (0.99, 1.01), true=(0.9, 1.1), form=".3f", why="it increases there too"),
            Statement("the regeneration flow increases with u_a: smallest change from curve to curve, v = 0.4 m/s", lambda r: 6e4 * smallest_change(force_at(r, "figure_8", column(r, "figure_8"), 0.4, "flow_B_A")),
                      (18, 21), true=(1e-9, 999), unit="L/min", form=".3g", why="it does not"),
            Statement("and with v, and never decreases: smallest change from point to point", lambda r: min(smallest_change(curve.y) for curve in family(r, "figure_8", column(r, "figure_8"), y="flow_B_A", of_y=6e4)),
                      (-1e-9, 1e-9), true=(-1e-9, 999), unit="L/min", form=".1e", wide="zero at small velocities, up to rounding", why="it decreases"),
            Statement("its increase from v = 0.4 to 0.6 m/s, u_a = 0.5", lambda r: 6e4 * (force_at(r, "figure_8", column(r, "figure_8"), 0.6, "flow_B_A")[2] - force_at(
                r, "figure_8", column(r, "figure_8"), 0.4, "flow_B_A")[2]), (70, 74), true=(1e-9, 999), unit="L/min", form=".3g", why="it does not increase"))),
        Item("Figure 10", "arm lowered with the regeneration valve open and closed", ("regeneration", "regeneration_shut"), panels=lambda r: [
            Panel("input: opening of the valves", "time [s]", "u_c", [r.curve(OPEN, "time", "lift.spool", "u_c")]),
            Panel("angle", "time [s]", "theta [deg]", two(r, "time", "arm.angle", DEGREES, REGENERATION)),
            Panel("angular velocity", "time [s]", "[rad/s]", two(r, "time", "arm.rate", 1, REGENERATION)),
            Panel("actuator force", "time [s]", "f [kN]", two(r, "time", "lift.force", 1e-3, REGENERATION)),
            Panel("deflection of the element", "time [s]", "p - l [mm]", [element(r, file, label=label) for file, label in REGENERATION]),
            Panel("regeneration flow", "time [s]", "[L/min]", two(r, "time", "lift.flow_B_A", 6e4, REGENERATION))], statements=(
            Statement("u_a > 0 realises a faster motion: ratio of the angles lowered in 1.5 s", lambda r: change(r, OPEN, "arm.angle", 0.5, 2) / change(r, SHUT, "arm.angle", 0.5, 2), (1.95, 2.1),
                      true=(1, 99), form=".3f"),
            Statement("the impulse at the beginning is smaller with u_a > 0: largest force with u_a = 0.5", lambda r: max(map(abs, r.between(OPEN, "lift.force", 0.5, 0.7))) / 1e3, (354, 354.4),
                      true=(0, 354), unit="kN", form=".1f", why="354.2 kN in both cases"),
            Statement("the same with u_a = 0", lambda r: max(map(abs, r.between(SHUT, "lift.force", 0.5, 0.7))) / 1e3, (354, 354.4), true=(354.3, 999), unit="kN", form=".1f",
                      why="354.2 kN in both cases"))),
        Item("Figure 12", "force-velocity curves of two actuators on a pump", ("figure_12_up", "figure_12_down"), panels=lambda r: [
            Panel(f"({letter}) {title}, u_c = {command}", "v_1 [m/s]", unit, family(r, name, column(r, name), y=y, of_y=factor, label="v_2 = "))
            for name, command, letters in (("figure_12_up", 0.5, "abc"), ("figure_12_down", -0.5, "def"))
            for letter, (title, unit, y, factor) in zip(letters, (("force", "f_1 [kN]", "force", 1e-3), ("pressure", "P [MPa]", "pump_pressure", 1e-6), ("relief flow", "Xi_P [L/min]", "pump_relief_flow", 6e4)))],
            statements=(
            Statement("u_c = 0.5: a faster actuator 2 slows actuator 1, smallest decrease of its speed at zero force", lambda r: smallest_change(free_velocities(r, "figure_12_up")[::-1]), (0.033, 0.035),
                      true=(1e-9, 9), unit="m/s", form=".3g"),
            Statement("u_c = -0.5: the same from v_2 = 0 to -0.2 m/s", lambda r: free_velocities(r, "figure_12_down")[-1] - free_velocities(r, "figure_12_down")[0], (0.017, 0.0185), true=(1e-9, 9),
                      unit="m/s", form=".3g"),
            *(Statement(f"u_c = {command}: and lowers the pressure P, v_1 = {v} m/s, smallest decrease",
                        lambda r, name=name, v=v: smallest_change(force_at(r, name, column(r, name), v, "pump_pressure")[::-1]) / 1e6, band, true=(1e-9, 99), unit="MPa", form=".3g")
              for name, command, v, band in (("figure_12_up", 0.5, 0.2, (2.7, 2.9)), ("figure_12_down", -0.5, -0.4, (7.4, 7.8)))),
            *(Statement(f"u_c = {command}: and the relief flow, v_1 = {v} m/s, smallest decrease",
                        lambda r, name=name, v=v: 6e4 * smallest_change(force_at(r, name, column(r, name), v, "pump_relief_flow")[::-1]), band, true=(1e-9, 999), unit="L/min", form=".3g")
              for name, command, v, band in (("figure_12_up", 0.5, 0.02, (71, 73)), ("figure_12_down", -0.5, -0.1, (35, 37)))))),
        Item("Figure 13", "two arms on a pump", ("two_arms", "one_arm"), note="Panels (d) to (h) are chosen.", panels=lambda r: [
            Panel("(a) opening of the valves", "time [s]", "u_c", [r.curve(TWO, "time", f"lift_{n}.spool", f"arm {n}" if n == 1 else "arm 2, II") for n in (1, 2)]),
            Panel("(b) angle of arm 1", "time [s]", "theta [deg]", two(r, "time", "arm_1.angle", DEGREES, SCENARIOS)),
            Panel("(c) angular velocity of arm 1", "time [s]", "[rad/s]", two(r, "time", "arm_1.rate", 1, SCENARIOS)),
            Panel("(d) angle of arm 2", "time [s]", "theta [deg]", two(r, "time", "arm_2.angle", DEGREES, SCENARIOS)),
            Panel("(e) angular velocity of arm 2", "time [s]", "[rad/s]", two(r, "time", "arm_2.rate", 1, SCENARIOS)),
            *(Panel(f"({letter}) actuator force of arm {n}", "time [s]", "f [kN]", two(r, "time", f"lift_{n}.force", 1e-3, SCENARIOS)) for letter, n in (("f", 1), ("g", 2))),
            Panel("(h) pressure of the pump", "time [s]", "P [MPa]", two(r, "time", "circuit.pressure", 1e-6, SCENARIOS))], statements=(
            Statement("arm 1 is decelerated when arm 2 is actuated: raised from 1 to 2 s, II over I", lambda r: change(r, TWO, "arm_1.angle", 1, 2) / change(r, ONE, "arm_1.angle", 1, 2), (0.47, 0.51),
                      true=(0, 1), form=".3f"),
            Statement("arm 2 is driven downward from 1 to 2 s", lambda r: change(r, TWO, "arm_2.angle", 1, 2), (-24, -22), true=(-180, 0), unit="deg", form=".2f"))),
    ])
