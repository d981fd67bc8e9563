#!/usr/bin/env python3
"""Tables, figures and claims of the papers beside the program's results: build/papers/index.html and docs/papers.md.

    tools/papers/make.py [--program build/release/bin/trunnion] [--jobs N]     runs every command, writes the page and the table
    tools/papers/make.py --check [--program ...]                               compares docs/papers.md with fresh runs; exit code 1 if it differs
    tools/papers/make.py --check --item 'friction, Figure 10'                  checks that the numbers of one item are in their bands

The declarations are in the modules of this folder, one per paper (entries.py describes them). The page is one file that loads nothing.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import base64
import concurrent.futures
import html
import os
import pathlib
import re
import shlex
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1])]
import drawing  # noqa: E402
import entries  # noqa: E402
import papers_list  # noqa: E402
import validation  # noqa: E402

ROOT = entries.ROOT
TABLE = ROOT / "docs/papers.md"
STYLE = """body{font:15px/1.45 sans-serif;max-width:1400px;margin:2em auto;padding:0 1em;color:#222}table{border-collapse:collapse;margin:.6em 0}
td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left;vertical-align:top}pre{background:#f4f4f4;padding:.5em;overflow:auto;font-size:13px}
.panels{display:flex;flex-wrap:wrap;gap:8px}.panels svg{width:430px;font:11px sans-serif}.panels .drawn,.panels .drawn img{max-width:100%}
.no{background:#fdecea}.about{background:#fff8e1}.none{background:#f4f4f4}h2{border-bottom:2px solid #0072b2}"""


def evaluate(item, results):
    """Pairs of statement and number."""
    return [(statement, float(statement.ours(results))) for statement in item.statements]


def introduction(paper):
    return paper.about or f"{paper.citation}. Equations: [{paper.equations}](architecture.md#9-where-an-equation-is)."


def table_lines(table):
    """A table as Markdown."""
    return ["| " + " | ".join(table.heads) + " |", "|" + " --- |" * len(table.heads), *("| " + " | ".join(row) + " |" for row in table.rows)]


def table_html(table, title=""):
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(text.replace('`', ''))}" for text in row) for row in table.rows)
    return (f"<p>{title}</p>" if title else "") + "<table><tr>" + "".join(f"<th>{html.escape(head)}" for head in table.heads) + cells + "</table>"


def troubles(item, results):
    """Statements of an item whose numbers are outside their bands."""
    return [text for statement, value in evaluate(item, results) if not statement.timed and (text := statement.trouble(value))]


def wrapped(command):
    """A command in lines of the page, indented."""
    lines, line = [], "   "
    for word in shlex.split(command):
        word = shlex.quote(word)
        if len(line) + len(word) > 140:
            lines.append(line + " \\")
            line = "     "
        line += " " + word
    return "\n".join([*lines, line])


def markdown(papers, results):
    out = ["# Tables, figures and claims of the papers\n",
           "`make papers` runs the commands below, draws every figure with data as `build/papers/index.html`, and writes this page, which the tests\n"
           "`Python.papers` compare with fresh runs. For every statement there is a band in which the program's number must be\n"
           "(`tools/papers/`, one module per paper); the same tests check them. `no number in the text`: the text of the paper has neither a number nor a claim\n"
           "on it. Computing times are in the HTML page only. From an equation to its file:\n"
           "[architecture](architecture.md#9-where-an-equation-is); origin of the parameters: comments of the examples.\n"]
    for paper in papers:
        out.append(f"## {paper.title}\n\n{introduction(paper)}\n")
        out += ["\n".join(wrapped(command) for command in paper.commands.values()) + "\n"] if paper.commands else []
        out += [f"Numbers of {what} are read from the file stored by\n\n    {command}\n" for what, command in paper.stored.items()]
        out.append("| item | statement | paper | here | |\n| --- | --- | --- | --- | --- |")
        for item in paper.items:
            if item.sketch:
                out.append(f"| {item.name} | {item.title} | | | a sketch without data |")
            shown = [(s, v) for s, v in evaluate(item, results) if not s.timed]
            for k, (statement, value) in enumerate(shown):
                ours = f"{validation.text_of(value, statement.form)} {statement.unit}".strip()
                out.append(f"| {item.name if k == 0 else ''} | {statement.text} | {statement.published()} | {ours} | {statement.verdict(value)} |")
            if not shown and not item.sketch:
                out.append(f"| {item.name} | {item.title} | | | drawn by `make papers` |")
        out.append("")
        for item in paper.items:
            if item.table:
                out += [f"**{item.name}:** {item.title}. {item.note}\n", *table_lines(item.table()), ""]
    return "\n".join(out).rstrip() + "\n"


def picture(path):
    """A picture of the program within the page, in its size; as an image, since its identifiers are not unique."""
    size = re.search(r'viewBox="0 0 (\d+) \d+"', path.read_text())
    return f'<img alt="{html.escape(path.stem)}" width="{size.group(1) if size else 640}" src="data:image/svg+xml;base64,{base64.b64encode(path.read_bytes()).decode()}">'


def page(papers, results):
    out = [f"<!doctype html><html lang=en><meta charset=utf-8><title>The papers, repeated</title><style>{STYLE}</style><h1>The papers, repeated</h1><ul>"]
    out += [f"<li><a href='#{paper.key}'>{html.escape(paper.title)}</a>" + html.escape(f": {paper.citation}" if paper.citation else "") for paper in papers]
    out.append("</ul>")
    for paper in papers:
        text = paper.about.replace("`", "") or f"{paper.citation}. Equation numbers: docs/architecture.md, “{paper.equations}”."
        out.append(f"<h2 id={paper.key}>{html.escape(paper.title)}</h2><p>{html.escape(text)}</p>")
        sketches = [item for item in paper.items if item.sketch]
        if sketches:
            out.append("<p>Sketches without data: " + html.escape("; ".join(f"{item.name}, {item.title}" for item in sketches)) + ".</p>")
        for item in paper.items:
            if item.sketch:
                continue
            out.append(f"<h3>{html.escape(item.name)}: {html.escape(item.title)}</h3>")
            if item.note:
                out.append(f"<p>{html.escape(item.note.replace('`', ''))}</p>")
            if item.table:
                out.append(table_html(item.table()))
            if item.times:
                out.append(table_html(item.times(results), "Processor time [ms] per second of motion"))
            if item.panels:
                out.append("<div class=panels>" + "".join(drawing.draw(panel) for panel in item.panels(results)) + "</div>")
            if item.pictures:
                for name in item.pictures:
                    results.run(name.split("/")[0])
                files = [results.folder / name for name in item.pictures]
                out.append("<div class=panels>" + "".join(f"<div class=drawn>{picture(file)}</div>" if file.exists() else "<p>gnuplot is missing</p>" for file in files) + "</div>")
            if item.excerpt:
                out.append(f"<p>examples/{item.excerpt[0]}</p><pre>{html.escape(entries.excerpt(*item.excerpt))}</pre>")
            for name in item.commands:
                out.append(f"<pre>{html.escape(wrapped(paper.commands.get(name) or paper.stored[name]))}</pre>")
            if item.statements:
                out.append("<table><tr><th>statement<th>paper<th>here<th>")
                for statement, value in evaluate(item, results):
                    verdict = statement.verdict(value)
                    kind = "no" if verdict.startswith("does not") else "about" if "within" in verdict else "none" if verdict == entries.NO_NUMBER else "yes"
                    out.append(f"<tr class={kind}><td>{html.escape(statement.text)}<td>{statement.published()}<td>{value:{statement.form}} {statement.unit}<td>{html.escape(verdict)}")
                out.append("</table>")
    return "\n".join(out) + "</html>\n"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--item")
    options = arguments.parse_args()
    papers = papers_list.PAPERS
    with tempfile.TemporaryDirectory(prefix="trunnion_papers_") as scratch:
        folder = pathlib.Path(scratch) if options.check else ROOT / "build/papers"
        results = entries.Results(papers, folder, options.program)
        if options.item:
            items = [item for paper in papers for item in paper.items if f"{paper.key}, {item.name}" == options.item]
            found = [text for item in items for text in troubles(item, results)] if items else [f"there is no item '{options.item}'"]
        elif options.check:
            fresh = markdown(papers, results)
            found = validation.differences(TABLE.read_text(), fresh)
            found += [text for paper in papers if paper.differences for text in paper.differences(results, paper.commands)]
            found = ["docs/papers.md does not match the program; `make papers` rewrites it", *found] if found else []
        else:
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(results.run, results.commands))
            for paper in papers:
                if paper.write:
                    paper.write(results)
            (folder / "index.html").write_text(page(papers, results))
            TABLE.write_text(markdown(papers, results))
            found = [text for paper in papers for item in paper.items for text in troubles(item, results)]
            print(f"{(folder / 'index.html').relative_to(ROOT)}, docs/papers.md")
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
