#!/usr/bin/env python3
"""Writes docs/validation.md: runs every command of the page and inserts the results into tools/validation_template.md.

    tools/validation.py [--program build/release/bin/trunnion] [--keep-times]    writes docs/validation.md
    tools/validation.py --check [--program ...]                                  compares the page with fresh runs; exit code 1 if it differs

The template is the page with two kinds of placeholders:
    lines that begin with four blanks and `trunnion` are commands (a backslash at the end continues one); all of them are run, in order
    {{expression}} is a Python expression of the functions of `Figures` below, which read the results of the commands
With --check the text must be identical; a number may differ by one unit of its last digit, below 1e-9 (rounding errors) by a factor of 30.
Between `<!-- times -->` and `<!-- end of times -->` numbers are not compared: they depend on the machine named in the line
`Measured on`.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

import oil_rule
import steady
from validation_stored import ROOT, StoredFigures, text_of

TEMPLATE = ROOT / "tools/validation_template.md"
PAGE = ROOT / "docs/validation.md"

COMMAND = re.compile(r"^    (trunnion (?:.*\\\n)*.*)$", re.MULTILINE)
PLACEHOLDER = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
TIMES = re.compile(r"<!-- times -->.*?<!-- end of times -->", re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")

ROUNDING = 1e-9  # smaller figures are rounding errors

# names used in the template
PRESSURES = ["v1.pressure", "v2.pressure", "v3.pressure"]
CRANE_PRESSURES = [f"{cylinder}_{volume}" for cylinder in ("lift", "slew") for volume in PRESSURES]
STEPS = ["1", "0.5", "0.25", "0.1"]
DEGREES = 180 / math.pi
TRANSIENTS = [(0, 0.25), (3, 3.25), (6, 6.25)]  # [s] of the arm
EXCAVATOR = ["upper.angle", "boom.angle", "arm.angle", "bucket.angle"]
CYCLE = [("boom_left.length", 0.2, 5), ("arm_lift.length", 1.5, 9), ("bucket_curl.length", 3.6, 9), ("boom_left.length", 5.2, 12), ("swing.angle", 6.5, 12),
         ("arm_lift.length", 9.5, 14), ("bucket_curl.length", 10.2, 14), ("swing.angle", 12.8, 17), ("boom_left.length", 14, 19)]


class Figures(StoredFigures):
    """Results of the commands in `folder`, as text for the page. Tables have one column for each row of a comparison."""

    def _comparison(self, name):
        return self._read(self.folder / name / "compare.json", lambda path: json.loads(path.read_text()))["rows"]

    def closed_forms(self):
        """The table of components against their closed forms."""
        done = subprocess.run([sys.executable, ROOT / "tools/closed_forms.py", "--program", self._program], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit("tools/closed_forms.py found a difference")
        return done.stdout.strip()

    def oil_jumps(self):
        """The table of circuits with pressure jumps, against the settled pressures."""
        return oil_rule.cases(self._program)

    def oil_circuits(self):
        """The table of random circuits against CVODE, as tools/oil_rule.py stored it."""
        return oil_rule.stored()

    def steady_circuits(self):
        """The table of random circuits with pumps against CVODE, as tools/steady.py stored it."""
        return steady.stored()

    # ---- comparisons

    def ours(self, name, column, form, factor=1):
        return self._cells(text_of(factor * row[column], form) for row in self._comparison(name))

    def paper(self, name, column, form, factor=1):
        return self._cells(f"*{text_of(factor * row['paper'][column], form)}*" for row in self._comparison(name))

    def off(self, name, column):
        """Difference to the paper."""
        return self._cells(f"{100 * (row[column] / row['paper'][column] - 1):.2f} %" for row in self._comparison(name))

    def iterations(self, name):
        return self._cells(f"{row['iterations_mean']:.2f} / {row['iterations_max']:.0f}" for row in self._comparison(name))

    def paper_iterations(self, name):
        return self._cells(f"*{row['paper']['iterations_mean']} / {row['paper']['iterations_max']:.0f}*" for row in self._comparison(name))

    def independent(self, name):
        """Independent coordinates, and whether they were unchanged."""
        def text(row):
            if row["independent"] is None:
                return "all coordinates are unknowns"
            return ", ".join(f"`{c}`" for c in row["independent"]) + (" throughout" if row["repartitions"] == 0 else " at the end")

        return self._cells(text(row) for row in self._comparison(name))

    def differs(self, name, channels, form, row=-1):
        """Maximum difference of any of the channels from the first run."""
        return text_of(max(self._comparison(name)[row]["difference." + channel] for channel in channels), form)

    def nanoseconds(self, name):
        """Time per step: the median over the blocks between two readings of the clock, which is least affected by other programs."""
        def median(label):
            seconds = self._columns(self.folder / name / "history_times.csv")[label + ".step_seconds"]
            return 1e9 * statistics.median(b - a for a, b in zip(seconds, seconds[1:]))

        return self._cells(f"{median('_'.join(row['values'].values())):.0f}" for row in self._comparison(name))

    def below(self, name, channels):
        """The power of ten above the maximum difference, which is due to rounding and the iteration tolerance."""
        size = max(self._comparison(name)[-1]["difference." + channel] for channel in channels)
        return text_of(10.0 ** math.ceil(math.log10(size)), "1")

    # ---- single runs

    def summary(self, name, path, form):
        value = self._read(self.folder / name / "summary.json", lambda file: json.loads(file.read_text()))
        for key in path.split("/"):
            value = value[key]
        return text_of(value, form)

    def example(self, name):
        """Cells of the table of examples."""
        def value(path, form):
            return self.summary(name, path, form)

        loops = value("constraints/max_violation", ".1e") if value("constraints/rows", "d") != "0" else "no loop"
        return self._cells([f"{value('iterations/mean', '.2f')} / {value('iterations/max', 'd')}", value("energy/max_drift", "2"),
                            value("energy/closed_to_percent", ".1e"), loops])

    def error(self, run, table, channels, form):
        """Maximum difference of a run's channels from a table of tests/data, at the table's times. `run=table` where names differ."""
        ours = self._columns(self.folder / run / "results.csv")
        truth = self._columns(ROOT / "tests/data" / (table + ".csv"))
        return text_of(self._greatest(run, ours, truth, channels), form)

    def difference(self, run, other, channels, form):
        """Maximum difference of channels of two runs at common recorded times."""
        ours, truth = (self._columns(self.folder / name / "results.csv") for name in (run, other))
        return text_of(self._greatest(run, ours, truth, channels), form)

    def error_below(self, run, table, channels):
        """The power of ten above it, where it is due to tolerances and rounding."""
        ours = self._columns(self.folder / run / "results.csv")
        truth = self._columns(ROOT / "tests/data" / (table + ".csv"))
        return text_of(10.0 ** math.ceil(math.log10(self._greatest(run, ours, truth, channels))), "1")

    @staticmethod
    def _greatest(run, ours, truth, channels):
        greatest, i = 0.0, 0
        for k, time in enumerate(truth["time"]):
            if time > ours["time"][-1] + 1e-9:
                break  # a shorter run
            while ours["time"][i] < time - 1e-9:
                i += 1
            if abs(ours["time"][i] - time) > 1e-9:
                sys.exit(f"{run}: no record at {time} s")
            for channel in channels:
                mine, _, theirs = channel.partition("=")
                greatest = max(greatest, abs(ours[mine][i] - truth[theirs or mine][k]))
        return greatest

    def _between(self, run, channel, begin, end):
        """Times and values of a channel from `begin` to `end` [s]."""
        data = self._columns(self.folder / run / "results.csv")
        return [(t, x) for t, x in zip(data["time"], data[channel]) if begin - 1e-9 <= t <= end + 1e-9]

    def at(self, run, channel, time, form, factor=1):
        return text_of(factor * self._between(run, channel, time, time)[0][1], form)

    def change(self, run, channel, begin, end, form, factor=1):
        values = self._between(run, channel, begin, end)
        return text_of(factor * (values[-1][1] - values[0][1]), form)

    def departure_from_start(self, run, channel, begin, end, form, factor=1):
        """Maximum difference of a channel from its value at `begin`."""
        values = self._between(run, channel, begin, end)
        return text_of(factor * max(abs(x - values[0][1]) for _, x in values), form)

    def peak(self, run, channel, begin, end, form, factor=1):
        """Maximum magnitude."""
        return text_of(factor * max(abs(x) for _, x in self._between(run, channel, begin, end)), form)

    def movement(self, run, other, channel, begin, end):
        """Cells: seconds from 10 to 90 % of the change of a channel between two times, in two runs, and their difference."""
        a, b = self._durations(run, other, channel, begin, end)
        return self._cells([f"{a:.2f}", f"{b:.2f}", f"{100 * (b / a - 1):.1f} %"])

    def movements(self, run, other, movements):
        """The same of all of them together."""
        a, b = (sum(durations) for durations in zip(*(self._durations(run, other, *movement) for movement in movements)))
        return self._cells([f"{a:.2f}", f"{b:.2f}", f"{100 * (b / a - 1):.1f} %"])

    def _durations(self, run, other, channel, begin, end):
        def duration(name):
            rows = self._between(name, channel, begin, end)
            first, way = rows[0][1], rows[-1][1] - rows[0][1]

            def passes(share):
                for (t, x), (t_next, x_next) in zip(rows, rows[1:]):
                    if (x - first - share * way) * (x_next - first - share * way) <= 0 and x != x_next:
                        return t + (first + share * way - x) / (x_next - x) * (t_next - t)
                sys.exit(f"{name}: {channel} does not reach {share} of its change")

            return passes(0.9) - passes(0.1)

        return duration(run), duration(other)

    def stretch(self, run, actuator, begin, end, form):
        """Maximum distance of a quasistatic actuator from its port [mm]."""
        both = zip(self._between(run, actuator + ".piston", begin, end), self._between(run, actuator + ".length", begin, end))
        return text_of(1e3 * max(abs(p - l) for (_, p), (_, l) in both), form)

    def falls_to(self, run, channel, value, begin, form):
        """First time after `begin` [s] at which a channel is at or below a value, within rounding."""
        times = [t for t, x in self._between(run, channel, begin, math.inf) if x <= value + 1e-9 * abs(value)]
        return text_of(times[0], form) if times else sys.exit(f"{run}: {channel} does not fall to {value}")

    def errors(self, runs, table, channels, form):
        return self._cells(self.error(run, table, channels, form) for run in runs)

    def pendulum_period_error(self, run, amplitude_deg, length, form):
        """Relative error of the period of a pendulum against 4 K(sin(amplitude/2)) sqrt(L/g), from two downward passes of its angle."""
        data = self._columns(self.folder / run / "results.csv")
        times, angles = data["time"], data["bob.angle"]
        passes = []
        for i in range(1, len(times)):
            if angles[i - 1] > 0 >= angles[i]:
                passes.append(zero_of_cubic(times[i - 2 : i + 2], angles[i - 2 : i + 2]))
        k = math.sin(math.radians(amplitude_deg) / 2)
        a, b = 1.0, math.sqrt(1 - k * k)  # K by the arithmetic-geometric mean
        while abs(a - b) > 1e-15:
            a, b = (a + b) / 2, math.sqrt(a * b)
        exact = 4 * math.pi / (2 * a) * math.sqrt(length / 9.81)
        return text_of(abs((passes[1] - passes[0]) / exact - 1), form)

    # ---- the arm on quasistatic and on lumped oil

    def apart(self, name, other, channel, windows):
        """Maximum difference of a channel of two runs at common times, in percent of the range of `other`, outside or inside of `windows`."""
        times = {round(t, 9): x for t, x in self._between(name, channel, 0, math.inf)}
        values = self._between(other, channel, 0, math.inf)
        spread = max(x for _, x in values) - min(x for _, x in values)
        inside, outside = [0.0], [0.0]
        for t, x in values:
            (inside if any(a <= t < b for a, b in windows) else outside).append(abs(times[round(t, 9)] - x))
        return self._cells(text_of(100 * max(side) / spread, "2") for side in (outside, inside))

    # ---- tests/data/step_limits.csv, which tools/step_limits.py writes

    def step_limits(self, integrator):
        """Cells: for both models the largest step within 10 and 1 % of the motion, seconds per second at the last."""
        def cells(model):
            rows = {row["bound"]: row for row in self._step_limits() if (row["model"], row["integrator"]) == (model, integrator)}
            yield from (f"{text_of(1e3 * float(rows[bound]['limit']), '2')}" for bound in ("0.1", "0.01"))
            yield text_of(float(rows["0.01"]["seconds_per_second"]), ".0e")

        return self._cells([*cells("arm_quasistatic"), *cells("arm_lumped")])

    def _step_limits(self):
        def read(path):
            with open(path, newline="") as lines:
                return list(csv.DictReader(line for line in lines if not line.startswith("#")))

        return self._read(ROOT / "tests/data/step_limits.csv", read)

    def limit_again(self, name, fine, integrator, form):
        """Error of a run at the stored limit of 1 %, in percent of the motion of `fine`; it must be the stored one."""
        settings = json.loads((self.folder / name / "summary.json").read_text())["settings"]
        model = {"Arm on lumped oil": "arm_lumped", "Arm on quasistatic hydraulics": "arm_quasistatic"}[settings["title"]]
        row = next(r for r in self._step_limits() if (r["model"], r["integrator"], r["bound"]) == (model, integrator, "0.01"))
        truth = {round(1e6 * t): x for t, x in self._between(fine, "arm.angle", 0, math.inf)}
        error = max(abs(x - truth[round(1e6 * t)]) for t, x in self._between(name, "arm.angle", 0, math.inf))
        error /= max(truth.values()) - min(truth.values())
        if abs(settings["solver"]["step"] / float(row["limit"]) - 1) > 1e-3 or abs(error / float(row["error"]) - 1) > 0.1:
            sys.exit(f"{name}: {settings['solver']['step']} s, {error}; tests/data/step_limits.csv has {row}: run tools/step_limits.py")
        return text_of(100 * error, form)

    def schemes(self, name, scheme, column, form, factor=1):
        """Cells for the communication steps of a scheme."""
        with open(self.folder / name / "schemes.csv", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row["scheme"] == scheme]
        return self._cells(text_of(factor * float(row[column]), form) if row["status"] == "completed" else "fails" for row in rows)

    # ---- linear models

    def _rows(self, path):
        def read(file):
            with open(file, newline="") as lines:
                return list(csv.DictReader(line for line in lines if not line.startswith("#")))

        return self._read(self.folder / path, read)

    def locus_eigenvalues(self, name, number, digits):
        """Nonzero ones of a combination of `--vary`; both of a pair."""
        def text(e):
            re_ = f"{e.real:.{digits}f}"
            return re_ if e.imag == 0 else f"{re_} {'+' if e.imag > 0 else '-'} {abs(e.imag):.{digits}f} i"

        rows = self._rows(f"{name}/root_locus.csv")
        values = list(dict.fromkeys(next(iter(row.values())) for row in rows))
        found = [complex(float(row["re"]), float(row["im"])) for row in rows if next(iter(row.values())) == values[number - 1]]
        return ", ".join(text(e) for e in sorted(found, key=lambda e: (-e.real, -e.imag)) if e != 0)

    def eigenvalue_error(self, name, increment, near, rounding=0):
        """Relative error of the counterpart's eigenvalue with an increment, of that which is nearest to `near`; up to `rounding` that bound."""
        rows = [row for row in self._rows(f"{name}/differences.csv") if math.isclose(float(row["increment"]), float(increment))]
        row = min(rows, key=lambda row: abs(complex(float(row["exact_re"]), float(row["exact_im"])) - near))
        error = float(row["relative_error"])
        return f"below {text_of(rounding, '.0e')}" if error < rounding else text_of(error, ".0e")

    def departure(self, name, channel, number):
        """Maximum difference of the linear from the nonlinear channel of a combination, in percent of the nonlinear one's deviation from its start."""
        data = self._columns(self.folder / name / f"simulate_{number}.csv")
        values, linear = data[channel], data[channel + ".linear"]
        greatest = max(abs(a - b) for a, b in zip(values, linear) if not math.isnan(b))
        return text_of(100 * greatest / max(abs(a - values[0]) for a in values), "2")

    def branches(self, name, value, digits):
        """Eigenvalues of a root locus at a varied value that are not null, upper ones of pairs."""
        with open(self.folder / name / "root_locus.csv", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row[next(iter(row))] == value]
        found = [complex(float(row["re"]), float(row["im"])) for row in rows if row["chain"] in ("", "0")]
        return self._cells([", ".join(f"{e.real:.{digits}f}" + (f" + {e.imag:.{digits}f} i" if e.imag else "") for e in found if e.imag >= 0)])

    def machine(self):
        """The processor of this machine."""
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
        return "unknown processor"


