#!/usr/bin/env python3
"""Compares the penalty treatment with double-step on machines of all sizes, and prints tables in Markdown.

    tools/scale.py [STUDY ...] [--program build/release/bin/trunnion] [--quick | --full] [--json FILE] [--jobs N]
    tools/scale.py --store [STUDY ...] [--program ...] [--jobs N]    writes tests/data/scale.json, used in docs/validation.md

    slider    a slider-crank under its weight, masses 1e-6 ... 1e6 kg, lengths 0.01 ... 100 m, 64, 320 and 3200 steps per (length/g)^0.5
    penalty   the same with solver.penalty set to the factor chosen by the program times 1e-4 ... 1e4
    random    200 random machines with loops, planar and spatial
    ladder    N-four-bars through every flat position for 10 s, against their equation of one degree of freedom
    examples  the examples with constraints, against cvode
    order     multipliers and the entries of the energy balance over the step, for every treatment

Default: all studies. --quick runs a sample, --full also the long ones (the ladder of 1000 windows at 0.125 ms, the examples for their whole
duration). --store implies --full and prints no tables; stored figures of other studies are kept. Every stored figure except those
dominated by rounding is the same on any machine; --jobs does not change them.

    --set PATH=VALUE      a setting of the runs with the penalty treatment only, such as solver.penalty=1e13
    --reference PROGRAM   the program of the reference runs (fine double-step, cvode) and of double-step that errors are divided by; default: the
                          same. --cache FOLDER keeps their results, for the next time with the same program, model and settings
    --seed S, --count N   of `random`: other machines, and how many
    --machine N ...       of `random`: only these; --keep FOLDER writes their model files

Errors are the maximum over the records of the run, in rad, and in m over the length of the machine, unless a table says otherwise. Failed runs are
reported as such; no machine is excluded because of a result of the penalty treatment.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import contextlib
import csv
import dataclasses
import hashlib
import io
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

from treatments import ladder

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "tests/data/scale.json"
GRAVITY = 9.81  # [m/s^2]
DOUBLE_STEP = ["solver.constraints=double_step"]
CVODE = [*DOUBLE_STEP, "solver.integrator=cvode", "solver.reference_tolerance=1e-12"]
TIME_LIMIT = 3600  # [s] of a run


# ---------------------------------------------------------------- runs


@dataclasses.dataclass
class Run:
    """Result of a run; `columns` by channel, cut where the run failed."""

    status: str  # completed, failed, refused
    message: str
    columns: dict
    summary: dict

    @property
    def completed(self):
        return self.status == "completed"

    @property
    def time(self):
        return self.columns["time"]


class Program:
    """Runs models in a temporary folder."""

    def __init__(self, options):
        self.path = str(options.program.resolve())
        self.reference_path = str((options.reference or options.program).resolve())
        self.settings = options.set
        self.cache = options.cache
        self.identity = hashlib.sha256(pathlib.Path(self.reference_path).read_bytes()).hexdigest()
        self.options = options
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)

    def all(self, function, items):
        """Applies a function to each item, with the given number of jobs."""
        results = []
        for i, result in enumerate(self.pool.map(function, items)):
            results.append(result)
            if sys.stderr.isatty():
                print(f"\r{i + 1} of {len(items)} ", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print("\r", end="", file=sys.stderr)
        return results

    def penalty(self, model, settings, channels, every=1):
        """A run with the penalty treatment."""
        return self._run(self.path, model, [*settings, *self.settings], channels, every)

    def other(self, model, settings, channels, every=1):
        """A run with another treatment, by the same program."""
        return self._run(self.path, model, settings, channels, every)

    def reference(self, model, settings, channels, every=1):
        """A reference run, from the cache if available."""
        if not self.cache:
            return self._run(self.reference_path, model, settings, channels, every)
        text = model if isinstance(model, str) else model.read_text()
        key = hashlib.sha256(json.dumps([self.identity, text, settings, channels, every]).encode()).hexdigest()[:32]
        file = self.cache / f"{key}.json"
        if file.exists():
            return Run(**json.loads(file.read_text()))
        run = self._run(self.reference_path, model, settings, channels, every)
        self.cache.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        part.write_text(json.dumps(dataclasses.asdict(run)))
        part.replace(file)
        return run

    def _run(self, path, model, settings, channels, every):
        """`model`: a file, or the text of one."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            if isinstance(model, str):
                (folder / "model.yaml").write_text(model)
                model = folder / "model.yaml"
            record = [f"record.every={every}", f"record.channels=[{', '.join(channels)}]"]
            command = [path, "run", model, "-q", "-o", folder / "out", *(f"--set={text}" for text in [*settings, *record])]
            try:
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                return Run("failed", f"not done after {TIME_LIMIT} s", {"time": []}, {})
            if not (folder / "out/summary.json").exists():
                return Run("refused" if done.returncode == 2 else "failed", done.stdout.strip(), {"time": []}, {})
            summary = json.loads((folder / "out/summary.json").read_text())
            with open(folder / "out/results.csv", newline="") as lines:
                rows = list(csv.reader(line for line in lines if not line.startswith("#")))
            columns = {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
            summary.pop("final_state", None)
            return Run(summary["status"], summary.get("message") or "", columns, summary)


def text_of(model):
    """A model file from nested dictionaries (JSON is valid YAML)."""
    return "".join(f"{json.dumps(key)}: {json.dumps(value)}\n" if not isinstance(value, dict) else
                   f"{json.dumps(key)}:\n" + "".join(f"  {json.dumps(name)}: {json.dumps(item)}\n" for name, item in value.items())
                   for key, value in model.items())


def error(run, reference, scales):
    """Maximum difference of channels over common records, each divided by its scale."""
    greatest = 0.0
    for t, s in zip(run.time, reference.time):
        if abs(t - s) > 1e-9 * max(abs(t), abs(s)):
            sys.exit(f"records at {t!r} and {s!r} s do not match")
    for channel, scale in scales.items():
        for mine, truth in zip(run.columns[channel], reference.columns[channel]):
            off = abs(mine - truth) / scale
            if not off <= greatest:
                greatest = off
    return greatest


def extrapolated(fine, coarse):
    """The limit of two runs of second order, one with half the step of the other."""
    columns = {name: [(4 * a - b) / 3 for a, b in zip(values, coarse.columns[name])] for name, values in fine.columns.items()}
    columns["time"] = fine.time
    return Run("completed", "", columns, {})


# ---------------------------------------------------------------- tables


def number(value, digits=2):
    """Format 1.2e-5; small powers of ten written out."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return str(value)
    if value == 0 or 1e-2 <= abs(value) < 1e4:
        return f"{value:.{digits}g}" if abs(value) < 10**digits else f"{value:.0f}"
    return short(f"{value:.{digits - 1}e}")


def short(text):
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def table(head, rows):
    print("\n| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(number(cell) for cell in row) + " |")
    print(flush=True)


def quantile(values, share):
    """Quantile of a list by linear interpolation between its sorted values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = math.ceil(place)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low]) if math.isfinite(ordered[high]) else ordered[high]


