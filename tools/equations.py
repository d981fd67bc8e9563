#!/usr/bin/env python3
"""Where the equations of the papers are in the sources: section 9 of docs/architecture.md joined with what the comments in src cite.

    tools/equations.py             prints the page in Markdown
    tools/equations.py --check     fails where a row of section 9 names a file, a function or a command that is not there, where a number of a
                                   paper is in no row, or where no source cites a paper
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/architecture.md"
COMMANDS = "docs/papers.md"
COLUMNS, FILE = 5, 2  # of a row: equation, subject, file, figure, command
FOLDER = r"all in `(\w[\w/]*/)`"

# Name of each paper in the sources, and its heading in section 9. The first one applies if a file names none (see docs/theory.md).
PAPERS = {
    "friction": "Jaiswal, Sopanen, Mikkola 2021 (friction)",
    "formulations": "Jaiswal, Rahikainen, Khadim, Sopanen, Mikkola 2021 (formulations)",
    "linearisation": "Nonlinear Dynamics 111 (2023)",
    "co-simulation": "Rahikainen, Gonzalez, Naya, Sopanen, Mikkola 2020 (co-simulation)",
    "quasistatic": "Kikuuwe, Okada, Yoshihara, Doi, Nanjo, Yamashita (nonsmooth quasistatic hydraulics)",
}
# Number of the last equation; the paper on friction has an appendix, (A.1) to (A.4).
LAST = {"friction": 47, "formulations": 48, "linearisation": 100, "co-simulation": 34, "quasistatic": 126}
# Named otherwise: the circuit of the quasistatic paper as lumped elements.
ALSO = {"Kikuuwe et al. (quasistatic)": "quasistatic"}
WORDS = "friction|formulations|linearisation|co-simulation|quasistatic|nonsmooth quasistatic hydraulics"
MENTION = re.compile(rf"\((?:{WORDS})\)|\b(?:{WORDS}) paper\b")
# An equation's number is not an argument: a letter, digit or bracket before it makes it one.
EQUATION = re.compile(r"(?<![\w)\]])\((A\.)?([1-9]\d{0,2})([a-z]?)\)(?:\s*(?:-|to)\s*\((?:A\.)?([1-9]\d{0,2})[a-z]?\))?")


def rows_of_section_9():
    """[(paper or heading, [(equations, what, files)])] in the order of the page."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    section = text[text.index("\n## 9.") : text.index("\n## 10.")]
    tables, heading = [], ""
    for line in section.splitlines()[1:]:
        if line.startswith("| ") and not line.startswith(("| equation", "| ---")):
            tables[-1][1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif line.startswith("| equation"):
            tables.append((heading.rstrip(":"), []))
        elif line and not line.startswith("|"):
            heading = line
    return tables


def numbers_in(text):
    """Numbers of the equations that a text names, ranges written out, as (appendix, number)."""
    found = set()
    for match in EQUATION.finditer(text):
        first = int(match.group(2))
        last = int(match.group(4) or first)
        found.update((match.group(1) or "", n) for n in range(first, max(first, last) + 1))
    return found


def papers_in(text):
    """The papers that a text mentions, in its order."""
    return [next(paper for paper in PAPERS if paper in match.group(0)) for match in MENTION.finditer(text)]


def citations():
    """{paper: {(appendix, number): {file: line}}}, the first line of each file, from the comments of the sources. A line that names no paper means the one whose row of
    section 9 has both the equation and the file; otherwise the one that the file names, or the first."""
    rows_with = {}  # (file, number) -> paper
    for heading, rows in rows_of_section_9():
        paper = paper_of(heading)
        for cells in rows:
            for file in re.findall(r"`([\w/.]+)`", cells[FILE]):
                for number in numbers_in(cells[0]):
                    rows_with.setdefault((pathlib.PurePath(file).name, number), paper)
    cited = {paper: {} for paper in PAPERS}
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(ROOT / "src").as_posix()
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        comments = [(at, line[line.index("//") :]) for at, line in lines if "//" in line]
        named = papers_in("\n".join(line for _, line in comments))
        usual = "quasistatic" if name.startswith("hydraulics/quasistatic/") else named[0] if named else "friction"
        if name.startswith("linearise/"):
            usual = "linearisation"
        for at, line in comments:
            here = papers_in(line)
            for number in numbers_in(MENTION.sub("", line)):
                paper = here[0] if here else rows_with.get((path.name, number), usual)
                if paper not in LAST or number[1] > LAST[paper]:
                    continue  # a number of something else
                cited[paper].setdefault(number, {}).setdefault(name, at)
    return cited


def paper_of(heading):
    for paper, begins in PAPERS.items():
        if heading.startswith(begins):
            return paper
    for begins, paper in ALSO.items():
        if heading.startswith(begins):
            return paper
    return None


def sources_in(cells, folder, findings):
    """[(position, name, path)] of the files that a row names; findings of those that are not there."""
    sources = []
    for match in re.finditer(r"`([\w/.]+\.(?:h|cpp|yaml|md))`", cells[FILE]):
        name = match.group(1)
        places = [ROOT / name, ROOT / "src" / name] + ([ROOT / "src" / folder.group(1) / name] if folder else [])
        place = next((p for p in places if p.exists()), None)
        if place is None:
            findings.append(f"{PAGE}: {cells[0]}: there is no file {name}")
        else:
            sources.append((match.start(), name, place))
    return sources


def names_in(cells, sources):
    """[(match, source)] of the functions and types that a row names, each with the file before it."""
    for match in re.finditer(r"`([A-Za-z_]\w*)`", cells[FILE]):
        before = [s for s in sources if s[0] < match.start()]
        if before:
            yield match, before[-1]


def line_of(name, place):
    """The line of a definition, or of the first mention outside comments."""
    lines = place.read_text(encoding="utf-8").splitlines()
    code = [(at, line.split("//")[0]) for at, line in enumerate(lines, 1)]
    definition = re.compile(rf"^(?:\s*(?:class|struct) {name}\b(?!.*;)|(?!\s*return\b)\s*[\w:<>,&*\s]*[\s:&*]{name}\([^;]*$)")
    mention = re.compile(rf"\b{name}\b")
    return next((at for pattern in (definition, mention) for at, line in code if pattern.search(line)), None)


def with_lines(cells, sources):
    """The cell of the files, a line behind each function and type."""
    text, end = "", 0
    for match, (_, _, place) in names_in(cells, sources):
        line = line_of(match.group(1), place)
        text += cells[FILE][end : match.end()] + (f":{line}" if line else "")
        end = match.end()
    return text + cells[FILE][end:]


def cited_text(files):
    return ", ".join(f"`{name}:{line}`" for name, line in sorted(files))


def page():
    cited = citations()
    lines = ["# Where an equation is", ""]
    lines += ["Equations of the papers and the files of `src/` that hold them. The tables are those of "
              "[architecture](architecture.md#9-where-an-equation-is); lines, and the last column, files whose comments cite the equation, are read "
              "off the sources. What no paper derives is in [theory](theory.md).", ""]
    shown = {paper: set() for paper in PAPERS}
    for heading, rows in rows_of_section_9():
        paper = paper_of(heading)
        folder = re.search(FOLDER, heading)
        lines += [f"## {heading}", "", "| equation | what | file | figure | command | cited in |", "| --- | --- | --- | --- | --- | --- |"]
        for cells in rows:
            numbers = numbers_in(cells[0])
            if paper:
                shown[paper] |= numbers
            files = {}
            for n in sorted(numbers):
                for name, line in cited.get(paper, {}).get(n, {}).items():
                    files[name] = min(line, files.get(name, line))
            file = with_lines(cells, sources_in(cells, folder, []))
            lines.append(f"| {cells[0]} | {cells[1]} | {file} | {' | '.join(cells[3:])} | {cited_text(files.items())} |")
        lines.append("")
    others = [(paper, n, files) for paper in PAPERS for n, files in sorted(cited[paper].items()) if n not in shown[paper]]
    if others:
        lines += ["## Cited elsewhere", "", "| paper | equation | cited in |", "| --- | --- | --- |"]
        lines += [f"| {paper} | ({n[0]}{n[1]}) | {cited_text(files.items())} |" for paper, n, files in others]
        lines.append("")
    return "\n".join(lines)


def check():
    findings = []
    commands = (ROOT / COMMANDS).read_text(encoding="utf-8")
    missing = {paper: {("", n) for n in range(1, last + 1)} for paper, last in LAST.items()}
    for heading, rows in rows_of_section_9():
        folder = re.search(FOLDER, heading)
        if paper_of(heading) is None:
            findings.append(f"{PAGE}: `{heading}` is not a paper known to tools/equations.py")
        if not rows:
            findings.append(f"{PAGE}: `{heading}` has no rows")
        for cells in rows:
            if len(cells) != COLUMNS:
                findings.append(f"{PAGE}: {cells[0]}: the row has {len(cells)} columns, not {COLUMNS}")
                continue
            missing.get(paper_of(heading), set()).difference_update(numbers_in(cells[0]))
            sources = sources_in(cells, folder, findings)
            for match, (_, name, place) in names_in(cells, sources):
                if not re.search(rf"\b{match.group(1)}\b", place.read_text(encoding="utf-8")):
                    findings.append(f"{PAGE}: {cells[0]}: {name} has no {match.group(1)}")
            for command in re.findall(r"`([^`]+)`", cells[-1]):
                if not re.search(rf"^    trunnion {re.escape(command)}(?:\s|$)", commands, re.MULTILINE):
                    findings.append(f"{PAGE}: {cells[0]}: {COMMANDS} has no command trunnion {command}")
    for paper, numbers in missing.items():
        findings += [f"{PAGE}: {PAPERS[paper]}: equation ({n}) is in no row" for _, n in sorted(numbers)]
    cited = citations()
    for paper in PAPERS:
        if not cited[paper]:
            findings.append(f"no source cites an equation of {PAPERS[paper]}")
    return findings


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="compare section 9 with the sources; print nothing where they agree")
    if not arguments.parse_args().check:
        print(page())
        return
    findings = check()
    if findings:
        sys.exit("\n".join(findings))


if __name__ == "__main__":
    main()