def zero_of_cubic(x, y):
    """Zero between x[1] and x[2] of the cubic through four points."""
    def value(at):
        return sum(y[i] * math.prod((at - x[j]) / (x[i] - x[j]) for j in range(4) if j != i) for i in range(4))

    low, high = x[1], x[2]
    for _ in range(60):
        middle = (low + high) / 2
        if (value(low) > 0) == (value(middle) > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def run_commands(template, program, folder, at_once):
    """Runs `at_once` commands in parallel; one by one where times are measured."""
    for name in ("examples", "tests"):
        (folder / name).symlink_to(ROOT / name)

    def run(command):
        words = shlex.split(command.replace("\\\n", " "))
        done = subprocess.run([str(program), *words[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return f"{command}\n{done.stdout}exit code {done.returncode}" if done.returncode != 0 else ""

    with concurrent.futures.ThreadPoolExecutor(at_once) as workers:
        for trouble in workers.map(run, COMMAND.findall(template)):
            if trouble:
                sys.exit(trouble)


def fill(template, figures):
    names = {name: getattr(figures, name) for name in dir(figures) if not name.startswith("_")}
    names |= {"PRESSURES": PRESSURES, "CRANE_PRESSURES": CRANE_PRESSURES, "STEPS": STEPS, "DEGREES": DEGREES, "TRANSIENTS": TRANSIENTS, "EXCAVATOR": EXCAVATOR,
              "CYCLE": CYCLE}
    return PLACEHOLDER.sub(lambda found: str(eval(found.group(1), names)), template)  # the template is a file of the project


def last_unit(text):
    """Value of one unit in the last digit of a number as written."""
    digits, _, exponent = text.lower().partition("e")
    return 10.0 ** ((int(exponent) if exponent else 0) - len(digits.partition(".")[2]))


def agree(written, fresh):
    a, b = float(written), float(fresh)
    if min(abs(a), abs(b)) < ROUNDING and "e" in written and "e" in fresh:
        return (a == b) or (a != 0 and b != 0 and 1 / 30 < abs(a / b) < 30)
    if len(re.sub(r"e.*|[-+.]", "", written).lstrip("0")) < 2:
        return a == b  # one digit: a count, or a bound
    return abs(a - b) <= 1.0000001 * last_unit(written)


def differences(page, fresh):
    """Lines that differ."""
    def of_any_machine(found):
        return re.sub(r"^Measured on .*$", "Measured", NUMBER.sub("0", found.group(0)), flags=re.MULTILINE)

    page, fresh = (TIMES.sub(of_any_machine, text).splitlines() for text in (page, fresh))
    found = []
    for number, (old, new) in enumerate(zip(page, fresh), 1):
        same = NUMBER.sub("#", old) == NUMBER.sub("#", new) and all(map(agree, NUMBER.findall(old), NUMBER.findall(new)))
        if not same:
            found.append(f"line {number}\n  page:  {old}\n  fresh: {new}")
    if len(page) != len(fresh):
        found.append(f"the page has {len(page)} lines, fresh runs give {len(fresh)}")
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--keep-times", action="store_true", help="keep the page's computing times: this machine is busy")
    arguments.add_argument("--check", action="store_true", help="compare docs/validation.md with fresh runs; write nothing")
    options = arguments.parse_args()
    template = TEMPLATE.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_commands(template, options.program.resolve(), folder, os.cpu_count() if options.check or options.keep_times else 1)
        fresh = fill(template, Figures(folder, options.program.resolve()))
    if options.keep_times:
        kept = TIMES.search(PAGE.read_text())
        fresh = TIMES.sub(lambda found: kept.group(0), fresh) if kept else sys.exit("docs/validation.md has no times to keep")
    if not options.check:
        PAGE.write_text(fresh)
        return 0
    found = differences(PAGE.read_text(), fresh)
    if found:
        print("docs/validation.md does not match the program; `make validation` rewrites it.", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
