"""Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020: co-simulation of multibody and hydraulic dynamics."""
# SPDX-License-Identifier: BSD-3-Clause
import bisect
import math
import pathlib

import validation
from entries import Curve, Item, Panel, Paper, Statement, file_value

SWEEP = validation.Figures(pathlib.Path(), "")  # reads tests/data/cosimulation_sweep.csv only
F, P = "velocity_force", "velocity_pressure"
CRANES = {"single": 2, "double": 1}  # order of the polynomials in the paper
OIL = "--oil euler@0.1ms,rk4@0.1ms,trapezoidal@0.1ms,trapezoidal@0.2ms,trapezoidal@0.5ms,trapezoidal@1ms"


def limit(model, treatment, m, variables, **wanted):
    """Largest stable communication step [ms], below the first unstable one."""
    return float(SWEEP.limit("crane_" + model, treatment, m, variables, **wanted).split()[-1])


def stored(column, treatment, m, variables, step, model="single"):
    return float(SWEEP.at_step(column, ".17g", "crane_" + model, treatment, m, variables, step))


def figure_of(r, path):
    """Curves of a figure of the study: (panel, curve) and its pieces, one for each panel in which it is drawn."""
    found = {}
    for row in r.rows(path):
        pieces = found.setdefault((row["panel"], row["curve"]), [([], [])])
        if pieces[-1][0] and float(row["x"]) < pieces[-1][0][-1]:
            pieces.append(([], []))
        pieces[-1][0].append(float(row["x"]))
        pieces[-1][1].append(float(row["y"]))
    return found


def less_monolithic(curve, reference):
    """A curve less the reference, which is interpolated."""
    (xs, ys), (known, values) = curve, reference
    out = []
    for x, y in zip(xs, ys):
        i = min(max(bisect.bisect_right(known, x), 1), len(known) - 1)
        out.append(y - values[i - 1] - (x - known[i - 1]) / (known[i] - known[i - 1]) * (values[i] - values[i - 1]))
    return xs, out


PREDICTIONS = {"m = 2": "m = 2", "interface model": "interface model"}
RATE, LENGTH = 0, 2  # pieces of the figure: each quantity in the whole run, and the same near the largest difference


def prediction_panels(r):
    curves = figure_of(r, "study_single/figures/prediction.csv")
    return [Panel(f"difference of the {name} from the monolithic solution", "time [s]", unit, [
        Curve(label, *less_monolithic(curves["lift", key][piece], curves["lift", "monolithic"][piece])) for key, label in PREDICTIONS.items()])
        for piece, name, unit in ((RATE, "rate", "[mm/s]"), (LENGTH, "length", "[mm]"))]


def prediction_error(r, key, piece):
    """Largest difference from the monolithic solution in percent of its range."""
    curves = figure_of(r, "study_single/figures/prediction.csv")
    reference = curves["lift", "monolithic"][piece]
    return 100 * max(map(abs, less_monolithic(curves["lift", key][piece], reference)[1])) / (max(reference[1]) - min(reference[1]))


def oil_step_error(r, model, communication, step):
    """Largest difference [mm] of a length from the monolithic solution, with a step of the hydraulics."""
    return max(abs(y) for (panel, curve), ((_, ys),) in figure_of(r, f"study_{model}/figures/oil_step_{communication}.csv").items()
               if panel.endswith("difference from the monolithic solution") and curve == f"h = {step}" for y in ys)


def gain(model, treatment, m):
    """Limit of velocity-pressure over that of velocity-force."""
    return limit(model, treatment, m, P) / limit(model, treatment, m, F)


def rises(treatment, m, variables, model):
    """Largest ratio of the summed residuals at successive steps of the scan, from half of the limit to the first unstable step."""
    rows = SWEEP._sweep("crane_" + model, treatment=treatment, m=m, variables=variables)
    first = next(i for i, row in enumerate(rows) if row["stable"] != "yes")
    near = [float(row["absolute_residual"]) for row in rows[:first + 1] if float(row["step"]) >= 0.5 * float(rows[first]["step"])]
    return max(b / a for a, b in zip(near, near[1:]))


