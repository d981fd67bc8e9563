"""Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020: co-simulation of multibody and hydraulic dynamics."""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib

import validation
from entries import Item, Paper, Statement, file_value

SWEEP = validation.Figures(pathlib.Path(), "")  # reads tests/data/cosimulation_sweep.csv only
F, P = "velocity_force", "velocity_pressure"
CRANES = {"single": 2, "double": 1}  # order of the polynomials in the paper
OIL = "--oil euler@0.1ms,rk4@0.1ms,trapezoidal@0.1ms,trapezoidal@0.2ms,trapezoidal@0.5ms,trapezoidal@1ms"


def limit(model, treatment, m, variables, **wanted):
    """Largest stable communication step [ms], below the first unstable one."""
    return float(SWEEP.limit("crane_" + model, treatment, m, variables, **wanted).split()[-1])


def stored(column, treatment, m, variables, step, model="single"):
    return float(SWEEP.at_step(column, ".17g", "crane_" + model, treatment, m, variables, step))


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


def residuals(model, number):
    m = CRANES[model]
    limits = {  # stored limits [ms], within a tenth
        "single": {("ALI1", F): 3.2, ("ALI1", P): 3.8, ("ALI3-P", F): 1.3, ("ALI3-P", P): 3.3}, "double": {("ALI1", F): 1.6, ("ALI1", P): 2.4, ("ALI3-P", F): 1.3, ("ALI3-P", P): 2.5}}[model]
    interface = {"single": {("ALI1", F): 10.8, ("ALI1", P): 13.2, ("ALI3-P", F): 10.7, ("ALI3-P", P): 20}, "double": {("ALI1", F): 3.3, ("ALI1", P): 3.9, ("ALI3-P", F): 3, ("ALI3-P", P): 18.3}}[model]
    statements = [Statement(f"largest stable H, {t}, {'interface model' if order == 'IM' else f'm = {order}'}, {v.replace('_', '-')}",
                            lambda r, t=t, v=v, order=order: limit(model, t, order, v), (value * 0.97, value * 1.03), true=(0.2, 20), unit="ms")
                  for order, table in ((m, limits), ("IM", interface)) for (t, v), value in table.items()]
    statements += [Statement(f"velocity-pressure allows larger H than velocity-force: ratio of limits, {t}, {'interface model' if order == 'IM' else f'm = {order}'}",
                             lambda r, t=t, order=order: gain(model, t, order), (1.05, 7), true=(1, 99), form=".2f") for t in ("ALI1", "ALI3-P") for order in (m, "IM")]
    statements.append(Statement("the residual takes off at the limit, ALI3-P, velocity-pressure: largest ratio at successive steps H", lambda r: rises("ALI3-P", m, P, model), (2, 1e9), true=(2, 1e12),
                                form=".3g"))
    return Item(f"Figure {number}", f"energy residual over H, {'one cylinder' if model == 'single' else 'two cylinders'}", (f"study_{model}", STORED), tuple(statements),
                pictures=residual_figures(model))


