"""Models."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import dataclasses
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import _trunnion
from ._optional import progress_bar
from .errors import Interrupted, ModelError, RunError, count, missing
from .linear import LinearSystem
from .result import Result
from .units import Quantity, array_of, index_of, indices_of, mapping_of, names_of, override_text, path_of, quantity, text_of, times_of, values_of

if TYPE_CHECKING:
    from .simulation import Simulation

__all__ = ["Model", "Channel", "Gradients", "Input", "Parameter", "Sensitivities"]

STARTS = ("stated", "equilibrium", "steady")


def start_number(start: str) -> int:
    if isinstance(start, str) and start in STARTS:
        return STARTS.index(start)
    raise ModelError(f"there is no start {start!r}; expected 'stated', 'equilibrium' or 'steady'")


class Channel(NamedTuple):
    """A quantity that can be read: name, SI unit (empty if dimensionless), meaning."""

    name: str
    unit: str
    meaning: str


def _position(name: Any, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise missing(name, names, what)
    return names.index(name)


class Sensitivities(NamedTuple):
    """Derivatives of channels of a run: `derivatives[i, j]` is that of `channels[j]` by `parameters[i]` at `times` [s]; SI."""

    parameters: Tuple[str, ...]
    channels: Tuple[str, ...]
    times: np.ndarray
    values: np.ndarray
    derivatives: np.ndarray

    def by(self, parameter: str, channel: str) -> np.ndarray:
        """d channel / d parameter at `times`."""
        return self.derivatives[_position(parameter, self.parameters, "parameter"), _position(channel, self.channels, "channel")]


class Gradients(NamedTuple):
    """Gradients of sums of channel values: `gradients[j, i]` is that of sum j by `parameters[i]`; `values[c, k]` of `channels[c]` at `times[k]`; SI."""

    parameters: Tuple[str, ...]
    channels: Tuple[str, ...]
    times: np.ndarray
    values: np.ndarray
    gradients: np.ndarray

    def by(self, parameter: str) -> np.ndarray:
        """The derivatives of all sums by a parameter."""
        return self.gradients[:, _position(parameter, self.parameters, "parameter")]


class Input(NamedTuple):
    """A value that is set from outside; `unit` is SI, `rate_limit` in units per second."""

    name: str
    unit: str
    initial: float
    min: float
    max: float
    rate_limit: float


class Parameter(NamedTuple):
    """A number of the model that can be changed without changing its structure; `unit` is SI."""

    name: str
    unit: str
    meaning: str
    value: float
    min: float
    max: float


class Model:
    """An immutable compiled machine, shared by any number of simulations, batches and threads.

    `Model("crane.yaml", {"cylinders.lift.bore": "80 mm"})` reads a model file; the mapping replaces values by their paths, as `--set` of the
    program. Numbers are SI, texts have units. Raises `ModelError` with all findings.
    """

    def __init__(self, file: Union[str, "os.PathLike[str]"], overrides: Optional[Mapping[str, Any]] = None) -> None:
        self._take(("file", path_of(file, "the file of a model")), mapping_of(overrides, "overrides"))

    def _take(self, source: Tuple[str, str], overrides: dict) -> None:
        texts = [f"{path}={override_text(value, path)}" for path, value in overrides.items()]
        kind, text = source
        if kind == "file":
            self._core = _trunnion.Model.load(text, texts)
        else:
            self._core = _trunnion.Model.from_text(text, texts, "model")
        self._source, self._overrides = source, overrides
        self._tables: dict = {}

    @classmethod
    def from_text(cls, text: str, overrides: Optional[Mapping[str, Any]] = None) -> "Model":
        """A model from the text of a model file."""
        _require_text(text)
        model = cls.__new__(cls)
        model._take(("text", text), mapping_of(overrides, "overrides"))
        return model

    @classmethod
    def from_compact(cls, text: str) -> "Model":
        """A model from `compact()`; it needs no files."""
        _require_text(text)
        model = cls.__new__(cls)
        model._core = _trunnion.Model.from_compact(text)
        model._source, model._overrides, model._tables = ("compact", text), {}, {}
        return model

    def replace(self, overrides: Mapping[str, Any]) -> "Model":
        """The same model with other values: `model.replace({"cylinders.lift.friction.model": "lugre"})`."""
        kind, text = self._source
        model = Model.__new__(Model)
        model._take(("text", self.yaml()) if kind == "compact" else (kind, text), {**self._overrides, **mapping_of(overrides, "overrides")})
        return model

    def __reduce__(self) -> Any:
        return Model.from_compact, (self.compact(),)

    # ---- what it is

    @property
    def title(self) -> str:
        """`title` of the model file."""
        return self._core.title

    @property
    def step_size(self) -> float:
        """Step of the time grid [s]: `solver.step`."""
        return self._core.step_size

    @property
    def duration(self) -> float:
        """[s] `solver.duration`."""
        return self._core.duration

    @property
    def fingerprint(self) -> int:
        """Hash of structure and names: equal for models whose states can be exchanged."""
        return self._core.fingerprint

    @property
    def file(self) -> Optional[str]:
        """The model file; None for models from text."""
        return self._source[1] if self._source[0] == "file" else None

    @property
    def warnings(self) -> List[str]:
        """Doubtful values, one line each."""
        return self._core.warnings()

    def _table(self, name: str, make: Callable[..., Any]) -> tuple:
        if name not in self._tables:
            self._tables[name] = tuple(make(*row) for row in getattr(self._core, name)())
        return self._tables[name]

    @property
    def channels(self) -> Tuple[Channel, ...]:
        """All quantities that can be read, in the order of results.csv."""
        return self._table("channels", Channel)

    @property
    def inputs(self) -> Tuple[Input, ...]:
        """Values that are set from outside, in the order of the model file."""
        return self._table("inputs", Input)

    @property
    def parameters(self) -> Tuple[Parameter, ...]:
        """Numbers that simulations and batches can change, by their paths."""
        return self._table("parameters", Parameter)

    def yaml(self) -> str:
        """The whole model as YAML in SI units, defaults included."""
        return self._core.text()

    def compact(self) -> str:
        """The whole model as one JSON text that needs no files."""
        return self._core.compact()

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes `yaml()` to a file."""
        Path(path_of(file, "file")).write_text(self.yaml(), encoding="utf-8")

    def __repr__(self) -> str:
        where = f" from {self._source[1]!r}" if self._source[0] == "file" else ""
        return (f"<trunnion.Model {self.title!r}{where}: {len(self.channels)} channels, {len(self.inputs)} inputs, "
                f"{len(self.parameters)} parameters, {self.duration:g} s in steps of {1e3 * self.step_size:g} ms>")

    # ---- what it does

    def run(self, duration: Optional[Quantity] = None, start: str = "stated", inputs: Any = None, progress: bool = False,
            on_progress: Optional[Callable[[float], None]] = None) -> Result:
        """Runs the model and records its channels in memory: the numbers of `trunnion run`, bit for bit.

        duration: [s], default that of the model. start: "stated", "equilibrium" or "steady". inputs: a CSV file (`time` and a column per input), or
        a mapping from inputs to numbers or pairs (times [s], values), linear in between. progress: a bar of tqdm, where it is installed.
        on_progress(time) is called every 64 steps; an exception in it ends the run and is raised.

        Raises `RunError` if the simulation fails and `Interrupted` on Ctrl-C, both with the results until then as `.result`.
        """
        seconds = None if duration is None else quantity(duration, "s", "duration")
        total = self.duration if seconds is None else seconds
        if on_progress is not None and not callable(on_progress):
            raise TypeError(f"on_progress must be a function of the time [s], not {type(on_progress).__name__}")
        bar = progress_bar(total, "s", progress)

        def report(time: float) -> None:
            if bar is not None:
                bar.update(time - bar.n)
            if on_progress is not None:
                on_progress(time)

        with _InputFile(self, inputs, total) as file:
            try:
                run, interruption = _trunnion.run(self._core, start_number(start), seconds, file, report if bar is not None or on_progress else None)
            finally:
                if bar is not None:
                    bar.close()
        result = Result._of(run, self)
        if interruption is not None:
            try:
                if type(interruption) is KeyboardInterrupt:
                    raise Interrupted(f"interrupted at {run.end_time:g} s; .result has what was simulated", result)
                raise interruption
            finally:
                del interruption  # whose traceback holds this frame
        if run.failure is not None:
            raise RunError(*run.failure, result)
        return result

    def sensitivities(self, parameters: Sequence[str], channels: Sequence[str], times: Optional[Sequence[Quantity]] = None,
                      threads: Optional[int] = None) -> Sensitivities:
        """The derivatives of channels of a run from the stated start with respect to parameters, exact for the run as it is computed.

        parameters, channels: names. times [s]: increasing; default 201 of the whole run. threads: default, and 0, one per processor; the result does not
        depend on it. One run gives the derivatives by four parameters, in the time of three to six ordinary ones.

        Raises `RunError` if the run fails, with what it reached as `.result`; `ModelError` for integrators without fixed steps and co-simulations;
        `Interrupted` on Ctrl-C, without result.
        """
        parameters, channels = names_of(parameters, "parameter"), names_of(channels, "channel")
        numbers = indices_of(self._core.parameter, parameters, "parameter")
        indices_of(self._core.channel, channels, "channel")
        wanted = times_of(times, lambda: np.linspace(0.0, self.duration, 201))
        number = count(threads or 0, "threads")
        if number < 0:
            raise ModelError("threads must not be negative")
        with _Derivatives("sensitivities"):
            reached, values, derivatives, failure = _trunnion.sensitivities(self._core, numbers, channels, wanted, number or os.cpu_count() or 1)
        shape = (len(numbers), len(channels), len(reached))
        result = Sensitivities(tuple(parameters), tuple(channels), reached, values, np.array(derivatives).reshape(shape))
        if failure:
            raise RunError(failure, float(reached[-1]) if len(reached) else 0.0, result=result)
        return result

    def gradients(self, channels: Sequence[str], times: Optional[Sequence[Quantity]] = None,
                  weigh: Optional[Callable[[np.ndarray], Any]] = None, parameters: Optional[Sequence[str]] = None) -> Gradients:
        """The gradients of functions of a run with respect to any number of parameters, by one run backwards; exact for the run as it is computed.

        channels, parameters: names; default: all parameters. times [s]: increasing; default the end of the run. weigh(values) receives the values
        (channels, times) and returns the derivatives of a function of them, of the same shape, or of several, (functions, channels, times):
        `lambda y: 2 * (y - wanted)` for a sum of squares. Default: each channel at its last time.

        Raises `RunError` if the run fails, with what it reached as `.result`; `ModelError` as `sensitivities`, and for energies that sum over the run;
        `Interrupted` on Ctrl-C, without result.
        """
        channels = names_of(channels, "channel")
        names = [p.name for p in self.parameters] if parameters is None else names_of(parameters, "parameter")
        if weigh is not None and not callable(weigh):
            raise TypeError(f"weigh must be a function of the values (channels, times), not {type(weigh).__name__}")
        if not names:
            raise ModelError("gradients need a parameter at least; parameters=None are all")
        numbers = indices_of(self._core.parameter, names, "parameter")
        indices_of(self._core.channel, channels, "channel")
        wanted = times_of(times, lambda: np.array([self.duration]))

        def weights(values: np.ndarray) -> np.ndarray:
            if weigh is None:
                each = np.zeros((len(values), *values.shape))
                each[range(len(values)), range(len(values)), -1] = 1
                return each
            found = array_of(weigh(values), "what weigh returns")
            found = found[np.newaxis] if found.ndim == 2 else found
            if found.ndim != 3 or found.shape[1:] != values.shape:
                raise ModelError(f"weigh returned the shape {found.shape}; expected {values.shape}, or (functions, {values.shape[0]}, {values.shape[1]})")
            if not np.all(np.isfinite(found)):
                raise ModelError("weigh must return finite numbers")
            return found

        with _Derivatives("gradients"):
            reached, values, gradients, failure = _trunnion.gradients(self._core, numbers, channels, wanted, weights)
        result = Gradients(tuple(names), tuple(channels), reached, values, gradients)
        if failure:
            raise RunError(failure, float(reached[-1]) if len(reached) else 0.0, result=result)
        return result

    def simulation(self, start: str = "stated") -> "Simulation":
        """A `Simulation` at its start: "stated", in "equilibrium", or in "steady" operation."""
        from .simulation import Simulation

        return Simulation(self, start)

    def linearize(self, at: Union[str, float] = "stated", inputs: Optional[Sequence[str]] = None, outputs: Optional[Sequence[str]] = None,
                  independent: Sequence[str] = ()) -> LinearSystem:
        """The exact linear model about the start ("stated", "equilibrium", "steady") or about a time [s] of the run.

        inputs, outputs: names, in the wanted order; default: all. independent: coordinates that are to be independent; pivoting completes them.
        """
        if isinstance(at, str) and at in STARTS:
            return self.simulation(at).linearize(inputs, outputs, independent)
        try:
            time = quantity(at, "s", "at")
        except (ModelError, TypeError) as error:
            raise type(error)(f"{error}; expected 'stated', 'equilibrium', 'steady' or a time [s]") from None
        if time < 0:
            raise ModelError(f"at must not be negative, but is {time:g} s")
        sim = self.simulation()
        sim.run_until(time)
        return sim.linearize(inputs, outputs, independent)

    def curve(self, actuator: str = "", commands: Sequence[float] = (), vary: Optional[Mapping[str, Any]] = None) -> List["Curve"]:
        """Force-velocity curves of an actuator of a quasistatic circuit: one for each combination of commands and varied values.

        actuator: its name; default: the only one. vary: {path: list of values}, in SI or texts with units.
        """
        text_of(actuator, "actuator")
        varied = {path: values_of(values) for path, values in mapping_of(vary, "vary").items()}
        file, overrides, numbers = self._source[1], self._overrides, np.ravel(array_of(commands, "commands"))
        with tempfile.TemporaryDirectory() as folder:
            if self._source[0] != "file":
                file, overrides = os.path.join(folder, "model.yaml"), {}
                self.save(file)
            try:
                _trunnion.curve(file, folder, [f"{path}={override_text(value)}" for path, value in overrides.items()], actuator,
                                [",".join(repr(float(c)) for c in numbers)] if len(numbers) else [],
                                [f"{path}={','.join(override_text(v, path) for v in values)}" for path, values in varied.items()])
            except ModelError as error:
                raise error._of_argument("vary", varied) from None
            return _read_curves(os.path.join(folder, "curve.csv"))


