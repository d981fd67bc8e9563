#!/usr/bin/env python3
"""Writes tests/data/cosimulation_sweep.csv: the runs of `trunnion study cosimulation` on both cranes used in docs/validation.md.

    tools/cosimulation_sweep.py [--program build/release/bin/trunnion] [--folder build/sweep]

The sweep takes some minutes of both cores of a quiet machine. Studies already in the folder are not run again, so an interrupted sweep can be continued.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import csv
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests/data/cosimulation_sweep.csv"

# name: model, case (distinguishes studies of one model), options
STUDIES = {
    "single": ("crane_single", "paper", ["--order", "0,1,2", "--oil", "rk4@0.1ms"]),
    "double": ("crane_double", "paper", ["--order", "0,1,2", "--oil", "rk4@0.1ms"]),
    "single_oil": ("crane_single", "paper",
                   ["--order", "2", "--oil", "euler@0.1ms,trapezoidal@0.1ms,trapezoidal@1ms", "--min-step", "1ms"]),
    "double_oil": ("crane_double", "paper",
                   ["--order", "1", "--prediction", "polynomial", "--oil", "euler@0.1ms,trapezoidal@0.1ms,trapezoidal@1ms", "--min-step", "1ms"]),
    "single_friction": ("crane_single", "friction in the mechanism",
                        ["--treatment", "ali3p", "--prediction", "interface_model", "--variables", "velocity_force", "--friction",
                         "mechanism", "--oil", "rk4@0.1ms"]),
}
KEPT = ["variables", "prediction", "order", "treatment", "oil_integrator", "oil_step", "step", "stable", "length_error", "residual",
        "relative_residual", "absolute_residual", "max_drift"]
ROUNDED = KEPT[8:]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/sweep")
    options = arguments.parse_args()
    lines = []
    for name, (model, case, flags) in STUDIES.items():
        folder = options.folder / name
        if not (folder / "study.json").exists():
            subprocess.run([options.program, "study", "cosimulation", ROOT / f"examples/{model}.yaml", *flags, "-o", folder], check=True)
        with open(folder / "runs.csv", newline="") as runs:
            for row in csv.DictReader(runs):
                cells = [f"{float(row[k]):.4g}" if k in ROUNDED and row[k] else f"{float(row[k]):.6g}" if k.endswith("step") else row[k]
                         for k in KEPT]
                lines.append([model, case, *cells])
    with open(TABLE, "w", newline="") as table:
        table.write("# Written by tools/cosimulation_sweep.py; SI, four digits.\n")
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["model", "case", *KEPT])
        writer.writerows(lines)


if __name__ == "__main__":
    main()
