"""Tests of the Python package; PYTHONPATH names the built one, TRUNNION_PROGRAM the program that results are compared with."""
# SPDX-License-Identifier: BSD-3-Clause
import os
import subprocess
from pathlib import Path

import pytest

import trunnion as tr

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def lever():
    return tr.Model(EXAMPLES / "lever.yaml")


@pytest.fixture(scope="session")
def driven():
    return tr.Model(EXAMPLES / "lever_driven.yaml")


@pytest.fixture(scope="session")
def four_bar_lift():
    return tr.Model(EXAMPLES / "four_bar_lift.yaml")


@pytest.fixture(scope="session")
def crane():
    return tr.Model(EXAMPLES / "crane_single.yaml")


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("TRUNNION_PROGRAM", "")
    if not path:
        pytest.skip("TRUNNION_PROGRAM is not set")

    def run(*arguments):
        subprocess.run([path, *map(str, arguments)], check=True, capture_output=True)

    return run


@pytest.fixture(scope="session")
def unstable():
    """A model that fails during its run."""
    return tr.Model(EXAMPLES / "four_bar.yaml", {"solver.max_iterations": 1, "solver.divisions": 0})
