"""Slider-crank of all masses and lengths (tools/scale.py: slider, penalty)."""
# SPDX-License-Identifier: BSD-3-Clause
import math
import sys

from .runs import CVODE, DOUBLE_STEP, GRAVITY, extrapolated, text_of
from .tables import first_line, number, short, table

SLIDER_MASSES = [1e-6, 1e-3, 1, 1e3, 1e6]  # [kg]
SLIDER_LENGTHS = [0.01, 1, 100]  # [m]
SLIDER_STEPS = [64, 320, 3200]  # per (length/g)^0.5
SLIDER_END = 6  # in (length/g)^0.5
SLIDER_RECORDS = 16  # per (length/g)^0.5


def slider(m, length, n):
    """Crank of `length`, rod of twice that, slider, all of mass m; the start angles close the loop to rounding."""
    rod = math.asin(-math.sin(1) / 2)
    place = length * (math.cos(1) + 2 * math.cos(rod))
    unit = math.sqrt(length / GRAVITY)
    return text_of({
        "trunnion": 1, "gravity": [0, -GRAVITY, 0],
        "bodies": {"a": {"rod": {"length": length, "mass": m}}, "b": {"rod": {"length": 2 * length, "mass": m}},
                   "s": {"point_mass": {"mass": m}}},
        "joints": {"a": {"revolute": {"parent": "ground"}, "angle": 1, "hold": True},
                   "b": {"revolute": {"parent": "a", "at": [length, 0, 0]}, "angle": rod - 1},
                   "s": {"prismatic": {"parent": "ground", "axis": "x"}, "position": place}},
        "loops": {"l": {"revolute": {"between": ["b", "s"], "at": [[2 * length, 0, 0], [0, 0, 0]]}}},
        "solver": {"step": unit / n, "duration": SLIDER_END * unit}})


SLIDER_CHANNELS = ["a.angle"]


