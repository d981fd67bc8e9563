"""Questions that the papers on friction and on formulations leave open, on two spatial machines: friction laws, formulations, tangents, integrators, steps.

Rows of all tables are stored in tests/data/open_questions.csv, which `make papers` writes. The page and its statements read that file; the tests repeat SAMPLE of it.
"""
# SPDX-License-Identifier: BSD-3-Clause
import csv
import functools
import re
from dataclasses import dataclass

import validation
from entries import ROOT, Item, Paper, Statement, Table

STORED = ROOT / "tests/data/open_questions.csv"
KEY = ("table", "machine", "law", "value", "constraints", "coordinates", "tangent", "integrator", "step")
NUMBERS = ("iterations_mean", "iterations_max", "subdivided_steps", "error")
LAWS = ["brown_mcphee", "bengisu_akay", "lugre", "modified_lugre", "set_valued", "maxwell_slip"]
TREATMENTS = ["penalty", "double_step"]
INTEGRATORS = ["trapezoidal", "bdf2", "generalized_alpha", "hht", "esdirk3", "rk4"]
STEPS = ["4ms", "2ms", "1ms", "0.1ms"]
COARSE = {"relative": ["4ms", "2ms", "1ms"], "cartesian": ["4ms", "2ms"]}
DURATION = 3  # [s] of every run
# other parameters that every law with stiction, bristles, film or elements needs
REST = ("stribeck_velocity: 20 mm/s, decay: 50 s/m, film_velocity: 50 mm/s, film_time_up: 50 ms, film_time_down: 200 ms, film_time_dwell: 20 s, "
        "element_forces: [1, 2, 3], element_stiffnesses: [5, 3, 2]")


@dataclass
class Machine:
    name: str
    file: str
    friction: str      # parameters chosen for the size of its cylinders
    motion: str        # further settings
    cylinders: str


CRANE = Machine("forwarder crane", "forwarder_crane", "coulomb: 500 N, static: 800 N, viscous: 2000 N s/m, bristle_stiffness: 1e7 N/m, bristle_damping: 4e4 N s/m",
                " --set 'signals.jib_lever={ramps: [[0.2 s, 0], [0.4 s, 0.6], [1.2 s, 0.6], [1.4 s, 0], [1.8 s, 0], [2 s, -0.6], [2.6 s, -0.6], [2.8 s, 0]]}'",
                "lift.length,jib.length,telescope.length")
EXCAVATOR = Machine("excavator", "excavator", "coulomb: 1500 N, static: 2500 N, viscous: 0, bristle_stiffness: 3e7 N/m, bristle_damping: 1.2e5 N s/m", "",
                    "boom_left.length,boom_right.length,arm_lift.length,bucket_curl.length")
MACHINES = {"crane": CRANE, "excavator": EXCAVATOR}
REFERENCE_ERROR = 1.5e-9  # [m] of the reference of a tolerance of 1e-9: it depends on the compiler
REFERENCE = " --set solver.integrator=cvode --set solver.constraints=double_step --set solver.reference_tolerance=1e-9 --set 'solver.step=4 ms'"
STIFF = {  # law: parameter and its values
    "brown_mcphee": ("stribeck_velocity", ["20 mm/s", "2 mm/s", "0.2 mm/s", "0.02 mm/s"]),
    "lugre": ("bristle_stiffness", ["1e6 N/m", "1e7 N/m", "1e8 N/m", "1e9 N/m"]),
    "set_valued": ("bristle_stiffness", ["1e6 N/m", "1e7 N/m", "1e8 N/m", "1e9 N/m"]),
}


# ---------------------------------------------------------------- commands


def common(m, law):
    return (f" --set 'solver.duration={DURATION} s' --set 'cylinders.*.friction={{model: {law}, {m.friction}, {REST}}}'{m.motion}")


def compare(name, key, options, law=LAWS[0]):
    m = MACHINES[key]
    return f"trunnion compare examples/{m.file}.yaml -o {name}{common(m, law)} --set 'record.channels=[{m.cylinders}]' --set 'record.files=[csv]'{options}"


