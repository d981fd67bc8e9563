"""Numbers with units."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numbers
from typing import Any, Mapping, Union

import numpy as np

from . import _trunnion
from .errors import ModelError

__all__ = ["to_si", "units", "mm", "bar", "MPa", "deg"]

Quantity = Union[float, int, str]


def to_si(value: Quantity, unit: str = "", name: str = "the value") -> float:
    """A number in SI units and radians: `to_si("80 mm", "m")` is 0.08. A number without a unit is SI already.

    `unit` is the SI unit of the quantity; a text with another kind of unit raises `ModelError`, as do NaN and infinity.
    """
    if isinstance(value, str):
        try:
            return _trunnion.to_si(value, unit)
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
    if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.ndim == 0):
        number = float(value)
        if not np.isfinite(number):
            raise ModelError(f"{name} must be a finite number, not {number}")
        return number
    raise TypeError(f"{name} must be a number [{unit or '-'}] or a text with a unit such as '80 mm', not {type(value).__name__}")


def array_of(values: Any, what: str) -> np.ndarray:
    """An array of numbers. Raises TypeError."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be an array of numbers, not {values!r:.60}") from None


def index_of(find: Any, name: Any, what: str) -> int:
    """find(name), or a TypeError where the name is no text."""
    try:
        return find(name)
    except TypeError:
        raise TypeError(f"{what}s have names; {name!r:.60} is not a name") from None


def indices_of(find: Any, names: Any, what: str) -> "list[int]":
    """The numbers of names."""
    if isinstance(names, str) or not np.iterable(names):
        raise TypeError(f"{what}s must be a list of names, not {'one text' if isinstance(names, str) else type(names).__name__}")
    return [index_of(find, name, what) for name in names]


def mapping_of(values: Any, what: str) -> dict:
    """A dict of paths or names. Raises TypeError."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must be a mapping such as {{'cylinders.lift.bore': '80 mm'}}, not {type(values).__name__}")
    return dict(values)


def units(unit: str, *values: float) -> np.ndarray:
    """Numbers of a unit as an array in SI: `units("L/min", 10, 20)`."""
    flat = np.ravel(np.asarray(values, dtype=float))
    return np.array([_trunnion.to_si(f"{float(value)!r} {unit}", "SI") for value in flat])


def mm(*values: float) -> np.ndarray:
    """Millimetres in metres."""
    return units("mm", *values)


def bar(*values: float) -> np.ndarray:
    """Bars in pascals."""
    return units("bar", *values)


def MPa(*values: float) -> np.ndarray:
    """Megapascals in pascals."""
    return units("MPa", *values)


def deg(*values: float) -> np.ndarray:
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
