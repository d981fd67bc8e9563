"""Exceptions of trunnion."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import difflib
import operator
import re
from dataclasses import dataclass, replace
from typing import Any, Iterable, Optional, Sequence

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


_IN_PYTHON = [(re.compile(of_program), here) for of_program, here in (
    (r"--overwrite replaces it, -o DIR writes elsewhere", "overwrite=True replaces it, another folder keeps it"),
    (r"--vary PATH=VALUES", "vary={path: values}"), (r"--vary PATH=a:b", 'vary={path: "a:b"}'), (r"--pairs FILE\.csv", 'pairs="file.csv"'),
    (r"--kpi NAME=EXPRESSION, such as p_max=max\(lift\.force\)", 'kpi={name: expression}, such as {"p_max": "max(lift.force)"}'),
    (r"--sample (lhs:[\w,]+)", r'sample="\1"'), (r"--keep (\w+)", r'keep="\1"'), (r"--set ([\w.]+)=([^\s`;]+)", r'{"\1": \2} in overrides'),
    (r"--set\b", "overrides"), (r"--(vary|kpi|actuator|channels|commands|sample|pairs|keep|overwrite|start|threads)\b", r"\1"))]
_UNKNOWN = re.compile(r"(there is no (channel|parameter|input) '[^'\n]*')$")


def _in_python(text: str) -> str:
    """A text of the core, with arguments of this package for options of the program."""
    for of_program, here in _IN_PYTHON:
        text = of_program.sub(here, text)
    return text


class ModelError(ValueError):
    """An invalid model, name, number, unit or shape. `findings` lists what is wrong in a model file, one `Finding` each."""

    def __init__(self, text: str, findings: Sequence[Any] = ()) -> None:
        super().__init__(text)
        self.findings: list[Finding] = [f if isinstance(f, Finding) else Finding(*f) for f in findings]

    @classmethod
    def _of_core(cls, text: str, findings: Sequence[Any]) -> "ModelError":
        text = _UNKNOWN.sub(r"\1; model.\2s lists all", _in_python(text))
        return cls(text, [[_in_python(part) if isinstance(part, str) else part for part in finding] for finding in findings])

    def _of_argument(self, name: str, paths: Iterable[str]) -> "ModelError":
        """The same about paths of another argument than `overrides`."""
        paths, text = list(paths), str(self)
        for path in paths:
            text = text.replace(f"overrides: error: {path}:", f"{name}: error: {path}:")
        return ModelError(text, [replace(f, file=name) if f.file == "overrides" and f.path in paths else f for f in self.findings])

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.findings)


class RunError(RuntimeError):
    """A simulation cannot continue. The simulation is at its last valid state.

    `time` [s]: of that state; `equations`: names of the equations at fault; `remedy`: what to change; `result`: of `Model.run`, `sensitivities`
    and `gradients`, the results up to the failure.
    """

    def __init__(self, text: str, time: float = 0.0, equations: str = "", remedy: str = "", result: Any = None) -> None:
        super().__init__(text)
        self.time = time
        self.equations = equations
        self.remedy = remedy
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.time, self.equations, self.remedy, self.result)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run, derivatives of one, a sweep or steps. It is a `KeyboardInterrupt`.

    `result`: what was completed: the `Result` of a run, the `Sweep`, the array of `Batch.record`, or the simulation, `Io` or batch that was
    stepped. These are between two steps and can continue; all machines of a batch that have not failed have made the same number of steps.
    None for `sensitivities` and `gradients`, and for `sweep_to_folder`, which goes on with what is in its folder when it is called again.
    `steps`: completed steps of the interrupted call; None for runs and sweeps.
    """

    def __init__(self, text: str = "interrupted", result: Any = None, steps: Optional[int] = None) -> None:
        super().__init__(text)
        self.result = result
        self.steps = steps


def count(value: Any, name: str) -> int:
    """An integer as the core has them. Raises TypeError."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if abs(number) >= 2**31:
        raise TypeError(f"{name} is too large: {number}")
    return number


def missing(name: Any, names: Iterable[str], what: str) -> Exception:
    """The error for a name that there is not: the nearest one, or what lists all."""
    if not isinstance(name, str):
        return TypeError(f"{what}s have names; {name!r:.60} is not a name")
    names = list(names)
    near = difflib.get_close_matches(name, names, 1)
    return ModelError(f"there is no {what} {name!r}" + (f"; did you mean {near[0]!r}?" if near else f"; the {what}s are {', '.join(names) or 'none'}"
                                                         if len(names) <= 20 else f"; .{what}s lists all"))
