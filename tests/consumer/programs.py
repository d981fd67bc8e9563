#!/usr/bin/env python3
"""Builds the programs of docs/api.md and README.md against an installed library, as a user would, runs them and compares their results.

usage: programs.py --prefix DIR --program TRUNNION --work DIR --compiler CXX

The programs in C++ and C print the same bits; the README's prints what `trunnion run` records.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```(cpp|c)\n(.*?)```", re.DOTALL)
NAME = re.compile(r"^(?://|/\*) (\w+\.(?:cpp|c))")


def blocks(page):
    """Yields (language, text) of the programs of a page."""
    for language, text in BLOCK.findall((ROOT / page).read_text(encoding="utf-8")):
        if "main(" in text:
            yield language, text


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    for option in ("prefix", "program", "work", "compiler"):
        parser.add_argument("--" + option, type=Path, required=True)
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    names = []
    for _, text in blocks("docs/api.md"):
        names.append(NAME.match(text)[1])
        (options.work / names[-1]).write_text(text, encoding="utf-8")
    (options.work / "readme.cpp").write_text(next(text for language, text in blocks("README.md") if language == "cpp"), encoding="utf-8")
    names.append("readme.cpp")
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(programs LANGUAGES C CXX)", "find_package(trunnion 0.1 REQUIRED)",
             "set(CMAKE_C_STANDARD 11)"]
    for name in names:
        target = name.replace(".", "_")
        lines += [f"add_executable({target} {name})", f"target_link_libraries({target} PRIVATE trunnion::trunnion)",
                  f"target_compile_options({target} PRIVATE -Wall -Wextra -Wpedantic -Werror)"]
        if name.endswith(".c"):
            lines.append(f"set_target_properties({target} PROPERTIES LINKER_LANGUAGE CXX)")
    (options.work / "CMakeLists.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    build = options.work / "build"
    run("cmake", "-S", options.work, "-B", build, f"-DCMAKE_PREFIX_PATH={options.prefix}", f"-DCMAKE_CXX_COMPILER={options.compiler}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", build)

    model = "examples/lever_driven.yaml"
    of_cpp, of_c = run(build / "drive_cpp", model), run(build / "drive_c", model)
    angle = float(of_cpp.split()[0])
    if of_cpp != of_c or abs(angle - 0.5) > 0.01:
        sys.exit(f"drive.cpp prints {of_cpp}, drive.c {of_c}; the lever should come to 0.5 rad")
    angles = [float(text) for text in run(build / "fleet_cpp", model).split()]
    start = 0.349  # [rad]; each mass another angle, and all levers rise
    if len(set(angles)) != 8 or min(angles) < start + 0.03 or max(angles) > start + 0.06:
        sys.exit(f"fleet.cpp prints {angles}")

    written, folders = options.work / "built.yaml", (options.work / "built", options.work / "lever")
    printed = float(run(build / "built_cpp", written))
    for model, folder in zip((written, "examples/lever.yaml"), folders):
        run(options.program, "run", model, "-q", "-o", folder)
    texts = [(folder / "results.csv").read_text(encoding="utf-8") for folder in folders]
    rows = list(csv.reader(texts[0].splitlines()))
    last = float(rows[-1][[cell.split()[0] for cell in rows[0]].index("lever.angle")])
    if texts[0] != texts[1] or abs(printed - last) > 1e-12:
        sys.exit(f"built.cpp prints {printed}, and the model that it writes ends at {last}; it should be that of examples/lever.yaml")

    bores = options.work / "bores"
    if run(build / "bores_cpp", "examples/lever.yaml", bores) != "1" or not (bores / "sweep.h5").is_file():
        sys.exit("bores.cpp does not finish its sweep")

    results = options.work / "results"
    run(options.program, "run", "examples/lever.yaml", "--set", "solver.step=2 ms", "-q", "-o", results)
    with open(results / "results.csv", encoding="utf-8") as file:
        rows = csv.reader(file)
        column = [cell.split()[0] for cell in next(rows)].index("lever.angle")
        recorded = ["%g %g" % (float(row[0]), float(row[column])) for row in rows][1:]  # without the start
    if run(build / "readme_cpp").split("\n")[:-1] != recorded:
        sys.exit("the README's program prints other values than `trunnion run` records")


if __name__ == "__main__":
    main()
