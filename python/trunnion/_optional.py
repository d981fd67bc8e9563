"""Packages that are used where they are installed."""
# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import importlib
from typing import Any

_PACKAGES = {"pandas": "python3-pandas", "scipy.signal": "python3-scipy", "matplotlib.pyplot": "python3-matplotlib", "control": "", "tqdm": "python3-tqdm"}


def require(name: str, purpose: str) -> Any:
    """The module, or an ImportError that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package, debian = name.split(".")[0], _PACKAGES.get(name, "")
        how = f"apt-get install {debian}, or pip install {package}" if debian else f"pip install {package}"
        raise ImportError(f"{purpose} needs the package {package}: {how}") from error


def progress_bar(total: float, unit: str, wanted: bool) -> Any:
    """A bar of tqdm, or None where it is not wanted or not installed."""
    if not wanted:
        return None
    try:
        bar = importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        return None
    return bar(total=total, unit=unit, leave=False, bar_format="{l_bar}{bar}| {n:.3g}/{total:.3g} {unit} [{elapsed}<{remaining}]")
