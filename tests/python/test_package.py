"""The wheel, offline, and the package without optional packages."""
# SPDX-License-Identifier: BSD-3-Clause
import importlib.util
import os
import re
import site
import subprocess
import sys
import sysconfig

import pytest

CODE = """
import sys
for name in ("scipy", "pandas", "control", "tqdm", "matplotlib", "h5py", "yaml", "IPython"):
    sys.modules[name] = None
import trunnion as tr
m = tr.Model("examples/lever.yaml")
r = m.run(0.1, progress=True)
s = tr.sweep(m, {"cylinders.lift.bore": tr.mm(50, 63)}, {"p": "max(piston_side.pressure)"}, duration=0.1, progress=True)
print(tr.__file__, len(r), s["p"].max() > 1e6)
"""


def test_versions_agree(root):
    import re

    import trunnion as tr

    project = re.search(r"VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8").split("project(")[1])[1]
    assert tr.__version__ == project
    assert f'version = "{project}"' in (root / "pyproject.toml").read_text(encoding="utf-8")


def test_numpy_is_the_only_dependency(root):
    done = subprocess.run([sys.executable, "-c", CODE], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split()[1:] == ["101", "True"]


def test_the_package_is_installed_where_the_interpreter_looks(root):
    """On Debian that is dist-packages below /usr/local."""
    def folder(prefix):
        done = subprocess.run([sys.executable, root / "python/install_folder.py", prefix], capture_output=True, text=True, check=True)
        return os.path.join(prefix, done.stdout.strip())

    if "posix_local" in sysconfig.get_scheme_names():
        assert folder("/usr/local") in site.getsitepackages() and folder("/usr") in site.getsitepackages()
    assert folder("/opt/x").startswith("/opt/x/lib")
    assert "install_folder.py" in (root / "python/CMakeLists.txt").read_text(encoding="utf-8")


def test_a_source_archive_needs_no_tests_and_benchmarks(root):
    """What CMake enters is in the archive, or is asked for."""
    kept = (root / "MANIFEST.in").read_text(encoding="utf-8")
    lines = (root / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    for before, line in zip(lines, lines[1:] + [""]):
        for name in re.findall(r"add_subdirectory\((\w+)", line):
            around = "".join(lines[max(0, lines.index(line) - 2):lines.index(line)])
            assert f"graft {name}" in kept or f"EXISTS ${{PROJECT_SOURCE_DIR}}/{name}" in around, name


def test_a_wheel_builds_offline_and_works(root, tmp_path):
    if not os.environ.get("TRUNNION_BUILD"):
        pytest.skip("TRUNNION_BUILD names no build whose extension the wheel contains")
    for module in ("pip", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    source = tmp_path / "source"  # setuptools writes into its source folder
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "python"):
        (source / name).symlink_to(root / name)
    environment = {**os.environ, "TRUNNION_BUILD": os.path.abspath(os.environ["TRUNNION_BUILD"]), "PIP_NO_INDEX": "1", "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q", "-w", str(tmp_path), str(source)], check=True,
                   env=environment, capture_output=True)
    (wheel,) = tmp_path.glob("trunnion-*.whl")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(tmp_path / "site")], check=True)
    names = {path.name for path in (tmp_path / "site/trunnion").iterdir()}
    assert {"__init__.py", "py.typed", "_trunnion.pyi"} <= names and any(name.startswith("_trunnion.") and name.endswith(".so") for name in names)
    environment["PYTHONPATH"] = str(tmp_path / "site")
    done = subprocess.run([sys.executable, "-c", CODE], cwd=root, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(str(tmp_path))