def first_line(message):
    return " ".join(message.split())[:200]


# ---------------------------------------------------------------- slider-crank


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


# ---------------------------------------------------------------- ladder


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


# ---------------------------------------------------------------- random machines


MACHINES = 200
LEAST_ERROR = 1e-10  # smaller ones are due to rounding and the iteration tolerance
RESOLVED = 1e-2  # maximum error of double-step
RECORDS = 50  # of a run, about


@dataclasses.dataclass
class Machine:
    """A model in its closed configuration, and the scales of its errors."""

    family: str
    model: dict
    scales: dict  # of every coordinate's channel: 1, or the length of the machine
    length: float
    masses: list
    step: float
    steps: int

    def text(self, division):
        """The model with a step shorter by the factor `division`."""
        return text_of(self.model | {"solver": {"step": self.step / division, "duration": self.step * self.steps}})


def turned(vector, angle):
    return (math.cos(angle) * vector[0] - math.sin(angle) * vector[1], math.sin(angle) * vector[0] + math.cos(angle) * vector[1])


class Draft:
    """A machine under construction: common part of planar and spatial ones."""

    def __init__(self, rng, length, masses):
        self.rng, self.length = rng, length
        self.low, self.high = masses  # powers of ten
        self.bodies, self.joints, self.loops, self.springs, self.motions, self.couplings, self.signals = {}, {}, {}, {}, {}, {}, {}
        self.mass, self.arm, self.scales = {}, {}, {}
        self.drivers = []  # names, and whether they slide

    def name(self):
        return f"b{len(self.bodies) + 1}"

    def draw_mass(self):
        return 10 ** self.rng.uniform(self.low, self.high)

    def point_on(self, body):
        raise NotImplementedError

    def loop(self, kind, content):
        self.loops[f"l{len(self.loops) + 1}"] = {kind: content}

    def lightest(self, first, second):
        """Of two bodies; the ground is excluded."""
        return min((self.mass[b], self.arm[b]) for b in (first, second) if b != "ground")

    def add_springs(self, unit, step):
        """One to three springs with dampers, with frequencies according to the lighter of the two bodies, so that none is too fast for the step."""
        rng = self.rng
        for i in range(rng.randint(1, 3)):
            frequency = math.exp(rng.uniform(math.log(0.5 / unit), math.log(min(20 / unit, 0.2 / step))))
            damping = rng.choice([0, rng.uniform(0.02, 0.5)])
            single = [b for b, joint in self.joints.items() if "revolute" in joint or "prismatic" in joint]
            if rng.random() < 0.5:
                body = rng.choice(single)
                kind = next(k for k in ("revolute", "prismatic") if k in self.joints[body])
                mass, arm = self.lightest(body, self.joints[body][kind]["parent"])
                inertia = mass * (arm**2 / 3 if kind == "revolute" else 1)
                item = {"joint": body}
            else:
                body, other = rng.choice(list(self.bodies)), rng.choice(["ground", *self.bodies])
                p, q = self.point_on(body), self.point_on(other)
                if body == other or self.distance(body, p, other, q) < 0.5 * self.length:
                    continue
                inertia = self.lightest(body, other)[0]
                item = {"between": [body, other], "at": [list(p), list(q)]}
            self.springs[f"s{i + 1}"] = item | {"stiffness": inertia * frequency**2, "damping": 2 * damping * inertia * frequency}

    def add_motion(self, unit):
        name, slides = self.drivers[0]
        joint = self.joints[name]
        start = joint.get("position" if slides else "angle", 0)
        joint.pop("speed" if slides else "rate", None)
        self.signals["moved"] = {"sine": {"amplitude": self.rng.uniform(0.1, 0.5) * (self.length if slides else 1),
                                          "frequency": self.rng.uniform(0.05, 0.3) / unit, "offset": start}}
        self.motions["moved"] = {"joint": name, "signal": "moved"}

    def add_coupling(self):
        """A gear between the first two drivers; the rate of one follows."""
        (a, slides), (b, other) = self.drivers[:2]
        ratio = self.rng.choice([-1, 1]) * self.rng.uniform(0.3, 2) * (self.length if slides else 1) / (self.length if other else 1)
        self.joints[a].pop("speed" if slides else "rate", None)
        self.couplings["gear"] = {"joints": [a, b], "ratio": ratio, "level": self.rng.choice(["position", "velocity"])}

    def model(self, gravity):
        sections = {"bodies": self.bodies, "joints": self.joints, "loops": self.loops, "springs": self.springs, "motions": self.motions,
                    "couplings": self.couplings, "signals": self.signals}
        return {"trunnion": 1, "gravity": list(gravity)} | {name: section for name, section in sections.items() if section}


