"""Models built in Python."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any, Dict, Mapping, Optional, TypeVar, Union

import numpy as np

from .errors import ModelError
from .model import Model
from .units import mapping_of, path_of

__all__ = ["Description"]

_Self = TypeVar("_Self", bound="Section")


class Section(Dict[str, Any]):
    """A part of a model: a dict whose keys are also attributes; a missing one is made when it is used.

    Keys that are methods of dicts, as `items`, `keys`, `values`, `get`, are written `d["bodies"]["items"]`.
    """

    def __init__(self, content: Any = (), **more: Any) -> None:
        super().__init__()
        self.update(content, **more)

    def update(self, content: Any = (), /, **more: Any) -> None:  # type: ignore[override]
        """As of a dict; mappings become sections."""
        if not isinstance(content, Mapping) and not np.iterable(content):
            raise TypeError(f"a section is updated by a mapping, not {type(content).__name__}")
        for key, value in {**dict(content), **more}.items():
            self[key] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        """As of a dict; mappings become sections."""
        if name not in self:
            self[name] = default
        return self[name]

    def copy(self: _Self) -> _Self:
        """A copy that shares no section with this one."""
        return copy.deepcopy(self)

    def __or__(self: _Self, other: Any) -> _Self:  # type: ignore[override]
        if not isinstance(other, Mapping):
            return NotImplemented
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self: _Self, other: Any) -> _Self:  # type: ignore[override]
        if not isinstance(other, Mapping):
            return NotImplemented
        return type(self)({**other, **self})

    def __ior__(self: _Self, other: Any) -> _Self:  # type: ignore[override,misc]
        self.update(other)
        return self

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value if value is self.get(name) else _sections(value))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            self[name] = Section()
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __missing__(self, name: str) -> Any:
        self[name] = Section()
        return self[name]

    def __deepcopy__(self, memo: Any) -> "Section":
        result = type(self).__new__(type(self))
        for key, value in self.items():
            dict.__setitem__(result, key, copy.deepcopy(value, memo))
        return result

    def __reduce__(self) -> Any:
        return Section, (dict(self),)


class Description(Section):
    """The keys of a model file (docs/model_file.md) as Python data; numbers are SI, texts have units.

        d = tr.Description(title="Pendulum", gravity=[0, -9.81, 0])
        d.bodies.arm = {"rod": {"length": "1 m", "mass": 2}}
        d.joints.arm = {"revolute": {"parent": "ground", "at": [0, 0, 0], "axis": "z"}, "angle": "30 deg"}
        d.solver = {"step": "1 ms", "duration": 2}
        m = d.model()

    Checks, defaults and findings are those of model files. Names that are methods of dicts: `d["bodies"]["items"]`.
    """

    def __init__(self, content: Optional[Mapping[str, Any]] = None, **sections: Any) -> None:
        super().__init__({"trunnion": 1, **mapping_of(content, "a description", "{'title': 'Pendulum'}"), **sections})

    def __reduce__(self) -> Any:
        return Description, (dict(self),)

    def json(self) -> str:
        """The description as JSON, which is a model file as well."""
        return json.dumps(_plain(self, ""), indent=1, ensure_ascii=False)

    def model(self, overrides: Optional[Mapping[str, Any]] = None) -> Model:
        """The compiled model. Raises `ModelError` with all findings, whose paths are those of this description."""
        return Model.from_text(self.json(), overrides)

    def yaml(self) -> str:
        """The model as YAML in SI units, defaults included."""
        return self.model().yaml()

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a model file."""
        Path(path_of(file, "file")).write_text(self.yaml(), encoding="utf-8")


def _sections(value: Any) -> Any:
    """Mappings as sections, also inside lists; sections as copies, so that no two models share one."""
    if isinstance(value, Mapping):
        return value.copy() if isinstance(value, Section) else Section(value)
    return [_sections(item) for item in value] if isinstance(value, (list, tuple)) else value


def _plain(value: Any, path: str) -> Any:
    """Python data as JSON knows it; empty sections are not written."""
    if isinstance(value, Mapping):
        result = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"{path or 'the description'}: keys are texts, not {key!r}")
            if isinstance(item, Section) and not item:
                continue
            result[key] = _plain(item, f"{path}.{key}" if path else key)
        return result
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}.{i}") for i, item in enumerate(value)]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        raise ModelError(f"{path} must be a finite number, not {value}")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise TypeError(f"{path}: a {type(value).__name__} has no form in a model file; expected numbers, texts, lists and mappings")
