#!/usr/bin/env python3
"""The checks of tools/docs.py on small sites: what is wrong is found, and nothing else."""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import docs  # noqa: E402


class SiteCheck(unittest.TestCase):
    def findings(self, body, head=""):
        with tempfile.TemporaryDirectory() as folder:
            site = pathlib.Path(folder)
            docs.write(site / "index.html", f"<html><head>{head}</head><body>{body}</body></html>")
            docs.write(site / "elements/cylinder.html", '<html><body><h2 id="channels">Channels</h2><a href="../index.html">home</a></body></html>')
            docs.write(site / "style.css", "body { color: black }")
            return docs.check_site(site)[1]

    def test_good_links_are_accepted(self):
        self.assertEqual(self.findings('<a href="elements/cylinder.html#channels">a</a><a href="https://example.org/x">out</a><a id="b" href="#b">b</a>',
                                       '<link rel="stylesheet" href="style.css">'), [])

    def test_a_missing_page_is_found(self):
        self.assertRegex(self.findings('<a href="elements/cylindr.html">a</a>')[0], "cylindr.html, which does not exist")

    def test_a_missing_place_is_found(self):
        self.assertRegex(self.findings('<a href="elements/cylinder.html#chanels">a</a>')[0], "no such anchor")
        self.assertRegex(self.findings('<a href="#nowhere">a</a>')[0], "no such anchor")

    def test_a_missing_picture_is_found(self):
        self.assertRegex(self.findings('<img src="pictures/none.svg">')[0], "does not exist")

    def test_requests_to_other_hosts_are_found(self):
        for loads in ('<script src="https://cdn.example.org/a.js"></script>', '<link rel="stylesheet" href="https://fonts.example.org/css">',
                      '<script src="//cdn.example.org/a.js"></script>'):
            self.assertRegex(self.findings("", loads)[0], "from another host")


class StagedPages(unittest.TestCase):
    def stage(self):
        return docs.Stage(pathlib.Path(tempfile.mkdtemp()))

    def test_links_lead_into_the_site(self):
        stage = self.stage()
        self.assertEqual(stage.link("docs/elements/cylinder.md#channels", "README.md", "index.md"), "elements/cylinder.md#channels")
        self.assertEqual(stage.link("../../README.md", "docs/elements/cylinder.md", "elements/cylinder.md"), "../index.md")
        self.assertEqual(stage.link("../examples/lever.yaml", "docs/results.md", "results.md"), "examples/lever.md")
        self.assertEqual(stage.link("https://example.org", "README.md", "index.md"), "https://example.org")
        self.assertEqual(stage.link("LICENSE", "README.md", "index.md"), "files/LICENSE")

    def test_a_link_to_nothing_fails(self):
        with self.assertRaises(SystemExit):
            self.stage().link("docs/nothing.md", "README.md", "index.md")

    def test_code_keeps_what_looks_like_a_link(self):
        stage = self.stage()
        self.assertEqual(stage.rewrite("see `[a](b.md)` and [c](docs/theory.md)", "README.md", "index.md"), "see `[a](b.md)` and [c](theory.md)")
        self.assertEqual(stage.rewrite("[`code`](docs/theory.md)", "README.md", "index.md"), "[`code`](theory.md)")


if __name__ == "__main__":
    unittest.main()
