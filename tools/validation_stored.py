"""Figures of docs/validation.md that other tools measured and stored in tests/data, as text for the page; part of tools/validation.py."""
# SPDX-License-Identifier: BSD-3-Clause
import csv
import json
import math
import pathlib
import re
import sys

import treatments as stored_treatments

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCALE_TREATMENTS = {"penalty": "penalty", "double_step": "double-step", "baumgarte": "Baumgarte", "ali1, rk4": "ALI1, Runge-Kutta",
                    "ali1, semi-implicit": "ALI1, semi-implicit Euler"}


def text_of(value, form):
    """A number in the format of the page: `form` as in format(), or `3`: number of significant digits. Powers of ten as e-5, e4."""
    if form.isdigit():
        digits = int(form)
        size = math.floor(math.log10(abs(value))) if value else 0
        form = f".{max(digits - 1 - size, 0)}f" if -3 <= size < 4 else f".{digits - 1}e"
        if form.endswith("f"):
            value = round(value, digits - 1 - size)
    return re.sub(r"e([-+])0*(\d)", lambda found: "e" + found.group(1).strip("+") + found.group(2), format(value, form))


class Stored(dict):
    """An object of tests/data/scale.json."""

    def __missing__(self, key):
        sys.exit(f"tests/data/scale.json has no '{key}': run tools/scale.py --store")


