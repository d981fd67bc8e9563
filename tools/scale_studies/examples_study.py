"""The examples with constraints, against cvode (tools/scale.py: examples)."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from .runs import CVODE, DOUBLE_STEP, LEAST_ERROR, ROOT, error
from .tables import first_line, number, table

EXAMPLES_END = 6  # [s]
DISTURBED = {"bicycle": ["joints.frame.angular_velocity=[0.1, 0, 0]"]}  # would otherwise move straight ahead
COORDINATES = {  # channels of a joint, and whether they are lengths
    "revolute": ["angle"], "prismatic": ["position"], "cylindrical": ["position", "angle"], "universal": ["angle_1", "angle_2"],
    "planar": ["x", "y", "angle"], "spherical": ["q_w", "q_x", "q_y", "q_z"], "point_on_line": ["position", "q_w", "q_x", "q_y", "q_z"],
    "free": ["x", "y", "z", "q_w", "q_x", "q_y", "q_z"], "fixed": []}


def coordinates_of(summary):
    return [f"{name}.{suffix}" for name, joint in summary["settings"]["joints"].items() for kind in COORDINATES if kind in joint
            for suffix in COORDINATES[kind]]


def study_examples(program, options):
    """Errors of both treatments on the examples, each at its own step."""
    end = 2 if options.quick else EXAMPLES_END

    def measure(path):
        found = {"example": path.stem}
        first = program.penalty(path, ["solver.duration=1e-2"], ["solver.iterations"])
        if first.status == "refused":
            return found | {"out": first_line(first.message)}
        settings, constraints = first.summary["settings"]["solver"], first.summary["constraints"]
        if settings["constraints"] != "penalty" or constraints["rows"] == 0:
            return found | {"out": "no constraints"}
        step, channels = settings["step"], coordinates_of(first.summary)
        time = DISTURBED.get(path.stem, []) + ([] if options.full else [f"solver.duration={end}"])
        every = max(1, round(5e-3 / step))
        found |= {"step": step, "rows": constraints["rows"]}
        cvode = program.reference(path, [*time, *CVODE], channels, every)
        if not cvode.completed:
            return found | {"out": f"cvode {cvode.status}: {first_line(cvode.message)}"}
        scales = {channel: 1 for channel in channels}
        for name, run in (("double_step", program.other(path, [*time, *DOUBLE_STEP], channels, every)),
                          ("penalty", program.penalty(path, time, channels, every))):
            found[name] = error(run, cvode, scales) if run.completed else math.inf
            found[f"{name}_message"] = run.message if not run.completed else ""
            if run.completed:
                found[f"{name}_iterations"] = run.summary["iterations"]["mean"]
                found[f"{name}_where"] = max(channels, key=lambda c: error(run, cvode, {c: 1}))
        return found

    cases = program.all(measure, sorted((ROOT / "examples").glob("*.yaml")))
    print("## Examples\n")
    print("Maximum error of any joint coordinate [rad or m] against cvode (tolerance 1e-12)" +
          ("." if options.full else f" over the first {end} s."))
    rows = []
    for c in cases:
        if "penalty" in c:
            known = math.isfinite(c["penalty"]) and math.isfinite(c["double_step"])
            rows.append([c["example"], str(c["rows"]), f"{1e3 * c['step']:g}",
                         *(c[t] if math.isfinite(c[t]) else "fails" for t in ("penalty", "double_step")),
                         number(c["penalty"] / c["double_step"], 3) if known and c["double_step"] > LEAST_ERROR else "", c.get("penalty_where", ""),
                         number(c.get("penalty_iterations"), 3), number(c.get("double_step_iterations"), 3)])
    table(["example", "rows", "step [ms]", "penalty", "double-step", "ratio", "where", "iterations, penalty", "double-step"], rows)
    for c in cases:
        if "out" in c and c["out"] != "no constraints":
            print(f"- {c['example']} is excluded: {c['out']}")
        for name in ("penalty", "double_step"):
            if c.get(f"{name}_message"):
                print(f"- {c['example']}, {name}: {first_line(c[f'{name}_message'])}")
    print("\nWithout constraints: " + ", ".join(c["example"] for c in cases if c.get("out") == "no constraints") + ".")
    return {"cases": cases}


def stored_examples(figures):
    cases = figures["cases"]
    rows = [{"example": c["example"], "rows": c["rows"], "step": c["step"], "penalty": c["penalty"], "double_step": c["double_step"],
             "ratio": c["penalty"] / c["double_step"] if math.isfinite(c["double_step"]) and c["double_step"] > LEAST_ERROR else None,
             "where": c.get("penalty_where"), "penalty_iterations": c.get("penalty_iterations"),
             "double_step_iterations": c.get("double_step_iterations")} for c in cases if "penalty" in c]
    return {"rows": rows, "without_constraints": [c["example"] for c in cases if c.get("out") == "no constraints"],
            "without_reference": [c["example"] for c in cases if "out" in c and c["out"] != "no constraints"]}