PAPER = Paper(
    key="cosimulation", title="Co-simulation",
    citation="J. Rahikainen, F. Gonzalez, M. A. Naya, J. Sopanen, A. Mikkola, \"On the cosimulation of multibody systems and hydraulic dynamics\", Multibody System Dynamics 50 (2020)",
    equations="Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation)",
    commands={f"study_{model}": f"trunnion study cosimulation examples/crane_{model}.yaml -o study_{model} --quick {OIL}" for model in CRANES},
    stored={STORED: "tools/cosimulation_sweep.py"},
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "exchange of data"), (2, "generic co-simulation scheme"), (3, "Jacobi scheme"), (4, "extrapolation"), (5, "single-actuator crane"), (6, "double-actuator crane"), (7, "hydraulic circuit")]),
        Item("Table 1", "mechanical parameters", excerpt=("crane_single.yaml", ["bodies", "joints"]),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value."),
        Item("Table 2", "parameters of the circuit", excerpt=("crane_single.yaml", ["fluid", "volumes", "sources", "valves", "cylinders"]), statements=(
            Statement("viscous coefficient of the cylinder", lambda r: file_value("crane_single.yaml", r"viscous: ([\d.e]+) N"), (1e5, 1e5), 1e5, unit="N s/m"),)),
        Item("Table 3", "configuration variables", (STORED,),
             note="Coupling variables velocity-force and velocity-pressure; prediction by polynomials or the interface model; ALI1 or ALI3-P; Euler, Runge-Kutta or trapezoidal rule of the hydraulics "
                  "at 0.1 ms and longer steps. The options of the commands are these variables; the numbers for every combination are in figures 9 and 15."),
        Item("Figure 8", "work cycle, one cylinder", ("study_single",), pictures=study_figures("single", "work_cycle"),
             note="The joystick signal of the paper is not published; this one drives the cylinder into both end dampers."),
        residuals("single", 9),
        Item("Figure 10", "energy balance, one cylinder", ("study_single", STORED), pictures=study_figures("single", "energy_balance"), statements=(
            Statement("ALI1 loses energy, ALI3-P does not: largest drift at H = 1 ms, ALI1, m = 2, over that of ALI3-P", lambda r: stored("max_drift", "ALI1", 2, F, "0.001") / stored(
                "max_drift", "ALI3-P", 2, F, "0.001"), (10, 1e5), true=(2, 1e9), form=".3g"),
            Statement("ALI1 has the lower residual: its residual at H = 1 ms over that of ALI3-P, velocity-force", lambda r: stored("residual", "ALI1", 2, F, "0.001") / stored(
                "residual", "ALI3-P", 2, F, "0.001"), (1.5, 9), true=(0, 1), form=".2f",
                why="with the same extrapolation of its own input ALI3-P has the lower one; the residual measures the extrapolation on both sides"),
            Statement("the same, velocity-pressure", lambda r: stored("residual", "ALI1", 2, P, "0.001") / stored("residual", "ALI3-P", 2, P, "0.001"), (1, 2), true=(0, 1), form=".2f", why="the residual measures the extrapolation on both sides"))),
        Item("Figure 11", "polynomials against the interface model", ("study_single", STORED), pictures=study_figures("single", "prediction"), statements=(
            Statement("polynomials allow larger H than the interface model: ratio of limits, ALI1, velocity-force", lambda r: limit("single", "ALI1", 2, F) / limit("single", "ALI1", "IM", F), (0.2, 0.4),
                      true=(1, 99), form=".2f", why="the limit of the interface model is three times larger here"),
            Statement("polynomials are more accurate: error of the length at H = 1 ms, interface model over m = 2, ALI3-P, velocity-pressure", lambda r: stored("length_error", "ALI3-P", "IM", P, "0.001") / stored(
                "length_error", "ALI3-P", 2, P, "0.001"), (2, 100), true=(1, 1e9), form=".3g"))),
        Item("Figure 12", "integrators of the hydraulics, one cylinder", ("study_single", STORED), pictures=study_figures("single", *(f"residual_integrators_{v}" for v in (F, P))), statements=(
            *(Statement(f"little effect on the achievable H: limit with {oil} over that with Runge-Kutta, ALI1, m = 2, {v.replace('_', '-')}", lambda r, oil=oil, v=v: limit(
                "single", "ALI1", 2, v, oil_integrator=oil) / limit("single", "ALI1", 2, v), (0.9, 1.1), true=(0.9, 1.1), form=".2f") for oil in ("euler", "trapezoidal") for v in (F, P)),
            Statement("the same with Euler, interface model, velocity-force", lambda r: limit("single", "ALI1", "IM", F, oil_integrator="euler") / limit("single", "ALI1", "IM", F), (0.4, 0.5),
                      true=(0.9, 1.1), form=".2f", why="forward Euler halves the limit of this combination"))),
        Item("Figure 13", "steps of the hydraulics, one cylinder", ("study_single", STORED), pictures=study_figures("single", "oil_step_1ms", "oil_step_4ms"), statements=(
            Statement("a longer step of the hydraulics needs a shorter H: limit with h = 1 ms over that with 0.1 ms, velocity-pressure", lambda r: limit(
                "single", "ALI1", 2, P, oil_integrator="trapezoidal", oil_step="0.001") / limit("single", "ALI1", 2, P, oil_integrator="trapezoidal"), (0.7, 1.1), true=(0, 0.7), form=".2f",
                why="the limits agree on the grid of 1 ms; the trapezoidal rule of the oil is stable at both steps"),
            Statement("H = 4 ms is unstable: limit, ALI1, m = 2, velocity-pressure, trapezoidal rule", lambda r: limit("single", "ALI1", 2, P, oil_integrator="trapezoidal"), (3, 3.99), true=(0, 3.999), unit="ms"),
            Statement("H = 1 ms is stable with h = 1 ms: limit", lambda r: limit("single", "ALI1", 2, P, oil_integrator="trapezoidal", oil_step="0.001"), (1, 4), true=(1, 99), unit="ms"))),
        Item("Figure 14", "work cycle, two cylinders", ("study_double",), pictures=study_figures("double", "work_cycle")),
        residuals("double", 15),
        Item("Section 4.2", "two actuators against one", (STORED,), (
            *(Statement(f"two actuators are harder: limit over that with one, {t}, m = 1, {v.replace('_', '-')}", lambda r, t=t, v=v: limit("double", t, 1, v) / limit("single", t, 1, v), (0.3, 0.95),
                        true=(0, 1), form=".2f") for t in ("ALI1", "ALI3-P") for v in (F, P)),
            *(Statement(f"the interface model allows larger H than polynomials: ratio of limits, {t}, velocity-pressure", lambda r, t=t: limit("double", t, "IM", P) / limit("double", t, 1, P), (1.3, 9),
                        true=(1, 99), form=".2f") for t in ("ALI1", "ALI3-P")),
            Statement("exception: the interface model with ALI1 keeps the limit of one actuator, ratio, velocity-pressure", lambda r: limit("double", "ALI1", "IM", P) / limit("single", "ALI1", "IM", P),
                      (0.25, 0.35), true=(0.8, 1.2), form=".2f", why="when tilt leaves its end stop, a coupling error drives the rod side of lift below vacuum, which ends the run"))),
        Item("Figure 16", "integrators of the hydraulics, two cylinders", ("study_double",), pictures=study_figures("double", *(f"residual_integrators_{v}" for v in (F, P)))),
        Item("Figure 17", "steps of the hydraulics, two cylinders", ("study_double",), pictures=study_figures("double", "oil_step_1ms", "oil_step_4ms")),
    ])
