"""Results of runs."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import html
import json
import os
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple, Union

import numpy as np

from . import _trunnion
from ._optional import require
from .errors import ModelError, missing
from .units import names_of, path_of

__all__ = ["Result", "read"]

PathLike = Union[str, "os.PathLike[str]"]


class Result:
    """Recorded channels of a run in SI units: `r.time`, `r["boom.angle"]`, `r.channels`, `r.units`, `r.summary`.

    Arrays are read-only views of the run's memory. `r.failed` and `r.error` tell how it ended.
    """

    def __init__(self, columns: Dict[str, np.ndarray], units: Dict[str, str], meanings: Dict[str, str], summary: Dict[str, Any],
                 run: Any = None, model_name: str = "model", folder: Optional[str] = None, title: str = "") -> None:
        self._columns, self._run, self._model_name, self._folder = columns, run, model_name, folder
        self.units, self.meanings, self.summary, self.title = units, meanings, summary, title
        failure = run.failure if run is not None else None
        self.failed = failure is not None if run is not None else summary.get("status") not in (None, "completed")
        self.error: str = failure[0] if failure else ""

    @classmethod
    def _of(cls, run: Any, model: Any) -> "Result":
        infos = run.channels()
        name = model.file or "model"
        columns = {info[0]: run.column(i) for i, info in enumerate(infos)} if run.rows or infos else {}
        return cls(columns, {i[0]: i[1] for i in infos}, {i[0]: i[2] for i in infos}, json.loads(run.summary(name)), run, name, None, model.title)

    @property
    def channels(self) -> Tuple[str, ...]:
        """Names of the recorded channels, `time` first."""
        return tuple(self._columns)

    @property
    def time(self) -> np.ndarray:
        """[s]"""
        return self["time"]

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a channel, one per record, without a copy."""
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            raise missing(name, self.channels, "channel") from None

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of records."""
        return len(next(iter(self._columns.values()), ()))

    def array(self, names: Optional[Sequence[str]] = None) -> np.ndarray:
        """(records, channels) of the channels named, or of all; a copy."""
        wanted = self.channels if names is None else names_of(names, "channel")
        return np.column_stack([self[name] for name in wanted]) if wanted else np.empty((len(self), 0))

    def to_pandas(self) -> Any:
        """A pandas DataFrame over time; `frame.attrs["units"]` has the units. Needs pandas."""
        pandas = require("pandas", "to_pandas()")
        frame = pandas.DataFrame({name: self[name] for name in self.channels if name != "time"}, index=pandas.Index(self.time, name="time"))
        frame.attrs["units"] = dict(self.units)
        return frame

    def save(self, folder: PathLike) -> None:
        """Writes results.csv, results.h5 and summary.json, as `trunnion run` does."""
        if self._run is None:
            raise ModelError(f"this result was read from {self._folder or 'another process'}: copy its folder instead"
                             if self._folder else "this result came from another process and has no files; save it there")
        self._run.save(path_of(folder, "folder"), self._model_name)

    def report(self, file: PathLike, channels: Sequence[str] = ()) -> "Report":
        """Writes one self-contained HTML page with animation and plots, and returns it for display in a notebook."""
        page, names = path_of(file, "file"), names_of(channels, "channel")
        with tempfile.TemporaryDirectory() as folder:
            source = self._folder
            if source is None:
                source = os.path.join(folder, Path(self._model_name).stem)
                self.save(source)
            _trunnion.report([source], page, names)
        return Report(page)

    def __repr__(self) -> str:
        end = f", failed: {self.error.splitlines()[0]}" if self.failed and self.error else ", not completed" if self.failed else ""
        return f"<trunnion.Result {self.title!r}: {len(self)} records of {len(self.channels)} channels to {self.time[-1] if len(self) else 0:g} s{end}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(self.units.get(name, ''))}</td><td>{column.min():.6g}</td>"
                       f"<td>{column.max():.6g}</td><td>{column[-1]:.6g}</td></tr>"
                       for name, column in self._columns.items() if name != "time" and len(column))
        return (f"<p>{html.escape(repr(self))}</p><details><summary>channels</summary><table><thead><tr><th>channel</th><th>unit</th><th>minimum</th>"
                f"<th>maximum</th><th>at the end</th></tr></thead><tbody>{rows}</tbody></table></details>")

    def __reduce__(self) -> Any:
        columns = {name: np.array(column) for name, column in self._columns.items()}
        return _restored, (columns, self.units, self.meanings, self.summary, self.title, self.failed, self.error)


def _restored(columns: Any, units: Any, meanings: Any, summary: Any, title: str, failed: bool, error: str) -> Result:
    result = Result(columns, units, meanings, summary, title=title)
    result.failed, result.error = failed, error
    return result


class Report:
    """A page of results; notebooks show it in a frame."""

    def __init__(self, file: str) -> None:
        self.file = file

    def __repr__(self) -> str:
        return f"<trunnion.Report {self.file!r}>"

    def _repr_html_(self, height: int = 640) -> str:
        page = Path(self.file).read_text(encoding="utf-8")
        return f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{height}" style="border:0"></iframe>'


def read(folder: PathLike) -> Result:
    """Opens a folder written by `trunnion run` or `Result.save`, also of a run that is going on or was killed; or one results.h5 or results.csv.

    Units and meanings are those of results.h5; a folder that has results.csv alone has none.
    """
    path = Path(path_of(folder, "folder"))
    _, unfinished, infos, values = _trunnion.read_run(os.fspath(path))
    columns = {info[0]: column for info, column in zip(infos, values)}
    for column in values:
        column.flags.writeable = False
    summary = path / ("summary.json.part" if unfinished else "summary.json") if path.is_dir() else None
    facts = json.loads(summary.read_text(encoding="utf-8")) if summary and summary.exists() else {"status": "running"} if unfinished else {}
    result = Result(columns, {i[0]: i[1] for i in infos}, {i[0]: i[2] for i in infos}, facts, None, facts.get("model", "model"), str(path),
                    facts.get("title", ""))
    if unfinished:
        result.failed, result.error = True, "the run is going on or was killed"
    return result