class Planar(Draft):
    """In the plane x, y: drivers, and groups that add as many rows as coordinates; on the ground, or on a base that turns about y."""

    def __init__(self, rng, length, masses, on_base):
        super().__init__(rng, length, masses)
        self.place, self.angle, self.size = {"ground": (0.0, 0.0)}, {"ground": 0.0}, {}
        self.root = "ground"
        if on_base:
            self.root = self.name()
            self._inertia_body(self.root, length, (0.0, 0.0))
            self.place[self.root], self.angle[self.root], self.size[self.root] = (0.0, 0.0), 0.0, length
            self.joints[self.root] = {"revolute": {"parent": "ground", "axis": "y"}, "angle": 0.0}
            self.scales[f"{self.root}.angle"] = 1
            self.drivers.append((self.root, False))

    def world(self, body, point):
        x, y = turned(point, self.angle[body])
        return (self.place[body][0] + x, self.place[body][1] + y)

    def local(self, body, point):
        return turned((point[0] - self.place[body][0], point[1] - self.place[body][1]), -self.angle[body])

    def point_on(self, body):
        rng = self.rng
        if body in ("ground", self.root):
            return (rng.uniform(-1.5, 1.5) * self.length, rng.uniform(-1.5, 1.5) * self.length, 0)
        size = self.size[body]
        if rng.random() < 0.5:
            return (size, 0, 0)
        return (rng.uniform(0.4, 1.1) * size, rng.uniform(-0.3, 0.3) * size, 0)

    def distance(self, body, p, other, q):
        return math.dist(self.world(body, p), self.world(other, q))

    def _inertia_body(self, name, size, centre):
        """Inertias of a body as long as `size`, its centre of mass off the line."""
        rng, mass = self.rng, self.draw_mass()
        radius = rng.uniform(0.2, 0.5) * size
        self.bodies[name] = {"mass": mass, "center_of_mass": [centre[0], centre[1], 0], "inertia": [mass * radius**2] * 3}
        self.mass[name], self.arm[name] = mass, size

    def _body(self, name, size):
        rng = self.rng
        if rng.random() < 0.7:
            mass = self.draw_mass()
            self.bodies[name] = {"rod": {"length": size, "mass": mass, "diameter": 0.05 * size}}
            self.mass[name], self.arm[name] = mass, size
        else:
            self._inertia_body(name, size, (rng.uniform(0.2, 0.8) * size, rng.uniform(-0.2, 0.2) * size))

    def link(self, parent, at, tip):
        """A body on a revolute joint, from there to the position `tip`."""
        name, origin = self.name(), self.world(parent, at)
        angle = math.atan2(tip[1] - origin[1], tip[0] - origin[0])
        size = math.dist(origin, tip)
        self._body(name, size)
        self.place[name], self.angle[name], self.size[name] = origin, angle, size
        self.joints[name] = {"revolute": {"parent": parent, "at": [at[0], at[1], 0]}, "angle": angle - self.angle[parent]}
        self.scales[f"{name}.angle"] = 1
        return name

    def slide(self, parent, at, direction, position):
        """A body that slides on its parent; `direction` in the parent's frame."""
        name = self.name()
        if self.rng.random() < 0.5:
            mass = self.draw_mass()
            self.bodies[name] = {"point_mass": {"mass": mass}}
            self.mass[name], self.arm[name] = mass, self.length
        else:
            self._inertia_body(name, 0.3 * self.length, (0.0, 0.0))
        self.place[name] = self.world(parent, (at[0] + position * direction[0], at[1] + position * direction[1]))
        self.angle[name], self.size[name] = self.angle[parent], 0.3 * self.length
        self.joints[name] = {"prismatic": {"parent": parent, "at": [at[0], at[1], 0], "axis": [direction[0], direction[1], 0]},
                             "position": position}
        self.scales[f"{name}.position"] = self.length
        return name

    def driver(self, parent, rate):
        rng = self.rng
        at = self.point_on(parent)
        if rng.random() < 0.12:
            angle = rng.uniform(-math.pi, math.pi)
            name = self.slide(parent, at, (math.cos(angle), math.sin(angle)), 0.0)
            self.joints[name]["speed"] = rate * self.length
            self.drivers.append((name, True))
        else:
            origin, angle = self.world(parent, at), rng.uniform(-math.pi, math.pi)
            size = rng.uniform(0.3, 1) * self.length
            name = self.link(parent, at, (origin[0] + size * math.cos(angle), origin[1] + size * math.sin(angle)))
            self.joints[name]["rate"] = rate
            self.drivers.append((name, False))
        return name

    def group(self, kind, first, second):
        """Connects two bodies without changing the degrees of freedom; false if the drawn points are unsuitable."""
        rng, length = self.rng, self.length
        p, q = self.point_on(first), self.point_on(second)
        P, Q = self.world(first, p), self.world(second, q)
        d = math.dist(P, Q)
        if not 0.31 * length < d < 3 * length:
            return False
        along = ((Q[0] - P[0]) / d, (Q[1] - P[1]) / d)
        if kind == "RRR":
            side, forward = rng.choice([-1, 1]) * rng.uniform(0.3, 1) * d, rng.uniform(0.2, 0.8) * d
            K = (P[0] + forward * along[0] - side * along[1], P[1] + forward * along[1] + side * along[0])
            u = self.link(first, p, K)
            if rng.random() < 0.5:
                w = self.link(second, q, K)
                self.loop("revolute", {"between": [u, w], "at": [[self.size[u], 0, 0], [self.size[w], 0, 0]]})
            else:
                w = self.link(u, (self.size[u], 0), Q)
                self.loop("revolute", {"between": [w, second], "at": [[self.size[w], 0, 0], [q[0], q[1], 0]]})
        elif kind == "RRP":
            angle = rng.uniform(-1, 1)  # between rod and slide
            e = turned(along, angle)
            position = rng.uniform(-0.5, 0.5) * length
            K = (Q[0] + position * e[0], Q[1] + position * e[1])
            rod = (K[0] - P[0], K[1] - P[1])
            if abs(rod[0] * e[0] + rod[1] * e[1]) < 0.5 * math.hypot(*rod) or math.hypot(*rod) < 0.4 * length:
                return False
            u = self.link(first, p, K)
            w = self.slide(second, q, turned(e, -self.angle[second]), position)
            self.loop("revolute", {"between": [u, w], "at": [[self.size[u], 0, 0], [0, 0, 0]]})
        elif kind == "RPR":
            u = self.link(first, p, (P[0] + 0.5 * d * along[0], P[1] + 0.5 * d * along[1]))
            share = rng.uniform(0.3, 0.9)
            w = self.slide(u, (0, 0), (1, 0), share * d)
            self.loop("revolute", {"between": [w, second], "at": [[(1 - share) * d, 0, 0], [q[0], q[1], 0]]})
        elif kind == "line":  # a pin of `first` in a slot of an arm
            w = self.link(second, q, P)
            self.loop("point_on_line", {"between": [w, first], "at": [[0, 0, 0], [p[0], p[1], 0]], "axis": "x"})
        elif kind == "distance":  # a link without mass
            side = rng.choice([-1, 1]) * rng.uniform(0.5, 2.5)
            size = rng.uniform(0.3, 1) * length
            e = turned(along, side)
            K = (Q[0] + size * e[0], Q[1] + size * e[1])
            rod = (K[0] - P[0], K[1] - P[1])
            if abs(rod[0] * e[0] + rod[1] * e[1]) < 0.5 * math.hypot(*rod) or math.hypot(*rod) < 0.4 * length:
                return False
            w = self.link(second, q, K)
            self.loop("distance", {"between": [w, first], "at": [[self.size[w], 0, 0], [p[0], p[1], 0]]})
        return True

    def join(self, kinds, first, second):
        for _ in range(100):
            if self.group(self.rng.choice(kinds), first, second):
                return True
        return False


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def plus(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def unit_of(a):
    size = math.sqrt(dot(a, a))
    return [x / size for x in a]


class Spatial(Draft):
    """In space. At the start all frames are parallel to the ground's, so that all coordinates but those of slides are zero."""

    def __init__(self, rng, length, masses):
        super().__init__(rng, length, masses)
        self.place, self.reach = {"ground": [0.0, 0.0, 0.0]}, {}

    def direction(self):
        return unit_of([self.rng.gauss(0, 1) for _ in range(3)])

    def across(self, axis):
        """A unit vector perpendicular to a vector."""
        return unit_of(cross(axis, self.direction()))

    def point_on(self, body):
        if body == "ground":
            return [self.rng.uniform(-1.5, 1.5) * self.length for _ in range(3)]
        return self.reach[body]

    def distance(self, body, p, other, q):
        return math.dist(plus(self.place[body], p), plus(self.place[other], q))

    def body(self, parent, at, reach, joint):
        """From a point on the parent along the vector `reach`."""
        rng, name = self.rng, self.name()
        mass, l2 = self.draw_mass(), dot(reach, reach)
        thick = 10 ** rng.uniform(-3, -1)
        J = [[mass * l2 * ((1 / 12 + thick) * (i == j) - reach[i] * reach[j] / l2 / 12) for j in range(3)] for i in range(3)]
        self.bodies[name] = {"mass": mass, "center_of_mass": plus([0, 0, 0], reach, 0.5),
                             "inertia": {"xx": J[0][0], "yy": J[1][1], "zz": J[2][2], "xy": J[0][1], "xz": J[0][2], "yz": J[1][2]}}
        self.mass[name], self.arm[name] = mass, math.sqrt(l2)
        self.place[name], self.reach[name] = plus(self.place[parent], at), reach
        kind, content, start = joint
        self.joints[name] = {kind: {"parent": parent, "at": at} | content} | start
        for coordinate in {"revolute": ["angle"], "universal": ["angle_1", "angle_2"], "spherical": ["q_w", "q_x", "q_y", "q_z"]}.get(kind, []):
            self.scales[f"{name}.{coordinate}"] = 1
        return name

    def tip(self, name):
        return plus(self.place[name], self.reach[name])

    def turning(self, parent, at, reach, axis, rate=None):
        start = {"angle": 0.0} | ({} if rate is None else {"rate": rate})
        name = self.body(parent, at, reach, ("revolute", {"axis": axis}, start))
        if rate is not None:
            self.drivers.append((name, False))
        return name

    def crank(self, rate=None):
        """On the ground, about its own axis."""
        axis, rng = self.direction(), self.rng
        at = [rng.uniform(-1, 1) * self.length for _ in range(3)]
        reach = plus([0, 0, 0], plus(self.across(axis), axis, rng.uniform(-0.5, 0.5)), rng.uniform(0.3, 0.8) * self.length)
        return self.turning("ground", at, reach, axis, rate), axis

    def rod(self, parent, to, kind, rate):
        """From the tip of a body to a point, on a spherical or a universal joint."""
        reach = plus(to, self.tip(parent), -1)
        along = unit_of(reach)
        if kind == "universal":
            first = self.across(along)
            joint = ("universal", {"axes": [first, cross(along, first)]}, {"angles": [0.0, 0.0]})
        else:
            spin = {"angular_velocity": plus([0, 0, 0], along, rate)} if self.rng.random() < 0.5 else {}
            joint = ("spherical", {}, {"rotation": [0.0, 0.0, 0.0]} | spin)
        return self.body(parent, self.reach[parent], reach, joint)

    def slider(self, place, axis):
        name, rng = self.name(), self.rng
        mass, position = self.draw_mass(), rng.uniform(-0.5, 0.5) * self.length
        self.bodies[name] = {"mass": mass, "inertia": [0.02 * mass * self.length**2] * 3}
        self.mass[name], self.arm[name] = mass, self.length
        self.place[name], self.reach[name] = place, [0.0, 0.0, 0.0]
        self.joints[name] = {"prismatic": {"parent": "ground", "at": plus(place, axis, -position), "axis": axis}, "position": position}
        self.scales[f"{name}.position"] = self.length
        return name


def draw_planar(rng, family, length, masses, rates, on_base):
    """None if nothing suitable was drawn."""
    draft = Planar(rng, length, masses, on_base)
    if on_base:
        draft.joints[draft.root]["rate"] = rates[2]
    root = draft.root
    every = ["RRR", "RRR", "RRP", "RPR", "line", "distance"]
    first = draft.driver(root, rates[0])
    if family == "four-bar":
        good = draft.join(["RRR"], first, root)
    elif family == "slider-crank":
        good = draft.join(["RRP"], first, root)
    elif family == "inverted":
        good = draft.join(["RPR", "line", "distance"], first, root)
    elif family == "five-bar":
        second = draft.driver(rng.choice([root, first]), rates[1])
        good = draft.join(["RRR", "RPR", "RRP"], second, root if draft.joints[second].get("revolute", {}).get("parent") == first else first)
    elif family == "six-bar":
        good = draft.join(["RRR", "RRP"], first, root) and draft.join(every, rng.choice(list(draft.bodies)[-2:]), root)
    else:  # many loops
        good = draft.join(every, first, root)
        for _ in range(rng.randint(2, 5)):
            if good:
                a, b = rng.sample([root, *(b for b in draft.bodies if b != root)], 2)
                good = draft.join(every, a, b)
    return draft if good else None


def draw_spatial(rng, family, length, masses, rates):
    draft = Spatial(rng, length, masses)
    first, axis = draft.crank(rates[0])
    start = draft.tip(first)
    if family in ("spatial slider-crank", "spatial slider-crank, universal"):
        along = draft.direction()
        end = plus(start, along, rng.uniform(1.5, 3) * length)
        e = unit_of(plus(along, draft.across(along), rng.uniform(0, 0.8)))
        rod = draft.rod(first, end, "universal" if "universal" in family else "spherical", rates[1])
        slider = draft.slider(end, e)
        draft.loop("spherical", {"between": [rod, slider], "at": [draft.reach[rod], [0, 0, 0]]})
    elif family in ("spatial four-bar", "spatial four-bar, universal", "spatial four-bar, distance"):
        second, other = draft.crank()
        end = draft.tip(second)
        along = plus(end, start, -1)
        size = math.sqrt(dot(along, along))
        arm = unit_of(cross(other, draft.reach[second]))  # direction of motion of the second tip
        if not 0.5 * length < size < 4 * length or abs(dot(along, arm)) < 0.4 * size:
            return None
        if family.endswith("distance"):
            draft.loop("distance", {"between": [first, second], "at": [draft.reach[first], draft.reach[second]]})
        elif family.endswith("universal"):
            rod = draft.rod(first, end, "spherical", 0.0)
            u = draft.across(unit_of(along))
            draft.loop("universal", {"between": [rod, second], "at": [draft.reach[rod], draft.reach[second]], "axes": [u, draft.across(u)]})
        else:
            rod = draft.rod(first, end, "spherical", rates[1])
            draft.loop("spherical", {"between": [rod, second], "at": [draft.reach[rod], draft.reach[second]]})
    elif family == "tripod":
        draft = Spatial(rng, length, masses)
        radius, height, inner = length, rng.uniform(0.8, 1.4) * length, rng.uniform(0.3, 0.7) * length
        shanks, tips = [], []
        for i in range(3):
            angle = 2 * math.pi / 3 * i + rng.uniform(-0.2, 0.2)
            out, tangent = [math.cos(angle), math.sin(angle), 0.0], [-math.sin(angle), math.cos(angle), 0.0]
            foot, tip = plus([0, 0, 0], out, radius), plus([0, 0, height], out, inner)
            knee = plus(plus(foot, tip), out, rng.uniform(0.6, 1.2) * length)
            knee = [x / 2 for x in knee]
            thigh = draft.turning("ground", foot, plus(knee, foot, -1), tangent, rates[i])
            shanks.append(draft.turning(thigh, draft.reach[thigh], plus(tip, knee, -1), tangent))
            tips.append(tip)
        platform = draft.body(shanks[0], draft.reach[shanks[0]], plus(plus([0, 0, height], [0, 0, 0]), tips[0], -1),
                              ("spherical", {}, {"rotation": [0.0, 0.0, 0.0]}))
        for i in (1, 2):
            draft.loop("spherical", {"between": [shanks[i], platform], "at": [draft.reach[shanks[i]], plus(tips[i], tips[0], -1)]})
    else:  # spherical four-bar: axes through one point, three redundant rows
        draft = Spatial(rng, length, masses)
        axes = [draft.direction() for _ in range(4)]
        if any(abs(dot(axes[i], axes[j])) > 0.8 for i, j in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3))):
            return None
        def reach(i, j):
            return plus([0, 0, 0], unit_of(plus(axes[i], axes[j])), length)

        a = draft.turning("ground", [0, 0, 0], reach(0, 1), axes[0], rates[0])
        b = draft.turning(a, [0, 0, 0], reach(1, 2), axes[1])
        c = draft.turning("ground", [0, 0, 0], reach(3, 2), axes[3])
        draft.loop("revolute", {"between": [b, c], "at": [[0, 0, 0], [0, 0, 0]], "axis": axes[2]})
    return draft


