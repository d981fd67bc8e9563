"""Numbers with units."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numbers
import os
import re
from typing import Any, Callable, List, Mapping, Sequence, Union

import numpy as np

from . import _trunnion
from .errors import ModelError

__all__ = ["to_si", "units", "mm", "bar", "MPa", "deg"]

Quantity = Union[float, int, str]


def to_si(value: Quantity, unit: str = "", name: str = "the value") -> float:
    """A number in SI units and radians: `to_si("80 mm", "m")` is 0.08. A number without a unit is SI already.

    `unit` is the SI unit of the quantity; a text with another kind of unit raises `ModelError`, as do NaN and infinity.
    """
    text_of(unit, "unit")
    for one in re.split(", | or ", unit):  # `-, m/rad or rad/m` of some parameters
        if one in ("", "-"):
            continue
        size = quantity(f"1 {one}", "SI", "unit")  # raises where it is no unit
        if abs(size - 1) > 1e-12:
            raise ModelError(f"unit must be the SI unit of the quantity, but 1 {one} is {size:g} in SI")
    return quantity(value, unit, name)


def quantity(value: Any, unit: str, name: str, infinite: bool = False) -> float:
    """As to_si, where `unit` is the core's own text, such as `N or N m`. infinite: infinity is left to the core to judge."""
    if isinstance(value, str):
        try:
            return _trunnion.to_si(value, unit)
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
    if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        number = float(value)
        if not (np.isfinite(number) or (infinite and number > 0)):
            raise ModelError(f"{name} must be a finite number, not {number}")
        return number
    raise TypeError(f"{name} must be a number [{unit or '-'}] or a text with a unit such as '80 mm', not {type(value).__name__}")


def array_of(values: Any, what: str, units: Union[None, str, Sequence[str]] = None) -> np.ndarray:
    """An array of numbers. With the unit of all, or one for each, lists may contain texts with units. Raises TypeError, ModelError."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biuf":
            return array.astype(float, copy=False)
        if units is not None and array.ndim == 1 and any(isinstance(value, str) for value in values):
            each = [units] * len(array) if isinstance(units, str) else list(units)
            if len(each) != len(array):
                raise ModelError(f"{what} has shape {array.shape}; expected ({len(each)},)")
            return np.array([quantity(value, unit, f"{what}, number {i}") for i, (value, unit) in enumerate(zip(values, each))])
        if array.dtype.kind == "O":
            return array.astype(float)
    except ModelError:
        raise
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{what} must be an array of numbers, not {values!r:.60}")


def index_of(find: Callable[[str], int], name: Any, what: str) -> int:
    """find(name), or a TypeError where the name is no text."""
    if not isinstance(name, str):
        raise TypeError(f"{what}s have names; {name!r:.60} is not a name")
    return find(name)


def names_of(names: Any, what: str) -> List[str]:
    """A list of names. Raises TypeError."""
    if isinstance(names, (str, bytes)) or not np.iterable(names):
        raise TypeError(f"{what}s must be a list of names, not {'one text' if isinstance(names, str) else type(names).__name__}")
    found = list(names)
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"{what}s have names; {name!r:.60} is not a name")
    return found


def indices_of(find: Callable[[str], int], names: Any, what: str) -> List[int]:
    """The numbers of names; an input is set once. Raises TypeError, ModelError."""
    wanted = names_of(names, what)
    found = [find(name) for name in wanted]
    twice = [name for i, name in enumerate(wanted) if found[i] in found[:i]]
    if twice and what == "input":
        raise ModelError(f"the input '{twice[0]}' is named twice; each has one value")
    return found


def times_of(times: Any, default: Callable[[], np.ndarray]) -> List[float]:
    """Times [s], of None the default. Raises TypeError, ModelError."""
    found = default() if times is None else array_of(times, "times", "s")
    if found.ndim != 1 or len(found) == 0:
        raise ModelError(f"times must be a list of times [s], but have shape {found.shape}")
    return found.tolist()


def text_of(value: Any, what: str) -> str:
    """A text. Raises TypeError."""
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a text, not {type(value).__name__}")
    return value


def path_of(path: Any, what: str) -> str:
    """The path of a file or folder. Raises TypeError."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} must be a path, not {type(path).__name__}")
    return os.fsdecode(path)


def values_of(values: Any) -> List[Any]:
    """The values of a path: of a list or an array; anything else is one value."""
    if isinstance(values, np.ndarray):
        return np.ravel(values).tolist()
    return [values] if isinstance(values, (str, Mapping)) or not np.iterable(values) else list(values)


def mapping_of(values: Any, what: str, example: str = "{'cylinders.lift.bore': '80 mm'}") -> dict:
    """A dict of paths or names. Raises TypeError."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must be a mapping such as {example}, not {type(values).__name__}")
    for name in values:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a mapping such as {example}; {name!r:.60} is not a text")
    return dict(values)


Numbers = Union[float, Sequence[float], np.ndarray]


def units(unit: str, *values: Numbers) -> np.ndarray:
    """Numbers of a unit as an array in SI: `units("L/min", 10, 20)`."""
    text_of(unit, "unit")
    flat = np.concatenate([np.empty(0), *(np.ravel(array_of(value, f"the values [{unit}]")) for value in values)])
    return np.array([quantity(f"{float(value)!r} {unit}", "SI", "the value") for value in flat])


def mm(*values: Numbers) -> np.ndarray:
    """Millimetres in metres."""
    return units("mm", *values)


def bar(*values: Numbers) -> np.ndarray:
    """Bars in pascals."""
    return units("bar", *values)


def MPa(*values: Numbers) -> np.ndarray:
    """Megapascals in pascals."""
    return units("MPa", *values)


def deg(*values: Numbers) -> np.ndarray:
    """Degrees in radians."""
    return units("deg", *values)


def override_text(value: Any, path: str = "a value of a model") -> str:
    """A value of a model file as JSON, which YAML reads; strings as they are, so that `80 mm` and `lugre` are what they are in a file."""
    import json

    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        raise ModelError(f"{path} must be a finite number")
    try:
        return json.dumps(value)
    except TypeError:
        raise TypeError(f"{path}: a {type(value).__name__} has no form in a model file; expected numbers, texts, lists and mappings") from None
