#!/usr/bin/env python3
"""tools/doc_commands.py reports what does not run as written: missing files, unknown options, failed runs."""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import doc_commands  # noqa: E402

PROGRAM = sys.argv.pop()


class DocCommands(unittest.TestCase):
    def failures(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text)
            return doc_commands.run_page(page, PROGRAM)[0]

    def test_a_good_command_runs_in_the_folder_of_its_page(self):
        self.assertEqual(self.failures("    trunnion run examples/lever.yaml -o lever \\\n      --set 'solver.duration=0.1 s'\n    trunnion report lever   # a remark\n"), [])

    def test_a_missing_file_is_found(self):
        self.assertRegex(self.failures("    trunnion curve arm.yaml --command 0.5\n")[0], "arm.yaml.*cannot be read")

    def test_an_unknown_option_is_found(self):
        self.assertRegex(self.failures("    trunnion check examples/lever.yaml --sett a=b\n")[0], "exit code 2")

    def test_a_failed_run_is_found(self):
        self.assertRegex(self.failures("    trunnion run examples/four_bar.yaml --set solver.max_iterations=1 --set solver.divisions=0\n")[0], "exit code 1")

    def test_forms_are_not_commands(self):
        self.assertEqual(doc_commands.commands_of("    trunnion fit MODEL --parameters PATH,...\n"), [])
        self.assertEqual(len(doc_commands.commands_of("    trunnion curve a.yaml --set quasistatic.circuit.actuators.lift.B_A.command=0\n")), 1)

    def test_options_that_a_command_has_are_not_repeated(self):
        study = ["trunnion", "study", "cosimulation", "examples/crane_single.yaml"]
        self.assertEqual(doc_commands.shortened(study), doc_commands.SHORTENED["study", "cosimulation"])
        self.assertEqual(doc_commands.shortened([*study, "--quick", "--min-step", "4 ms", "--max-step", "5 ms"]), ["--set", "solver.duration=0.5 s"])
        self.assertEqual(doc_commands.shortened(["trunnion", "run", "examples/lever.yaml"]), [])

    def test_every_page_with_commands_is_read(self):
        names = {page.name for page in doc_commands.pages() if doc_commands.commands_of(page.read_text())}
        self.assertLessEqual({"curve.md", "cosimulation.md", "study.md", "quick_start.md", "fit.md"}, names)


if __name__ == "__main__":
    unittest.main()