FAMILIES = {  # and how many of a hundred
    "four-bar": 16, "slider-crank": 14, "inverted": 8, "five-bar": 12, "six-bar": 10, "many loops": 10, "on a turning base": 6,
    "spatial slider-crank": 8, "spatial slider-crank, universal": 3, "spatial four-bar": 4, "spatial four-bar, universal": 2,
    "spatial four-bar, distance": 2, "tripod": 3, "spherical four-bar": 2}
PLANAR = ["four-bar", "slider-crank", "inverted", "five-bar", "six-bar", "many loops"]


def random_machine(seed, index, as_unit=False):
    """Always the same for a seed and an index; `as_unit`: the same machine and motion with its length and its middle mass for 1 m and 1 kg."""
    rng = random.Random(f"{seed}/{index}")
    family = rng.choices(list(FAMILIES), list(FAMILIES.values()))[0]
    length = 10 ** rng.uniform(-2, 2)
    span = rng.uniform(0, 4)
    middle = rng.uniform(-4 + span / 2, 4 - span / 2)
    masses = (middle - span / 2, middle + span / 2)
    unit = math.sqrt(length / GRAVITY)
    rates = [rng.choice([0, rng.uniform(-3, 3)]) / unit for _ in range(3)]
    unit = min(unit, 1 / max(max(abs(r) for r in rates), 1e-9))
    step = min(max(unit / math.exp(rng.uniform(math.log(50), math.log(2000))), 1e-5), 1e-2)
    steps = round(min(math.exp(rng.uniform(math.log(200), math.log(1000))), max(200, 4 * unit / step)))
    if as_unit:
        shift, root = sum(masses) / 2, math.sqrt(length)
        masses = (masses[0] - shift, masses[1] - shift)
        length, unit, step, rates = 1.0, unit / root, step / root, [rate * root for rate in rates]
    has_springs = rng.random() < 0.4
    while True:
        if family in PLANAR or family == "on a turning base":
            planar = rng.choice(PLANAR) if family == "on a turning base" else family
            draft = draw_planar(rng, planar, length, masses, rates, family not in PLANAR)
        else:
            draft = draw_spatial(rng, family, length, masses, rates)
        if draft:
            break
    if has_springs:
        draft.add_springs(unit, step)
    more = rng.random()
    if len(draft.drivers) > 1 and more < 0.4:
        draft.add_motion(unit)
    elif len(draft.drivers) > 1 and more < 0.55:
        draft.add_coupling()
    direction = rng.uniform(-math.pi, math.pi)
    gravity = (GRAVITY * math.cos(direction), GRAVITY * math.sin(direction), 0.0)
    if family not in PLANAR:
        gravity = tuple(GRAVITY * x for x in unit_of([rng.gauss(0, 1) for _ in range(3)]))
    return Machine(family, draft.model(gravity), draft.scales, length, list(draft.mass.values()), step, steps)