class StoredFigures:
    """Stored figures, and what all figures share: files that are read once, cells of tables."""

    def __init__(self, folder, program):
        self.folder = folder
        self._program = program
        self.cache = {}

    def _read(self, path, read):
        if path not in self.cache:
            self.cache[path] = read(path)
        return self.cache[path]

    def _columns(self, path):
        def read(file):
            with open(file, newline="") as lines:
                rows = list(csv.reader(line for line in lines if not line.startswith("#")))
            return {name: [float(row[i] or "nan") for row in rows[1:]] for i, name in enumerate(rows[0])}

        return self._read(path, read)

    @staticmethod
    def _cells(texts):
        return " | ".join(texts)

    # ---- co-simulation: tests/data/cosimulation_sweep.csv, which tools/cosimulation_sweep.py writes

    def _sweep(self, model, case="paper", **wanted):
        """Rows of the sweep by step; `m`: an order, or IM; None: every value."""
        def read(path):
            with open(path, newline="") as lines:
                return list(csv.DictReader(line for line in lines if not line.startswith("#")))

        wanted = {"oil_integrator": "rk4", "oil_step": "0.0001", **wanted}
        if "m" in wanted:
            m = wanted.pop("m")
            wanted |= {"prediction": "interface_model"} if m == "IM" else {"prediction": "polynomial", "order": str(m)}
        rows = [row for row in self._read(ROOT / "tests/data/cosimulation_sweep.csv", read)
                if row["model"] == model and row["case"] == case and all(value is None or row[key] == value for key, value in wanted.items())]
        return sorted(rows, key=lambda row: float(row["step"]))

    def limit(self, model, treatment, m, variables, **wanted):
        """Largest stable communication step [ms] below the first unstable one."""
        rows = self._sweep(model, treatment=treatment, m=m, variables=variables, **wanted)
        if not rows:
            sys.exit(f"no sweep of {model}, {treatment}, m = {m}, {variables}, {wanted}")
        stable = None
        for row in rows:
            if row["stable"] != "yes":
                return f"below {1e3 * float(row['step']):g}" if stable is None else f"{stable:g}"
            stable = 1e3 * float(row["step"])
        return f"at least {stable:g}"

    def limits(self, model, treatment, m, **wanted):
        """Cells for both variables."""
        return self._cells(self.limit(model, treatment, m, variables, **wanted) for variables in ("velocity_force", "velocity_pressure"))

    def at_step(self, column, form, model, treatment, m, variables, step, factor=1, **wanted):
        """Magnitude of a figure of the sweep at a communication step [s]."""
        rows = self._sweep(model, treatment=treatment, m=m, variables=variables, step=step, **wanted)
        if len(rows) != 1:
            sys.exit(f"{len(rows)} runs in the sweep of {model}, {treatment}, m = {m}, {variables}, {step} s")
        return text_of(factor * abs(float(rows[0][column])), form)

    def stored_agrees(self, name, model):
        """Number of runs of a quick study that are also in the stored sweep; fails if they differ."""
        with open(self.folder / name / "runs.csv", newline="") as lines:
            fresh = list(csv.DictReader(lines))
        columns = ("variables", "prediction", "order", "treatment", "oil_integrator")
        steps = ("oil_step", "step")
        stored = {tuple(row[key] for key in (*columns, *steps)): row for row in self._sweep(model, oil_integrator=None, oil_step=None)}
        both = 0
        for row in fresh:
            key = (*(row[column] for column in columns), *(f"{float(row[step]):.6g}" for step in steps))
            if key not in stored:
                continue
            both += 1
            old = stored[key]
            if old["stable"] != row["stable"]:
                sys.exit(f"{key} is no longer as in tests/data/cosimulation_sweep.csv: run tools/cosimulation_sweep.py")
            if row["stable"] == "yes" and abs(float(row["length_error"]) / float(old["length_error"]) - 1) > 0.02:
                sys.exit(f"the length error of {key} is {row['length_error']}, tests/data/cosimulation_sweep.csv has {old['length_error']}")
        return both

    # ---- tests/data/treatments.csv, which tools/treatments.py writes

    def treatments(self):
        return stored_treatments.table()

    def treatment_ratio(self, name, step):
        return stored_treatments.ratio(name, step)

    def treatments_machine(self):
        return stored_treatments.measured_on()

    # ---- tests/data/scale.json, which tools/scale.py --store writes

    def _scale(self, path):
        def read(file):
            if not file.exists():
                sys.exit("tests/data/scale.json is missing: run tools/scale.py --store")
            return json.loads(file.read_text(), object_hook=Stored)

        value = self._read(ROOT / "tests/data/scale.json", read)
        for key in path.split("/"):
            value = value[key]
        return value

    @staticmethod
    def _table(head, rows):
        return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])

    @staticmethod
    def _or_fails(value, form, factor=1):
        """`3` rounds first, so that 0.9999 is 1.00."""
        if value is None:
            return "fails"
        return text_of(float(f"{factor * value:.{form}g}") if form.isdigit() else factor * value, form)

    def scale(self, path, form, factor=1):
        """A stored value by its keys."""
        return text_of(factor * self._scale(path), form)

    def scale_range(self, path, form):
        low, high = self._scale(path)
        return f"{text_of(low, form)} to {text_of(high, form)}"

    def scale_failed(self, study, treatment=None):
        """How many runs of all."""
        rows = [row for row in self._scale(f"{study}/rows") if treatment is None or row["treatment"] == treatment]
        return f"{sum(row['failed'] for row in rows)} of {sum(row['runs'] for row in rows)}"

    def scale_slider(self):
        rows = {}
        for row in self._scale("slider/rows"):
            rows.setdefault(row["steps"], Stored())[row["treatment"]] = row
        return self._table(
            ["steps", "error at the end [rad]: penalty", "double-step", "ratio", "maximum error [rad]: penalty", "double-step", "ratio",
             "spread of the error at the end [%]: penalty", "double-step"],
            [[str(n), *(self._or_fails(row[t][key], "3") for which in ("end", "max")
                        for t, key in (("penalty", f"error_{which}"), ("double_step", f"error_{which}"), ("penalty", f"ratio_{which}"))),
              *(self._or_fails(row[t]["spread_end"], "2", 100) for t in ("penalty", "double_step"))] for n, row in rows.items()])

    def scale_penalty(self):
        """Change of the end over its error in percent, and number of runs that fail with a given factor."""
        def cell(change, failed):
            return self._or_fails(change, "2", 100) + (f", {failed} fail" if failed and change is not None else "")

        return self._table(["steps", *(f"penalty times {text_of(f, '1')}" for f in self._scale("penalty/factors"))],
                           [[str(row["steps"]), *map(cell, row["change"], row["change_failed"])] for row in self._scale("penalty/rows")])

    def scale_random(self):
        def cells(row):
            return [row["group"], str(row["machines"]), str(row["failed"]), *(self._or_fails(row[key], "3") for key in (
                "median", "p95", "worst", "reduction_median", "reduction_p05", "reduction_least"))]

        return self._table(["machines", "number", "failed", "ratio: median", "95 %", "worst", "reduction: median", "5 %", "smallest"],
                           [cells(row) for row in self._scale("random/groups")])

    def scale_random_worst(self):
        return self._table(["machine", "length [m]", "masses [kg]", "step [s]", "steps", "error: penalty", "double-step", "ratio"],
                           [[f"{row['machine']}, {row['family']}", text_of(row["length"], "2"), " to ".join(text_of(m, "2") for m in row["masses"]),
                             text_of(row["step"], "2"), str(row["steps"]), self._or_fails(row["penalty"], "2"), text_of(row["double_step"], "2"),
                             self._or_fails(row["ratio"], "3")] for row in self._scale("random/worst")])

    def scale_random_excluded(self):
        """Reasons and their counts."""
        return ", ".join(f"{why}: {n}" for why, n in self._scale("random/discarded").items()) or "none"

    def scale_ladder(self):
        rows = {(row["windows"], row["step"]): row for row in self._scale("ladder/rows")}
        sizes, steps = (sorted({key[i] for key in rows}, reverse=bool(i)) for i in (0, 1))

        def cell(windows, step, text):
            row = rows.get((windows, step))
            return "not run" if row is None else text(row) if row["fails_at"] is None else f"fails at {text_of(row['fails_at'], '3')} s"

        return self._table(
            ["N", *(f"{'iterations, mean / max: ' if i == 0 else ''}{1e3 * h:g} ms" for i, h in enumerate(steps)),
             *(f"{'maximum error [rad]: ' if i == 0 else ''}{1e3 * h:g} ms" for i, h in enumerate(steps))],
            [[str(n), *(cell(n, h, lambda row: f"{row['mean']:.3f} / {row['most']}") for h in steps),
              *(cell(n, h, lambda row: text_of(row["error_max"], "2")) for h in steps)] for n in sizes])

    def scale_examples(self):
        def cells(row):
            return [f"`{row['example']}`", str(row["rows"]), f"{1e3 * row['step']:g}", f"`{row['where']}`" if row["where"] else "",
                    *(self._or_fails(row[t], "2") for t in ("penalty", "double_step")),
                    "" if row["ratio"] is None else self._or_fails(row["ratio"], "3"),
                    *(self._or_fails(row[f"{t}_iterations"], ".2f") for t in ("penalty", "double_step"))]

        return self._table(["example", "m", "step [ms]", "coordinate", "error: penalty", "double-step", "ratio", "iterations: penalty", "double-step"],
                           [cells(row) for row in self._scale("examples/rows")])

    def scale_names(self, path):
        return ", ".join(f"`{name}`" for name in self._scale(path)) or "none"

    def scale_ratio(self, quantity, treatment="penalty"):
        """Of a treatment to double-step: the largest of all machines."""
        ratios = [row["ratio"] for row in self._scale(f"order/{quantity}") if row["treatment"] == treatment]
        return text_of(max(ratio for ratio in ratios if ratio is not None), "3")

    def scale_order(self):
        """Rows: quantities; a column for each treatment."""
        def cell(row):
            return self._or_fails(row["errors"][0], "2") + ("" if row["order"] is None else f" ({round(row['order'], 1) + 0.0:.1f})")

        treatments, rows = self._scale("order/treatments"), []
        shaken = Stored((row["treatment"], row) for row in self._scale("order/shaken_table"))
        for i, step in enumerate(self._scale("order/shaken_steps")):
            rows.append([f"external work of the shaken table, {1e3 * step:g} ms [J]",
                         *(self._or_fails(shaken[t]["external"][i], "2") for t in treatments)])
        for quantity, name in (("multipliers", "multipliers"), ("ledger", "energy balance")):
            stored = Stored(((row["machine"], row["treatment"]), row) for row in self._scale(f"order/{quantity}"))
            for machine in dict.fromkeys(machine for machine, _ in stored):
                rows.append([f"{name}, {machine.replace('_', ' ')}", *(cell(stored[machine, t]) for t in treatments)])
        return self._table(["error", *(SCALE_TREATMENTS[t] for t in treatments)], rows)
