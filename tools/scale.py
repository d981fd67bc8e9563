#!/usr/bin/env python3
"""Compares the penalty treatment with double-step on machines of all sizes, and prints tables in Markdown.

    tools/scale.py [STUDY ...] [--program build/release/bin/trunnion] [--quick | --full] [--json FILE] [--jobs N]
    tools/scale.py --store [STUDY ...] [--program ...] [--jobs N]    writes tests/data/scale.json, used in docs/validation.md

    slider    a slider-crank under its weight, masses 1e-6 ... 1e6 kg, lengths 0.01 ... 100 m, 64, 320 and 3200 steps per (length/g)^0.5
    penalty   the same with solver.penalty set to the factor chosen by the program times 1e-4 ... 1e4
    random    200 random machines with loops, planar and spatial
    ladder    N-four-bars through every flat position for 10 s, against their equation of one degree of freedom
    examples  the examples with constraints, against cvode
    order     multipliers and the entries of the energy balance over the step, for every treatment

Default: all studies. --quick runs a sample, --full also the long ones (the ladder of 1000 windows at 0.125 ms, the examples for their whole
duration). --store implies --full and prints no tables; stored figures of other studies are kept. Every stored figure except those
dominated by rounding is the same on any machine; --jobs does not change them.

    --set PATH=VALUE      a setting of the runs with the penalty treatment only, such as solver.penalty=1e13
    --reference PROGRAM   the program of the reference runs (fine double-step, cvode) and of double-step that errors are divided by; default: the
                          same. --cache FOLDER keeps their results, for the next time with the same program, model and settings
    --seed S, --count N   of `random`: other machines, and how many
    --machine N ...       of `random`: only these; --keep FOLDER writes their model files

Errors are the maximum over the records of the run, in rad, and in m over the length of the machine, unless a table says otherwise. Failed runs are
reported as such; no machine is excluded because of a result of the penalty treatment. The studies are in tools/scale_studies/.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import contextlib
import io
import json
import math
import pathlib

from scale_studies import examples_study, ladder_study, order_study, random_study, slider_study
from scale_studies.runs import ROOT, Program

STORED = ROOT / "tests/data/scale.json"
STUDIES = {  # and what of their figures is stored
    "slider": (slider_study.study_slider, slider_study.stored_slider), "penalty": (slider_study.study_penalty, slider_study.stored_penalty),
    "random": (random_study.study_random, random_study.stored_random), "ladder": (ladder_study.study_ladder, ladder_study.stored_ladder),
    "examples": (examples_study.study_examples, examples_study.stored_examples), "order": (order_study.study_order, order_study.stored_order)}


def compact(value):
    """Numbers to four digits; null for non-finite ones."""
    if isinstance(value, dict):
        return {key: compact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [compact(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else None
    return value


def lines_of(value, indent=""):
    """JSON with one row of a table per line."""
    def is_row(item):
        return isinstance(item, dict) and indent.count(" ") >= 2

    if isinstance(value, dict) and not is_row(value):
        items, ends = [f"{json.dumps(key)}: {lines_of(item, indent + ' ')}" for key, item in value.items()], "{}"
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        items, ends = [json.dumps(item) for item in value], "[]"
    else:
        return json.dumps(value)
    return ends[0] + ",".join(f"\n{indent} {item}" for item in items) + f"\n{indent}" + ends[1]


def store(figures):
    """Replaces the figures of these studies."""
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    stored |= {name: compact(STUDIES[name][1](some)) for name, some in figures.items()}
    STORED.write_text(lines_of({name: stored[name] for name in STUDIES if name in stored}) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(STUDIES))
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    size = arguments.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="a sample")
    size.add_argument("--full", action="store_true", help="also the long runs")
    arguments.add_argument("--store", action="store_true", help="write tests/data/scale.json; print no tables")
    arguments.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes all figures there")
    arguments.add_argument("--jobs", type=int, default=1, help="runs at a time; use 1 for valid times of the ladder")
    arguments.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="for the runs with the penalty treatment only")
    arguments.add_argument("--reference", type=pathlib.Path, metavar="PROGRAM", help="program of the reference runs; default: the same")
    arguments.add_argument("--cache", type=pathlib.Path, metavar="FOLDER", help="keeps the runs of references")
    arguments.add_argument("--seed", type=int, default=1, help="of `random`")
    arguments.add_argument("--count", type=int, help="of `random`: how many machines")
    arguments.add_argument("--machine", type=int, nargs="+", metavar="N", help="of `random`: only these machines")
    arguments.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="of `random`: writes the model files")
    options = arguments.parse_args()
    for name in options.studies:
        if name not in STUDIES:
            arguments.error(f"unknown study {name}; available: {', '.join(STUDIES)}")
    for path in (options.program, options.reference or options.program):
        if not path.exists():
            arguments.error(f"program not found: {path}")
    if options.store:
        if options.quick or options.set or options.reference or options.count or options.machine or options.seed != arguments.get_default("seed"):
            arguments.error("stored figures are those of one program on all machines: --store excludes --quick, --set, --reference, --seed, --count "
                            "and --machine")
        options.full = True
    program, figures = Program(options), {}
    for name in options.studies or STUDIES:
        with contextlib.redirect_stdout(io.StringIO()) if options.store else contextlib.nullcontext():
            figures[name] = STUDIES[name][0](program, options)
            print()
        if options.json:
            options.json.write_text(json.dumps(figures, indent=1))
    if options.store:
        store(figures)


if __name__ == "__main__":
    main()