def same_motion(run, reference, machine, like):
    """The error of a run of one machine by a reference of another, the same but for its units."""
    factor = math.sqrt(machine.length / like.length)
    columns = {channel: [x * machine.scales[channel] for x in reference.columns[channel]] for channel in machine.scales}
    return error(run, Run("completed", "", columns | {"time": [t * factor for t in reference.time]}, {}), machine.scales)


def measure_machine(program, index):
    """Figures of one, or why it is not among those that count."""
    machine, unit = (random_machine(program.options.seed, index, as_unit) for as_unit in (False, True))
    every = max(1, machine.steps // RECORDS)
    channels = list(machine.scales)
    found = {"machine": index, "family": machine.family, "length": machine.length, "masses": [min(machine.masses), max(machine.masses)],
             "step": machine.step, "steps": machine.steps, "bodies": len(machine.masses)}

    def other(settings, division):
        return program.reference(unit.text(division), settings, channels, every * division)

    def discard(why, message=""):
        return found | {"discarded": why, "message": message}

    runs = {}
    for division in (1, 2, 8, 16):
        run = runs[division] = other(DOUBLE_STEP, division)
        if run.status == "refused":
            return discard("model rejected", run.message)
        if not run.completed:
            return discard("double-step fails" + (" with a shorter step" if division > 1 else ""), run.message)
    reference = extrapolated(runs[16], runs[8])
    off, off_half = (error(run, reference, unit.scales) for run in (runs[1], runs[2]))
    found |= {"double_step": off, "double_step_half": off_half}
    if off > RESOLVED:
        return discard(f"error of double-step above {RESOLVED:g}")
    cvode = other(CVODE, 1)
    if not cvode.completed:
        return discard("cvode fails", cvode.message)
    found["reference"] = error(cvode, reference, unit.scales)
    if found["reference"] > max(0.1 * off, 1e-8):
        return discard("references disagree")
    if off > 1e-9 and not 3 < off / off_half < 5.5:
        return discard("double-step not of second order")
    run = program.other(machine.text(1), DOUBLE_STEP, channels, every)
    found["double_step_here"] = same_motion(run, reference, machine, unit) if run.completed else math.inf
    found["double_step_here_message"] = run.message if not run.completed else ""
    for name, division in (("penalty", 1), ("penalty_half", 2)):
        run = program.penalty(machine.text(division), [], channels, every * division)
        found[name] = same_motion(run, reference, machine, unit) if run.completed else math.inf
        found[f"{name}_message"] = (run.message or run.status) if not run.completed else ""
    found["ratio"] = max(found["penalty"], LEAST_ERROR) / max(off, LEAST_ERROR)
    if LEAST_ERROR < found["penalty"] < math.inf and LEAST_ERROR < found["penalty_half"] < math.inf:
        found["reduction"] = found["penalty"] / found["penalty_half"]
    return found


def statistics_of(cases):
    """Of random machines: how many fail, ratios to double-step, and how the error falls when the step is halved."""
    ratios, down = [c["ratio"] for c in cases], [c["reduction"] for c in cases if "reduction" in c]
    return {"machines": len(cases), "failed": sum(not math.isfinite(c["penalty"]) or not math.isfinite(c["penalty_half"]) for c in cases),
            "median": quantile(ratios, 0.5), "p95": quantile(ratios, 0.95), "worst": max(ratios),
            "reduction_median": quantile(down, 0.5) if down else None, "reduction_p05": quantile(down, 0.05) if down else None,
            "reduction_least": min(down, default=None)}


def study_random(program, options):
    """Random machines with loops."""
    wanted = options.count or (MACHINES if not options.quick else 40)
    cases, index = [], 0
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    while (options.machine and not cases) or sum("discarded" not in c for c in cases) < wanted and not options.machine and index < 4 * wanted:
        missing = wanted - sum("discarded" not in c for c in cases)
        batch = options.machine or list(range(index, index + missing))
        index += len(batch)
        cases += program.all(lambda i: measure_machine(program, i), batch)
    for c in cases if options.keep else []:
        (options.keep / f"machine_{c['machine']}.yaml").write_text(random_machine(options.seed, c["machine"]).text(1))
    counted = [c for c in cases if "discarded" not in c]

    def between(values, what):
        return f"{what} {number(min(values, default=0))} ... {number(max(values, default=0))}"

    lengths, steps = (between([c[key] for c in counted], key) for key in ("length", "step"))
    masses = between([m for c in counted for m in c["masses"]], "masses")
    print("## Random machines\n")
    print(f"{len(counted)} machines of {len(cases)} drawn (seed {options.seed}), {lengths}, {masses}, {steps}: error of the penalty "
          "treatment over that of double-step on the same machine with its length and its middle mass for 1 m and 1 kg.")

    def row(name, here):
        some = statistics_of(here)
        return [name, *(str(value) if isinstance(value, int) else number(value, 3) for value in some.values())]

    families = sorted({c["family"] for c in counted})
    if counted:
        table(["machines", "number", "fail", "median", "95 %", "worst", "error reduction per halving of the step, median", "5 %", "least"],
              [*(row(f, [c for c in counted if c["family"] == f]) for f in families), row("all", counted)])
    worst = sorted(counted, key=lambda c: -c["ratio"])[:12] + sorted((c for c in counted if "reduction" in c), key=lambda c: c["reduction"])[:6]
    table(["machine", "family", "length [m]", "masses [kg]", "step [s]", "steps", "penalty", "at half the step", "double-step", "at half the step",
           "ratio"],
          [[str(c["machine"]), c["family"], number(c["length"]), f"{number(c['masses'][0])} ... {number(c['masses'][1])}", number(c["step"]),
            str(c["steps"]), c["penalty"], c["penalty_half"], c["double_step"], c["double_step_half"], number(c["ratio"], 3)] for c in worst])
    for c in counted:
        for name in ("penalty", "penalty_half"):
            if c[f"{name}_message"]:
                print(f"- machine {c['machine']}{' at half the step' if 'half' in name else ''}: {first_line(c[f'{name}_message'])}")
    here = [c["double_step_here"] / c["double_step"] for c in counted]
    print(f"\nDouble-step on the machines as they are, over that in their own units: median {number(quantile(here, 0.5), 3)}, "
          f"95 % {number(quantile(here, 0.95), 3)}, {sum(map(math.isinf, here))} fail.")
    reasons = {}
    for c in cases:
        if "discarded" in c:
            reasons.setdefault(c["discarded"], []).append(c)
    print(f"\nExcluded: {len(cases) - len(counted)}.")
    for why, some in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"- {why}: {len(some)} ({', '.join(str(c['machine']) for c in some[:12])}{', ...' if len(some) > 12 else ''})")
        if some[0]["message"]:
            print(f"  such as: {first_line(some[0]['message'])}")
    return {"seed": options.seed, "cases": cases}


