"""Every number of the comparison with the papers is in its band; a wrong number is found; the declarations are consistent."""
# SPDX-License-Identifier: BSD-3-Clause
import math
import os
import re
import sys

import pytest

from conftest import ROOT

sys.path[:0] = [str(ROOT / "tools/papers"), str(ROOT / "tools")]
import drawing  # noqa: E402
import entries  # noqa: E402
import make  # noqa: E402
import open_questions  # noqa: E402
import papers_list  # noqa: E402

ITEMS = [(paper, item) for paper in papers_list.PAPERS for item in paper.items]
CHECKED = [pair for pair in ITEMS if pair[1].statements]
DRAWN = [pair for pair in ITEMS if pair[1].panels]
FIGURES = {"friction": 12, "formulations": 14, "linearisation": 14, "cosimulation": 17, "quasistatic": 13, "open_questions": 0}
TABLES = {"friction": 3, "formulations": 1, "linearisation": 3, "cosimulation": 3, "quasistatic": 1, "open_questions": 5}


def name_of(value):
    return value.key if isinstance(value, entries.Paper) else value.name.replace(" ", "_")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    path = os.environ.get("TRUNNION_PROGRAM", "")
    if not path:
        pytest.skip("TRUNNION_PROGRAM is not set")
    return entries.Results(papers_list.PAPERS, tmp_path_factory.mktemp("papers"), path)


@pytest.mark.parametrize("paper, item", CHECKED, ids=name_of)
def test_numbers_are_in_their_bands(paper, item, results):
    assert make.troubles(item, results) == []


@pytest.mark.parametrize("paper, item", CHECKED, ids=name_of)
def test_a_wrong_number_is_found(paper, item):
    for statement in item.statements:
        low, high = statement.band
        beyond = max(high - low, abs(high), 1e-300)
        for wrong in (low - beyond, high + beyond, float("nan")):
            assert statement.text in statement.trouble(wrong)
        assert statement.timed or statement.narrow() != bool(statement.wide), f"{statement.text}: a band of {statement.band} needs a reason, a narrow one none"


def test_narrow_bands():
    def narrow(*band):
        return entries.Statement("", None, band).narrow()
    assert narrow(0, 0) and narrow(1, 10) and narrow(-10, -1)
    assert not narrow(1, 10.1) and not narrow(0, 1e-12) and not narrow(-1, 1) and not narrow(-10.1, -1)


@pytest.mark.parametrize("paper, item", DRAWN, ids=name_of)
def test_figures_are_drawn(paper, item, results):
    for panel in item.panels(results):
        svg = drawing.draw(panel)
        assert svg.count("<path d=") >= len(panel.curves) and "nan" not in svg
        assert all(len(curve.x) == len(curve.y) > 1 for curve in panel.curves), panel.title


@pytest.mark.parametrize("paper", papers_list.PAPERS, ids=name_of)
def test_every_figure_and_table_is_named(paper):
    for kind, count in (("Figure", FIGURES[paper.key]), ("Table", TABLES[paper.key])):
        assert {int(item.name.split()[1]) for item in paper.items if item.name.startswith(kind)} == set(range(1, count + 1))


@pytest.mark.parametrize("paper", papers_list.PAPERS, ids=name_of)
def test_commands_and_equations_exist(paper):
    for item in paper.items:
        assert set(item.commands) <= set(paper.commands) | set(paper.stored), item.name
        assert item.sketch or item.commands or item.excerpt, item.name
    assert bool(paper.citation) == bool(paper.equations) != bool(paper.about)
    for name, command in paper.commands.items():
        assert re.search(rf" -o {name}\b", command)
    assert not paper.equations or f"\n{paper.equations}:\n" in (ROOT / "docs/architecture.md").read_text()


def test_verdicts():
    published = entries.Statement("work", None, (120, 122), 121, within=0.01, why="of this")
    assert published.verdict(121.01) == "holds"
    assert published.verdict(121.9) == "holds within 0.8 %"
    assert published.verdict(130) == "does not hold: of this"
    claim = entries.Statement("ratio", None, (0, 2), true=(1, 9), why="of that")
    assert claim.verdict(1.5) == "holds"
    assert claim.verdict(0.5) == "does not hold: of that"
    assert entries.Statement("mass", None, (200, 200)).verdict(200) == "no number in the text"


