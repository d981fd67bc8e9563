#!/usr/bin/env python3
"""Finds phrases and names that the project does not use: docs/notation.md, Terms, has the standard ones.

    tools/check_words.py [ROOT] [--expect FILE]     prints file:line: phrase, and ends with 1 unless these are the lines of FILE [none]
"""
# SPDX-License-Identifier: BSD-3-Clause
import pathlib
import re
import sys

# in comments, messages and pages
PHRASES = [
    "numbers? that (are|is) none", "left out:", "stands? side by side", "there is none of", r"mends? it", r"\bmended\b", r"ha(s|ve) no say",
    r"hangs? on\b", r"\bits place in\b", r"that take part", r"in parts alone", r"of the energy moved", r"the machine sets off",
    r"can rest at any value", r"along it is missing", r"in this file decides", r"cannot be had", r"over each other", r"a step too far",
    r"its whole way", r"way of the spool", r"stroke without end", r"leaves all to EF", r"Largest rate of it", r"Greatest work",
    r"moves the time of everything", r"A click on a head", r"whoever misses", r"takes three packages", r"\bballs?\b", r"\brooms?\b",
    r"\bhands? out\b", r"\btells\b", r"law: printed",
]
# identifiers
NAMES = [
    "Meter", "Course", "BorderVariable", "Variation", r"vary_\w+", "for_each_way", "OilAtRest", "RestSolver", r"Spot(?= [a-z&])", "Stiff",
    "of_v", "of_q", "turned_over", "dead_point", "settle_oil", "is_there", "Spread", "walls_of_all", r"tell_\w+", r"hands?_out\w*",
    "fallen_wheel", "flat_wheel", "wheels_stand", "kRounding", "kClosed", "kRank",
]
FOLDERS = ["src", "apps", "include", "python", "viewer/src", "docs", "examples", "schema", "README.md", "CONTRIBUTING.md"]
ENDINGS = {".cpp", ".h", ".py", ".js", ".css", ".html", ".md", ".yaml", ".json"}
TERMS = re.compile(r"<!-- terms: begin -->.*?<!-- terms: end -->", re.S)  # the words not to use, beside those to use


def pattern(list_, flags=0):
    broken = r"(?:\s*\n\s*(?://+|#|\*)?\s*|\s+)"  # a phrase may go on in the next line of a comment
    return re.compile("|".join(entry.replace(" ", broken) for entry in list_), flags)


def findings(root):
    phrases, names = pattern(PHRASES, re.I), pattern([rf"\b{name}\b" for name in NAMES])
    for file in (file for name in FOLDERS for file in [root / name, *sorted((root / name).rglob("*"))]):
        if file.suffix not in ENDINGS or not file.is_file():
            continue
        text = TERMS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), file.read_text())
        for words in [phrases, names] if file.suffix in {".cpp", ".h"} else [phrases]:
            for match in words.finditer(text):
                if match.group().startswith("ball") and "shuttle" in file.name:
                    continue  # a shuttle valve has one
                shown = " ".join(word for word in match.group().split() if word.strip("/#*"))
                yield f"{file.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}: {shown}"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    expected = pathlib.Path(arguments.pop(arguments.index("--expect") + 1)).read_text().splitlines() if "--expect" in arguments else []
    places = [argument for argument in arguments if argument != "--expect"]
    found = list(findings(pathlib.Path(places[0] if places else pathlib.Path(__file__).resolve().parent.parent).resolve()))
    print("\n".join(found) if found else "no phrase that the project does not use")
    sys.exit(sorted(found) != sorted(expected))