# ---------------------------------------------------------------- examples


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


# ---------------------------------------------------------------- order


SHAKEN_TABLE = """\
trunnion: 1
gravity: [0, 0, 0]
bodies: {table: {mass: 1000, inertia: [1, 1, 1]}}
joints: {table: {prismatic: {parent: ground, axis: x}}}
motions: {shake: {joint: table, signal: s}}
signals: {s: {sine: {amplitude: 10 mm, frequency: 2 Hz}}}
solver: {step: 1 ms, duration: 5 s}
"""

DRIVEN_SLIDER_CRANK = """\
trunnion: 1
title: Slider-crank, its crank moved to and fro
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 3}}, b: {rod: {length: 2, mass: 5}}, s: {point_mass: {mass: 2}}}
joints:
  a: {revolute: {parent: ground}, angle: 1}
  b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -1.43}
  s: {prismatic: {parent: ground, axis: x}, position: 2.35}
loops: {l: {revolute: {between: [b, s], at: [[2, 0, 0], [0, 0, 0]]}}}
motions: {drive: {joint: a, signal: to_and_fro}}
springs: {recoil: {joint: s, stiffness: 200, damping: 5, rest: 2}}
signals: {to_and_fro: {sine: {amplitude: 0.8, frequency: 1 Hz, offset: 1}}}
solver: {step: 1 ms, duration: 2 s}
"""

DRIVEN_FIVE_BAR = """\
trunnion: 1
title: Five-bar with one side moved and the other swinging on a spring
gravity: [0, -9.81, 0]
bodies:
  a: {rod: {length: 1, mass: 3}}
  b: {rod: {length: 1.5, mass: 4}}
  d: {rod: {length: 1, mass: 2}}
  c: {rod: {length: 1.5, mass: 4}}
joints:
  a: {revolute: {parent: ground}, angle: 1.9}
  b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -1.1}
  d: {revolute: {parent: ground, at: [1.2, 0, 0]}, angle: 1.2, hold: true}
  c: {revolute: {parent: d, at: [1, 0, 0]}, angle: 1}
loops: {l: {revolute: {between: [b, c], at: [[1.5, 0, 0], [1.5, 0, 0]]}}}
motions: {drive: {joint: a, signal: to_and_fro}}
springs: {hold: {joint: d, stiffness: 300, damping: 3, rest: 1.2}}
signals: {to_and_fro: {sine: {amplitude: 0.3, frequency: 1 Hz, offset: 1.9}}}
solver: {step: 1 ms, duration: 2 s}
"""

TREATMENTS = {  # and their settings
    "penalty": [], "double_step": DOUBLE_STEP, "baumgarte": ["solver.constraints=baumgarte"],
    "ali1, rk4": ["solver.constraints=ali1", "solver.integrator=rk4"],
    "ali1, semi-implicit": ["solver.constraints=ali1", "solver.integrator=semi_implicit_euler"]}
SHAKEN_STEPS = [5, 1, 0.1]  # [ms]
ORDER_STEPS = [1, 0.5, 0.25]  # [ms]
ORDER_RECORDS = 10  # [ms]


def order(errors, floor):
    """Order from the last halving; None at the level of rounding."""
    return math.log2(errors[-2] / errors[-1]) if errors[-1] > floor and all(map(math.isfinite, errors[-2:])) else None


def treated(program, treatment, model, settings, channels, every):
    run = program.penalty if treatment == "penalty" else program.other
    return run(model, [*settings, *TREATMENTS[treatment]], channels, every)