def slider_reference(program):
    """Double-step at 6400 and 12800 steps, extrapolated."""
    return extrapolated(*(program.reference(slider(1, 1, n), DOUBLE_STEP, SLIDER_CHANNELS, n // SLIDER_RECORDS) for n in (12800, 6400)))


def slider_errors(run, reference):
    """Signed error at the end, and maximum error."""
    if not run.completed:
        return math.inf, math.inf
    return run.columns["a.angle"][-1] - reference.columns["a.angle"][-1], max(
        abs(a - b) for a, b in zip(run.columns["a.angle"], reference.columns["a.angle"]))


def study_slider(program, options):
    """Errors of both treatments over masses, lengths and steps."""
    masses, lengths, steps = (SLIDER_MASSES, SLIDER_LENGTHS, SLIDER_STEPS) if not options.quick else ([1e-6, 1, 1e6], [0.01, 1, 100], [64, 320])
    truth = slider_reference(program)
    scales = [(m, length) for length in lengths for m in (masses[0], 1, masses[-1])]  # the motion is the same
    doubts = [slider_errors(program.reference(slider(m, length, SLIDER_RECORDS), CVODE, SLIDER_CHANNELS), truth)[1] for m, length in scales]
    known = [off for off in doubts if math.isfinite(off)]

    def measure(case):
        m, length, n = case
        model, every = slider(m, length, n), n // SLIDER_RECORDS
        found = {"m": m, "length": length, "n": n}
        for name, run in (("penalty", program.penalty(model, [], SLIDER_CHANNELS, every)),
                          ("double_step", program.other(model, DOUBLE_STEP, SLIDER_CHANNELS, every)),
                          ("unit", program.reference(slider(1, 1, n), DOUBLE_STEP, SLIDER_CHANNELS, every))):
            end, most = slider_errors(run, truth)
            found |= {f"{name}_end": end, f"{name}_max": most, f"{name}_status": run.status, f"{name}_message": run.message,
                      f"{name}_iterations": run.summary.get("iterations", {}).get("mean")}
        for which in ("end", "max"):
            found[f"ratio_{which}"] = abs(found[f"penalty_{which}"]) / abs(found[f"unit_{which}"])
        return found

    cases = program.all(measure, [(m, length, n) for n in steps for length in lengths for m in masses])
    print("## Slider-crank at every scale")
    print(f"\nCrank angle after {SLIDER_END} (length/g)^0.5: error of the penalty treatment [rad], over that of double-step at 1 kg and 1 m; "
          "the same for the maximum error during the run.")
    for n in steps:
        rows = []
        for m in masses:
            row = [number(m)]
            for length in lengths:
                c = next(c for c in cases if (c["m"], c["length"], c["n"]) == (m, length, n))
                texts = [f"{number(abs(c[f'penalty_{which}']), 3)}, {number(c[f'ratio_{which}'], 3)}" for which in ("end", "max")]
                row.append("; ".join(texts) if c["penalty_status"] == "completed" else c["penalty_status"])
            rows.append(row)
        table([f"{n} steps: m [kg]", *(f"{length:g} m" for length in lengths)], rows)

    def spread(errors):
        """Their range, and the excess of the maximum over the minimum."""
        if not errors:
            return ["", ""]
        least, most = min(errors), max(errors)
        return [f"{number(least, 3)} ... {number(most, 3)}", short(f"{100 * (most / least - 1):.2g} %")]

    rows = []
    for n in steps:
        here = [c for c in cases if c["n"] == n]
        for name in ("penalty", "double_step"):
            done = [c for c in here if c[f"{name}_status"] == "completed"]
            row = [str(n), name.replace("_", "-"), str(len(here) - len(done))]
            for which in ("end", "max"):
                row += [*spread([abs(c[f"{name}_{which}"]) for c in done]),
                        number(max(abs(c[f"{name}_{which}"]) / abs(c[f"unit_{which}"]) for c in here), 3)]
            rows.append(row)
    table(["steps", "treatment", "fail", "error at the end", "spread", "worst ratio", "maximum error", "spread", "worst ratio"], rows)
    print("Reference: double-step at 1 kg, 1 m, 6400 and 12800 steps, extrapolated; cvode (tolerance 1e-12) agrees to "
          f"{number(max(known))} rad at {len(known)} of {len(doubts)} scales and fails at the others.\n")
    for c in cases:
        for name in ("penalty", "double_step"):
            if c[f"{name}_status"] != "completed":
                print(f"- {name}, {c['m']:g} kg, {c['length']:g} m, {c['n']} steps: {first_line(c[f'{name}_message'])}")
    return {"cases": cases, "reference": max(known)}


PENALTY_FACTORS = [1e-4, 1e-2, 1, 1e2, 1e4]


def penalty_used(summary):
    """The penalty chosen by the treatment, from summary.json; None if missing."""
    if isinstance(summary, dict):
        found = summary.get("penalty_used")
        if isinstance(found, (int, float)):
            return float(found)
        if isinstance(found, dict):
            numbers = [float(v) for v in found.values() if isinstance(v, (int, float))]
            return max(numbers, default=None)
        for key, value in summary.items():
            if key != "settings" and (found := penalty_used(value)) is not None:
                return found
    return None


def study_penalty(program, options):
    """End states over the penalty."""
    factors = PENALTY_FACTORS
    masses, lengths = [1e-6, 1, 1e6], [0.01, 1, 100]
    steps = SLIDER_STEPS if not options.quick else [64, 320]
    truth = slider_reference(program)

    def measure(case):
        m, length, n = case
        model, every = slider(m, length, n), n // SLIDER_RECORDS
        chosen = program.penalty(model, [], SLIDER_CHANNELS, every)
        found = {"m": m, "length": length, "n": n, "penalty_used": penalty_used(chosen.summary), "status": chosen.status}
        if found["penalty_used"] is None or not chosen.completed:
            return found
        end, _ = slider_errors(chosen, truth)
        found["error"] = end
        for factor in factors:
            run = program.penalty(model, [f"solver.penalty={factor * found['penalty_used']!r}"], SLIDER_CHANNELS, every)
            change = (run.columns["a.angle"][-1] - chosen.columns["a.angle"][-1]) / abs(end) if run.completed else math.inf
            found[f"change_{factor:g}"] = change
            found[f"message_{factor:g}"] = run.message
        return found

    cases = program.all(measure, [(m, length, n) for n in steps for length in lengths for m in masses])
    print("## Slider-crank over its penalty\n")
    if all(c["penalty_used"] is None for c in cases):
        print("Not available: summary.json does not contain the penalty used.")
        return {"cases": cases}
    print("Change of the end state over its error, with the used penalty multiplied by a factor.")
    table(["m [kg]", "length [m]", "steps", "penalty used", "error [rad]", *(f"{f:g}" for f in factors)],
          [[number(c["m"]), number(c["length"]), str(c["n"]), number(c["penalty_used"], 3), number(c["error"], 3) if "error" in c else "fails",
            *(f"{number(100 * c[f'change_{f:g}'], 3)} %" if math.isfinite(c[f"change_{f:g}"]) else "fails" for f in factors if "error" in c)]
           for c in cases])
    done = [c for c in cases if "error" in c]
    print(f"With the penalty chosen by the program, {len(cases) - len(done)} of {len(cases)} fail.\n")
    for f in factors if done else []:
        changes = [abs(c[f"change_{f:g}"]) for c in done]
        finite = [change for change in changes if math.isfinite(change)]
        print(f"- times {f:g}: {number(100 * max(finite, default=math.inf), 3)} % of the error at most, {len(changes) - len(finite)} fail")
    for c in done:
        for f in factors:
            if c[f"message_{f:g}"]:
                print(f"- {c['m']:g} kg, {c['length']:g} m, {c['n']} steps, times {f:g}: {first_line(c[f'message_{f:g}'])}")
    return {"cases": cases}


def stored_slider(figures):
    """Of all masses and lengths together: per number of steps and treatment the maximum errors, their spread, and the ratio to double-step."""
    cases, rows = figures["cases"], []
    for n in SLIDER_STEPS:
        for name in ("penalty", "double_step"):
            here = [c for c in cases if c["n"] == n]
            done = [c for c in here if c[f"{name}_status"] == "completed"]
            row = {"steps": n, "treatment": name, "runs": len(here), "failed": len(here) - len(done)}
            for which in ("end", "max"):
                errors = [abs(c[f"{name}_{which}"]) for c in done]
                row |= {f"error_{which}": max(errors, default=None), f"spread_{which}": max(errors) / min(errors) - 1 if errors else None,
                        f"ratio_{which}": max((abs(c[f"{name}_{which}"] / c[f"unit_{which}"]) for c in done), default=None)}
            rows.append(row)
    return {"end": SLIDER_END, "masses": [SLIDER_MASSES[0], SLIDER_MASSES[-1]], "lengths": [SLIDER_LENGTHS[0], SLIDER_LENGTHS[-1]],
            "reference": figures["reference"], "rows": rows}


def stored_penalty(figures):
    """Maximum change of the end state over its error, per number of steps and factor."""
    cases = figures["cases"]
    if any(c["penalty_used"] is None for c in cases if c["status"] == "completed"):
        sys.exit("summary.json does not contain the penalty used")
    rows = []
    for n in SLIDER_STEPS:
        here = [c for c in cases if c["n"] == n]
        done = [c for c in here if "error" in c]
        changes = {factor: [abs(c[f"change_{factor:g}"]) for c in done] for factor in PENALTY_FACTORS}
        rows.append({"steps": n, "runs": len(here), "failed": len(here) - len(done),
                     "change": [max(filter(math.isfinite, some), default=None) for some in changes.values()],
                     "change_failed": [sum(map(math.isinf, some)) for some in changes.values()]})
    chosen = [c["penalty_used"] for c in cases if c["penalty_used"] is not None]
    return {"factors": PENALTY_FACTORS, "chosen": [min(chosen), max(chosen)], "rows": rows}
