#!/usr/bin/env python3
"""The core as a shared object: what it needs, what it calls, and how large it is.

usage: check_shared.py [--largest BYTES] FILE

Prints the libraries that FILE needs and its size without symbols; exits 1 if it needs another library than those of C and C++, calls
functions that open files or start processes, or is larger than BYTES.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

STANDARD = {"libc", "libm", "libstdc++", "libgcc_s", "libpthread", "linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64"}
# As undefined symbols; streams of C++ by their mangled names.
FILES_AND_PROCESSES = re.compile(r"open(at)?(64)?|f?d?open(64)?|freopen(64)?|creat(64)?|popen|system|v?fork|clone|exec[lv]\w*|posix_spawnp?|"
                                 r"dlopen|socket|_ZNK?St1[34]basic_i?o?f\w*stream\w*|_ZNK?St13basic_filebuf\w*|_ZNSt10filesystem\w*")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--largest", type=int, metavar="BYTES")
    options = parser.parse_args()

    wrong = []
    libraries = sorted({Path(line.split()[0]).name for line in output("ldd", options.file).splitlines() if line.strip()})
    wrong += [f"needs {name}" for name in libraries if name.split(".so")[0] not in STANDARD]
    symbols = {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", options.file).splitlines()}
    wrong += [f"calls {name}" for name in sorted(symbols) if FILES_AND_PROCESSES.fullmatch(name)]
    with tempfile.TemporaryDirectory() as folder:
        stripped = Path(folder) / "stripped"
        output("strip", "-o", str(stripped), options.file)
        size = stripped.stat().st_size
    if options.largest and size > options.largest:
        wrong.append(f"has {size} bytes without symbols, more than {options.largest}")
    print(f"{size} bytes without symbols; needs {' '.join(libraries)}")
    print(*wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