def vary(path, values):
    return f" --vary '{path}={','.join(values)}'"


def laws_commands(key, prefix="open", laws=LAWS, treatments=TREATMENTS, steps=STEPS, differences=TREATMENTS):
    """Reference, runs with exact tangents, runs with tangents by differences at the longest step."""
    model = vary("cylinders.*.friction.model", laws)
    names = [f"{prefix}_laws_{key}_{part}" for part in ("reference", "exact", "differences")]
    tails = [REFERENCE + model, model + vary("solver.constraints", treatments) + vary("solver.tangent", ["exact"]) + vary("solver.step", steps),
             model + vary("solver.constraints", differences) + vary("solver.tangent", ["forward_difference"]) + vary("solver.step", steps[:1])]
    return {name: compare(name, key, tail) for name, tail in zip(names, tails if differences else tails[:2])}


def stiff_commands(prefix="open", stiff=STIFF, steps=STEPS[:3]):
    """For each law a reference and runs, with values of a parameter that decides how stiff friction is near rest."""
    out = {}
    for law, (parameter, values) in stiff.items():
        for part, tail in (("reference", REFERENCE), ("runs", "")):
            name = f"{prefix}_stiff_{law}_{part}"
            out[name] = compare(name, "crane", tail + vary("cylinders.*.friction." + parameter, values) + ("" if tail else vary("solver.step", steps)), law)
    return out


def study_command(key, coordinates, prefix="open", integrators=INTEGRATORS, steps=None):
    m, name = MACHINES[key], f"{prefix}_formulations_{key}_{coordinates}"
    return {name: f"trunnion study formulations examples/{m.file}.yaml -o {name}{common(m, LAWS[0])} --constraints {','.join(TREATMENTS)} --coordinates {coordinates} "
                  f"--integrator {','.join(integrators)} --step {','.join(steps or COARSE[coordinates])} --repeats 1"}


COMMANDS = {}
for _key in MACHINES:
    COMMANDS |= laws_commands(_key)
COMMANDS |= stiff_commands()
for _key in MACHINES:
    COMMANDS |= study_command(_key, "relative") | study_command(_key, "cartesian")
# A sample of the rows for the tests, 3 s of processor time: every table, both machines, the longest and the shortest step.
SAMPLE = {
    **laws_commands("crane", "sample", ["brown_mcphee", "set_valued"], steps=["4ms"], differences=["penalty"]),
    **laws_commands("excavator", "sample", ["brown_mcphee"], steps=["4ms", "0.1ms"], differences=[]),
    **stiff_commands("sample", {"brown_mcphee": ("stribeck_velocity", ["2 mm/s"]), "set_valued": ("bristle_stiffness", ["1e8 N/m"])}, ["4ms"]),
    **study_command("crane", "relative", "sample", ["trapezoidal", "bdf2", "esdirk3", "rk4"], ["4ms"]),
}


# ---------------------------------------------------------------- rows from results


def folder_of(values):
    """Name of the folder of a run of `trunnion compare`."""
    return "_".join(re.sub(r"[^\w.]+", "-", value) for value in values)


def error(r, run, reference):
    """Largest difference [m] of the length of any cylinder at the common times."""
    ours, fine = r.columns(f"{run}/results.csv"), r.columns(f"{reference}/results.csv")
    at = {round(t, 9): i for i, t in enumerate(fine["time"])}
    both = [(i, at[round(t, 9)]) for i, t in enumerate(ours["time"]) if round(t, 9) in at]
    return max(abs(ours[name][i] - fine[name][j]) for name in fine if name != "time" for i, j in both)


def subdivided(summary):
    """Number of steps that were subdivided: Newton's method did not converge, or pressures jumped."""
    return summary["divided_steps"] + summary["resolved_steps"]


