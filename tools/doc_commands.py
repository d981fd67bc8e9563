#!/usr/bin/env python3
"""Runs every `trunnion` command of the documentation as written and reports those that fail.

    tools/doc_commands.py [--program build/release/bin/trunnion] [--jobs N] [FILE.md...]

Commands are lines of README.md, docs/*.md and docs/elements/*.md that begin with four blanks and `trunnion` (a backslash at the end continues one).
Commands of a page run in order in one folder, which links to the project's files, so that later ones may read the results of earlier ones. Not run are
forms such as `trunnion run MODEL`, which name a file in capitals, and the pages of GENERATED, whose own tests run them. Studies and sweeps that take minutes are run with
the options of SHORTENED in addition. Exit code 1 if a command fails.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = re.compile(r"^    (trunnion (?:.*\\\n)*.*)$", re.MULTILINE)
FORM = re.compile(r"(?<![\w.\-/*])[A-Z]{3,}(?![\w=])")  # MODEL, DIR, ...
REMARK = re.compile(r"\s{3,}#.*$", re.MULTILINE)
GENERATED = {"docs/validation.md", "docs/papers.md"}
SHORTENED = {
    ("sweep", "examples/forwarder_crane.yaml"): ["--set", "solver.duration=5 ms"],
    ("study", "formulations"): ["--step", "2ms", "--integrator", "trapezoidal", "--set", "solver.duration=0.1 s"],
    ("study", "cosimulation"): ["--quick", "--min-step", "1ms", "--max-step", "1ms", "--set", "solver.duration=0.5 s"],
}


def commands_of(text):
    """Commands of a page as lists of arguments, without forms."""
    found = []
    for command in COMMAND.findall(text):
        command = REMARK.sub("", command).replace("\\\n", " ")
        if not FORM.search(command):
            found.append(shlex.split(command))
    return found


def shortened(words):
    """Further options of a command; those that take one value are left out where the command has them already."""
    options = SHORTENED.get(tuple(words[1:3]), [])
    once = {option for option in ("--quick", "--min-step", "--max-step", "--step", "--integrator") if option in words}
    out, i = [], 0
    while i < len(options):
        size = 1 if i + 1 == len(options) or options[i + 1].startswith("--") else 2
        out += [] if options[i] in once else options[i:i + size]
        i += size
    return out


def pages():
    files = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/elements").glob("*.md"))]
    return [file for file in files if file.relative_to(ROOT).as_posix() not in GENERATED]


def run_page(page, program):
    """The failures of a page, as text, and the number of its commands."""
    commands, failures = commands_of(page.read_text()), []
    with tempfile.TemporaryDirectory(prefix="trunnion_commands_") as folder:
        for name in ("examples", "tests", "docs"):
            os.symlink(ROOT / name, pathlib.Path(folder) / name)
        for words in commands:
            done = subprocess.run([program, *words[1:], *shortened(words)], cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                failures.append(f"{page}: exit code {done.returncode}\n    {shlex.join(words)}\n{done.stderr.strip()}")
    return failures, len(commands)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("pages", nargs="*", type=pathlib.Path)
    options = arguments.parse_args()
    program = options.program.resolve()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda page: run_page(page, program), options.pages or pages()))
    failures = [failure for failed, _ in results for failure in failed]
    print("\n".join(failures) or f"{sum(count for _, count in results)} commands run")
    sys.exit(1 if failures or not any(count for _, count in results) else 0)


if __name__ == "__main__":
    main()
