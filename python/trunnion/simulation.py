"""Simulations: one machine, stepped from Python."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any, Iterator, List, MutableMapping, NamedTuple, Optional, Sequence

import numpy as np

from . import _trunnion
from ._trunnion import Io, State
from .errors import Interrupted, ModelError
from .linear import LinearSystem, Transition, select
from .model import Model, start_number
from .units import Quantity, array_of, index_of, indices_of, names_of, quantity

__all__ = ["Simulation", "Incident"]


_SAME_TIME = 1e-9  # [s], relative beyond 1 s


class Incident(NamedTuple):
    """A piston at its end damper or a joint at its limit, an open relief valve, an emptied accumulator, a control block that switched: entries, steps inside, and the time [s] of the first."""

    kind: str
    name: str
    count: int  # type: ignore[assignment]  # also a method of tuples
    steps: int
    first_time: float


class Message(NamedTuple):
    """A text for the user: severity "warning" or "note", the time [s] of what it is about, the text."""

    severity: str
    time: float
    text: str


class Values(MutableMapping[str, Any]):
    """Numbers of a simulation by name; texts with units are converted to SI."""

    __slots__ = ("_items", "_number", "_get", "_set", "_what")  # a name as an attribute, `inputs.boom = 1`, would have no effect

    def __init__(self, items: Sequence[Any], number: Any, get: Any, set_: Any, what: str) -> None:
        self._items, self._number, self._get, self._set, self._what = items, number, get, set_, what

    def __getitem__(self, name: str) -> float:
        return self._get(index_of(self._number, name, self._what))

    def __setitem__(self, name: str, value: Quantity) -> None:
        number = index_of(self._number, name, self._what)
        self._set(number, quantity(value, self._items[number].unit, f"{self._what} {name}", infinite=self._what == "parameter"))

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"{self._what}s cannot be removed")

    def __contains__(self, name: object) -> bool:
        return any(item.name == name for item in self._items)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __iter__(self) -> Iterator[str]:
        return (item.name for item in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return repr(dict(self))


class Simulation:
    """One machine during a simulation: state, inputs, parameters, steps. SI units.

    After a failed step, which raises `RunError`, the machine is at its last valid state. One thread at a time may use a simulation; the GIL is
    released in steps, so that threads with their own simulations run in parallel.
    """

    __slots__ = ("_model", "_core", "_inputs", "_parameters", "__weakref__")

    def __init__(self, model: Model, start: str = "stated") -> None:
        if not isinstance(model, Model):
            raise TypeError(f"a simulation needs a trunnion.Model, not {type(model).__name__}")
        self._model = model
        self._core = core = _trunnion.Simulation(model._core, start_number(start))
        self._inputs = Values(model.inputs, model._core.input, core.input, lambda i, value: core.set_input(i, value, 0.0), "input")
        self._parameters: Optional[Values] = None

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    @property
    def inputs(self) -> Values:
        """Inputs by name: numbers in SI or texts with units. They keep their values until they are set again."""
        return self._inputs

    @inputs.setter
    def inputs(self, values: Any) -> None:
        raise AttributeError("inputs are set one by one, sim.inputs['name'] = value, or by sim.inputs.update({...})")

    @property
    def parameters(self) -> Values:
        """Parameters by path; a change takes effect at the next step, or at `restart()` where it defines the start."""
        if self._parameters is None:
            core = self.model._core
            self._parameters = Values(self.model.parameters, core.parameter, self._core.parameter, self._core.set_parameter, "parameter")
        return self._parameters

    @property
    def time(self) -> float:
        """[s]"""
        return self._core.time

    def ramp(self, name: str, value: Quantity, slope: Quantity) -> None:
        """From now on the input is value + slope (t - now); slope in units per second."""
        number = index_of(self.model._core.input, name, "input")
        unit = self.model.inputs[number].unit
        self._core.set_input(number, quantity(value, unit, f"input {name}"), quantity(slope, f"({unit})/s" if unit else "1/s", "slope"))

    # ---- steps

    def step(self, n: int = 1) -> None:
        """Advances by n points of the time grid. Raises `RunError`; `ModelError` where parameters as set make no machine of the model's structure; on Ctrl-C `Interrupted`, with the number of completed `steps`."""
        try:
            self._core.step(n)
        except Interrupted as stop:
            stop.result = self
            raise

    def run_until(self, end: Quantity) -> None:
        """Advances to a time [s], with a shorter last step if necessary. Raises `RunError`; `ModelError` for a time that is past; `Interrupted` on Ctrl-C, at a
        valid state."""
        seconds, before, now = quantity(end, "s", "end"), self._core.steps, self._core.time
        if seconds < now - _SAME_TIME * max(1.0, now):
            raise ModelError(f"end is {seconds:g} s, and the simulation is at {now:g} s already; restart() and restore() go back")
        try:
            self._core.run_until(seconds)
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt:  # of a signal handler
                raise
            raise Interrupted(f"interrupted at {self.time:g} s; the simulation can be continued", self, self._core.steps - before) from None

    def restart(self, start: str = "stated") -> None:
        """Starts again at time 0 with inputs at their defaults and parameters as set."""
        self._core.restart(start_number(start))

    # ---- reading

    def __getitem__(self, name: str) -> float:
        """The value of a channel at the present state."""
        if not isinstance(name, str):
            raise TypeError(f"channels have names; {name!r} is not a name")
        return self._core.channel(self.model._core.channel(name))

    def __contains__(self, name: object) -> bool:
        """Whether there is such a channel."""
        return any(channel.name == name for channel in self.model.channels)

    def __iter__(self) -> Iterator[str]:
        """The names of all channels."""
        return (channel.name for channel in self.model.channels)

    def outputs(self, names: Sequence[str]) -> np.ndarray:
        """The values of several channels."""
        return self._core.read(indices_of(self.model._core.channel, names, "output"))

    def values(self) -> dict:
        """All channels by name; NaN where a channel needs `attach_ledger()`."""
        return dict(zip((c.name for c in self.model.channels), self._core.values().tolist()))

    def attach_ledger(self) -> None:
        """From now on the energy ledger is kept in every step, for the channels `energy.*`."""
        self._core.attach_ledger()

    def attach_incidents(self) -> None:
        """From now on steps are watched for incidents."""
        self._core.attach_incidents()

    @property
    def incidents(self) -> List[Incident]:
        """Incidents since `attach_incidents()`, or since `restart()`."""
        return [Incident(*row) for row in self._core.incidents()]

    def attach_messages(self) -> None:
        """From now on messages are kept: at once the warnings of the model and of its start, later incidents when they happen first."""
        self._core.attach_messages()

    @property
    def messages(self) -> List[Message]:
        """Messages since `attach_messages()`."""
        return [Message(*row) for row in self._core.messages()]

    def io(self, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Io:
        """Names resolved once: `y = io.step(u)` sets the inputs, steps, and returns the outputs as an array. `io.step(u, n=10, out=y)`."""
        core = self.model._core
        return _trunnion.io(self._core, indices_of(core.input, inputs, "input"), indices_of(core.channel, outputs, "output"))

    # ---- state

    @property
    def state_names(self) -> List[str]:
        """Names of the minimal coordinates, as in linear models."""
        return [s[0] for s in self._core.minimal_states()]

    @property
    def state_units(self) -> List[str]:
        """SI units of `state`; empty if dimensionless."""
        return [s[1] for s in self._core.minimal_states()]

    @property
    def state(self) -> np.ndarray:
        """The state in minimal coordinates (`state_names`, SI). Setting it moves the machine there, consistently with its loops."""
        return self._core.minimal_state()

    @state.setter
    def state(self, x: Any) -> None:
        array = array_of(x, "the state", self.state_units)
        if not np.all(np.isfinite(array)):
            raise ModelError("the state must be finite numbers")
        self._core.set_minimal_state(array)

    def select_coordinates(self) -> None:
        """Selects the independent coordinates anew, at the present state."""
        self._core.select_coordinates()

    def save(self) -> State:
        """Everything needed to continue bit for bit. `bytes(s)` and pickles do not contain the energy ledger."""
        return self._core.save()

    def restore(self, state: Any) -> None:
        """Continues from `save()`, or from its bytes. Raises `ModelError` for another model's."""
        if isinstance(state, (bytes, bytearray)):
            state = State.from_bytes(bytes(state))
        if not isinstance(state, State):
            raise TypeError(f"restore() needs what save() returned, or its bytes, not {type(state).__name__}; assign arrays to .state")
        self._core.restore(state)

    # ---- derivatives

    def linearize(self, inputs: Optional[Sequence[str]] = None, outputs: Optional[Sequence[str]] = None, independent: Sequence[str] = ()) -> LinearSystem:
        """The exact linear model about the present state. Its inputs are those of the model, signals, and pressures and flows of sources.

        independent: coordinates that are to be independent, as "crank.angle"; pivoting completes them.
        """
        coordinates = names_of(independent, "independent coordinate")
        wanted = None if outputs is None else names_of(outputs, "output")
        indices_of(self.model._core.channel, wanted or [], "output")
        if inputs is not None:
            inputs = names_of(inputs, "input")
        return LinearSystem(self._core.linearize(wanted or [], coordinates), inputs, wanted)

    def transition(self, inputs: Optional[Sequence[str]] = None, parameters: Sequence[str] = ()) -> Transition:
        """The exact derivative (F, G, P) of the last step: dx1 = F dx0 + G du + P dp, by `state_names`, inputs and parameters.

        parameters: paths, as "cylinders.lift.bore"; the minimal vector before the step does not change with them.
        """
        if inputs is not None:
            inputs = names_of(inputs, "input")
        data = self._core.transition(indices_of(self.model._core.parameter, parameters, "parameter"))
        return Transition(data["F"], data["G"][:, select([i[0] for i in data["inputs"]], inputs, "input")], data["P"])

    def __repr__(self) -> str:
        try:
            return f"<trunnion.Simulation of {self.model.title!r} at {self.time:g} s>"
        except RuntimeError:  # another thread steps it
            return f"<trunnion.Simulation of {self.model.title!r}, in use>"

    def __reduce__(self) -> Any:
        raise TypeError("a simulation cannot be pickled: pickle its model and save()")