def residual_figures(model):
    return [f"study_{model}/figures/residual_{variables}_{oil}.svg" for oil in ("euler", "rk4", "trapezoidal") for variables in (F, P)]


def study_figures(model, *names):
    return [f"study_{model}/figures/{name}.svg" for name in names]


STORED = "sweep"
MASSES = {"link 1": r"rod: \{length: 1 m, mass: ([\d.]+) kg", "Q": r"point_mass: \{mass: ([\d.]+) kg, at: \[1 m", "R": r"point_mass: \{mass: ([\d.]+) kg, at: \[0.5 m"}
ALI1 = "--set solver.coordinates=cartesian --set solver.coupling=cosimulation --set solver.constraints=ali1 --set solver.integrator=semi_implicit_euler"
OIL_OPTIONS = {"integrators": "--vary coupling.hydraulics.integrator=euler,rk4,trapezoidal",
               "steps": "--set coupling.hydraulics.integrator=trapezoidal --vary coupling.hydraulics.step=0.1ms,1ms"}
# what the paper compares, its number of choices, column of the study
CHOICES = [("sets of coupling variables", 2, "variables"), ("predictions of the inputs of the hydraulics", 2, "prediction"), ("formulations of the mechanism", 2, "treatment"),
           ("integrators of the hydraulics", 3, "oil_integrator")]


def mass(of):
    return file_value("crane_single.yaml", MASSES[of])


def cycle(model):
    return f"cycle_{model}/results.csv"


def start(r, channel):
    return r.at(cycle("single"), channel, 0)


def length_of_link_2(r):
    """Distance of R from the tip Q of link 1 at the start [m]."""
    L, angle = file_value("crane_single.yaml", r"rod: \{length: ([\d.]+) m"), start(r, "boom.angle")
    return math.hypot(start(r, "jib.center_x") - L * math.cos(angle), start(r, "jib.center_y") - L * math.sin(angle))


def freedom(r, key):
    return r.json("cycle_single/summary.json")["constraints"][key]


def choices(r, *columns):
    """Number of combinations of values of these columns that the study runs."""
    return len({tuple(row[column] for column in columns) for row in r.rows("choices/limits.csv")})


def difference(r, model, run):
    """Largest difference of a cylinder's length between a co-simulation at H = 1 ms and the monolithic run [µm]."""
    one, other = r.columns(cycle(model)), r.columns(f"{run}/results.csv")
    return 1e6 * max(abs(a - b) for name in ("lift.length", "tilt.length") if name in one for a, b in zip(one[name], other[name]))


def end_residual(r, integrator):
    return r.columns(f"integrators_double/{integrator}/results.csv")["coupling.energy_residual"][-1]


def moved(r, model, cylinder, extreme):
    """Largest motion of a cylinder from the start, inwards (`extreme` is min) or outwards (max) [mm]."""
    length = r.columns(cycle(model))[f"{cylinder}.length"]
    return 1e3 * abs(extreme(length) - length[0])


def differences(r, commands):
    """How fresh runs of the studies differ from the stored sweep."""
    found = []
    for name in commands:
        if name.startswith("study_"):
            r.run(name)
            try:
                validation.Figures(r.folder, "").stored_agrees(name, name.replace("study", "crane"))
            except SystemExit as different:
                found.append(str(different))
    return found


