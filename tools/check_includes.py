#!/usr/bin/env python3
"""A module includes only modules before it.

usage: check_includes.py [--expect FILE] [ROOT]

Reads every header and source below ROOT/src and ROOT/include (ROOT: the project) and prints one line for each wrong
#include; exits 1 if there is any. With --expect, the findings must be exactly the lines of FILE.

The rules:
- a module (a folder of src/) includes itself and the modules before it in MODULES; files directly in src/ may include all;
- some modules are separate although the order would allow an include (APART);
- modules of the core library (CORE) include only each other, the standard library without files, and headers of CORE_LIBRARIES;
- an include of the project's own is written "module/file.h" from src/ and the file exists;
- a public header includes only the standard library and other public headers, as <trunnion/file.h> or "trunnion/file.h".

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import re
import sys
from pathlib import Path

# In the order of docs/architecture.md.
MODULES = ["base", "spatial", "description", "control", "schema", "file", "signals", "friction", "mechanics", "hydraulics", "model", "machine",
           "solve", "cosimulation", "run", "linearise", "front", "builtin", "external", "tangents", "lanes", "spectra", "results", "studies", "report", "recording", "outlets"]

# Modules of the core library (core_modules in CMakeLists.txt, and builtin): they include no other module, no header of another library but
# those of CORE_LIBRARIES, which are only headers, and nothing that opens files or starts processes.
CORE = {"base", "spatial", "description", "control", "schema", "signals", "friction", "mechanics", "hydraulics", "model", "machine",
        "solve", "cosimulation", "run", "linearise", "front", "builtin"}
CORE_LIBRARIES = re.compile(r"(unsupported/)?Eigen/|fmt/|nlohmann/")
FILES_AND_PROCESSES = {"cstdio", "filesystem", "fstream", "iostream"}

# (module, module that it never includes): oil and mechanism are combined only in `machine`.
APART = {("hydraulics", "mechanics")}

# Of the standard library, for headers that C programs include, too.
C_HEADERS = {"stddef.h", "stdint.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def includes(path):
    """Yields (line number, bracket, included name) for each #include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".h", ".cpp"})


def check_module_file(src, path):
    """Yields (line number, finding) for a file below src/."""
    parts = path.relative_to(src).parts
    module = parts[0] if len(parts) > 1 else None
    if module and module not in MODULES:
        yield 1, f"module '{module}' is not in the order of modules (MODULES in tools/check_includes.py)"
        return
    for number, bracket, name in includes(path):
        other = name.split("/")[0]
        if module in CORE and bracket == "<" and other not in MODULES and not CORE_LIBRARIES.match(name) and (
                "/" in name or "." in name or name in FILES_AND_PROCESSES):
            yield number, f"'{module}' belongs to the core library and cannot include <{name}>"
        if other == "trunnion" or (bracket == "<" and other not in MODULES):
            continue
        if bracket == "<":
            yield number, f'<{name}> is the project\'s own: write "{name}"'
        elif other not in MODULES or "/" not in name:
            yield number, f'"{name}" is not of the form "module/file.h"'
        elif not (src / name).is_file():
            yield number, f'"{name}" does not exist'
        elif module and MODULES.index(other) > MODULES.index(module):
            yield number, f"'{module}' comes before '{other}' and cannot include \"{name}\""
        elif module in CORE and other not in CORE:
            yield number, f"'{module}' belongs to the core library and cannot include \"{name}\""
        elif module and (module, other) in APART:
            yield number, f"'{module}' never includes '{other}', here \"{name}\""


def check_public_header(path):
    """Yields (line number, finding) for a file below include/."""
    for number, bracket, name in includes(path):
        if name not in C_HEADERS and not name.startswith("trunnion/") and (bracket == '"' or "/" in name or name.endswith((".h", ".hpp"))):
            yield number, f"a public header includes only the standard library and public headers, not {name}"


def findings(root):
    src = root / "src"
    for path in sources(src):
        for number, text in check_module_file(src, path):
            yield f"{path.relative_to(root)}:{number}: {text}"
    for path in sources(root / "include"):
        for number, text in check_public_header(path):
            yield f"{path.relative_to(root)}:{number}: {text}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--expect", type=Path, metavar="FILE", help="the findings must be exactly the lines of FILE")
    options = parser.parse_args()
    if not (options.root / "src").is_dir():
        parser.error(f"{options.root} has no folder src")

    found = list(findings(options.root))
    expected = options.expect.read_text(encoding="utf-8").splitlines() if options.expect else []
    for line in found:
        if line not in expected:
            print(line)
    for line in expected:
        if line not in found:
            print(f"not found: {line}")
    return int(sorted(found) != sorted(expected))


if __name__ == "__main__":
    sys.exit(main())
