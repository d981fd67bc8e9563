"""Sweeps: one run per combination of values, in process."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import ast
import csv
import html
import itertools
import os
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np

from . import _trunnion
from ._optional import progress_bar, require
from .errors import Interrupted, ModelError, RunError, count as count_of, missing
from .model import Model, start_number
from .units import Quantity, mapping_of, override_text, path_of, quantity, text_of, values_of

__all__ = ["sweep", "sweep_to_folder", "Sweep", "Kpi"]

Kpi = Union[str, Callable[[Any], float]]

_REDUCTIONS: Dict[str, Callable[[np.ndarray], float]] = {
    "max": np.max, "min": np.min, "mean": np.mean, "std": np.std,
    "final": lambda v: v[-1], "initial": lambda v: v[0], "range": np.ptp,
    "rms": lambda v: np.sqrt(np.mean(np.square(v))), "abs_max": lambda v: np.max(np.abs(v)),
}
_FUNCTIONS: Dict[str, Callable[..., Any]] = {"abs": np.abs, "sqrt": np.sqrt}
_ARITHMETIC: Dict[Any, Callable[..., Any]] = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power}
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.USub, ast.UAdd, ast.Load)


_EXAMPLE_OF_KPI = "{'force': 'max(lift.force)'}"


class _Expression:
    """`max(lift_A.pressure) - 2 * min(lift_B.pressure)`: numbers of reductions of channels."""

    def __init__(self, text: str, model: Model) -> None:
        self.text = text
        self.channels: List[str] = []
        try:
            self._tree = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            raise ModelError(f"KPI {text!r}: {error.msg}") from None
        self._check(self._tree, model, False)

    def _channel(self, node: ast.AST) -> Optional[str]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            base = self._channel(node.value)
            return None if base is None else f"{base}.{node.attr}"
        return None

    def _check(self, node: ast.AST, model: Model, reduced: bool) -> None:
        name = self._channel(node)
        if name is not None:
            model._core.channel(name)  # raises with the nearest name
            if not reduced:
                raise ModelError(f"KPI {self.text!r}: {name} is a course over time; expected one of {', '.join(_REDUCTIONS)} of it")
            if name not in self.channels:
                self.channels.append(name)
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords and len(node.args) == 1:
            function = node.func.id
            if function in _REDUCTIONS and not reduced:
                return self._check(node.args[0], model, True)
            if function in _FUNCTIONS:
                return self._check(node.args[0], model, reduced)
            raise ModelError(f"KPI {self.text!r}: {function} is not usable here; the functions are {', '.join([*_REDUCTIONS, *_FUNCTIONS])}")
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return
        if not isinstance(node, _OPERATIONS):
            raise ModelError(f"KPI {self.text!r}: only numbers, channels, + - * / ** and functions of one argument are possible")
        for child in ast.iter_child_nodes(node):
            self._check(child, model, reduced)

    def value(self, series: Any) -> float:
        """Of series[channel], an array each."""
        return float(self._value(self._tree, series))

    def _value(self, node: Any, series: Any) -> Any:
        name = self._channel(node)
        if name is not None:
            return series[name]
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Call):
            called: Any = node.func
            return {**_FUNCTIONS, **_REDUCTIONS}[called.id](self._value(node.args[0], series))
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, series)
            return -value if isinstance(node.op, ast.USub) else value
        a, b = self._value(node.left, series), self._value(node.right, series)
        with np.errstate(divide="ignore", invalid="ignore"):
            a = np.float64(a) if np.ndim(a) == 0 else a
            return _ARITHMETIC[type(node.op)](a, b)


class Sweep:
    """Results of a sweep: one row per combination. `table` is a dict of arrays, `frame` a pandas DataFrame; failed runs and KPIs have NaN.

    `failed` (n,) says which runs failed, `errors` why; `done` (n,) is false for runs that an interruption left out.
    """

    def __init__(self, columns: Dict[str, Sequence[Any]], kpis: Sequence[str]) -> None:
        n = len(next(iter(columns.values())))
        self.table: Dict[str, np.ndarray] = {name: np.asarray(values) for name, values in columns.items()}
        for name in kpis:
            self.table[name] = np.full(n, np.nan)
        self.failed, self.done = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.errors: List[str] = [""] * n
        self.kpis = list(kpis)
        self._invalid: Dict[int, ModelError] = {}

    def __len__(self) -> int:
        return len(self.failed)

    def __getitem__(self, name: str) -> np.ndarray:
        if not isinstance(name, str) or name not in self.table:
            raise missing(name, self.table, "column")
        return self.table[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.table

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self.table)

    @property
    def frame(self) -> Any:
        """A pandas DataFrame; needs pandas."""
        return require("pandas", "Sweep.frame").DataFrame(self.table)

    def __repr__(self) -> str:
        return f"<trunnion.Sweep: {len(self)} runs, {int(self.failed.sum())} failed; columns {', '.join(self.table)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.table)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(format(v, '.6g') if isinstance(v, (float, np.floating)) else str(v))}</td>" for v in row) + "</tr>"
                       for row in itertools.islice(zip(*self.table.values()), 100))
        more = f"<p>{len(self) - 100} more rows</p>" if len(self) > 100 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


_MACHINES_AT_ONCE = 8  # of a batch of one thread: their memory stays in the cache
_NUMBERS_AT_ONCE = 8_000_000  # of a recording in memory


def sweep(model: Model, values: Mapping[str, Any], kpi: Mapping[str, Kpi], threads: int = 1, duration: Optional[Quantity] = None,
          start: str = "stated", combine: str = "product", progress: bool = False) -> Sweep:
    """One run per combination of values; returns a `Sweep` with a column per path and KPI.

    values: {path: list}, numbers in SI or texts with units, also other values of the model file (`{"cylinders.lift.friction.model": ["lugre", ...]}`).
    kpi: {name: "max(lift.force)"}, of max, min, mean, std, final, initial, range, rms, abs_max, or a function of a `Result`.
    combine: "product", or "zip" for lists of equal length. threads: runs at once; 0: as many as processors. progress: a bar of tqdm.

    A run that fails is a row with NaN and has its reason in `errors`; so is one whose values make no valid model, or whose KPI raises or is no
    number, unless that holds for all runs, which raises `ModelError`. A text that gives no finite number is NaN and a failed run, in all runs, too.
    Numbers that are parameters run in batches without reading the model again; everything else as single runs. Numbers are the same.
    Ctrl-C raises `Interrupted` with the runs completed so far as `.result`.
    """
    if not isinstance(model, Model):
        raise TypeError(f"a sweep needs a trunnion.Model, not {type(model).__name__}")
    values, kpi, threads = mapping_of(values, "values"), mapping_of(kpi, "kpi", _EXAMPLE_OF_KPI), count_of(threads, "threads")
    start_number(start)
    if not values or not kpi:
        raise ModelError("a sweep needs at least one path with values and one KPI")
    lists = {path: values_of(v) for path, v in values.items()}
    if any(len(v) == 0 for v in lists.values()):
        raise ModelError("a path of a sweep has no values")
    for name, k in kpi.items():
        if not isinstance(k, str) and not callable(k):
            raise TypeError(f"KPI {name!r} must be a text such as 'max(lift.force)' or a function of a Result, not {type(k).__name__}")
        if name in values:
            raise ModelError(f"{name!r} is a path of the sweep; give the KPI another name")
    expressions: Dict[str, Any] = {name: _Expression(k, model) if isinstance(k, str) else k for name, k in kpi.items()}
    parameters = {p.name: p for p in model.parameters}
    for path in lists:
        if path in parameters:
            lists[path] = [quantity(v, parameters[path].unit, path) for v in lists[path]]
    if combine == "zip":
        if len({len(v) for v in lists.values()}) != 1:
            raise ModelError("combine='zip' needs lists of equal length")
        points = list(zip(*lists.values()))
    elif combine == "product":
        points = list(itertools.product(*lists.values()))
    else:
        raise ModelError(f"combine is 'product' or 'zip', not {combine!r}")
    seconds = model.duration if duration is None else quantity(duration, "s", "duration")
    if seconds <= 0:
        raise ModelError("the duration of a sweep must be above 0 s")
    result = Sweep({path: [point[i] for point in points] for i, path in enumerate(lists)}, list(kpi))
    stop = threading.Event()
    work = _batched(model, lists, points, expressions, seconds, start, result, parameters, stop)
    if work is None:
        work = _single(model, list(lists), points, expressions, None if duration is None else seconds, start, result, stop)
    _perform(work, threads, progress_bar(len(points), "runs", progress), result, stop)
    if len(result._invalid) == len(points):
        raise next(iter(result._invalid.values()))
    return result


def _batched(model: Model, lists: Mapping[str, Any], points: list, expressions: Mapping[str, Any], seconds: float, start: str, result: Sweep,
             parameters: Mapping[str, Any], stop: threading.Event) -> Optional[list]:
    """Work on batches, or None where a value is no parameter, a KPI needs a whole result, or the run ends between two steps."""
    steps = round(seconds / model.step_size)
    whole = abs(steps * model.step_size - seconds) <= 1e-9 * seconds
    if not whole or any(path not in parameters for path in lists) or not all(isinstance(e, _Expression) for e in expressions.values()):
        return None
    channels = list(dict.fromkeys(name for e in expressions.values() for name in e.channels))
    core = model._core
    outputs, numbers = [core.channel(name) for name in channels], [core.parameter(path) for path in lists]
    size = max(1, min(_MACHINES_AT_ONCE, _NUMBERS_AT_ONCE // ((steps + 1) * max(1, len(channels)))))
    for value, path in ((v, p) for p in lists for v in lists[p]):
        limits = parameters[path]
        if not limits.min <= value <= limits.max:
            return None  # single runs say what is wrong with each
    try:
        _trunnion.Batch(core, 1, 1, 0, [], outputs, [], np.empty((1, 0)), False)
    except ModelError:  # energies and other channels that a batch does not keep
        return None
    except RunError:
        pass  # of the model as given; the values may differ

    singles = _single(model, list(lists), points, expressions, seconds, start, result, stop)

    def chunk(begin: int, count: int) -> None:
        rows = np.array(points[begin:begin + count], dtype=float)
        try:
            fleet = _trunnion.Batch(core, count, 1, start_number(start), [], outputs, numbers, rows, False)
        except (ModelError, RunError) as error:
            if count == 1 and isinstance(error, ModelError):
                singles[begin][0]()  # values that change the structure, such as a leakage above 0; a single run says what else is wrong
            elif count == 1:
                _fail(result, begin, str(error))
            else:
                for i in range(count):
                    chunk(begin + i, 1)
            return
        table = fleet.record(steps, stop.is_set)
        if stop.is_set():
            return
        failed = fleet.failed
        for i in range(count):
            if failed[i]:
                _fail(result, begin + i, fleet.error(i))
                continue
            series = {name: table[:, i, k] for k, name in enumerate(channels)}
            for name, expression in expressions.items():
                _keep(result, begin + i, name, expression.value(series))
            result.done[begin + i] = True

    return [(lambda b=begin, c=min(size, len(points) - begin): chunk(b, c), min(size, len(points) - begin)) for begin in range(0, len(points), size)]


def _single(model: Model, paths: List[str], points: list, expressions: Mapping[str, Any], duration: Optional[float], start: str, result: Sweep,
            stop: threading.Event) -> list:
    def check(_: float) -> None:
        if stop.is_set():
            raise _Stopped

    def run(i: int) -> None:
        try:
            run = model.replace(dict(zip(paths, points[i]))).run(duration, start, on_progress=check)
        except RunError as error:
            return _fail(result, i, str(error))
        except ModelError as error:
            result._invalid[i] = error._of_argument("values", paths)
            return _fail(result, i, str(result._invalid[i]))
        except _Stopped:
            return
        for name, kpi in expressions.items():
            try:
                if isinstance(kpi, _Expression):
                    _keep(result, i, name, kpi.value(run))
                else:
                    result.table[name][i] = _number(kpi(run))
            except Exception as error:
                where = ", ".join(f"{path} = {value}" for path, value in zip(paths, points[i]))
                text = f"KPI {name!r} of run {i} ({where}): {type(error).__name__}: {error}"
                if i not in result._invalid:
                    result._invalid[i] = ModelError(text)
                    result._invalid[i].__cause__ = error if len(result._invalid) == 1 else error.with_traceback(None)  # which holds a run
                    _fail(result, i, text)
        result.done[i] = True

    return [(lambda i=i: run(i), 1) for i in range(len(points))]


def _number(value: Any) -> float:
    if isinstance(value, str) or np.ndim(value) != 0:
        raise TypeError(f"expected a number, not {value!r:.60}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"expected a number, not {value!r:.60}") from None


def sweep_to_folder(model: Model, folder: Union[str, "os.PathLike[str]"], vary: Mapping[str, Any], kpi: Mapping[str, str], sample: str = "", pairs: str = "",
                    keep: str = "kpi", threads: int = 0, start: str = "stated", overwrite: bool = False, progress: bool = False) -> Sweep:
    """`trunnion sweep`: the same runs, bits and files in `folder`, from which an interrupted sweep goes on when it is called again.

    vary: {path: list of values}, {path: "50:80:5 mm"}, or with sample="lhs:N,SEED" {path: "50:80 mm"}; pairs: a CSV file with a column per path and a row
    per run. kpi: {name: "max(lift.pressure - rod.pressure)"} in the language of the command. keep: "kpi", "channels", "all". threads: 0: all processors.
    overwrite: replaces another or a finished sweep in the folder; an interrupted one goes on. Ctrl-C raises `Interrupted`, without result.
    """
    if not isinstance(model, Model):
        raise TypeError(f"a sweep needs a trunnion.Model, not {type(model).__name__}")
    texts = [f"{path}={v if isinstance(v, str) else ','.join(override_text(x, path) for x in values_of(v))}"
             for path, v in mapping_of(vary, "vary").items()]
    kpis = mapping_of(kpi, "kpi", _EXAMPLE_OF_KPI)
    for name, k in kpis.items():
        if not isinstance(k, str):
            raise TypeError(f"KPI {name!r} must be a text such as 'max(lift.force)', not {type(k).__name__}")
    kind, source = model._source
    folder = path_of(folder, "folder")
    text_of(sample, "sample"), text_of(keep, "keep")
    if not isinstance(overwrite, bool):
        raise TypeError(f"overwrite must be True or False, not {overwrite!r:.60}")
    with tempfile.TemporaryDirectory() as temporary:
        overrides = [f"{path}={override_text(value, path)}" for path, value in model._overrides.items()]
        if kind != "file":
            overrides, source = [], os.path.join(temporary, "model.yaml")
            model.save(source)
        bar: List[Any] = []

        def report(done: int, runs: int) -> None:
            if progress and not bar:
                bar.append(progress_bar(runs, "runs", True))
            if bar and bar[0] is not None:
                bar[0].update(done - bar[0].n)

        try:
            _trunnion.sweep(source, folder, overrides, texts, path_of(pairs, "pairs"), sample, [f"{name}={k}" for name, k in kpis.items()], keep,
                            start_number(start), count_of(threads, "threads"), overwrite, report)
        except KeyboardInterrupt as error:
            if type(error) is not KeyboardInterrupt:
                raise
            raise Interrupted(f"interrupted; the same call goes on with what is in {folder}") from None
        finally:
            if bar and bar[0] is not None:
                bar[0].close()
    return _read_sweep(os.path.join(folder, "sweep.csv"), list(kpis))


def _read_sweep(path: str, kpis: List[str]) -> Sweep:
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    columns = dict(zip(header, zip(*rows)))
    paths = header[1:len(header) - 3 - len(kpis)]
    result = Sweep({name: _numbers(columns[name]) for name in paths}, kpis)
    for name in kpis:
        result.table[name] = np.array([float(cell) if cell else np.nan for cell in columns[name]])
    result.failed = np.array([status != "completed" for status in columns["status"]])
    result.errors, result.done = list(columns["message"]), np.ones(len(rows), dtype=bool)
    return result


def _numbers(cells: Sequence[str]) -> Sequence[Any]:
    """Numbers in SI where all cells are, otherwise the texts."""
    try:
        return [_trunnion.to_si(cell, "SI") for cell in cells]
    except ModelError:
        return cells


class _Stopped(Exception):
    """Ends a run of an interrupted sweep."""


def _keep(result: Sweep, i: int, name: str, value: float) -> None:
    if np.isfinite(value):
        result.table[name][i] = value
    else:
        _fail(result, i, f"KPI {name!r} of run {i} is not a finite number")


def _fail(result: Sweep, i: int, text: str) -> None:
    result.failed[i] = result.done[i] = True
    result.errors[i] = text


def _perform(work: list, threads: int, bar: Any, result: Sweep, stop: threading.Event) -> None:
    if threads < 0:
        raise ModelError("the number of threads must not be negative")
    count = threads or len(os.sched_getaffinity(0))

    def task(job: Callable[[], None], runs: int) -> int:
        if not stop.is_set():
            job()
        return runs

    pool = ThreadPoolExecutor(count)
    try:
        for future in as_completed([pool.submit(task, *item) for item in work]):
            runs = future.result()
            if bar is not None:
                bar.update(runs)
    except KeyboardInterrupt:
        stop.set()
        pool.shutdown()
        raise Interrupted(f"interrupted after {int(result.done.sum())} of {len(result)} runs; .result has them", result) from None
    finally:
        stop.set()
        pool.shutdown()
        if bar is not None:
            bar.close()