def work_cycle(model, number, cylinders, error):
    """`cylinders`: name, largest motion inwards and outwards and the length at the end [mm]; `error`: band of the co-simulation's [µm]."""
    statements = []
    for name, inwards, outwards, last in cylinders:
        for extreme, side, chamber, motion in ((min, "piston", "A", inwards), (max, "rod", "B", outwards)):
            length = file_value(f"crane_{model}.yaml", rf"chamber_length_{chamber}: ([\d.]+) mm")
            damper = length - file_value(f"crane_{model}.yaml", r"end_damper: .*length: ([\d.]+) mm")
            statements.append(Statement(f"{name} hits the end damper of the {side} side, {damper:g} mm from the start: largest motion", lambda r, name=name, extreme=extreme: moved(
                r, model, name, extreme), (motion - 0.2, motion + 0.2), true=(damper, length), form=".1f", unit="mm"))
        statements.append(Statement(f"length of {name} at 10 s", lambda r, name=name: 1e3 * r.at(cycle(model), f"{name}.length", 10), (last - 0.1, last + 0.1), form=".1f", unit="mm"))
    statements.append(Statement("co-simulation at H = 1 ms follows the monolithic solution: largest difference of a length, ALI3-P, velocity-pressure", lambda r: difference(
        r, model, f"coupled_{model}"), error, form=".2g", unit="µm"))
    return Item(f"Figure {number}", f"work cycle, {'one cylinder' if model == 'single' else 'two cylinders'}", (f"cycle_{model}", f"coupled_{model}", f"study_{model}"), tuple(statements),
                pictures=study_figures(model, "work_cycle"), note="The joystick signals of the paper are not published; these drive every cylinder into both end dampers.")


def prediction(order):
    return "interface model" if order == "IM" else f"m = {order}"


GAINS = {"single": ((2, (0.44, 0.5)), ("IM", (0.61, 0.69))), "double": ((1, (0.73, 0.83)), ("IM", (0.18, 0.21)))}


def residuals(model, number):
    m = CRANES[model]
    limits = {  # stored limits [ms], within a tenth
        "single": {("ALI1", F): 3.2, ("ALI1", P): 3.8, ("ALI3-P", F): 1.3, ("ALI3-P", P): 3.3}, "double": {("ALI1", F): 1.6, ("ALI1", P): 2.4, ("ALI3-P", F): 1.3, ("ALI3-P", P): 2.5}}[model]
    interface = {"single": {("ALI1", F): 10.8, ("ALI1", P): 13.1, ("ALI3-P", F): 10.7, ("ALI3-P", P): 20}, "double": {("ALI1", F): 3.3, ("ALI1", P): 3.9, ("ALI3-P", F): 3, ("ALI3-P", P): 18.3}}[model]
    statements = [Statement(f"largest stable H, {t}, {prediction(order)}, {v.replace('_', '-')}{', the largest one of the scan' if value == 20 else ''}",
                            lambda r, t=t, v=v, order=order: limit(model, t, order, v), (value * 0.97, value * 1.03), unit="ms")
                  for order, table in ((m, limits), ("IM", interface)) for (t, v), value in table.items()]
    statements += [Statement(f"velocity-pressure allows larger H than velocity-force: ratio of limits, {t}, {prediction(order)}",
                             lambda r, t=t, order=order: gain(model, t, order), (value * 0.94, value * 1.06), true=(1, 99), form=".2f") for (t, order), value in {
                                 key: table[key[0], P] / table[key[0], F] for order, table in ((m, limits), ("IM", interface)) for key in (("ALI1", order), ("ALI3-P", order))}.items()]
    statements.append(Statement("the residual takes off at the limit, ALI3-P, velocity-pressure: largest ratio at successive steps H", lambda r: rises("ALI3-P", m, P, model),
                                {"single": (15, 45), "double": (1.8, 2.7)}[model], true=(2, 1e12), form=".3g"))
    statements += [Statement(f"ALI1 allows significantly larger H than ALI3-P, by an eighth and more: ratio of limits, {prediction(order)}, {v.replace('_', '-')}",
                             lambda r, v=v, order=order: limit(model, "ALI1", order, v) / limit(model, "ALI3-P", order, v), (value * 0.94, value * 1.06), true=(1.125, 99), form=".2f",
                             why="ALI3-P allows about the same or a larger one here, with accelerations recomputed at every exchange") for (order, v), value in {
                                 (order, v): table["ALI1", v] / table["ALI3-P", v] for order, table in ((m, limits), ("IM", interface)) for v in (F, P)}.items()]
    statements += [Statement(f"ALI1 gains more from pressures than ALI3-P: ratio of the gains, {prediction(order)}", lambda r, order=order: gain(model, "ALI1", order) / gain(model, "ALI3-P", order),
                             band, true=(1, 99), form=".2f", why="ALI3-P gains more here") for order, band in GAINS[model]]
    return Item(f"Figure {number}", f"energy residual over H, {'one cylinder' if model == 'single' else 'two cylinders'}", (f"study_{model}", STORED), tuple(statements),
                pictures=residual_figures(model))


