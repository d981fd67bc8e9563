"""Exceptions of trunnion."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

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
    """Ctrl-C during a run or a sweep; `result` has what was completed."""

    def __init__(self, text: str = "interrupted", result: Any = None) -> None:
        super().__init__(text)
        self.result = result