def test_legends_have_their_places():
    labels = ["monolithic", "largest difference, velocity-pressure", "m = 2", "interface model, own input held", "x"]
    places = drawing.legend(labels, 354)
    ends = [x + 24 + drawing.CHARACTER * len(label) for (x, _), label in zip(places, labels)]
    assert all(end <= 354 for end in ends)
    assert all(line[1] > before[1] or line[0] > end for before, line, end in zip(places, places[1:], ends))


def test_curves_that_turn_back_keep_their_points():
    n = 100000
    x = [math.sin(2e-4 * math.pi * k) for k in range(n)]
    assert len(drawing.thin(x, x)) == n
    assert len(drawing.thin(list(range(n)), x)) <= 4 * drawing.POINTS


def test_a_statement_that_does_not_hold_says_why(results):
    for paper, item in CHECKED:
        for statement, value in make.evaluate(item, results):
            assert statement.timed or not statement.verdict(value).rstrip().endswith("hold:"), f"{paper.key}, {item.name}: {statement.text}"


def test_the_table_is_what_the_program_gives(results):
    assert make.validation.differences(make.TABLE.read_text(), make.markdown(papers_list.PAPERS, results)) == []


def test_a_wrong_table_is_found(results):
    page = make.TABLE.read_text()
    assert make.validation.differences(page, page.replace("121.05 J", "121.95 J")) != []


def sample_of(results, path):
    """Results of the sample of the open questions, in a folder of their own."""
    return entries.Results([entries.Paper("sample", "", "", "", open_questions.SAMPLE, [], may_fail=True)], path, results.program)


def test_a_sample_of_the_stored_rows_is_what_the_program_gives(results, tmp_path, monkeypatch):
    fresh = sample_of(results, tmp_path)
    rows = open_questions.measured(fresh, open_questions.SAMPLE)
    assert {row["table"] for row in rows} == {"laws", "formulations", "stiff"} and {row["machine"] for row in rows} == set(open_questions.MACHINES)
    assert open_questions.differences(fresh, open_questions.SAMPLE) == []
    wrong = [row | {"error": row["error"] and str(1.1 * float(row["error"]))} for row in open_questions.stored()]
    monkeypatch.setattr(open_questions, "stored", lambda: wrong)
    assert len(open_questions.differences(fresh, open_questions.SAMPLE)) == sum(row["error"] != "" for row in rows)


def test_the_stored_sweep_is_what_the_program_gives(results, monkeypatch):
    """Runs of the study of the page that are also in the stored sweep, of all integrators of the hydraulics."""
    results.run("study_single")
    figures = make.validation.Figures(results.folder, "")
    assert figures.stored_agrees("study_single", "crane_single") >= 200
    stored = figures._sweep
    monkeypatch.setattr(figures, "_sweep", lambda *args, **wanted: [row | {"stable": "no" if (row["oil_integrator"], row["treatment"], row["step"]) == ("trapezoidal", "ALI1", "0.004") else row["stable"]}
                                                                    for row in stored(*args, **wanted)])
    with pytest.raises(SystemExit, match="trapezoidal"):
        figures.stored_agrees("study_single", "crane_single")


def test_the_stored_rows_are_those_of_the_tables():
    """Every row has its place in a table, and every combination has a row."""
    keys = [tuple(row[k] for k in open_questions.KEY) for row in open_questions.stored()]
    laws = len(open_questions.LAWS) * len(open_questions.TREATMENTS) * (len(open_questions.STEPS) + 1)
    studied = len(open_questions.TREATMENTS) * len(open_questions.INTEGRATORS) * sum(map(len, open_questions.COARSE.values()))
    assert len(set(keys)) == len(keys) == len(open_questions.MACHINES) * (laws + studied) + 3 * sum(len(values) for _, values in open_questions.STIFF.values())


def test_failed_runs_of_a_comparison_are_rows(results, tmp_path):
    name = "failing_laws_excavator_exact"
    command = (f"trunnion compare examples/excavator.yaml -o {name} --set 'solver.duration=20 ms' --set solver.constraints=double_step --set solver.integrator=rk4 "
               "--vary 'cylinders.*.friction.model=none' --vary solver.step=4ms")
    fresh = entries.Results([entries.Paper("failing", "", "", "", {name: command}, [], may_fail=True)], tmp_path, results.program)
    row, = open_questions.compared(fresh, name, "", ("law", "step"))
    assert (row["law"], row["step"], row["status"], row["error"]) == ("none", "4ms", "failed", "")
    assert open_questions.cell([row], ("error",)) == "failed"
    with pytest.raises(SystemExit):
        entries.Results([entries.Paper("failing", "", "", "", {name: command}, [])], tmp_path, results.program).run(name)