def compared(r, name, reference, varied, **fixed):
    """Rows of a comparison; `varied`: keys of its varied values, of which the first is also varied in the reference."""
    rows = []
    for row in r.json(f"{name}/compare.json")["rows"]:
        values = list(row["values"].values())
        out = {key: "" for key in (*KEY, *NUMBERS)} | fixed | dict(zip(varied, values)) | {"status": "completed" if row["status"] == "completed" else "failed"}
        if row["status"] == "completed":
            run = f"{name}/{folder_of(values)}"
            out |= {"iterations_mean": f"{row['iterations_mean']:.4g}", "iterations_max": f"{row['iterations_max']:g}",
                    "subdivided_steps": f"{subdivided(r.json(run + '/summary.json')):g}", "error": f"{error(r, run, f'{reference}/{folder_of(values[:1])}'):.4g}"}
        rows.append(out)
    return rows


def studied(r, name, key):
    rows = []
    for row in r.rows(f"{name}/formulations.csv"):
        out = {k: "" for k in (*KEY, *NUMBERS)} | {"table": "formulations", "machine": key, "law": LAWS[0], "tangent": "exact", "status": row["status"]}
        out |= {k: row[k] for k in ("constraints", "coordinates", "integrator")} | {"step": f"{1e3 * float(row['step']):g}ms"}
        if row["status"] == "completed":
            out |= {"iterations_mean": f"{float(row['iterations_per_step']):.4g}", "error": f"{float(row['coordinate_error_percent']):.4g}"}
        rows.append(out)
    return rows


def measured(r, commands=COMMANDS):
    """Rows of all results of these commands."""
    rows = []
    for name in commands:
        _, kind, which, part = name.split("_", 3) if "_stiff_" not in name else (*name.split("_", 2)[:2], *name.split("_", 2)[2].rsplit("_", 1))
        reference = name.removesuffix(part) + "reference"
        if kind == "formulations":
            rows += studied(r, name, which)
        elif kind == "laws" and part != "reference":
            rows += compared(r, name, reference, ("law", "constraints", "tangent", "step"), table="laws", machine=which, coordinates="relative", integrator="trapezoidal")
        elif kind == "stiff" and part != "reference":
            rows += compared(r, name, reference, ("value", "step"), table="stiff", machine="crane", law=which, constraints="penalty", coordinates="relative", tangent="exact",
                             integrator="trapezoidal")
    return rows


def write(r):
    with open(STORED, "w", newline="") as file:
        file.write("# Written by `make papers` (tools/papers/open_questions.py). error: length of a cylinder [m]; in formulations: joint coordinate [% of its range].\n")
        table = csv.DictWriter(file, (*KEY, "status", *NUMBERS), lineterminator="\n")
        table.writeheader()
        table.writerows(measured(r))
    stored.cache_clear()