def little_effect(model, largest):
    """`largest`: for velocity-force and velocity-pressure, the band of the ratio of limits with the trapezoidal rule and why it is not 1."""
    m = CRANES[model]
    bands = {"euler": (((0.9, 1.1), ""),) * 2, "trapezoidal": largest}
    return [Statement(f"little effect on the achievable H: limit with {oil} over that with Runge-Kutta, ALI1, m = {m}, {v.replace('_', '-')}", lambda r, oil=oil, v=v: limit(
        model, "ALI1", m, v, oil_integrator=oil) / limit(model, "ALI1", m, v), band, true=(0.9, 1.1), form=".2f", why=why) for oil, both in bands.items() for v, (band, why) in zip((F, P), both)]


def longer_oil_steps(model, ratio, unstable, stable, why=""):
    """Bands: ratio of the limits with h = 1 ms and 0.1 ms, limits with 0.1 ms and 1 ms [ms]; `why` H = 4 ms is not unstable."""
    m = CRANES[model]

    def longest(**step):
        return limit(model, "ALI1", m, P, oil_integrator="trapezoidal", **step)
    return [Statement("a longer step of the hydraulics needs a shorter H: limit with h = 1 ms over that with 0.1 ms, velocity-pressure", lambda r: longest(oil_step="0.001") / longest(), ratio,
                      true=(0, 0.7), form=".2f", why="the limits agree on the grid of 1 ms; the trapezoidal rule of the oil is stable at both steps"),
            Statement(f"H = 4 ms is unstable: limit, ALI1, m = {m}, velocity-pressure, trapezoidal rule", lambda r: longest(), unstable, true=(0, 3.999), unit="ms", why=why),
            Statement("H = 1 ms is stable with h = 1 ms: limit", lambda r: longest(oil_step="0.001"), stable, true=(1, 99), unit="ms")]


