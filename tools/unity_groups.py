#!/usr/bin/env python3
"""Sorts source files into groups that compile as one file each (CMake's unity build), for builds from scratch.

Headers are read and templates instantiated once for each group instead of once for each file. Two files share a group
only if neither mentions a name that the other keeps to itself (in a namespace without a name), nor includes a header of the
project that declares it, so nothing clashes and nothing has to be renamed. The largest come first, so that small ones fill what is left of a group.

    unity_groups.py --size SIZE [--include FOLDER]... [--keep FILE] [--taken NAME]... FILE...      prints a line "group file" for each file

SIZE limits a group, in bytes of source: large groups leave a processor without work at the end. Sizes of files are rounded, so that a small
change leaves all groups as they are. --keep: the lines of the last time, where files stay together if they still may, so that a new file does
not reshuffle all. No two groups have one name, which would make them one group; nor has any a name that is --taken, by groups sorted before
that a target may contain, too.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import re
from pathlib import Path

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.*?)\)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
LOCAL = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.DOTALL | re.MULTILINE)
TYPE = re.compile(r"^(?:(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =)", re.MULTILINE)
FUNCTION = re.compile(r"^(?=[\w:\[])[^\n(=;]*?\b(\w+)\(", re.MULTILINE)
CONSTANT = re.compile(r"^(?:constexpr|const|static|inline|thread_local)\b[^;(]*?\b(\w+)\s*[={\[;]", re.MULTILINE)
MORE_CONSTANTS = re.compile(r"\b(k[A-Z]\w*)\s*[={\[]")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DECLARED = re.compile(r"^(?:inline )?constexpr [\w:<>, ]+? (\w+)\b", re.MULTILINE)
ROUND = 4096  # [bytes] to which sizes are rounded
GROWN = 1.3  # by which a group may outgrow its size
MACROS = re.compile(r"^[A-Z_]{2,}$")


def types(text):
    return {name for pair in TYPE.findall(text) for name in pair if name}


def declared(path, folders, known):
    """Names of types, constants and functions that a file's headers declare, theirs included; `known`: by header."""
    names = set()
    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
        header = next((folder / include for folder in folders if (folder / include).is_file()), None)
        if header is None:
            continue
        if header not in known:
            known[header] = set()  # headers that include each other
            text = header.read_text(encoding="utf-8")
            known[header] = types(text) | set(DECLARED.findall(text)) | set(FUNCTION.findall(text)) | declared(header, folders, known)
        names |= known[header]
    return names


class Source:
    def __init__(self, path, folders, known):
        self.path = path
        text = Path(path).read_text(encoding="utf-8")
        local = "\n".join(LOCAL.findall(re.sub(r'R"\(.*?\)"', '""', text, flags=re.DOTALL)))
        local = re.sub(r"^(.*?)//.*$", r"\1", local, flags=re.MULTILINE)
        names = {name for pattern in (FUNCTION, CONSTANT, MORE_CONSTANTS) for name in pattern.findall(local)}
        names |= types(local)
        self.own = {name for name in names if not MACROS.match(name)}
        self.words = set(re.findall(r"\w+", NOT_CODE.sub(" ", text))) | declared(Path(path), folders, known)
        self.size = -(-len(text) // ROUND) * ROUND

    def fits(self, other):
        return not (self.own & other.words or other.own & self.words)


def unused(name, taken):
    """The name, or with the lowest number that makes it new; it is taken then."""
    new, number = name, 1
    while new in taken:
        number += 1
        new = f"{name}_{number}"
    taken.add(new)
    return new


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--include", action="append", type=Path, default=[], metavar="FOLDER", help="where headers are")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--taken", action="append", default=[], metavar="NAME")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()

    known = {}
    sources = [Source(path, arguments.include, known) for path in sorted(arguments.files)]
    earlier = {}
    if arguments.keep and arguments.keep.exists():
        earlier = {path: name for name, path in map(str.split, arguments.keep.read_text().splitlines())}

    def takes(group, source, limit):
        return sum(member.size for member in group) + source.size <= limit and all(source.fits(member) for member in group)

    groups, left = {}, []
    for source in sources:
        group = groups.setdefault(earlier.get(source.path), [])
        (group if source.path in earlier and takes(group, source, GROWN * arguments.size) else left).append(source)
    names = {group[0].path: name for name, group in groups.items() if group and name not in arguments.taken}  # of kept groups, by first file
    groups = [group for group in groups.values() if group]
    for source in sorted(left, key=lambda source: source.size, reverse=True):
        group = next((group for group in groups if takes(group, source, arguments.size)), None)
        if group is None:
            groups.append(group := [])
        group.append(source)
    lines = []
    taken = {*arguments.taken, *names.values()}
    for group in groups:
        first = group[0].path
        if first not in names:
            names[first] = unused(Path(first).parent.name + "_" + Path(first).stem, taken)
        lines += [f"{names[first]} {source.path}" for source in group]
    print(*lines, sep="\n")
    if arguments.keep:
        arguments.keep.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