@functools.lru_cache
def stored():
    with open(STORED, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def differences(r, commands=COMMANDS):
    """Text for every fresh row that is not as stored: another status, or numbers that differ by more than 2 % of mean iterations or of the error (and the error of
    the reference), or 2 in the largest number."""
    old, found = {tuple(row[k] for k in KEY): row for row in stored()}, []
    for row in measured(r, commands):
        key = tuple(row[k] for k in KEY)
        was = old.get(key)
        name = " ".join(filter(None, key))
        if was is None or was["status"] != row["status"]:
            found.append(f"{name}: {row['status']}, in {STORED.name}: {was['status'] if was else 'no such row'}")
            continue
        for column, bound in (("iterations_mean", 0.02), ("iterations_max", None), ("error", 0.02)):
            a, b = was[column], row[column]
            same = a == b or (a and b and abs(float(a) - float(b)) <= (bound * abs(float(a)) + REFERENCE_ERROR if bound else 2))
            if not same:
                found.append(f"{name}: {column} {b}, in {STORED.name}: {a}")
    return found


# ---------------------------------------------------------------- tables


def pick(**wanted):
    return [row for row in stored() if all(row[k] == v for k, v in wanted.items())]


def number(column, **wanted):
    rows = pick(**wanted)
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows of {STORED.name} for {wanted}")
    return float(rows[0][column] or "nan")


def numbers(column, **wanted):
    return [float(row[column]) for row in pick(**wanted)]


def cell(rows, columns, unit=1e6):
    """Numbers of a row of the stored file in the order of its `columns`, or why there are none; errors in `unit` of the stored ones."""
    if not rows:
        return ""
    row = rows[0]
    if row["status"] != "completed":
        return {"impossible": "does not exist"}.get(row["status"], row["status"])
    texts = {"iterations_mean": lambda x: "" if x == 0 else f"{x:.2f}", "error": lambda x: validation.text_of(unit * x, "2")}  # explicit rules do not iterate
    return "; ".join(filter(None, (texts.get(c, "{:g}".format)(float(row[c])) for c in columns)))


def heads(steps):
    return [step.replace("ms", " ms") for step in steps]


def laws_table(key):
    rows = []
    for law in LAWS:
        for treatment in TREATMENTS:
            cells = [cell(pick(table="laws", machine=key, law=law, constraints=treatment, tangent=tangent, step=step), ("iterations_mean", "iterations_max", "error"))
                     for tangent, step in (("exact", STEPS[0]), ("forward_difference", STEPS[0]), *(("exact", step) for step in STEPS[1:]))]
            rows.append([f"`{law}`" if treatment == TREATMENTS[0] else "", treatment.replace("_", "-"), *cells])
    first, *others = heads(STEPS)
    return Table(["law", "formulation", first, first + ", differences", *others], rows)


def formulations_table(key):
    rows = [[f"`{integrator}`" if (treatment, coordinates) == ("penalty", "relative") else "", treatment.replace("_", "-"), coordinates,
             *(cell(pick(table="formulations", machine=key, integrator=integrator, constraints=treatment, coordinates=coordinates, step=step), ("iterations_mean", "error"), 1)
               for step in COARSE["relative"])]
            for integrator in INTEGRATORS for coordinates in COARSE for treatment in TREATMENTS]
    return Table(["integrator", "formulation", "coordinates", *heads(COARSE["relative"])], rows)


def stiff_table():
    rows = [[f"`{law}`" if value == values[0] else "", f"`{parameter}` {value}", *(cell(pick(table="stiff", law=law, value=value, step=step), ("iterations_mean", "iterations_max", "subdivided_steps", "error")) for step in STEPS[:3])]
            for law, (parameter, values) in STIFF.items() for value in values]
    return Table(["law", "parameter", *heads(STEPS[:3])], rows)


def laws_times(key):
    """Processor time [ms] per second of motion."""
    def table(r):
        found = {}
        for part in ("exact", "differences"):
            for row in r.json(f"open_laws_{key}_{part}/compare.json")["rows"]:
                found[tuple(row["values"].values())] = validation.text_of(1e3 * row["step_cpu_seconds"] / DURATION, "2") if row["status"] == "completed" else "failed"
        return Table(["law", "formulation", "tangent", *heads(STEPS)],
                     [[law, treatment, tangent, *(found.get((law, treatment, tangent, step), "") for step in STEPS)]
                      for law in LAWS for tangent in ("exact", "forward_difference") for treatment in TREATMENTS])
    return table


def formulations_times(key):
    def table(r):
        found = {}
        for coordinates in COARSE:
            for row in r.rows(f"open_formulations_{key}_{coordinates}/times.csv"):
                text = row["cpu_per_simulated_second"]
                found[row["integrator"], row["constraints"], coordinates, f"{1e3 * float(row['step']):g}ms"] = validation.text_of(1e3 * float(text), "2") if text else ""
        return Table(["integrator", "formulation", "coordinates", *heads(COARSE["relative"])],
                     [[i, t, c, *(found.get((i, t, c, step), "") for step in COARSE["relative"])] for i in INTEGRATORS for c in COARSE for t in TREATMENTS])
    return table


# ---------------------------------------------------------------- statements


def spread(values):
    return max(values) - min(values)


def over_laws(key, step="4ms"):
    """Spread of the mean iterations over the laws, penalty, exact tangents."""
    return spread(numbers("iterations_mean", table="laws", machine=key, constraints="penalty", tangent="exact", step=step))


def apart(key, column, **wanted):
    """Largest difference of penalty and double-step, over laws and steps, in iterations, or of the error in percent."""
    largest = 0
    for row in pick(table="laws", machine=key, constraints="penalty", **wanted):
        other = number(column, **{k: row[k] for k in ("table", "machine", "law", "tangent", "step")}, constraints="double_step")
        largest = max(largest, abs(float(row[column]) - other) * (1 if column.startswith("iterations") else 100 / other))
    return largest


def excess_of_differences(key):
    """Largest difference of the mean iterations with tangents by differences from those with exact ones."""
    return max(float(row["iterations_mean"]) - number("iterations_mean", **{k: row[k] for k in ("table", "machine", "law", "constraints", "step")}, tangent="exact")
               for row in pick(table="laws", machine=key, tangent="forward_difference"))


def excess_of_exact(key):
    """The same of exact tangents from those by differences."""
    return max(number("iterations_mean", **{k: row[k] for k in ("table", "machine", "law", "constraints", "step")}, tangent="exact") - float(row["iterations_mean"])
               for row in pick(table="laws", machine=key, tangent="forward_difference"))


def of_all(key, step):
    """Spread of the mean iterations over laws and formulations."""
    return spread(numbers("iterations_mean", table="laws", machine=key, tangent="exact", step=step))


def step_effect(key):
    coarse, fine = (number("iterations_mean", table="laws", machine=key, law=LAWS[0], constraints="penalty", tangent="exact", step=step) for step in ("4ms", "1ms"))
    return coarse - fine


def law_error(key, law, step="1ms"):
    return number("error", table="laws", machine=key, law=law, constraints="penalty", tangent="exact", step=step)


def order(key, coarse, fine):
    """Least ratio over the laws of the errors at two steps."""
    return min(law_error(key, law, coarse) / law_error(key, law, fine) for law in LAWS)


def study(key, column, integrator, step, constraints="double_step", coordinates="relative"):
    return number(column, table="formulations", machine=key, integrator=integrator, step=step, constraints=constraints, coordinates=coordinates)


def between_formulations(key):
    """Largest ratio of the errors of formulations and coordinates, over implicit integrators at the steps of both coordinates."""
    largest = 1
    for integrator in INTEGRATORS[:-1]:
        for step in COARSE["cartesian"]:
            errors = numbers("error", table="formulations", machine=key, integrator=integrator, step=step)
            largest = max(largest, max(errors) / min(errors))
    return largest


def between_integrators(key, step="4ms"):
    errors = [study(key, "error", integrator, step) for integrator in INTEGRATORS[:-1]]
    return max(errors) / min(errors)


def failed(**wanted):
    return sum(row["status"] == "failed" for row in pick(**wanted))


def stiff_mean(law, value, step="4ms"):
    return number("iterations_mean", table="stiff", law=law, value=value, step=step)


LAWS_NOTE = ("Cells: mean and largest iterations of a step; largest error of the length of a cylinder [µm] against CVODE with a tolerance of 1e-9. Trapezoidal rule, relative coordinates; exact tangents, and at "
             "4 ms also tangents by forward differences.")
STUDY_NOTE = ("Cells: mean iterations of a step, of implicit rules; largest error of a joint coordinate [% of its range] against CVODE with a tolerance of 1e-10. Law `brown_mcphee`, exact tangents; cartesian "
              "coordinates at 4 and 2 ms.")
STIFF_NOTE = ("Cells: mean and largest iterations of a step; number of subdivided steps; largest error of the length of a cylinder [µm] against CVODE. Penalty, trapezoidal rule. The smaller the Stribeck velocity of "
              "Brown-McPhee is, the closer its force is to a jump at rest.")
ABOUT = ("The paper on friction leaves open how laws with bristles work in other formulations than the penalty one, what stiff and soft bristles change, and whether friction that is discontinuous at rest makes a "
         "simulation unstable. The paper on formulations leaves open which formulation and which integrator are the best for machines with hydraulics, and asks for a large spatial machine in a compiled language. "
         "The tables are of the forwarder crane (7 degrees of freedom, 3 cylinders, 5 hydraulic functions) and of the load-sensing excavator (4 degrees of freedom, 4 cylinders, 21 pressures) in 3 s of motion "
         "with starts and stops and, of the jib of the crane, a reversal. Friction is chosen for the sizes of the cylinders. The crane, with bores of 60 to 110 mm, has the seals of its model file, 500 N of Coulomb "
         "friction and 800 N of static friction. The excavator, whose model file has no seal friction, has bores of 120 and 140 mm and here 1500 and 2500 N, 0.5 to 0.7 % and 0.8 to 1.1 % of the force of its "
         "bores at 20 MPa. Bristles yield at 0.08 mm. Numbers are read from `tests/data/open_questions.csv`, which `make papers` writes from the commands; the tests repeat a sample of the runs. The statements are those of this page, not of the papers.")


def dependence(key, band):
    return (
        Statement("the iterations depend more on the law than on the formulation: spread of the means over the laws, over their largest difference between formulations, 4 ms",
                  lambda r: over_laws(key) / apart(key, "iterations_mean", tangent="exact", step="4ms"), band, true=(1, 1e9), form=".2g",
                  why="the formulation changes them more"),
        Statement("shorter steps need fewer: fall of the mean from 4 to 1 ms, Brown-McPhee, penalty", lambda r: step_effect(key), (0.1, 0.5), true=(0.1, 9), form=".2f",
                  why="they do not"),
        Statement("tangents by differences need no more iterations than exact ones: largest excess of the mean, 4 ms", lambda r: excess_of_differences(key), (-0.02, 0.05), true=(-9, 0.05), form=".3f",
                  why="they need more", wide="a small difference of either sign"),
        Statement("the formulation does not change the error: largest difference, exact tangents", lambda r: apart(key, "error", tangent="exact"), (0, 1), true=(0, 5), unit="%", form=".2g", why="it does", wide="down to rounding, which depends on the compiler"))


PAPER = Paper(
    key="open_questions", title="Open questions of the papers on friction and on formulations", citation="", about=ABOUT, equations="", commands=COMMANDS, write=write, differences=differences, may_fail=True,
    items=[
        *(Item(f"Table {n}", f"friction law against formulation, step and tangent, {MACHINES[key].name}", tuple(laws_commands(key)), table=lambda key=key: laws_table(key), times=laws_times(key),
               note=LAWS_NOTE, statements=(*dependence(key, band), *statements)) for n, key, band, statements in (
            (1, "crane", (1.1, 2.5), (
                Statement("with double-step exact ones need more: largest excess of the mean, 4 ms", lambda r: excess_of_exact("crane"), (0.1, 0.35), true=(0.05, 9), form=".3f", why="they do not"),
                Statement("at 1 ms neither law nor formulation changes the iterations: spread of the means", lambda r: of_all("crane", "1ms"), (0.002, 0.012), true=(0, 0.02), form=".3f", why="they do"),
                Statement("every law converges with order 2: least ratio of the errors at 2 and 1 ms", lambda r: order("crane", "2ms", "1ms"), (3.5, 4.5), true=(3.5, 4.5), form=".2f", why="one of them does not"),
                Statement("bristles and elements cost accuracy: largest error of these laws over that of Brown-McPhee, 1 ms", lambda r: max(law_error("crane", law) for law in LAWS[2:]) / law_error(
                    "crane", LAWS[0]), (4, 7), true=(1.5, 99), form=".1f", why="they do not"))),
            (2, "excavator", (40, 160), (
                Statement("the laws have about the same error: ratio of the largest to the smallest one, 1 ms", lambda r: max(law_error("excavator", law) for law in LAWS) / min(
                    law_error("excavator", law) for law in LAWS), (1.1, 2), true=(1, 2), form=".2f", why="one is larger"),
                Statement("the error falls with the square of the step: least ratio of the errors at 4 and 1 ms", lambda r: order("excavator", "4ms", "1ms"), (0.5, 2), true=(14, 18), form=".2f",
                          why="of every law it falls only with steps below 1 ms"),
                Statement("steps below 1 ms reduce it: least ratio of the errors at 1 and 0.1 ms", lambda r: order("excavator", "1ms", "0.1ms"), (20, 100), true=(10, 999), form=".0f", why="they do not"))))),
        *(Item(f"Table {n}", f"formulation against integrator and step, {MACHINES[key].name}", tuple(study_command(key, "relative") | study_command(key, "cartesian")),
               table=lambda key=key: formulations_table(key), times=formulations_times(key), note=STUDY_NOTE, statements=statements) for n, key, statements in (
            (3, "crane", (
                Statement("the integrator decides the error: ratio of the largest to the smallest one of implicit rules, double-step, relative coordinates, 4 ms", lambda r: between_integrators("crane"), (20, 50), true=(2, 999), form=".2g",
                          why="it does not"),
                Statement("formulation and coordinates do not: largest ratio of their errors", lambda r: between_formulations("crane"), (1, 1.5), true=(1, 2), form=".2f", why="they do"),
                Statement("the explicit Runge-Kutta rule is the most accurate one: its error over that of esdirk3, 4 ms", lambda r: study("crane", "error", "rk4", "4ms") / study(
                    "crane", "error", "esdirk3", "4ms"), (0.1, 0.3), true=(0, 1), form=".2f", why="it is not"),
                Statement("esdirk3 needs three times the iterations of the trapezoidal rule: ratio, 1 ms", lambda r: study("crane", "iterations_mean", "esdirk3", "1ms") / study(
                    "crane", "iterations_mean", "trapezoidal", "1ms"), (2.9, 3.1), true=(2.9, 3.1), form=".2f", why="it does not"))),
            (4, "excavator", (
                Statement("the explicit Runge-Kutta rule fails: failed runs of 5", lambda r: failed(table="formulations", machine="excavator", integrator="rk4"), (5, 5), true=(5, 5), form="g",
                          why="some runs complete"),
                Statement("implicit rules do not fail: failed runs of 50", lambda r: sum(failed(table="formulations", machine="excavator", integrator=i) for i in INTEGRATORS[:-1]), (0, 0), true=(0, 0), form="g",
                          why="some do"),
                Statement("the integrator matters less than on the crane: ratio of the largest to the smallest error of implicit rules, double-step, relative coordinates, 4 ms", lambda r: between_integrators("excavator"), (1.5, 4),
                          true=(1, 5), form=".2g", why="it matters as much"),
                Statement("formulation and coordinates do not decide the error: largest ratio", lambda r: between_formulations("excavator"), (1, 1.5), true=(1, 2), form=".2f", why="they do"))))),
        Item("Table 5", "friction that is stiff or almost discontinuous at rest, forwarder crane", tuple(stiff_commands()), table=stiff_table, note=STIFF_NOTE, statements=(
            Statement("friction that is almost discontinuous makes runs fail: failed runs of 12, Brown-McPhee", lambda r: failed(table="stiff", law="brown_mcphee"), (0, 0), true=(1, 12), form="g",
                      why="none fails; steps are subdivided instead"),
            Statement("it is expensive: subdivided steps at 0.02 mm/s and 4 ms, of 750", lambda r: number("subdivided_steps", table="stiff", law="brown_mcphee", value="0.02 mm/s", step="4ms"),
                      (50, 300), true=(20, 750), form=".0f", why="few steps are subdivided"),
            Statement("a set-valued law holds at rest without that: largest number of subdivided steps", lambda r: max(numbers("subdivided_steps", table="stiff", law="set_valued")), (0, 3), true=(0, 8),
                      form=".0f", why="it needs them too", wide="a count of single steps"),
            Statement("stiff bristles need more iterations: LuGre at 1e9 over 1e6 N/m, 4 ms", lambda r: stiff_mean("lugre", "1e9 N/m") / stiff_mean("lugre", "1e6 N/m"), (1.2, 1.7), true=(1.1, 9), form=".2f",
                      why="they do not"),
            Statement("and have larger errors: the same ratio of errors, 1 ms", lambda r: number("error", table="stiff", law="lugre", value="1e9 N/m", step="1ms") / number(
                "error", table="stiff", law="lugre", value="1e6 N/m", step="1ms"), (3, 6), true=(1.5, 99), form=".1f", why="they do not"))),
    ])
