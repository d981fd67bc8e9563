"""Many machines of one model, on several threads, as reinforcement learning expects them."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import copy
from types import MappingProxyType
from typing import Any, Callable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _trunnion
from ._trunnion import State
from .errors import Interrupted, ModelError, RunError, count
from .model import Model, start_number
from .units import Quantity, array_of, indices_of, mapping_of, names_of, quantity

__all__ = ["Batch", "uniform"]

Sampler = Callable[[np.random.Generator, int, str], np.ndarray]


class _Uniform:
    def __init__(self, low: Quantity, high: Quantity) -> None:
        self._low, self._high = low, high
        self._bounds("SI")  # NaN, unknown units and a wrong order, where the call is

    def __call__(self, random: np.random.Generator, n: int, unit: str) -> np.ndarray:
        return random.uniform(*self._bounds(unit), n)

    def _bounds(self, unit: str) -> Tuple[float, float]:
        a, b = quantity(self._low, unit, "low of uniform(low, high)"), quantity(self._high, unit, "high of uniform(low, high)")
        if not a <= b:
            raise ModelError(f"{self!r}: low is above high")
        return a, b

    def __repr__(self) -> str:
        return f"uniform({self._low!r}, {self._high!r})"


def uniform(low: Quantity, high: Quantity) -> Sampler:
    """Numbers between low and high, for `Batch(randomize={path: uniform(a, b)})`. Raises ModelError where low is above high, NaN or infinite."""
    return _Uniform(low, high)


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise TypeError(f"seed must be an integer of at least 0, not {seed!r:.60}") from None


class Batch:
    """n machines of one model with states, inputs and parameters of their own. Results equal those of single simulations bit for bit; to rounding errors by
    lanes, or where parameters of the batch are arguments of compiled steps.

    inputs, outputs: names of the columns of actions and observations. parameters: {path: n numbers, or one}. randomize: {path: uniform(a, b)}, or
    a function of (generator, n, unit): drawn at every reset. threads: 0 for as many as processors. A machine that fails keeps its last valid state:
    `failed` says which, `error(i)` why, and `reset(mask=fleet.failed)` restarts them.

    lanes: "off", or "auto": eight machines at once in the lanes of the processor's vector instructions, by code that is compiled for the model where
    its `solver.compiled` is `on` or `auto`, otherwise by the general step; results then agree to rounding errors. `remark` says what was chosen.
    """

    __slots__ = ("model", "n", "inputs", "outputs", "_paths", "_units", "_values", "_drawn", "_fixed", "_random", "_core", "__weakref__")

    def __init__(self, model: Model, n: int, threads: int = 1, start: str = "stated", inputs: Sequence[str] = (), outputs: Sequence[str] = (),
                 parameters: Optional[Mapping[str, Any]] = None, randomize: Optional[Mapping[str, Sampler]] = None, seed: Optional[int] = None,
                 lanes: str = "off") -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a batch needs a trunnion.Model, not {type(model).__name__}")
        n, threads = count(n, "n"), count(threads, "threads")
        if lanes not in ("off", "auto"):
            raise ModelError(f'lanes: expected "off" or "auto", not {lanes!r:.60}')
        if n < 1:
            raise ModelError("a batch needs at least one machine")
        core = model._core
        inputs, outputs = names_of(inputs, "input"), names_of(outputs, "output")
        u, y = indices_of(core.input, inputs, "input"), indices_of(core.channel, outputs, "output")
        self.model, self.n = model, n
        self.inputs, self.outputs = inputs, outputs
        given, drawn = mapping_of(parameters, "parameters"), mapping_of(randomize, "randomize")
        both = set(given) & set(drawn)
        if both:
            raise ModelError(f"{', '.join(sorted(both))}: in parameters and in randomize")
        for path, draw in drawn.items():
            if not callable(draw):
                raise TypeError(f"randomize {path}: expected trunnion.uniform(low, high) or a function of (generator, n, unit), not {draw!r:.60}")
        self._paths = [*given, *drawn]
        numbers = indices_of(core.parameter, self._paths, "parameter")
        self._units = [model.parameters[number].unit for number in numbers]
        values = np.empty((n, len(numbers)))
        for k, (path, number) in enumerate(zip(self._paths, numbers)):
            values[:, k] = model.parameters[number].value if path in drawn else _column(given[path], n, self._units[k], path)
        self._values, self._drawn, self._fixed = values, drawn, len(given)
        self._random = _generator(seed)
        self._core = _trunnion.Batch(core, n, threads, start_number(start), u, y, numbers, values, lanes == "auto")

    @property
    def remark(self) -> str:
        """How machines step with lanes="auto", as "lanes: 4 ways, 2900 operations" or "lanes: the general step"; empty: without lanes, as asked."""
        return self._core.remark

    @property
    def input_low(self) -> np.ndarray:
        """Lower limits of the inputs, for action spaces."""
        return np.array([self.model.inputs[self.model._core.input(name)].min for name in self.inputs])

    @property
    def input_high(self) -> np.ndarray:
        """Upper limits of the inputs."""
        return np.array([self.model.inputs[self.model._core.input(name)].max for name in self.inputs])

    def reset(self, seed: Optional[int] = None, mask: Any = None) -> np.ndarray:
        """Starts machines again at time 0: all, or those whose mask is true. Returns the outputs (n, k). seed: of randomize, from now on.

        Where a machine has no start, the error names it, and all keep their states and parameters; the next reset draws other numbers.
        """
        random = copy.deepcopy(self._random) if seed is None else _generator(seed)
        chosen = None
        if mask is not None:
            chosen = np.asarray(mask)
            if chosen.dtype != bool or chosen.shape != (self.n,):
                raise ModelError(f"mask has shape {chosen.shape} and type {chosen.dtype}; expected ({self.n},) and bool")
        values = self._values.copy()
        if self._drawn:
            for k, draw in enumerate(self._drawn.values(), self._fixed):
                sample = array_of(draw(random, self.n, self._units[k]), f"randomize {self._paths[k]}: the numbers drawn")
                if sample.shape != (self.n,):
                    raise ModelError(f"randomize {self._paths[k]}: {sample.shape} numbers; expected ({self.n},)")
                values[:, k] = sample if chosen is None else np.where(chosen, sample, values[:, k])
        try:
            if self._drawn:
                self._core.set_parameters(values, chosen)
            self._core.reset(chosen)
        except (ModelError, RunError):
            self._random = random
            if self._drawn:
                self._core.set_parameters(self._values, chosen)
            raise
        self._values, self._random = values, random
        return self._core.read()

    def step(self, actions: Any = None, n: int = 1) -> np.ndarray:
        """Sets the inputs to actions (machines, inputs), advances n steps, and returns the outputs (machines, outputs). None keeps the inputs.

        Ctrl-C raises `Interrupted` after `steps` steps, the same in every machine that has not failed.
        """
        if actions is not None:
            self._core.set_inputs(array_of(actions, "actions"))
        try:
            self._core.step(n)
        except Interrupted as stop:
            stop.result = self
            raise
        return self._core.read()

    def read(self) -> np.ndarray:
        """The outputs at the present states (machines, outputs)."""
        return self._core.read()

    def record(self, n: int) -> np.ndarray:
        """Advances n steps; the outputs before them and after each: (n + 1, machines, outputs).

        Ctrl-C raises `Interrupted` with the records until then as `.result`.
        """
        return self._core.record(n)

    @property
    def failed(self) -> np.ndarray:
        """(n,) of bool: which machines have failed since their reset."""
        return self._core.failed

    def error(self, machine: int) -> str:
        """Why a machine failed; empty: it did not."""
        return self._core.error(self._machine(machine))

    @property
    def time(self) -> np.ndarray:
        """(n,) [s]"""
        return self._core.times

    @property
    def parameters(self) -> Mapping[str, np.ndarray]:
        """Present values by path, (n,) each, SI; read-only: they change by `reset()` and by another batch."""
        values = self._values.copy()
        values.flags.writeable = False
        return MappingProxyType({path: values[:, k] for k, path in enumerate(self._paths)})

    def save(self, machine: int) -> State:
        """The state of a machine."""
        return State.from_bytes(self._core.state_bytes(self._machine(machine)))

    def restore(self, machine: int, state: Any) -> None:
        """Continues a machine from a state, which also ends a failure."""
        if not isinstance(state, (State, bytes, bytearray)):
            raise TypeError(f"restore() needs what save() returned, or its bytes, not {type(state).__name__}")
        self._core.set_state_bytes(self._machine(machine), bytes(state))

    def _machine(self, number: Any) -> int:
        number = count(number, "machine")
        if not 0 <= number < self.n:
            raise ModelError(f"there is no machine number {number}; the batch has {self.n}, from 0 on")
        return number

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        try:
            failed = int(self.failed.sum())
        except RuntimeError:  # another thread steps it
            failed = 0
        return f"<trunnion.Batch: {self.n} of {self.model.title!r}, {len(self.inputs)} inputs, {len(self.outputs)} outputs{f', {failed} failed' if failed else ''}>"

    def __reduce__(self) -> Any:
        raise TypeError("a batch cannot be pickled: pickle its model, and the states by save()")


def _column(values: Any, n: int, unit: str, path: str) -> np.ndarray:
    if isinstance(values, str) or not np.iterable(values):
        return np.full(n, quantity(values, unit, path))
    given: Any = values
    if np.ndim(given) != 1:
        raise ModelError(f"{path}: an array of shape {np.shape(given)}; expected one number per machine, ({n},)")
    column: List[float] = [quantity(value, unit, path) for value in given]
    if len(column) != n:
        raise ModelError(f"{path}: {len(column)} numbers for {n} machines")
    return np.array(column)