def _require_text(text: Any) -> None:
    if not isinstance(text, str):
        raise TypeError(f"the text of a model must be a str, not {type(text).__name__}")


class Curve(NamedTuple):
    """A force-velocity curve: the varied values, velocity [m/s, rad/s] and force [N, N m]; vertical parts have two points."""

    values: dict
    velocity: np.ndarray
    force: np.ndarray


def _read_curves(path: str) -> List[Curve]:
    import csv

    with open(path, encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    at, force = names.index("velocity"), names.index("force")
    groups: dict = {}
    for row in rows:
        groups.setdefault(tuple(row[:at]), []).append((float(row[at]), float(row[force])))
    return [Curve(dict(zip(names[:at], key)), *np.array(points).T) for key, points in groups.items()]


class _Derivatives:
    """Ctrl-C during derivatives of a run, which exist at its end alone."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is KeyboardInterrupt:
            raise Interrupted(f"{self._what} were interrupted") from None


class _InputFile:
    """Inputs of a run as a file."""

    def __init__(self, model: Model, inputs: Any, duration: float) -> None:
        self._path, self._made = "", None
        if inputs is None:
            return
        if isinstance(inputs, (str, os.PathLike)):
            self._path = os.fspath(inputs)
            return
        if not isinstance(inputs, Mapping):
            raise TypeError("inputs must be a CSV file, or a mapping from names to numbers or pairs (times, values)")
        courses = {}
        for name, value in inputs.items():
            unit = model.inputs[index_of(model._core.input, name, "input")].unit
            if isinstance(value, (tuple, list)) and len(value) == 2 and np.ndim(value[0]) == 1:
                times, values = array_of(value[0], f"input {name}: times", "s"), array_of(value[1], f"input {name}: values", unit)
            elif isinstance(value, (tuple, list, np.ndarray)) and np.ndim(value) > 0:
                raise TypeError(f"input {name} must be a number [{unit or '-'}], a text with a unit, or a pair (times, values)")
            else:
                times, values = np.array([0.0, duration]), np.full(2, quantity(value, unit, f"input {name}"))
            if times.shape != values.shape or times.ndim != 1 or times.size < 1:
                raise ModelError(f"input {name}: times have shape {times.shape}, values {values.shape}; expected equal lengths")
            if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values)) and np.all(np.diff(times) > 0)):
                raise ModelError(f"input {name}: times must increase, and all numbers must be finite")
            courses[name] = (times, values)
        if not courses:
            return
        grid = np.unique(np.concatenate([times for times, _ in courses.values()]))
        handle, self._made = tempfile.mkstemp(suffix=".csv")
        self._path = self._made
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(",".join(["time", *courses]) + "\n")
            columns = [np.interp(grid, *course) for course in courses.values()]
            for row in zip(grid, *columns):
                file.write(",".join(repr(float(number)) for number in row) + "\n")

    def __enter__(self) -> str:
        return self._path

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._made:
            os.unlink(self._made)
            if isinstance(error, ModelError):  # of a file that the caller does not know
                findings = [dataclasses.replace(f, file="inputs", line=0, column=0) if f.file == self._made else f for f in error.findings]
                raise ModelError(re.sub(re.escape(self._made) + r"(:\d+)*", "inputs", str(error)), findings) from None
