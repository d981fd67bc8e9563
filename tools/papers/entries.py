"""Declarations of the comparison with the papers: a paper has commands and items (tables and figures), an item has statements and a drawing."""
# SPDX-License-Identifier: BSD-3-Clause
import csv
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXACT = 5e-4  # relative difference up to which a published number holds without remark
WIDEST = 10   # ratio of the limits of a band without a reason
NO_NUMBER = "no number in the text"
ROUNDING = "rounding errors: zero, with a bound for other compilers"


@dataclass
class Curve:
    label: str
    x: list
    y: list


@dataclass
class Panel:
    title: str
    x: str
    y: str
    curves: list
    log: str = ""         # axes with a logarithmic scale: "x", "y" or "xy"
    shaded: tuple = ()    # intervals of x, such as those with an open valve
    equal: bool = False   # the same scale on both axes


@dataclass
class Table:
    heads: list
    rows: list            # of texts


@dataclass
class Statement:
    """What a paper says and the number that decides it. `band` is where the program's number must be; the verdict follows from the number.

    Without `paper` and `true` the text of the paper has neither a number nor a claim: the number is shown and tested, and does not count as one that holds.
    """
    text: str
    ours: Callable                 # results -> number
    band: tuple
    paper: float | None = None     # published number; holds within `within` of it
    within: float = 0.01
    true: tuple | None = None      # without a published number: range in which the statement holds
    unit: str = ""
    form: str = ".4g"
    why: str = ""                  # if it does not hold
    timed: bool = False            # depends on the machine: not in the stored table, not tested
    wide: str = ""                 # why the limits of the band differ by a factor of more than WIDEST, or include zero

    def narrow(self):
        low, high = sorted(map(abs, self.band))
        return self.band[0] == self.band[1] or (self.band[0] * self.band[1] > 0 and high <= WIDEST * low)

    def verdict(self, value):
        if self.paper is None and self.true is None:
            return NO_NUMBER
        if self.paper is None:
            return "holds" if self.true[0] <= value <= self.true[1] else f"does not hold: {self.why}"
        apart = abs(value - self.paper) / abs(self.paper) if self.paper else abs(value)
        if apart <= EXACT:
            return "holds"
        if apart > self.within:
            return f"does not hold: {self.why}"
        return f"holds within {math.ceil(1000 * apart) / 10:g} %"

    def trouble(self, value):
        """Text if the number is outside its band, else empty."""
        if self.band[0] <= value <= self.band[1]:  # false for NaN
            return ""
        return f"{self.text}: {value:{self.form}} {self.unit} is outside of {self.band[0]:g} to {self.band[1]:g}"

    def published(self):
        return f"{self.paper:g} {self.unit}".strip() if self.paper is not None else ""


@dataclass
class Item:
    name: str                      # "Figure 8", "Table 3", "Section 6.3"
    title: str
    commands: tuple = ()           # names of commands of the paper
    statements: tuple = ()
    panels: Callable | None = None # results -> list of Panel
    pictures: tuple = ()           # drawn by the program: files relative to the results
    table: Callable | None = None  # () -> Table, on both pages
    times: Callable | None = None  # results -> Table of processor times [ms] per second of motion, on the HTML page only
    excerpt: tuple = ()            # model file and its top-level keys, for tables of parameters
    note: str = ""
    sketch: bool = False


@dataclass
class Paper:
    key: str
    title: str
    citation: str
    equations: str                 # heading of its table in docs/architecture.md, or empty
    commands: dict
    items: list
    stored: dict = field(default_factory=dict)  # stored results and the command that writes them
    about: str = ""                # instead of a citation
    write: Callable | None = None        # results -> None: stores the results of the commands that the page reads
    may_fail: bool = False         # runs of its comparisons may fail: the tables mark them
    differences: Callable | None = None  # results, commands -> texts: how fresh results differ from the stored ones


class Results:
    """Results of the commands in `folder`; a command runs when they are first read."""

    def __init__(self, papers, folder, program):
        self.folder, self.program = pathlib.Path(folder), pathlib.Path(program).resolve()
        self.commands = {name: command for paper in papers for name, command in paper.commands.items()}
        self.may_fail = {name for paper in papers if paper.may_fail for name in paper.commands}
        self.locks = {name: threading.Lock() for name in self.commands}
        self.ran, self.cache = set(), {}
        self.folder.mkdir(parents=True, exist_ok=True)
        for link in ("examples", "tests"):
            if not (self.folder / link).exists():
                (self.folder / link).symlink_to(ROOT / link)

    def run(self, name):
        with self.locks[name]:
            if name in self.ran:
                return
            words = shlex.split(self.commands[name])
            extra = ["--overwrite"] if words[1] == "study" else []
            done = subprocess.run([str(self.program), *words[1:], *extra], cwd=self.folder, capture_output=True, text=True)
            if done.returncode not in ((0, 1) if name in self.may_fail else (0,)):
                sys.exit(f"{self.commands[name]}\n{done.stdout}{done.stderr}exit code {done.returncode}")
            self.ran.add(name)

    def _file(self, path, read):
        self.run(path.split("/")[0])
        if path not in self.cache:
            self.cache[path] = read(self.folder / path)
        return self.cache[path]

    def json(self, path):
        return self._file(path, lambda file: json.loads(file.read_text()))

    def rows(self, path):
        def read(file):
            with open(file, newline="") as lines:
                return list(csv.DictReader(line for line in lines if not line.startswith("#")))
        return self._file(path, read)

    def columns(self, path):
        """Columns of a CSV file as numbers; NaN where a cell is empty."""
        def read(file):
            with open(file, newline="") as lines:
                rows = list(csv.reader(line for line in lines if not line.startswith("#")))
            return {name: [number(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}
        return self._file(path, read)

    def curve(self, path, x, y, label, of_x=1, of_y=1, less=False):
        """A curve from columns of a CSV file, in other units; `less`: less its first value."""
        data = self.columns(path)
        start = data[y][0] if less else 0
        return Curve(label, [of_x * value for value in data[x]], [of_y * (value - start) for value in data[y]])

    def row(self, name, index):
        return self.json(f"{name}/compare.json")["rows"][index]

    def at(self, path, channel, time):
        data = self.columns(path)
        return data[channel][min(range(len(data["time"])), key=lambda i: abs(data["time"][i] - time))]

    def between(self, path, channel, begin, end):
        data = self.columns(path)
        return [value for t, value in zip(data["time"], data[channel]) if begin - 1e-9 <= t <= end + 1e-9]


def number(text):
    try:
        return float(text)
    except ValueError:
        return math.nan


def file_value(model, pattern):
    """A number of a model file of the examples, by a regular expression with one group."""
    found = re.search(pattern, (ROOT / "examples" / model).read_text())
    if not found:
        raise ValueError(f"{model} has no {pattern}")
    return float(found.group(1))


def excerpt(model, keys):
    """Blocks of a model file with the origin of their values."""
    text = (ROOT / "examples" / model).read_text()
    blocks = [re.search(rf"^{key}:.*\n(?:[ #].*\n)*", text, re.MULTILINE) for key in keys]
    return "".join(block.group(0) for block in blocks)