def study_order(program, options):
    """Multipliers and the energy balance over the step."""
    figures = {"shaken_table": [], "multipliers": [], "ledger": []}
    print("## Multipliers and energy balance over the step\n")
    print("Shaken table: external work after ten periods, exactly 0, and its maximum error during the run, against the kinetic energy (7.9 J) [J].")
    rows = []
    for treatment in TREATMENTS:
        row = [treatment]
        for step in SHAKEN_STEPS:
            run = treated(program, treatment, SHAKEN_TABLE, [f"solver.step={step} ms"], ["energy.external"], max(1, round(5 / step)))
            found = {"treatment": treatment, "step": 1e-3 * step, "external": math.inf, "greatest": math.inf, "message": run.message}
            if run.completed:
                truth = [500 * ((0.04 * math.pi * math.cos(4 * math.pi * t)) ** 2 - (0.04 * math.pi) ** 2) for t in run.time]
                found["external"] = run.columns["energy.external"][-1]
                found["greatest"] = max(abs(a - b) for a, b in zip(run.columns["energy.external"], truth))
            figures["shaken_table"].append(found)
            row.append(f"{number(found['external'])}, {number(found['greatest'])}" if run.completed else run.status)
        rows.append(row)
    table(["treatment", *(f"{step:g} ms" for step in SHAKEN_STEPS)], rows)

    machines = {"driven slider-crank": (DRIVEN_SLIDER_CRANK, ["drive.multiplier_1", "l.multiplier_1", "l.multiplier_2"]),
                "driven five-bar": (DRIVEN_FIVE_BAR, ["drive.multiplier_1", "l.multiplier_1", "l.multiplier_2"]),
                "rolling_disc": (ROOT / "examples/rolling_disc.yaml", ["rim.normal_force", "rim.longitudinal_force", "rim.lateral_force"])}
    print("Multipliers: maximum error over the maximum magnitude of the three of a machine. Reference: double-step at 1/32 and 1/64 ms, "
          "extrapolated.\n")
    rows = []
    for name, (model, channels) in machines.items():
        end = ["solver.duration=2"]
        reference = extrapolated(*(program.reference(model, [*end, *DOUBLE_STEP, f"solver.step={1e-3 / n!r}"], channels, ORDER_RECORDS * n)
                                   for n in (64, 32)))
        size = max(abs(x) for channel in channels for x in reference.columns[channel])
        cvode = program.reference(model, [*end, *CVODE], channels, ORDER_RECORDS)
        if cvode.completed:
            print(f"- {name}: cvode agrees with it to {number(error(cvode, reference, dict.fromkeys(channels, size)))}")
        else:
            print(f"- {name}: cvode {cvode.status}: {first_line(cvode.message)}")
        for treatment in TREATMENTS:
            errors = {channel: [] for channel in channels}
            for step in ORDER_STEPS:
                run = treated(program, treatment, model, [*end, f"solver.step={step} ms"], channels, round(ORDER_RECORDS / step))
                for channel in channels:
                    errors[channel].append(error(run, reference, {channel: size}) if run.completed else math.inf)
            for channel in channels:
                found = order(errors[channel], 1e-10)
                figures["multipliers"].append({"machine": name, "treatment": treatment, "channel": channel, "errors": errors[channel],
                                               "order": found})
                rows.append([name, channel, treatment, *errors[channel], number(found, 3)])
    rows.sort(key=lambda row: (list(machines).index(row[0]), row[1]))
    beside = {(row[0], row[1]): row[3:6] for row in rows if row[2] == "double_step"}
    for row in rows:
        other = beside[row[0], row[1]][-1]
        row.append(number(row[5] / other, 3) if other > 1e-8 else "")
    table(["machine", "multiplier", "treatment", *(f"{s:g} ms" for s in ORDER_STEPS), "order", "over double-step at 0.25 ms"], rows)

    print("Energy balance: maximum error of each entry over the largest entry. Reference: double-step at 1/64 and 1/128 ms, extrapolated. Of all entries "
          "with errors above 1e-9 at 1 ms: the minimum order, and the maximum ratio to double-step at 0.25 ms unless at rounding.")
    models = {name: model for name, (model, _) in machines.items()}
    models |= {"four_bar": ROOT / "examples/four_bar.yaml", "four_bar_lift": ROOT / "examples/four_bar_lift.yaml"}
    rows = []
    for name, model in models.items():
        end, record = ["solver.duration=2"], ["energy.*"]
        reference = extrapolated(*(program.reference(model, [*end, *DOUBLE_STEP, f"solver.step={1e-3 / n!r}"], record, ORDER_RECORDS * n)
                                   for n in (128, 64)))
        entries = [channel for channel in reference.columns if channel != "time"]
        size = max(abs(x) for entry in entries for x in reference.columns[entry])
        offs = {}
        for treatment in TREATMENTS:
            runs = [treated(program, treatment, model, [*end, f"solver.step={step} ms"], record, round(ORDER_RECORDS / step)) for step in ORDER_STEPS]
            for entry in entries:
                offs[treatment, entry] = [error(run, reference, {entry: size}) if run.completed else math.inf for run in runs]
        for treatment in TREATMENTS:
            if not all(math.isfinite(offs[treatment, entry][-1]) for entry in entries):
                rows.append([name, treatment, "fails", "", ""])
                figures["ledger"] += [{"machine": name, "treatment": treatment, "entry": entry, "errors": offs[treatment, entry], "order": None,
                                       "double_step": offs["double_step", entry]} for entry in entries]
                continue
            orders, ratios = [], []
            for entry in entries:
                errors, other = offs[treatment, entry], offs["double_step", entry][-1]
                found = order(errors, 1e-10)
                figures["ledger"].append({"machine": name, "treatment": treatment, "entry": entry, "errors": errors, "order": found,
                                          "double_step": offs["double_step", entry]})
                if errors[0] > 1e-9 and found is not None:
                    orders.append((found, entry))
                    if other > 1e-8:
                        ratios.append((errors[-1] / other, entry))
            worst = max((offs[treatment, entry][0], entry) for entry in entries)
            rows.append([name, treatment, f"{number(worst[0])} ({worst[1]})", *(f"{number(some[0], 3)} ({some[1]})" if some else ""
                                                                               for some in (min(orders, default=None), max(ratios, default=None)))])
    table(["machine", "treatment", "maximum error at 1 ms", "minimum order", "maximum over double-step"], rows)
    return figures


# ---------------------------------------------------------------- stored figures


WORST = 5  # random machines that are stored one by one
ABOVE_ROUNDING = 1e-8  # errors for which an order and a ratio are computed


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


