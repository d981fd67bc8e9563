"""Builds the extension of the Python package with CMake, in build/wheel.

Environment: CMAKE_ARGS adds options of CMake (-DTRUNNION_VIEWER=ON includes the viewer of reports, -DTRUNNION_NATIVE=ON optimises for this
processor); TRUNNION_BUILD names an existing build folder whose extension is taken.
"""
# SPDX-License-Identifier: BSD-3-Clause
import os
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = Path(os.environ.get("TRUNNION_BUILD", ROOT / "build/wheel")).resolve()
        if "TRUNNION_BUILD" not in os.environ:
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DTRUNNION_NATIVE=OFF", "-DTRUNNION_TESTS=OFF", "-DTRUNNION_BENCHMARKS=OFF", "-DTRUNNION_VIEWER=OFF",
                       "-DTRUNNION_UNITY=ON", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG", f"-DPython_EXECUTABLE={sys.executable}",
                       *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja", *options], check=True)
            subprocess.run(["cmake", "--build", str(folder), "--target", "trunnion_python"], check=True)
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        built = folder / "python/trunnion" / target.name
        if not built.exists():
            sys.exit(f"{built} was not built: it needs pybind11-dev and the headers of {sys.executable}")
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


setup(ext_modules=[Extension("trunnion._trunnion", sources=[])], cmdclass={"build_ext": CMakeBuild})
