"""Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021: double-step and penalty-based semirecursive formulations."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from entries import ROUNDING, Curve, Item, Panel, Paper, Statement

DEGREES = 180 / math.pi
LIFT = dict(key="lift", name="four-bar", angles=["beam", "link", "lever"], open=((1, 2.5), (5, 8)), work=982.95, drift=0.84, percent=0.09,
            mean=(1.39, 1.56), most=(3, 4), times=(27.45, 21.54), independent=("lever.angle", "z3"), start=(0, -135, -45), size=9, bands=((2e-8, 1e-7), (20, 100), (7e-4, 1.2e-3)))
QUICK = dict(key="quick", name="quick-return", angles=["lever", "rod", "ram", "crank", "block"], open=((1, 4), (6.5, 8)), work=357.47, drift=0.23, percent=0.06,
             mean=(1.49, 1.57), most=(3, 6), times=(29.03, 28.47), independent=("crank.angle", "z4"), start=(76.22, 96.89, 6.89, 30.59, 45.63), size=5, bands=((6e-9, 3e-8), (2, 10), (2e-3, 4e-3)))
TREATMENTS = ["double_step", "penalty"]
SMALLER = "the drift is smaller here, by a factor of 20 and more"


def frames(machine, lines):
    """Bodies at every second. `lines`: coordinates of the ends of the bodies from the results at an instant."""
    def draw(r):
        data, curves = r.columns(f"{machine}/penalty/results.csv"), []
        for second in range(11):
            i = min(range(len(data["time"])), key=lambda k: abs(data["time"][k] - second))
            xs, ys = [], []
            for line in lines({name: values[i] for name, values in data.items()}):
                xs += [x for x, _ in line] + [math.nan]
                ys += [y for _, y in line] + [math.nan]
            curves.append(Curve(f"{second} s", xs, ys))
        return [Panel("positions", "X [m]", "Y [m]", curves, equal=True)]
    return draw


def lift_lines(d):
    def end(x, y, centre):  # of a body that starts at (x, y)
        return 2 * d[centre + ".center_x"] - x, 2 * d[centre + ".center_y"] - y
    tip = end(0, 0, "beam")
    pin = (tip[0] / 3, tip[1] / 3)
    joint = end(*pin, "link")
    return [[(0, 0), tip], [pin, joint, end(*joint, "lever")]]


def quick_lines(d):
    tip = (2 * d["lever.center_x"], 2 * d["lever.center_y"])
    return [[(0, 0), tip, (d["ram.center_x"], d["ram.center_y"])], [(0, 3), (d["block.center_x"], d["block.center_y"])]]


def motion(m):
    def draw(r):
        def file(t):
            return f"{m['key']}/{t}/results.csv"
        angles = [r.curve(file(t), "time", a + ".angle", f"z{k + 1}, {t.replace('_', '-')}", of_y=DEGREES) for k, a in enumerate(m["angles"]) for t in TREATMENTS]
        pressures = [r.curve(file(t), "time", f"v{k}.pressure", f"p{k}, {t.replace('_', '-')}", of_y=1e-6) for k in (1, 2, 3) for t in TREATMENTS]
        return [Panel("(a) relative joint coordinates", "time [s]", "angle [deg]", angles, shaded=m["open"]),
                Panel("(b) pressures", "time [s]", "pressure [MPa]", pressures, shaded=m["open"])]
    return draw


def energies(m):
    def draw(r):
        def panel(t):
            file = f"{m['key']}/{t}/results.csv"
            return Panel(t.replace("_", "-"), "time [s]", "energy [J]", [
                r.curve(file, "time", "energy.kinetic", "kinetic"), r.curve(file, "time", "energy.potential", "potential, change", less=True),
                r.curve(file, "time", "energy.actuator_work", "work of the actuator"), r.curve(file, "time", "energy.drift", "drift")], shaded=m["open"])
        return [panel(t) for t in TREATMENTS]
    return draw


def histories(m, column, label, title, log="", file="history.csv"):
    return lambda r: [Panel(title, "time [s]", label, [r.curve(f"{m['key']}/{file}", "time", f"{t}.{column}", t.replace("_", "-")) for t in TREATMENTS], log=log, shaded=m["open"])]


def violation(m):
    """The recorded violation of `penalty` is the remainder of its last linearised projection; in positions, whose rounding is larger, it cannot be measured."""
    def draw(r):
        panel, = histories(m, "violation", "violation [m]", "magnitude of the constraint violation", log="y")(r)
        for curve in panel.curves:
            curve.y = [max(value, 1e-16 * m["size"]) for value in curve.y]
        return [panel]
    return draw


def most_at_switching(m, treatment):
    """Share of the steps with the most iterations that lie within 0.25 s after a jump of the command."""
    def share(r):
        data = r.columns(f"{m['key']}/history.csv")
        counts = data[treatment + ".iterations"]
        times = [t for t, n in zip(data["time"], counts) if n == max(counts)]
        return sum(any(0 <= t - jump <= 0.25 for interval in m["open"] for jump in interval) for t in times) / len(times)
    return share


def apart(r, one, other):
    """Largest difference [rad] of any joint angle of two runs."""
    a, b = (r.columns(f"{name}/results.csv") for name in (one, other))
    return max(abs(u - v) for name in b if name.endswith(".angle") for u, v in zip(a[name], b[name], strict=True))


def both(m, name, of):
    """A statement for each treatment; `of(index)` returns its remaining arguments."""
    return [Statement(f"{name}, {t.replace('_', '-')}", **of(k)) for k, t in enumerate(TREATMENTS)]


def figures(m, numbers, lines):
    key, command = m["key"], (m["key"],)
    channels = [angle + ".angle" for angle in m["angles"]]
    return [
        Item(f"Figure 6 ({'a' if key == 'lift' else 'b'})", f"positions at every second, {m['name']}", command, panels=frames(key, lines), statements=(
            Statement("closed loops: maximum violation", lambda r: max(r.row(key, k)["max_violation"] for k in (0, 1)), (0, 1e-12), true=(0, 1e-7), unit="m", form=".1e", wide=ROUNDING),)),
        Item(f"Figure {numbers[0]}", f"coordinates and pressures, {m['name']}", command, panels=motion(m), statements=(
            Statement("coordinates agree: largest difference of any angle", lambda r: max(r.row(key, 1)["difference." + c] for c in channels), m["bands"][0], true=(0, 1e-3),
                      unit="rad", form=".2g"),
            Statement("pressures are identical: largest difference", lambda r: max(abs(a - b) for k in (1, 2, 3) for a, b in zip(
                *(r.columns(f"{key}/{t}/results.csv")[f"v{k}.pressure"] for t in TREATMENTS))), m["bands"][1], true=(0, 1e4), unit="Pa", form=".2g"),
            Statement(f"independent coordinate is {m['independent'][1]} throughout: repartitions", lambda r: r.row(key, 0)["repartitions"] + (
                r.row(key, 0)["independent"] != [m["independent"][0]]), (0, 0), true=(0, 0), form="g"))),
        Item(f"Figure {numbers[1]}", f"energies, {m['name']}", command, panels=energies(m), statements=(
            *both(m, "maximum actuator work", lambda k: dict(ours=lambda r: r.row(key, k)["max_work"], band=(m["work"] * 0.999, m["work"] * 1.005), paper=m["work"], unit="J", form=".2f")),
            *both(m, "peak energy drift", lambda k: dict(ours=lambda r: r.row(key, k)["max_drift"], band=(0.008, 0.016), paper=m["drift"], unit="J", form=".3f", why=SMALLER)),
            *both(m, "drift over maximum work", lambda k: dict(ours=lambda r: r.row(key, k)["drift_percent"], band=m["bands"][2], paper=m["percent"], unit="%", form=".4f", why=SMALLER)),
            *both(m, "time of the peak drift, closing of the valve around 8 s", lambda k: dict(ours=lambda r: r.row(key, k)["max_drift_time"], band=(8, 8.05), paper=8, unit="s", form=".3f")))),
        Item(f"Figure {numbers[2]}", f"constraint violation, {m['name']}", command,
             panels=violation(m),
             note="The program records the remainder of the last linearised projection, for penalty down to 1e-31 m. Positions cannot show less than their rounding: values below 1e-16 of the size of the "
                  f"machine, {m['size']} m, are drawn there.", statements=(
            *both(m, "constraints are fulfilled: maximum violation", lambda k: dict(ours=lambda r: r.row(key, k)["max_violation"], band=(1e-17, 1e-12), true=(0, 1e-7), unit="m", form=".1e", wide=ROUNDING)),
            Statement("only double-step fulfils them to machine precision: maximum violation, penalty", lambda r: r.row(key, 1)["max_violation"], (1e-17, 1e-12), true=(1e-11, 1),
                      unit="m", form=".1e", wide=ROUNDING, why="penalty with projections fulfils them to rounding too"),
            Statement("their rates: maximum violation, double-step", lambda r: r.row(key, 0)["max_velocity_violation"], (0, 1e-15), true=(0, 1e-15), unit="m/s", form=".1e", wide=ROUNDING),
            Statement("penalty is more relaxed on their rates: maximum violation", lambda r: r.row(key, 1)["max_velocity_violation"], (1e-15, 1e-11), true=(1e-15, 1), unit="m/s",
                      form=".1e", wide="rounding errors, divided by the step of the projection"))),
        Item(f"Figure {numbers[3]}", f"numerical efficiency, {m['name']}", command,
             panels=lambda r: histories(m, "iterations", "iterations", "(a) iterations")(r) + histories(
                 m, "step_seconds", "integration time [s]", "(b) cumulative integration time", file="history_times.csv")(r),
             note=f"Integration times of the paper, in Matlab: {m['times'][0]} s (double-step) and {m['times'][1]} s (penalty).", statements=(
            *both(m, "mean iterations", lambda k: dict(ours=lambda r: r.row(key, k)["iterations_mean"], band=(1.4, 1.75), paper=m["mean"][k], within=0.2, form=".2f")),
            *both(m, "largest number of iterations", lambda k: dict(ours=lambda r: r.row(key, k)["iterations_max"], band=(3, 4), paper=m["most"][k], form="g",
                                                                    why="fewer are enough with exact tangents")),
            Statement("double-step needs fewer iterations: its mean over that of penalty", lambda r: r.row(key, 0)["iterations_mean"] / r.row(key, 1)["iterations_mean"], (0.99, 1.01), true=(0, 0.99),
                      form=".3f", why="both need the same number here, with exact tangents"),
            *both(m, "the most iterations occur at opening and closing of the valve: share within 0.25 s", lambda k: dict(ours=most_at_switching(m, TREATMENTS[k]), band=(0.95, 1), true=(0.5, 1), form=".2f",
                                                                                                            why="they also occur elsewhere")),
            Statement("double-step takes longer than penalty: ratio of processor times, published", lambda r: r.row(key, 0)["step_cpu_seconds"] / r.row(key, 1)["step_cpu_seconds"],
                      (0.8, 3), paper=m["times"][0] / m["times"][1], within=0.3, form=".2f", timed=True, why="the clock was disturbed"))),
    ]


CUT = "{revolute: {between: [lever, ground], at: [[2 m, 0, 0], [0, -1 m, 0]], axis: z}}"
WITHOUT_PARTITION = "here double-step leaves out redundant rows, and passes singular positions that lie between two steps"
PAPER = Paper(
    key="formulations", title="Formulations",
    citation="S. Jaiswal, J. Rahikainen, Q. Khadim, J. Sopanen, A. Mikkola, \"Comparing double-step and penalty-based semirecursive formulations for hydraulically actuated "
             "multibody systems in a monolithic approach\", Multibody System Dynamics 52 (2021)",
    equations="Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations)",
    commands={m["key"]: f"trunnion compare examples/{file}.yaml -o {m['key']} --vary solver.constraints=double_step,penalty "
                        "--reference examples/reference/formulations_paper.csv " + " ".join(f"--difference {a}.angle" for a in m["angles"])
              for m, file in ((LIFT, "four_bar_lift"), (QUICK, "quick_return"))} | {
        "redundant": f"trunnion compare examples/four_bar_lift.yaml -o redundant --vary solver.constraints=double_step,penalty --set 'loops={{E: {CUT}, again: {CUT}}}'",
        "singular": "trunnion compare examples/ladder.yaml -o singular --vary solver.constraints=double_step,penalty"},
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "multibody system"), (2, "hydraulic components"), (3, "hydraulic cylinder"), (4, "four-bar mechanism"), (5, "quick-return mechanism")]),
        Item("Table 1", "parameters of the hydraulic circuit", excerpt=("four_bar_lift.yaml", ["fluid", "volumes", "sources", "valves"]),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value.", statements=(
            Statement("static force of the four-bar, sqrt(2) g (3 m1 + 2 m2 + m3)", lambda r: r.at("lift/penalty/results.csv", "lift.force", 0),
                      (11029.2, 11029.6), math.sqrt(2) * 9.81 * (3 * 225 + 2 * 35 + 50), unit="N", form=".2f"),
            Statement("initial rod-side pressure p3(0)", lambda r: r.at("lift/penalty/results.csv", "v3.pressure", 0) / 1e6, (3.4999, 3.5001), 3.5, unit="MPa"))),
        *(Item("Section 5", f"initial relative joint coordinates, {m['name']}", (m["key"],), tuple(
            Statement(f"z{k + 1}(0)", lambda r, m=m, name=name: DEGREES * r.at(f"{m['key']}/penalty/results.csv", name + ".angle", 0), (angle - 0.01, angle + 0.01) if angle else (0, 0), angle, unit="deg", form=".2f")
            for k, (name, angle) in enumerate(zip(m["angles"], m["start"])))) for m in (LIFT, QUICK)),
        Item("Section 6.3", "redundant constraints and singular positions", ("lift", "redundant", "singular"), (
            Statement("penalty handles redundant constraints: largest difference of any angle, four-bar with its cut joint twice", lambda r: apart(r, "redundant/penalty", "lift/penalty"), (0, 1e-10),
                      true=(0, 1e-8), unit="rad", form=".1e", wide=ROUNDING),
            Statement("redundant rows of it", lambda r: len(r.json("redundant/penalty/summary.json")["constraints"]["redundant"].get("loops.again", [])), (2, 2), true=(2, 2), form="g"),
            Statement("double-step assumes that there are none: the same difference", lambda r: apart(r, "redundant/double_step", "lift/double_step"), (0, 1e-10), true=(1e-6, 9), unit="rad", form=".1e",
                      wide=ROUNDING, why=WITHOUT_PARTITION),
            Statement("penalty is accurate near singular positions: largest drift of the energy of the ladder, flat five times in 5 s", lambda r: r.row("singular", 1)["max_drift"], (4e-4, 6e-4),
                      true=(0, 1e-2), unit="J", form=".1e"),
            # less than this depends on the compiler: rounding, which grows where the loops lose rank
            Statement("double-step assumes that there are none: its largest difference of any angle from penalty (1e-5 rad where it is less)",
                      lambda r: max(apart(r, "singular/double_step", "singular/penalty"), 1e-5), (1e-5, 1e-5), true=(1e-3, 9), unit="rad", form=".0e", why=WITHOUT_PARTITION)),
             note="The ladder of 8 windows, each a four-bar mechanism, starts upright at 1 rad/s; its loops lose rank where all bars are collinear."),
        *figures(LIFT, (7, 9, 11, 13), lift_lines), *figures(QUICK, (8, 10, 12, 14), quick_lines),
    ])
PAPER.items.sort(key=lambda item: (not item.name.startswith("Table"), item.name.startswith("Figure") and int(item.name.split()[1]), item.name))