PAPER = Paper(
    key="cosimulation", title="Co-simulation",
    citation="J. Rahikainen, F. Gonzalez, M. A. Naya, J. Sopanen, A. Mikkola, \"On the cosimulation of multibody systems and hydraulic dynamics\", Multibody System Dynamics 50 (2020)",
    equations="Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation)",
    commands={f"cycle_{model}": f"trunnion run examples/crane_{model}.yaml -o cycle_{model} --set solver.coordinates=cartesian" for model in CRANES} | {
        f"coupled_{model}": f"trunnion run examples/crane_{model}.yaml -o coupled_{model} --set solver.coordinates=cartesian --set solver.coupling=cosimulation" for model in CRANES} | {
        f"{name}_double": f"trunnion compare examples/crane_double.yaml -o {name}_double {ALI1} {options}" for name, options in OIL_OPTIONS.items()} | {
        "choices": "trunnion study cosimulation examples/crane_single.yaml -o choices --set solver.duration=10ms --quick --min-step 1ms --max-step 1ms "
                   "--oil euler@0.1ms,rk4@0.1ms,trapezoidal@0.1ms"} | {
        f"study_{model}": f"trunnion study cosimulation examples/crane_{model}.yaml -o study_{model} --quick {OIL}" for model in CRANES},
    stored={STORED: "tools/cosimulation_sweep.py"}, differences=differences,
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "exchange of data"), (2, "generic co-simulation scheme"), (3, "Jacobi scheme"), (4, "extrapolation"), (5, "single-actuator crane"), (6, "double-actuator crane"), (7, "hydraulic circuit")]),
        Item("Section 3.1.1", "generalised coordinates, one cylinder", ("cycle_single",), (
            Statement("generalised coordinates of the two links", lambda r: freedom(r, "rows") + freedom(r, "degrees_of_freedom"), (5, 5), 5, form=".0f"),
            Statement("kinematic constraints", lambda r: freedom(r, "rows"), (3, 3), 3, form=".0f"),
            Statement("degrees of freedom", lambda r: freedom(r, "degrees_of_freedom"), (2, 2), 2, form=".0f"))),
        Item("Table 1", "mechanical parameters", ("cycle_single",), excerpt=("crane_single.yaml", ["bodies", "joints"]), statements=(
            *(Statement("mass of link 1" if of == "link 1" else f"point mass at {of}", lambda r, of=of: mass(of), (value, value), unit="kg") for of, value in (
                ("link 1", 200), ("Q", 250), ("R", 100))),
            Statement("length of link 1", lambda r: file_value("crane_single.yaml", r"rod: \{length: ([\d.]+) m"), (1, 1), unit="m"),
            Statement("length of link 2", length_of_link_2, (0.499999, 0.500001), unit="m"),
            Statement("length of the cylinder at the start, from B to P, the middle of link 1", lambda r: start(r, "lift.length"), (0.499999, 0.500001), unit="m"),
            Statement("static force of the cylinder", lambda r: start(r, "lift.force"), (8828.99, 8829.01), form=".1f", unit="N"),
            Statement("its ratio to (m + 2 m_p + 2 m_h) g", lambda r: start(r, "lift.force") / ((mass("link 1") + 2 * mass("Q") + 2 * mass("R")) * 9.81), (0.999999, 1.000001),
                      true=(0.999999, 1.000001), form=".6f")),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value."),
        Item("Table 2", "parameters of the circuit", excerpt=("crane_single.yaml", ["fluid", "volumes", "sources", "valves", "cylinders"]), statements=(
            Statement("viscous coefficient of the cylinder", lambda r: file_value("crane_single.yaml", r"viscous: ([\d.e]+) N"), (1e5, 1e5), 1e5, unit="N s/m"),)),
        Item("Table 3", "configuration variables", ("choices",), (
            *(Statement(what, lambda r, column=column: choices(r, column), (number, number), number, form=".0f") for what, number, column in CHOICES),
            Statement("combinations", lambda r: choices(r, *(column for *_, column in CHOICES)), (24, 24), math.prod(number for _, number, _ in CHOICES), form=".0f")),
             note="Coupling variables velocity-force and velocity-pressure; prediction by polynomials or the interface model; ALI1 or ALI3-P; Euler, Runge-Kutta or trapezoidal rule of the hydraulics "
                  "at 0.1 ms and longer steps. The options of the commands are these variables; the numbers for every combination are in figures 9 and 15."),
        work_cycle("single", 8, [("lift", 46.16, 245.34, 453.89)], (0.1, 0.4)),
        residuals("single", 9),
        Item("Figure 10", "energy balance, one cylinder", ("study_single", STORED), pictures=study_figures("single", "energy_balance"), statements=(
            Statement("ALI1 loses energy, ALI3-P does not: largest drift at H = 1 ms, ALI1, m = 2, over that of ALI3-P", lambda r: stored("max_drift", "ALI1", 2, F, "0.001") / stored(
                "max_drift", "ALI3-P", 2, F, "0.001"), (10, 18), true=(2, 1e9), form=".3g"),
            Statement("ALI1 has the lower residual: its residual at H = 1 ms over that of ALI3-P, velocity-force", lambda r: stored("residual", "ALI1", 2, F, "0.001") / stored(
                "residual", "ALI3-P", 2, F, "0.001"), (1.5, 9), true=(0, 1), form=".2f",
                why="with the same extrapolation of its own input ALI3-P has the lower one; the residual measures the extrapolation on both sides"),
            Statement("the same, velocity-pressure", lambda r: stored("residual", "ALI1", 2, P, "0.001") / stored("residual", "ALI3-P", 2, P, "0.001"), (1, 2), true=(0, 1), form=".2f", why="the residual measures the extrapolation on both sides"))),
        Item("Figure 11", "polynomials against the interface model", ("study_single", STORED), pictures=study_figures("single", "prediction"), panels=prediction_panels,
             note="The curves cannot be told apart at the scale of the figure: the differences are drawn first.", statements=(
            Statement("polynomials allow larger H than the interface model: ratio of limits, ALI1, velocity-force", lambda r: limit("single", "ALI1", 2, F) / limit("single", "ALI1", "IM", F), (0.2, 0.4),
                      true=(1, 99), form=".2f", why="the limit of the interface model is three times larger here"),
            Statement("polynomials are more accurate: error of the length at H = 1 ms, interface model over m = 2, ALI3-P, velocity-pressure", lambda r: stored("length_error", "ALI3-P", "IM", P, "0.001") / stored(
                "length_error", "ALI3-P", 2, P, "0.001"), (35, 80), true=(1, 1e9), form=".3g"),
            Statement("the interface model degrades velocities more than positions: largest difference of the rate from the monolithic solution in percent of its range, over that of the length, H = 2.5 ms",
                      lambda r: prediction_error(r, "interface model", RATE) / prediction_error(r, "interface model", LENGTH), (40, 80), true=(1, 1e9), form=".2g", why="it does not"),
            Statement("polynomials degrade them less: the rate's difference with the interface model over that with m = 2", lambda r: prediction_error(r, "interface model", RATE) / prediction_error(
                r, "m = 2", RATE), (1.01, 1.04), true=(1.1, 99), form=".3f", why="by 2 %: the error of the semi-implicit rule of ALI1 hides it"))),
        Item("Figure 12", "integrators of the hydraulics, one cylinder", ("study_single", STORED), pictures=study_figures("single", *(f"residual_integrators_{v}" for v in (F, P))), statements=(
            *little_effect("single", (((1.03, 1.1), ""), ((1.22, 1.3), "the trapezoidal rule allows an H that is a quarter longer"))),
            Statement("the same with Euler, interface model, velocity-force", lambda r: limit("single", "ALI1", "IM", F, oil_integrator="euler") / limit("single", "ALI1", "IM", F), (0.4, 0.5),
                      true=(0.9, 1.1), form=".2f", why="forward Euler halves the limit of this combination"))),
        Item("Figure 13", "steps of the hydraulics, one cylinder", ("study_single", STORED), pictures=study_figures("single", "oil_step_1ms", "oil_step_4ms"),
             statements=(
                 *longer_oil_steps("single", (0.8, 0.87), (4.6, 5), (3.9, 4.1), "the runs at H = 4 ms complete with steps of the hydraulics of 0.1 to 1 ms"),
                 *(Statement(f"with H = 1 ms and h = {h} the solution is nearer to the monolithic one than with H = 4 ms: largest differences of the length, ratio", lambda r, h=h: oil_step_error(
                     r, "single", "1ms", h) / oil_step_error(r, "single", "4ms", h), (0.22, 0.28), true=(0, 1), form=".3f", why="it is not") for h in ("0.1 ms", "0.5 ms")),
                 Statement("difference with H = 1 ms, h = 0.1 ms", lambda r: oil_step_error(r, "single", "1ms", "0.1 ms"), (0.035, 0.05), form=".3f", unit="mm"),
                 Statement("difference with H = 4 ms, h = 0.1 ms", lambda r: oil_step_error(r, "single", "4ms", "0.1 ms"), (0.14, 0.2), form=".3f", unit="mm"))),
        work_cycle("double", 14, [("lift", 46.11, 245.24, 453.94), ("tilt", 44.98, 245.52, 388.03)], (1, 4)),
        residuals("double", 15),
        Item("Section 4.2", "two actuators against one", (STORED,), (
            *(Statement(f"two actuators are harder: limit over that with one, {t}, m = 1, {v.replace('_', '-')}", lambda r, t=t, v=v: limit("double", t, 1, v) / limit("single", t, 1, v), (0.3, 0.95),
                        true=(0, 1), form=".2f") for t in ("ALI1", "ALI3-P") for v in (F, P)),
            *(Statement(f"the gain from pressures is clearer with two: its ratio to that with one, {t}, {text}", lambda r, t=t, orders=orders: gain("double", t, orders[1]) / gain("single", t, orders[0]),
                        band, true=(1.001, 99), form=".2f", why="it is smaller with two") for t, text, orders, band in (
                            ("ALI1", "m = 1 over m = 2", (2, 1), (1.2, 1.33)), ("ALI1", "interface model", ("IM", "IM"), (0.93, 1.0)), ("ALI3-P", "m = 1 over m = 2", (2, 1), (0.71, 0.81)),
                            ("ALI3-P", "interface model", ("IM", "IM"), (3.0, 3.5)))),
            *(Statement(f"the interface model allows larger H than polynomials: ratio of limits, {t}, velocity-pressure", lambda r, t=t: limit("double", t, "IM", P) / limit("double", t, 1, P), band,
                        true=(1, 99), form=".2f") for t, band in (("ALI1", (1.5, 1.75)), ("ALI3-P", (6.8, 7.8)))),
            Statement("exception: the interface model with ALI1 keeps the limit of one actuator, ratio, velocity-pressure", lambda r: limit("double", "ALI1", "IM", P) / limit("single", "ALI1", "IM", P),
                      (0.25, 0.35), true=(0.8, 1.2), form=".2f", why="when tilt leaves its end stop, a coupling error drives the rod side of lift below vacuum, which ends the run"))),
        Item("Figure 16", "integrators of the hydraulics, two cylinders", ("integrators_double", "study_double", STORED),
             pictures=study_figures("double", *(f"residual_integrators_{v}" for v in (F, P))), statements=(
                 *little_effect("double", (((1.1, 1.15), "the trapezoidal rule allows an H that is an eighth longer"),) * 2),
                 *(Statement(f"little effect on the residual at H = 1 ms: {oil} over Runge-Kutta, ALI1, m = 1, velocity-pressure", lambda r, oil=oil: end_residual(r, oil) / end_residual(
                     r, "rk4"), band, true=(0.9, 1.1), form=".3f") for oil, band in (("euler", (1.005, 1.025)), ("trapezoidal", (0.999, 1.001)))))),
        Item("Figure 17", "steps of the hydraulics, two cylinders", ("steps_double", "study_double", STORED), pictures=study_figures("double", "oil_step_1ms", "oil_step_4ms"), statements=(
            *longer_oil_steps("double", (0.7, 0.8), (2.6, 2.8), (2, 2)),
            Statement("with H = 1 ms the trapezoidal rule is stable at h = 1 ms: largest difference of a length from the monolithic solution, ALI1, m = 1, velocity-pressure",
                      lambda r: difference(r, "double", "steps_double/1ms"), (90, 120), true=(0, 5000), form=".3g", unit="µm"),
            Statement("its ratio to that at h = 0.1 ms", lambda r: difference(r, "double", "steps_double/1ms") / difference(r, "double", "steps_double/0.1ms"), (0.98, 1.02), true=(0.5, 2), form=".3f"))),
    ])