def stored_random(figures):
    """Ranges, statistics of all machines and of parts of them, and the worst few."""
    cases = figures["cases"]
    counted = [c for c in cases if "discarded" not in c]
    masses = [m for c in counted for m in c["masses"]]
    groups = {"planar": [c for c in counted if c["family"] in PLANAR],
              "on a turning base": [c for c in counted if c["family"] == "on a turning base"],
              "spatial": [c for c in counted if c["family"] not in PLANAR and c["family"] != "on a turning base"], "all": counted}
    families = {family: [c for c in counted if c["family"] == family] for family in FAMILIES}
    discarded = {}
    for c in cases:
        if "discarded" in c:
            discarded[c["discarded"]] = discarded.get(c["discarded"], 0) + 1
    own_units = [c["double_step_here"] / c["double_step"] for c in counted]
    worst = sorted(counted, key=lambda c: (-c["ratio"], c["machine"]))[:WORST]
    return {"seed": figures["seed"], "drawn": len(cases), "machines": len(counted), "discarded": discarded,
            "lengths": [min(c["length"] for c in counted), max(c["length"] for c in counted)], "masses": [min(masses), max(masses)],
            "steps": [min(c["step"] for c in counted), max(c["step"] for c in counted)],
            "double_step": {"failed": sum(map(math.isinf, own_units)), "p95": quantile(own_units, 0.95)},
            "groups": [{"group": name} | statistics_of(some) for name, some in groups.items() if some],
            "families": [{"family": name} | statistics_of(some) for name, some in families.items() if some],
            "worst": [{key: c[key] for key in ("machine", "family", "length", "masses", "step", "steps", "penalty", "double_step", "ratio")}
                      for c in worst]}


def stored_ladder(figures):
    """Of each size and step; `fails_at` [s]: null if completed."""
    return {"end": LADDER_END, "rows": [{"windows": c["windows"], "step": c["step"],
                                         "fails_at": None if c["status"] == "completed" else c["end_time"] or 0.0, "mean": c["mean"],
                                         "most": c["most"], "divided": c["divided"], "error_end": c.get("end"), "error_max": c.get("greatest")}
                                        for c in figures["cases"]]}


def stored_examples(figures):
    cases = figures["cases"]
    rows = [{"example": c["example"], "rows": c["rows"], "step": c["step"], "penalty": c["penalty"], "double_step": c["double_step"],
             "ratio": c["penalty"] / c["double_step"] if math.isfinite(c["double_step"]) and c["double_step"] > LEAST_ERROR else None,
             "where": c.get("penalty_where"), "penalty_iterations": c.get("penalty_iterations"),
             "double_step_iterations": c.get("double_step_iterations")} for c in cases if "penalty" in c]
    return {"rows": rows, "without_constraints": [c["example"] for c in cases if c.get("out") == "no constraints"],
            "without_reference": [c["example"] for c in cases if "out" in c and c["out"] != "no constraints"]}


def stored_order(figures):
    """For every machine and treatment the maximum error at each step, the lowest order and the maximum ratio to double-step."""
    shaken = {}
    for c in figures["shaken_table"]:
        row = shaken.setdefault(c["treatment"], {"treatment": c["treatment"], "external": [], "external_max": []})
        row["external"].append(abs(c["external"]))
        row["external_max"].append(c["greatest"])

    def lines(cases, name):
        groups = {}
        for c in cases:
            groups.setdefault((c["machine"], c["treatment"]), []).append(c)
        beside = {(c["machine"], c[name]): c["errors"] for c in cases if c["treatment"] == "double_step"}
        found = []
        for (machine, treatment), some in groups.items():
            ratios = [c["errors"][-1] / beside[machine, c[name]][-1] for c in some if beside[machine, c[name]][-1] > ABOVE_ROUNDING]
            found.append({"machine": machine, "treatment": treatment, "errors": [max(c["errors"][i] for c in some) for i in range(len(ORDER_STEPS))],
                          "order": min((x for c in some if (x := order(c["errors"], ABOVE_ROUNDING)) is not None), default=None),
                          "ratio": max(ratios, default=None)})
        return found

    return {"treatments": list(TREATMENTS), "shaken_steps": [1e-3 * step for step in SHAKEN_STEPS], "steps": [1e-3 * step for step in ORDER_STEPS],
            "above_rounding": ABOVE_ROUNDING, "shaken_table": list(shaken.values()), "multipliers": lines(figures["multipliers"], "channel"),
            "ledger": lines(figures["ledger"], "entry")}


def compact(value):
    """Numbers to four digits; null for non-finite ones."""
    if isinstance(value, dict):
        return {key: compact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [compact(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else None
    return value


def lines_of(value, indent=""):
    """JSON with one row of a table per line."""
    def is_row(item):
        return isinstance(item, dict) and indent.count(" ") >= 2

    if isinstance(value, dict) and not is_row(value):
        items, ends = [f"{json.dumps(key)}: {lines_of(item, indent + ' ')}" for key, item in value.items()], "{}"
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        items, ends = [json.dumps(item) for item in value], "[]"
    else:
        return json.dumps(value)
    return ends[0] + ",".join(f"\n{indent} {item}" for item in items) + f"\n{indent}" + ends[1]


def store(figures):
    """Replaces the figures of these studies."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    stored |= {name: compact(TO_STORE[name](some)) for name, some in figures.items()}
    STORED.write_text(lines_of({name: stored[name] for name in STUDIES if name in stored}) + "\n")


TO_STORE = {"slider": stored_slider, "penalty": stored_penalty, "random": stored_random, "ladder": stored_ladder, "examples": stored_examples,
            "order": stored_order}


# ---------------------------------------------------------------- all


STUDIES = {"slider": study_slider, "penalty": study_penalty, "random": study_random, "ladder": study_ladder, "examples": study_examples,
           "order": study_order}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(STUDIES))
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    size = arguments.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a sample")
    size.add_argument("--full", action="store_true", help="also the long runs")
    arguments.add_argument("--store", action="store_true", help="write tests/data/scale.json; print no tables")
    arguments.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes all figures there")
    arguments.add_argument("--jobs", type=int, default=1, help="runs at a time; use 1 for valid times of the ladder")
    arguments.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="for the runs with the penalty treatment only")
    arguments.add_argument("--reference", type=pathlib.Path, metavar="PROGRAM", help="program of the reference runs; default: the same")
    arguments.add_argument("--cache", type=pathlib.Path, metavar="FOLDER", help="keeps the runs of references")
    arguments.add_argument("--seed", type=int, default=1, help="of `random`")
    arguments.add_argument("--count", type=int, help="of `random`: how many machines")
    arguments.add_argument("--machine", type=int, nargs="+", metavar="N", help="of `random`: only these machines")
    arguments.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="of `random`: writes the model files")
    options = arguments.parse_args()
    for name in options.studies:
        if name not in STUDIES:
            arguments.error(f"unknown study {name}; available: {', '.join(STUDIES)}")
    for path in (options.program, options.reference or options.program):
        if not path.exists():
            arguments.error(f"program not found: {path}")
    if options.store:
        if options.quick or options.set or options.reference or options.count or options.machine or options.seed != arguments.get_default("seed"):
            arguments.error("stored figures are those of one program on all machines: --store excludes --quick, --set, --reference, --seed, --count "
                            "and --machine")
        options.full = True
    program, figures = Program(options), {}
    for name in options.studies or STUDIES:
        with contextlib.redirect_stdout(io.StringIO()) if options.store else contextlib.nullcontext():
            figures[name] = STUDIES[name](program, options)
            print()
        if options.json:
            options.json.write_text(json.dumps(figures, indent=1))
    if options.store:
        store(figures)


if __name__ == "__main__":
    main()
