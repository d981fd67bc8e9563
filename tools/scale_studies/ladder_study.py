"""N-four-bars through every flat position (tools/scale.py: ladder)."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from treatments import ladder

from .runs import GRAVITY
from .tables import first_line, table

LADDER_WINDOWS = [1, 2, 10, 40, 200, 1000]
LADDER_STEPS = [1, 0.5, 0.125]  # [ms]
LADDER_END = 10  # [s]
LADDER_RECORDS = 10  # [ms]


def ladder_angles(windows):
    """Angle of the uprights, which is the same for all, every 10 ms: (N + 1)/3 + N of inertia, (N + 1)/2 + N of moment; Runge-Kutta at 0.1 ms."""
    weight = -GRAVITY * ((windows + 1) / 2 + windows) / ((windows + 1) / 3 + windows)
    cos = math.cos
    q, v, h, inner = math.pi / 2, -1.0, 1e-4, 100
    angles = [q]
    for _ in range(LADDER_END * 1000 // LADDER_RECORDS):
        for _ in range(inner):
            k1 = weight * cos(q)
            k2 = weight * cos(q + h / 2 * v)
            k3 = weight * cos(q + h / 2 * (v + h / 2 * k1))
            k4 = weight * cos(q + h * (v + h / 2 * k2))
            q += h * (v + h / 6 * (k1 + k2 + k3))
            v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        angles.append(q)
    return angles


def study_ladder(program, options):
    """Iterations and errors over the number of windows and the step."""
    sizes, steps = (LADDER_WINDOWS, LADDER_STEPS) if not options.quick else ([1, 2, 10, 40], [1])
    left_out = [] if options.full or options.quick else [(1000, 0.125)]
    truths = {windows: ladder_angles(windows) for windows in sizes}

    def measure(case):
        windows, step = case
        truth = truths[windows]
        run = program.penalty(ladder(windows), [f"solver.step={step} ms", f"solver.duration={LADDER_END}"], ["v0.angle", f"v{windows}.angle"],
                              round(LADDER_RECORDS / step))
        uprights = [run.columns[f"v{i}.angle"] for i in (0, windows) if f"v{i}.angle" in run.columns]
        iterations = run.summary.get("iterations", {})
        found = {"windows": windows, "step": 1e-3 * step, "status": run.status, "message": run.message, "mean": iterations.get("mean"),
                 "most": iterations.get("max"), "divided": run.summary.get("divided_steps"), "seconds": run.summary.get("step_seconds"),
                 "end_time": run.summary.get("end_time")}
        if uprights:
            k = min(len(uprights[0]), len(truth))
            found["greatest"] = max(abs(a - b) for values in uprights for a, b in zip(values[:k], truth))
            found["end"] = max(abs(values[k - 1] - truth[k - 1]) for values in uprights)
        return found

    cases = program.all(measure, [(n, step) for n in sizes for step in steps if (n, step) not in left_out])
    print(f"## Ladder of N windows through its flat positions, {LADDER_END} s\n")
    print("Error of the first and the last upright's angle [rad] against the equation of one degree of freedom.")
    table(["N", "step [ms]", "iterations, mean", "max", "divided steps", "error at the end", "maximum error", "time [s]", ""],
          [[str(c["windows"]), f"{1e3 * c['step']:g}", f"{c['mean']:.3f}" if c["mean"] is not None else "", c["most"], c["divided"],
            c.get("end"), c.get("greatest"), c["seconds"], "" if c["status"] == "completed" else f"{c['status']} at {c['end_time']:.4g} s"]
           for c in cases])
    for c in cases:
        if c["status"] != "completed":
            print(f"- {c['windows']} windows, {1e3 * c['step']:g} ms: {first_line(c['message'])}")
    for n, step in left_out:
        print(f"Not run: {n} windows at {step:g} ms (--full).")
    return {"cases": cases}


def stored_ladder(figures):
    """Of each size and step; `fails_at` [s]: null if completed."""
    return {"end": LADDER_END, "rows": [{"windows": c["windows"], "step": c["step"],
                                         "fails_at": None if c["status"] == "completed" else c["end_time"] or 0.0, "mean": c["mean"],
                                         "most": c["most"], "divided": c["divided"], "error_end": c.get("end"), "error_max": c.get("greatest")}
                                        for c in figures["cases"]]}
