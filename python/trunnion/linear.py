"""Linear models."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Sequence

import numpy as np

from ._optional import require
from .errors import missing
from .units import names_of

__all__ = ["LinearSystem", "Mode", "OtherSide", "SampledLoop", "Transition"]


class Mode(NamedTuple):
    """An eigenvalue [1/s], its frequency [Hz], damping ratio (NaN if null), and the participation of each state, the largest 1."""

    eigenvalue: complex
    frequency_hz: float
    damping_ratio: float
    participation: np.ndarray


class OtherSide(NamedTuple):
    """The column of a state in A and C, or of an input in B and D, on the other side of a kink at the reference, as at the spool of a closed valve.

    above: it holds above the reference; otherwise below. The model holds at it, and on the side without an entry.
    """

    name: str
    is_input: bool
    above: bool
    rates: np.ndarray
    outputs: np.ndarray


class SampledLoop(NamedTuple):
    """The loop that sampled control blocks close about the reference, exact over their common period [s]: z1 = F z0.

    states: those of the linear model, then values, values to come and states of the sampled blocks. modes: rates ln(z)/period of the eigenvalues z of F,
    but of those that a period forgets. stability as of the linear model. Without a common period it is 0, and text says why.
    """

    period: float
    states: List[str]
    F: np.ndarray
    modes: List[Mode]
    stability: str
    text: str


class Transition(NamedTuple):
    """Derivative of a step: dx1 = F dx0 + G du + P dp, in `Simulation.state_names`."""

    F: np.ndarray
    G: np.ndarray
    P: np.ndarray


def select(names: Sequence[str], wanted: Optional[Sequence[str]], what: str) -> List[int]:
    """Positions of the wanted names; all for None. Raises ModelError."""
    if wanted is None:
        return list(range(len(names)))
    positions = []
    for name in names_of(wanted, what):
        if name not in names:
            raise missing(name, names, what)
        positions.append(list(names).index(name))
    return positions


def _without_dots(names: Sequence[str]) -> List[str]:
    """`boom_angle` for `boom.angle`; where that is taken, `boom_angle_2`."""
    found: List[str] = []
    taken = {name for name in names if "." not in name}
    for name in names:
        new = base = name.replace(".", "_")
        number = 1
        while "." in name and new in taken:
            number += 1
            new = f"{base}_{number}"
        taken.add(new)
        found.append(new)
    return found


class LinearSystem:
    """A linear model in deviations from its reference: x' = drift + A x + B u, y = y0 + C x + D u. SI units.

    A, B, C, D; states, inputs, outputs: names; state_units and so on; x0, u0, y0: values at the reference; drift: rates there, zero at an equilibrium;
    eigenvalues [1/s] by descending real part, `modes` with details; stability: "asymptotically_stable", "stable_but_null", "drifting",
    "undamped" or "unstable"; other_sides: columns of states and inputs on the other side of a kink; sampled_loop: of sampled control blocks, whose
    values are inputs here, None without any.
    """

    def __init__(self, data: dict, inputs: Optional[Sequence[str]], outputs: Optional[Sequence[str]]) -> None:
        u = select([i[0] for i in data["inputs"]], inputs, "input")
        y = select([i[0] for i in data["outputs"]], outputs, "output")
        self.time: float = data["time"]
        self.states = [s[0] for s in data["states"]]
        self.inputs = [data["inputs"][i][0] for i in u]
        self.outputs = [data["outputs"][i][0] for i in y]
        self.state_units = [s[1] for s in data["states"]]
        self.input_units = [data["inputs"][i][1] for i in u]
        self.output_units = [data["outputs"][i][1] for i in y]
        self.A, self.B = data["A"], data["B"][:, u]
        self.C, self.D = data["C"][y], data["D"][np.ix_(y, u)]
        self.x0, self.u0, self.y0, self.drift = data["x0"], data["u0"][u], data["y0"][y], data["drift"]
        self.modes = [Mode(*mode) for mode in data["modes"]]
        self.eigenvalues = np.array([mode.eigenvalue for mode in self.modes], dtype=complex)
        self.stability: str = data["stability"]
        self.moving: bool = data["moving"]
        self.warnings: List[str] = data["warnings"]
        period, z, F, modes, stability, text = data["sampled_loop"]
        loop = SampledLoop(period, [s[0] for s in z], F, [Mode(*mode) for mode in modes], stability, text)
        self.sampled_loop: Optional[SampledLoop] = loop if text else None
        self.other_sides = [OtherSide(name, is_input, above, rates, outputs_[y]) for name, is_input, above, rates, outputs_ in data["other_sides"]
                            if not is_input or name in self.inputs]
        self.independent, self.dependent = data["independent"], data["dependent"]

    def __repr__(self) -> str:
        return (f"<trunnion.LinearSystem: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs, "
                f"{self.stability}, at {self.time:g} s>")

    def to_scipy(self) -> Any:
        """`scipy.signal.StateSpace`; needs scipy."""
        return require("scipy.signal", "to_scipy()").StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """A state-space system of python-control with the names of states, inputs and outputs, `_` for their `.`; needs control."""
        ss: Callable[..., Any] = require("control", "to_control()").ss
        states, inputs, outputs = (_without_dots(names) for names in (self.states, self.inputs, self.outputs))
        return ss(self.A, self.B, self.C, self.D, states=states, inputs=inputs, outputs=outputs)
