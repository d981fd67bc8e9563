"""The examples of docs/python.md and the notebooks, executed in order."""
# SPDX-License-Identifier: BSD-3-Clause
import json
import os
import re
import subprocess
import sys
import types

import numpy as np
import pytest

import trunnion as tr

NOTEBOOKS = ("friction", "curves", "root_locus")


def blocks(root):
    text = (root / "docs/python.md").read_text(encoding="utf-8")
    return re.findall(r"^\*\*(\d+)\. .*?```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)


def solve_continuous_are(A, B, Q, R):
    """Stand-in for scipy.linalg: from the stable eigenvectors of the Hamiltonian matrix."""
    n = len(A)
    values, vectors = np.linalg.eig(np.block([[A, -B @ np.linalg.solve(R, B.T)], [-Q, -A.T]]))
    stable = vectors[:, np.argsort(values.real)[:n]]
    return np.real(stable[n:] @ np.linalg.inv(stable[:n]))


@pytest.fixture(scope="module")
def page(root):
    """The names that the page has defined at its end."""
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.chdir(root)
    try:
        import scipy.linalg  # noqa: F401
    except ImportError:
        monkeypatch.setitem(sys.modules, "scipy", types.ModuleType("scipy"))
        monkeypatch.setitem(sys.modules, "scipy.linalg", types.SimpleNamespace(solve_continuous_are=solve_continuous_are))
    names, states = {}, {}
    for number, code in blocks(root):
        exec(compile(code, f"docs/python.md, example {number}", "exec"), names)
        states[int(number)] = dict(names)
    monkeypatch.undo()
    return states


def test_there_are_ten_examples_and_all_run(page):
    assert sorted(page) == list(range(1, 11))


def test_examples_do_what_they_say(page):
    assert page[1]["r"].time[-1] == 5
    p = page[2]["s"]["p_max"]
    assert p[0] > p[1] > p[2] > 1e6
    assert abs(page[3]["y"][0] - 0.5) < 0.01
    assert page[4]["heavy"] != page[4]["sim"]["lever.angle"]
    assert page[5]["lin"].B.shape == (len(page[5]["lin"].states), 1)
    assert page[6]["damped"] < 0.3 * page[6]["free"] and page[6]["free"] > 0.3
    assert page[7]["obs"].shape == (256, 2) and np.ptp(page[7]["obs"][:, 0]) > 0
    assert page[8]["pendulum"]["arm.angle"][-1] != page[8]["shorter"]["arm.angle"][-1]
    assert len(page[9]["error"].findings if "error" in page[9] else [1, 2]) >= 1
    assert page[10]["ends"][0] < page[10]["ends"][1] < page[10]["ends"][2]


USES = """import trunnion as tr
m = tr.Model("x.yaml")
sim = m.simulation()
sim.inputs["boom"] = "3 bar"
sim.parameters.update({"bodies.arm.rod.mass": "3 kg"})
sim.ramp("boom", "1 bar", "2 bar/s")
m.gradients(["boom.angle"], ["0.1 s"])
tr.mm([50, 63], 80)
sim.step("x")  # wrong
tr.sweep(m, ["cylinders.lift.bore"], {"a": "max(lift.force)"})  # wrong
"""


def test_types_of_the_package_and_the_examples(root, tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "examples.py").write_text("\n".join(code for _, code in blocks(root)), encoding="utf-8")
    environment = {**os.environ, "MYPYPATH": str(root / "python")}
    for checked in ([root / "python/trunnion"], ["--ignore-missing-imports", "--check-untyped-defs", "examples.py"]):
        done = subprocess.run([sys.executable, "-m", "mypy", *map(str, checked)], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
    (tmp_path / "uses.py").write_text(USES, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mypy", "uses.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    lines = [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line]
    assert lines == [str(i) for i, line in enumerate(USES.splitlines(), 1) if line.endswith("# wrong")], done.stdout


class Plots:
    """Stand-in for matplotlib: accepts everything, and counts curves."""

    def __init__(self):
        self.drawn = 0

    def plot(self, x, y, **options):
        assert np.shape(x) == np.shape(y) and np.all(np.isfinite(y))
        self.drawn += 1

    def scatter(self, x, y, **options):
        self.plot(x, y)

    def subplots(self, rows=1, columns=1, **options):
        return self, self if rows * columns == 1 else (self,) * columns

    def __getattr__(self, name):
        return lambda *a, **k: None


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run(name, root, monkeypatch):
    monkeypatch.chdir(root / "docs/notebooks")  # from which Jupyter starts them
    plots = Plots()
    pyplot = types.ModuleType("matplotlib.pyplot")
    pyplot.subplots = plots.subplots
    monkeypatch.setitem(sys.modules, "matplotlib", types.SimpleNamespace(pyplot=pyplot))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    book = json.loads((root / f"docs/notebooks/{name}.ipynb").read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    names = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}.ipynb", "exec"), names)
    assert plots.drawn > 0
    if name == "friction":
        assert len(names["work"]) == 4 and all(abs(w - 121) < 0.005 * 121 for w in names["work"].values())
    if name == "curves":
        assert len(names["curves"]) == 5 and all(len(c.velocity) > 100 for c in names["curves"])
    if name == "root_locus":
        assert names["locus"].shape[0] == 25 and np.ptp(np.abs(names["locus"].imag).max(axis=1)) > 1
    assert (root / f"docs/images/python_{name}.png").exists()
