#!/usr/bin/env python3
"""Sorts source files into groups that compile as one file each (CMake's unity build), for builds from scratch.

Headers are read and templates instantiated once for each group instead of once for each file. Two files share a group
only if neither mentions a name that the other keeps to itself (in a namespace without a name), so nothing clashes and
nothing has to be renamed. Only files in the same folder share a group, unless --across is given.

    unity_groups.py [--across] --size SIZE FILE...      prints a line "group file" for each file

SIZE limits a group, in bytes of source: large groups leave a processor without work at the end.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import re
from pathlib import Path

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
LOCAL = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum class|enum|union|using) (\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^(?=[\w:\[])[^\n(=;]*?\b(\w+)\(", re.MULTILINE)
CONSTANT = re.compile(r"^(?:constexpr|const|static|inline|thread_local)\b[^;(]*?\b(\w+)\s*[={\[;]", re.MULTILINE)
MORE_CONSTANTS = re.compile(r"\b(k[A-Z]\w*)\s*[={\[]")
MACROS = re.compile(r"^[A-Z_]{2,}$")


class Source:
    def __init__(self, path):
        self.path = path
        text = Path(path).read_text(encoding="utf-8")
        local = "\n".join(LOCAL.findall(re.sub(r'R"\(.*?\)"', '""', text, flags=re.DOTALL)))
        local = re.sub(r"^(.*?)//.*$", r"\1", local, flags=re.MULTILINE)
        names = {name for pattern in (TYPE, FUNCTION, CONSTANT, MORE_CONSTANTS) for name in pattern.findall(local)}
        self.own = {name for name in names if not MACROS.match(name)}
        self.words = set(re.findall(r"\w+", NOT_CODE.sub(" ", text)))
        self.size = len(text)

    def fits(self, other):
        return not (self.own & other.words or other.own & self.words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--across", action="store_true")
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()

    groups = []
    for source in map(Source, sorted(arguments.files)):
        for group in groups:
            if (sum(member.size for member in group) + source.size <= arguments.size
                    and (arguments.across or Path(group[0].path).parent == Path(source.path).parent)
                    and all(source.fits(member) for member in group)):
                group.append(source)
                break
        else:
            groups.append([source])
    for group in groups:
        name = Path(group[0].path).parent.name + "_" + Path(group[0].path).stem
        for source in group:
            print(name, source.path)


if __name__ == "__main__":
    main()
