#!/usr/bin/env python3
"""Groups of tools/unity_groups.py: no two have one name, also if a file leaves the group that is named after it.

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "unity_groups.py"


class Groups(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def groups(self, files, *options):
        """The files of each group, by its name."""
        command = [sys.executable, TOOL, "--size", "10000", "--keep", self.folder / "kept.txt", *options, *files]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        pairs = [line.split(" ", 1) for line in lines]
        groups = {}
        for name, path in pairs:
            groups.setdefault(name, []).append(Path(path).relative_to(self.folder).as_posix())
        self.assertEqual(Counter(path for _, path in pairs), Counter(files))
        return groups

    def local(self, name):
        return f"namespace {{\nint {name}() {{ return 1; }}\n}}  // namespace\n"

    def test_folders_of_one_name(self):
        files = [self.write(f"{above}/channels/oil.cpp", self.local("same")) for above in ("hydraulics", "machine", "run")]
        groups = self.groups(files)
        self.assertEqual(sorted(map(len, groups.values())), [1, 1, 1])

    def test_a_first_file_that_leaves_takes_no_name_along(self):
        files = [self.write("src/a.cpp", self.local("one")), self.write("src/b.cpp", self.local("two"))]
        self.assertEqual(self.groups(files), {"src_a": ["src/a.cpp", "src/b.cpp"]})
        self.write("src/b.cpp", self.local("one"))  # no longer with a
        self.assertEqual(self.groups(files), {"src_a": ["src/a.cpp"], "src_b": ["src/b.cpp"]})
        files.insert(0, self.write("src/0.cpp", self.local("three")))
        self.assertEqual(self.groups(files)["src_a"], ["src/a.cpp", "src/0.cpp"])
        self.write("src/a.cpp", self.local("three"))  # 0 keeps the name, a is new
        self.assertEqual(self.groups(files)["src_a"], ["src/0.cpp"])
        self.assertEqual(sum(map(len, self.groups(files).values())), 3)

    def test_names_of_other_sets_are_taken(self):
        files = [self.write("src/a.cpp", self.local("one"))]
        self.assertEqual(list(self.groups(files)), ["src_a"])
        self.assertEqual(list(self.groups(files, "--taken=src_a", "--taken=src_a_2")), ["src_a_3"])
        self.assertEqual(list(self.groups(files, "--taken=src_a")), ["src_a_3"])  # kept


if __name__ == "__main__":
    unittest.main()
