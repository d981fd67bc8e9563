"""Runs of models for tools/scale.py, and their errors."""
# SPDX-License-Identifier: BSD-3-Clause
import concurrent.futures
import csv
import dataclasses
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GRAVITY = 9.81  # [m/s^2]
DOUBLE_STEP = ["solver.constraints=double_step"]
CVODE = [*DOUBLE_STEP, "solver.integrator=cvode", "solver.reference_tolerance=1e-12"]
TIME_LIMIT = 3600  # [s] of a run
LEAST_ERROR = 1e-10  # smaller ones are due to rounding and the iteration tolerance


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
