#!/usr/bin/env python3
"""Writes tests/data/treatments.csv, penalty against double-step treatment on machines of all sizes over step sizes, and its table.

    tools/treatments.py [--program build/release/bin/trunnion] [--repeats 5] [--only NAME ...]    measures; --only: other rows are kept
    tools/treatments.py --table                                                                  prints the stored table

Every row is a `trunnion compare MODEL --vary solver.constraints=penalty,double_step`, repeated. The time per step is the mean over the
run of the minimum of the repeats per block of 64 steps, which is least affected by other programs. All other figures are identical in every repeat.
Ladders are those of tests/support/ladder.h while upright. Takes some minutes; measure on an idle machine with a build of the preset `release`.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/data/treatments.csv"
TREATMENTS = ["penalty", "double_step"]
STEPS = [20, 5, 1, 0.2]  # [ms]
MACHINES = {  # name: label in the table
    "excavator": "excavator, load sensing",
    "excavator_quasistatic": "excavator, quasistatic",
    "forwarder_crane": "forwarder crane",
    "articulated_loader": "articulated loader",
    "ladder_1000": "ladder, 1000 windows",
    "ladder_100": "ladder, 100 windows",
    "ladder_10": "ladder, 10 windows",
    "ladder_1": "ladder, 1 window",
    "slewing_crane": "slewing crane",
    "spatial_slider_crank": "spatial slider-crank",
    "quick_return": "quick-return mechanism",
    "four_bar_lift": "four-bar that lifts a beam",
    "four_bar": "four-bar",
    "quick_return_differences": "quick-return, tangents by differences",
    "four_bar_lift_differences": "four-bar that lifts a beam, tangents by differences",
}
DIFFERENCES = "_differences"  # solver.tangent=forward_difference, as in the paper
FEW = {"ladder_1000": [1], "ladder_100": [5, 1], "quick_return_differences": [1], "four_bar_lift_differences": [1]}  # reduced sets of steps
UPRIGHT = 0.5  # [s] duration in which a ladder is upright
SHORT, SHORT_REPEATS = 10000, 40  # steps; shorter runs are repeated more often
FIGURES = ["seconds", "iterations_mean", "iterations_max", "position_iterations_mean", "max_violation", "closed_to_percent"]
COLUMNS = ["machine", "coordinates", "rows", "step", *(f"{treatment}_{figure}" for treatment in TREATMENTS for figure in FIGURES)]


def ladder(windows):
    """The model file of N windows, tests/support/ladder.h."""
    bodies, joints, loops = [], [], []
    for i in range(windows + 1):
        bodies.append(f"  v{i}: {{rod: {{length: 1 m, mass: 1 kg}}}}")
        joints.append(f"  v{i}: {{revolute: {{parent: ground, at: [{i} m, 0, 0], axis: z}}, angle: 90 deg, rate: -1}}")
        if i == 0:
            continue
        bodies.append(f"  h{i}: {{rod: {{length: 1 m, mass: 1 kg}}}}")
        joints.append(f"  h{i}: {{revolute: {{parent: v{i - 1}, at: [1 m, 0, 0], axis: z}}, angle: -90 deg, rate: 1}}")
        loops.append(f"  w{i}: {{revolute: {{between: [h{i}, v{i}], at: [[1 m, 0, 0], [1 m, 0, 0]], axis: z}}}}")
    return "\n".join(["trunnion: 1", f"title: Ladder of {windows} windows", "gravity: [0, -9.81, 0]", "bodies:", *bodies, "joints:", *joints,
                      "loops:", *loops, f"solver: {{step: 1 ms, duration: {UPRIGHT} s}}", ""])


def model_of(name, folder):
    if not name.startswith("ladder_"):
        return ROOT / f"examples/{name.removesuffix(DIFFERENCES)}.yaml"
    path = folder / f"{name}.yaml"
    path.write_text(ladder(int(name.removeprefix("ladder_"))))
    return path


def step_seconds(out):
    """Per treatment: seconds of every step, those of a block distributed evenly."""
    with open(out / "history_times.csv", newline="") as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    sums = {t: [float(row[t + ".step_seconds"]) for row in rows if row[t + ".step_seconds"]] for t in TREATMENTS}
    return {t: [b - a for a, b in zip([0.0, *at], at)] for t, at in sums.items()}


def measure(program, name, step, repeats, folder):
    """A row of the table."""
    out = folder / "out"
    command = [program, "compare", model_of(name, folder), "-o", out, "-q", f"--set=solver.step={step} ms", "--set=record.every=1000",
               "--vary=solver.constraints=" + ",".join(TREATMENTS)]
    if name.endswith(DIFFERENCES):
        command.append("--set=solver.tangent=forward_difference")
    least, done = {}, 0
    while done < repeats:
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        rows = {row["values"]["solver.constraints"]: row for row in json.loads((out / "compare.json").read_text())["rows"]}
        completed = [t for t in TREATMENTS if rows[t]["status"] == "completed"]
        if not completed:
            sys.exit(f"{name}, {step} ms: {ran.stdout}")
        seconds = step_seconds(out)
        for t in completed:
            least[t] = [min(pair) for pair in zip(least.get(t, seconds[t]), seconds[t])]
        done += 1
        if len(completed) < len(TREATMENTS):
            break  # nothing to compare
        repeats = max(repeats, min(SHORT_REPEATS, round(SHORT / len(seconds[completed[0]]))))
    constraints = json.loads((out / completed[0] / "summary.json").read_text())["constraints"]
    row = {"machine": name, "coordinates": constraints["rank"] + constraints["degrees_of_freedom"], "rows": constraints["rows"],
           "step": f"{1e-3 * step:g}"}
    for t in completed:
        row |= {f"{t}_{figure}": f"{rows[t][figure]:.6g}" for figure in FIGURES if figure in rows[t]}
        row[t + "_seconds"] = f"{sum(least[t]) / len(least[t]):.4g}"
    print(name, f"{step} ms", *(f"{t}: {1e6 * float(row[t + '_seconds']):.2f} us" for t in completed), flush=True)
    return row


def stored():
    with open(TABLE, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def of(name, step):
    """The stored row of a machine at a step [ms]."""
    for row in stored():
        if row["machine"] == name and abs(float(row["step"]) - 1e-3 * step) < 1e-9:
            return row
    sys.exit(f"tests/data/treatments.csv has no {name} at {step} ms: run tools/treatments.py")


def microseconds(name, step, treatment):
    """Time per step of a stored row."""
    return f"{1e6 * float(of(name, step)[treatment + '_seconds']):.3g}"


def ratio(name, step):
    """Double-step's time by penalty's of a stored row."""
    row = of(name, step)
    return f"{float(row['double_step_seconds']) / float(row['penalty_seconds']):.2f}"


def measured_on():
    """The processor on which the stored rows were measured."""
    return TABLE.read_text().splitlines()[0].partition("measured on ")[2].rstrip(".")


def agree(name, step, treatment, summary):
    """Whether a fresh summary.json has the iterations of a stored row."""
    return abs(float(of(name, step)[treatment + "_iterations_mean"]) - summary["iterations"]["mean"]) < 5e-3


def table():
    """Markdown; times in microseconds."""
    lines = ["| machine | n, m | step [ms] | penalty [us] | double-step [us] | ratio | iterations: penalty | double-step | violation [m]: penalty "
             "| double-step | energy balance error [%]: penalty | double-step |", "|" + " --- |" * 12]
    before = None
    for row in sorted(stored(), key=lambda row: (list(MACHINES).index(row["machine"]), -float(row["step"]))):
        def cell(treatment, figure, form, factor=1):
            text = row[f"{treatment}_{figure}"]
            return format(factor * float(text), form) if text else "fails"

        def both(figure, form, factor=1):
            return [cell(t, figure, form, factor) for t in TREATMENTS]

        iterations = [f"{cell(t, 'iterations_mean', '.2f')} / {cell(t, 'iterations_max', '.0f')}" if row[t + "_seconds"] else "fails"
                      for t in TREATMENTS]
        known = all(row[t + "_seconds"] for t in TREATMENTS)
        same = row["machine"] == before
        before = row["machine"]
        violation = both("max_violation", ".0e") if row["rows"] != "0" else ["", ""]
        cells = ["" if same else MACHINES[row["machine"]], "" if same else f"{row['coordinates']}, {row['rows']}", f"{1e3 * float(row['step']):g}",
                 *both("seconds", ".3g", 1e6), ratio(row["machine"], 1e3 * float(row["step"])) if known else "", *iterations,
                 *violation, *both("closed_to_percent", ".1e")]
        lines.append("| " + " | ".join(cells).replace("e-0", "e-").replace("e+0", "e") + " |")
    return "\n".join(lines)


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--repeats", type=int, default=5)
    arguments.add_argument("--only", nargs="+", choices=MACHINES, default=list(MACHINES), help="machines to measure again")
    arguments.add_argument("--table", action="store_true", help="measure nothing")
    options = arguments.parse_args()
    if not options.table:
        rows = [row for row in stored() if row["machine"] not in options.only] if TABLE.exists() else []
        for name in options.only:
            for step in FEW.get(name, STEPS):
                with tempfile.TemporaryDirectory() as folder:
                    rows.append(measure(options.program.resolve(), name, step, options.repeats, pathlib.Path(folder)))
        rows.sort(key=lambda row: (list(MACHINES).index(row["machine"]), -float(row["step"])))
        with open(TABLE, "w", newline="") as file:
            file.write(f"# Written by tools/treatments.py; SI; empty: the run fails; measured on {processor()}.\n")
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(table())


if __name__ == "__main__":
    main()
