"""Exceptions of trunnion."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Sequence

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Finding", "ModelError", "RunError", "Interrupted"]


@dataclass(frozen=True)
class Finding:
    """What is wrong with an input, and what would be right. Texts may be empty; line and column count from 1, 0 is unknown."""

    file: str
    line: int
    column: int
    path: str
    found: str
    expected: str = ""
    hint: str = ""


class ModelError(ValueError):
    """An invalid model, name, number, unit or shape. `findings` lists what is wrong in a model file, one `Finding` each."""

    def __init__(self, text: str, findings: Sequence[Any] = ()) -> None:
        super().__init__(text)
        self.findings: list[Finding] = [f if isinstance(f, Finding) else Finding(*f) for f in findings]

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.findings)


class RunError(RuntimeError):
    """A simulation cannot continue. The simulation is at its last valid state.

    `time` [s]: of that state; `equations`: names of the equations at fault; `remedy`: what to change; `result`: of `Model.run`, the results up
    to the failure.
    """

    def __init__(self, text: str, time: float = 0.0, equations: str = "", remedy: str = "", result: Optional["Result"] = None) -> None:
        super().__init__(text)
        self.time = time
        self.equations = equations
        self.remedy = remedy
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.time, self.equations, self.remedy, self.result)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run, a sweep or steps. It is a `KeyboardInterrupt`.

    `result`: what was completed: the `Result` of a run, the `Sweep`, the array of `Batch.record`, or the simulation, `Io` or batch that was
    stepped. These are between two steps and can continue; all machines of a batch that have not failed have made the same number of steps.
    `steps`: completed steps of the interrupted call; None for runs and sweeps.
    """

    def __init__(self, text: str = "interrupted", result: Any = None, steps: Optional[int] = None) -> None:
        super().__init__(text)
        self.result = result
        self.steps = steps


def not_a_count(name: str, value: Any) -> TypeError:
    """The error for a number of steps or machines that is no integer."""
    if isinstance(value, int):
        return TypeError(f"{name} is too large: {value}")
    return TypeError(f"{name} must be an integer, not {type(value).__name__}")


def count(value: Any, name: str) -> int:
    """An integer. Raises TypeError."""
    try:
        return operator.index(value)
    except TypeError:
        raise not_a_count(name, value) from None
