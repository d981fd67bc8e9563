#!/usr/bin/env python3
"""Writes tests/data/step_limits.csv: the largest steps of the arm on quasistatic and on lumped hydraulics used in docs/validation.md.

    tools/step_limits.py [--program build/release/bin/trunnion]

For each model, integrator and bound: the largest step whose run ends, with the angle within the bound, a share of its range, of the same model's
own by the trapezoidal rule at 0.1 ms at every common time. Steps are n ms or 1 ms / n. The search goes down from 100 ms by 1, 0.5, 0.2 ... to the
first step that is good, then bisects towards the last that was not, to 5 %. Takes some minutes.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/data/step_limits.csv"
MODELS = ["arm_quasistatic", "arm_lumped"]
INTEGRATORS = ["euler", "semi_implicit_euler", "rk4", "trapezoidal"]
BOUNDS = [0.1, 0.01]
LADDER = [100, 50, 20, 10, 5, 2, 1, -2, -5, -10, -20, -50, -100, -200]  # n: n ms, -n: 1 ms / n


def length(n):
    """[s]"""
    return n * 1e-3 if n > 0 else 1e-3 / -n


def run(program, model, integrator, n):
    """Angles by the millisecond and seconds inside steps per second simulated; None if it fails."""
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name) / "run"
        settings = [f"solver.step={length(n)!r}", f"solver.integrator={integrator}", "solver.constraints=double_step",
                    f"record.every={max(1, -n)}", "record.channels=[arm.angle]"]
        done = subprocess.run([program, "run", ROOT / f"examples/{model}.yaml", "-o", out, *(f"--set={text}" for text in settings)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            return None
        summary = json.loads((out / "summary.json").read_text())
        with open(out / "results.csv", newline="") as lines:
            angles = {round(1e3 * float(row["time"])): float(row["arm.angle"]) for row in csv.DictReader(lines)}
        return angles, summary["step_seconds"] / summary["end_time"]


def limits(program, model, integrator, truth):
    """Rows of the table."""
    known = {}

    def result(n):
        """Error as a share of the range, seconds per second."""
        if n not in known:
            found = run(program, model, integrator, n)
            spread = max(truth.values()) - min(truth.values())
            known[n] = (max(abs(a - truth[t]) for t, a in found[0].items()) / spread, found[1]) if found else (math.inf, math.nan)
            print(f"{model} {integrator} {1e3 * length(n):.4g} ms: {known[n][0]:.2g}", flush=True)
        return known[n]

    def between(longer, shorter):
        """A step about half-way, or None."""
        if longer == 1:
            longer = -1
        n = round(math.copysign(math.sqrt(longer * shorter), longer))
        return None if n in (longer, shorter) or length(longer) < 1.05 * length(shorter) else n

    for bound in BOUNDS:
        good = next((i for i, n in enumerate(LADDER) if result(n)[0] <= bound), None)
        if good is None:
            yield [model, integrator, bound, "", "", "", ""]
            continue
        n, longer = LADDER[good], LADDER[good - 1] if good else None
        while longer and (middle := between(longer, n)):
            if result(middle)[0] <= bound:
                n = middle
            else:
                longer = middle
        error, seconds = result(n)
        yield [model, integrator, bound, f"{length(n):.4g}", f"{length(longer):.4g}" if longer else "", f"{error:.2g}", f"{seconds:.2g}"]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    program = arguments.parse_args().program.resolve()
    rows = []
    for model in MODELS:
        truth = run(program, model, "trapezoidal", -10)[0]
        rows += [row for integrator in INTEGRATORS for row in limits(program, model, integrator, truth)]
    with open(TABLE, "w", newline="") as table:
        table.write("# Written by tools/step_limits.py; SI; empty: none.\n")
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["model", "integrator", "bound", "limit", "next_longer", "error", "seconds_per_second"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
