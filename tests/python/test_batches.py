"""Batches and sweeps."""
# SPDX-License-Identifier: BSD-3-Clause
import itertools
import os
import pickle
import subprocess
import threading

import numpy as np
import pytest

import trunnion as tr

MASS = "bodies.lever.rod.mass"


def test_machines_are_single_simulations(driven):
    masses = np.linspace(80, 120, 5)
    actions = np.arange(5.0)[:, None] - 2
    for threads in (1, 2, 3):
        fleet = tr.Batch(driven, 5, threads=threads, inputs=["command"], outputs=["lever.angle", "lift.force"], parameters={MASS: masses})
        fleet.step(actions, n=70)
        y = fleet.step(n=30)
        assert y.shape == (5, 2) and fleet.time == pytest.approx(np.full(5, 0.1)) and len(fleet) == 5
        for i in range(5):
            sim = driven.simulation()
            sim.parameters[MASS] = masses[i]
            sim.restart()
            sim.inputs["command"] = actions[i, 0]
            sim.step(100)
            assert y[i].tolist() == [sim["lever.angle"], sim["lift.force"]]
            assert fleet.save(i) == sim.save()


def test_resets_are_seeded(driven):
    def fleet(**options):
        return tr.Batch(driven, 6, inputs=["command"], outputs=["piston_side.pressure"], randomize={MASS: tr.uniform("80 kg", 120)}, **options)

    a, b = fleet(), fleet(seed=3)
    first = a.reset(seed=1)
    assert first.shape == (6, 1) and len(set(first[:, 0])) == 6
    assert np.array_equal(b.reset(seed=1), first)
    second = a.reset()
    assert not np.array_equal(second, first) and np.array_equal(b.reset(), second)
    masses = a.parameters[MASS]
    assert masses.min() >= 80 and masses.max() <= 120
    assert not np.array_equal(a.reset(seed=2), first)
    mask = np.array([True, False, False, False, False, True])
    before = a.step(np.ones((6, 1)), n=5)
    y = a.reset(mask=mask)
    assert np.array_equal(y[1:5], before[1:5]) and np.all(y[[0, 5]] != before[[0, 5]])
    assert a.time.tolist() == pytest.approx([0, 0.005, 0.005, 0.005, 0.005, 0])
    alike = tr.Batch(driven, 3, outputs=["piston_side.pressure"])
    assert len(set(alike.reset(seed=1)[:, 0]) | set(alike.reset(seed=2)[:, 0])) == 1


@pytest.fixture
def failing(driven):
    """Machine 1 runs its piston out of its cylinder."""
    fleet = tr.Batch(driven, 3, threads=2, inputs=["command"], outputs=["lever.angle"])
    for _ in range(600):
        fleet.step(np.array([[0.0], [10.0], [0.5]]), n=20)
        if fleet.failed.any():
            return fleet
    pytest.fail("no machine failed")


def test_failed_machines_keep_their_state_and_restart(failing):
    assert failing.failed.tolist() == [False, True, False] and failing.failed.dtype == bool
    assert failing.error(1) and not failing.error(0) and "1 failed" in repr(failing)
    stopped, state = failing.time[1], failing.save(1)
    y = failing.step(n=5)
    assert failing.time[1] == stopped < failing.time[0] and np.isfinite(y).all() and failing.save(1) == state
    others = failing.time[[0, 2]]
    failing.reset(mask=failing.failed)
    assert not failing.failed.any() and failing.time[1] == 0 and np.array_equal(failing.time[[0, 2]], others)
    failing.step(n=1)
    failing.restore(1, failing.save(0))
    assert failing.save(1) == failing.save(0)


def test_a_batch_belongs_to_one_thread(driven):
    fleet, refused = tr.Batch(driven, 4, outputs=["lever.angle"]), []
    reads = [lambda: fleet.error(0), lambda: fleet.failed, lambda: fleet.time, fleet.read]
    thread = threading.Thread(target=fleet.step, kwargs={"n": 100_000})
    thread.start()
    while thread.is_alive() and len(refused) < len(reads):
        try:
            reads[len(refused)]()
        except RuntimeError as error:
            refused.append(str(error))
    thread.join()
    assert len(refused) == len(reads) and all("another thread" in text for text in refused) and fleet.error(0) == ""


def test_a_reset_without_a_start_leaves_all_machines_as_they_are(four_bar_lift):
    place = "loops.E.revolute.at.0.0"
    draws = [[2.0, 2.01, 2.0], [2.0, 20.0, 2.01], [2.0, 2.01, 2.0]]
    fleet = tr.Batch(four_bar_lift, 3, outputs=["lever.angle"], randomize={place: lambda random, n, unit: draws.pop(0)})
    fleet.reset()
    y = fleet.step(n=2)
    with pytest.raises(tr.ModelError, match="machine 1: .*does not close"):
        fleet.reset()
    assert fleet.parameters[place].tolist() == [2, 2.01, 2] and np.array_equal(fleet.read(), y) and not fleet.failed.any()
    fleet.reset()
    assert np.array_equal(fleet.step(n=2), y)


def test_a_failed_reset_is_followed_by_other_draws(driven):
    drawn = []

    def draw(random, n, unit):
        drawn.append(random.uniform(90, 110, n))
        return drawn[-1] if len(drawn) > 1 else -drawn[-1]

    fleet = tr.Batch(driven, 2, randomize={MASS: draw}, seed=1)
    with pytest.raises(tr.ModelError, match="machine 0: "):
        fleet.reset()
    fleet.reset()
    assert not np.array_equal(*drawn) and np.array_equal(fleet.parameters[MASS], drawn[-1])


def test_parameters_are_those_in_force(driven):
    draws = [[100.0, 110.0], [90.0, -1.0]]
    fleet = tr.Batch(driven, 2, randomize={MASS: lambda random, n, unit: draws.pop(0)})
    fleet.reset()
    with pytest.raises(tr.ModelError, match="outside its limits"):
        fleet.reset()
    assert fleet.parameters[MASS].tolist() == [100, 110]
    fleet.step(n=50)
    other = tr.Batch(driven, 2, parameters={MASS: [100, 110]})
    other.step(n=50)
    assert [fleet.save(i) for i in range(2)] == [other.save(i) for i in range(2)]
    with pytest.raises(TypeError):
        fleet.parameters[MASS] = 5
    with pytest.raises(ValueError):
        fleet.parameters[MASS][0] = 5


def test_uniform_is_pickled():
    drawn = [draw(np.random.default_rng(1), 3, "kg").tolist() for draw in (tr.uniform("80 kg", 120), pickle.loads(pickle.dumps(tr.uniform("80 kg", 120))))]
    assert drawn[0] == drawn[1] and repr(tr.uniform("80 kg", 120)) == "uniform('80 kg', 120)"


@pytest.mark.parametrize("low, high, error, text", [
    (2, 1, tr.ModelError, r"uniform\(2, 1\): low is above high"),
    ("120 kg", "80 kg", tr.ModelError, "low is above high"),
    ("2 m", "1500 mm", tr.ModelError, "low is above high"),
    (np.nan, 1, tr.ModelError, "low of uniform.* must be a finite number, not nan"),
    (1, np.nan, tr.ModelError, "high of uniform.* must be a finite number, not nan"),
    (0, np.inf, tr.ModelError, "finite"),
    ("80 kgs", 120, tr.ModelError, "low of uniform"),
    (None, 1, TypeError, "low of uniform"),
])
def test_uniform_is_refused_at_the_call(low, high, error, text):
    with pytest.raises(error, match=text):
        tr.uniform(low, high)


def test_uniform_of_equal_bounds_is_one_number():
    assert tr.uniform("1 m", "1000 mm")(np.random.default_rng(1), 3, "m").tolist() == [1, 1, 1]


def test_lanes(driven, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compiled = driven.replace({"solver.compiled": "on", "solver.duration": "50 ms"})

    def outputs(**options):
        fleet = tr.Batch(compiled, 9, inputs=["command"], outputs=["lever.angle", "piston_side.pressure"], parameters={MASS: np.linspace(80, 120, 9)},
                         **options)
        return fleet.remark, fleet.step(np.arange(9.0)[:, None] - 4, n=200)

    (remark, y), (empty, expected) = outputs(lanes="auto"), outputs()
    assert remark.startswith("lanes: ") and empty == ""
    assert np.all(abs(y - expected) < 1e-9 * abs(expected).max(axis=0))
    assert tr.Batch(driven, 2, lanes="auto").remark == "lanes: the general step"


@pytest.mark.parametrize("call, error, text", [
    (lambda m, f: tr.Batch(m, 0), tr.ModelError, "at least one machine"),
    (lambda m, f: tr.Batch(m, 2, threads=-1), tr.ModelError, "must not be negative"),
    (lambda m, f: tr.Batch(m, 2, inputs=["comand"]), tr.ModelError, "did you mean 'command'"),
    (lambda m, f: tr.Batch(m, 2, outputs="lever.angle"), TypeError, "list of names"),
    (lambda m, f: tr.Batch(m, 2, outputs=["energy.residual"]), tr.ModelError, "not kept in a batch"),
    (lambda m, f: tr.Batch(m, 2, parameters={"bodies.lever.rod.mas": 3}), tr.ModelError, "did you mean"),
    (lambda m, f: tr.Batch(m, 2, parameters={MASS: [1, 2, 3]}), tr.ModelError, "3 numbers for 2 machines"),
    (lambda m, f: tr.Batch(m, 2, parameters={MASS: "3 m"}), tr.ModelError, "wrong unit"),
    (lambda m, f: tr.Batch(m, 2, parameters={MASS: -1}), tr.ModelError, "outside its limits"),
    (lambda m, f: tr.Batch(m, 2, parameters={MASS: 1}, randomize={MASS: tr.uniform(1, 2)}), tr.ModelError, "in parameters and in randomize"),
    (lambda m, f: tr.Batch(m, 2, randomize={MASS: tr.uniform(2, 1)}).reset(), tr.ModelError, "above high"),
    (lambda m, f: tr.Batch(m, 2, randomize={MASS: lambda r, n, u: [1.0]}).reset(), tr.ModelError, "expected"),
    (lambda m, f: f.step([1, 2]), tr.ModelError, r"shape \(2,\); expected \(2, 1\)"),
    (lambda m, f: f.step([[1, 2], [3, 4]]), tr.ModelError, r"expected \(2, 1\)"),
    (lambda m, f: f.step([[1], [np.nan]]), tr.ModelError, "machine 1 must be a finite number"),
    (lambda m, f: tr.Batch(m, 2, lanes="on"), tr.ModelError, 'expected "off" or "auto", not \'on\''),
    (lambda m, f: tr.Batch(m, "3"), TypeError, "n must be an integer, not str"),
    (lambda m, f: tr.Batch(m, 2, threads=1.5), TypeError, "threads must be an integer, not float"),
    (lambda m, f: tr.Batch(m, 2, inputs=[3]), TypeError, "3 is not a name"),
    (lambda m, f: tr.Batch(m, 2, parameters=[1]), TypeError, "parameters must be a mapping"),
    (lambda m, f: tr.Batch(m, 2, parameters={MASS: np.ones((2, 1))}), tr.ModelError, r"shape \(2, 1\); expected one number per machine"),
    (lambda m, f: tr.Batch(m, 2, randomize={MASS: (80, 90)}), TypeError, "trunnion.uniform"),
    (lambda m, f: tr.Batch(m, 2, randomize={MASS: lambda r, n, u: ["a"] * n}).reset(), TypeError, "numbers drawn"),
    (lambda m, f: tr.Batch(m, 2**31), TypeError, "n is too large"),
    (lambda m, f: tr.Batch(m, 2, threads=2**33), TypeError, "threads is too large"),
    (lambda m, f: tr.Batch(m, 2, seed="x"), TypeError, "seed must be an integer"),
    (lambda m, f: f.reset(seed=-1), TypeError, "seed must be an integer"),
    (lambda m, f: f.step(n=2**31), TypeError, "n is too large"),
    (lambda m, f: f.step("x"), TypeError, "actions must be an array of numbers"),
    (lambda m, f: f.step(n=2.5), TypeError, "n must be an integer, not float"),
    (lambda m, f: f.record(2.5), TypeError, "n must be an integer, not float"),
    (lambda m, f: f.error("x"), TypeError, "machine must be an integer"),
    (lambda m, f: f.save(-1), tr.ModelError, "the batch has 2"),
    (lambda m, f: f.restore(0, None), TypeError, "save"),
    (lambda m, f: f.step(n=-1), tr.ModelError, "must not be negative"),
    (lambda m, f: f.reset(mask=[1, 0]), tr.ModelError, "bool"),
    (lambda m, f: f.reset(mask=[True]), tr.ModelError, "shape"),
    (lambda m, f: f.error(7), tr.ModelError, "no machine number 7"),
    (lambda m, f: f.restore(0, b"x"), tr.ModelError, "no state"),
])
def test_misuse_is_refused(driven, call, error, text):
    fleet = tr.Batch(driven, 2, inputs=["command"], outputs=["lever.angle"])
    before = fleet.save(0)
    with pytest.raises(error, match=text):
        call(driven, fleet)
    assert fleet.save(0) == before


def test_limits_of_inputs(driven):
    fleet = tr.Batch(driven, 2, inputs=["command"])
    assert fleet.input_low.tolist() == [-10] and fleet.input_high.tolist() == [10]


def test_sweeps_are_single_runs(lever):
    values = {"cylinders.lift.bore": ["50 mm", 0.063], MASS: [90, 100, 110]}
    kpi = {"p": "max(piston_side.pressure) / 1e5", "f": "final(lift.force) - min(lift.force)", "a": "-mean(abs(lever.rate)) ** 2"}
    results = [tr.sweep(lever, values, kpi, threads=threads, duration="0.8 s") for threads in (1, 2)]
    s = results[0]
    assert len(s) == 6 and list(s.table) == [*values, *kpi] and s.done.all() and not s.failed.any()
    for i, (bore, mass) in enumerate(itertools.product([0.05, 0.063], [90, 100, 110])):
        run = lever.replace({"cylinders.lift.bore": bore, MASS: mass}).run(0.8)
        assert (s["cylinders.lift.bore"][i], s[MASS][i]) == (bore, mass)
        assert s["p"][i] == run["piston_side.pressure"].max() / 1e5
        assert s["f"][i] == run["lift.force"][-1] - run["lift.force"].min()
        assert s["a"][i] == pytest.approx(-np.mean(np.abs(run["lever.rate"])) ** 2, rel=1e-12)
    assert all(np.array_equal(results[1][name], s[name]) for name in s.table)
    assert "<table>" in s._repr_html_() and "6 runs" in repr(s)


def test_sweeps_of_other_values_and_functions(lever):
    s = tr.sweep(lever, {"solver.step": ["1 ms", "2 ms"], "cylinders.lift.bore": ["50 mm", "63 mm"]},
                 {"a": "max(lever.angle)", "n": lambda r: len(r), "e": "final(energy.residual)"}, duration=0.3, threads=2, combine="zip")
    assert s["solver.step"].tolist() == ["1 ms", "2 ms"] and s["n"].tolist() == [301, 151]
    run = lever.replace({"solver.step": "2 ms", "cylinders.lift.bore": "63 mm"}).run(0.3)
    assert s["a"][1] == run["lever.angle"].max() and s["e"][1] == run["energy.residual"][-1]


def test_sweeps_of_values_that_change_the_structure(lever):
    leakage = "cylinders.lift.leakage"
    assert leakage in [p.name for p in lever.parameters]
    s = tr.sweep(lever, {leakage: [0, 1e-12, 1e-11]}, {"p": "final(piston_side.pressure)"}, duration=0.1)
    assert s.done.all() and not s.failed.any()
    for value, pressure in zip(s[leakage], s["p"]):
        assert lever.replace({leakage: value}).run(0.1)["piston_side.pressure"][-1] == pressure
    assert len(set(s["p"])) == 3


@pytest.mark.parametrize("kpi", ["max(lever.angle)", lambda r: r["lever.angle"].max()])
def test_values_without_a_model_are_rows_unless_all_are(lever, kpi):
    s = tr.sweep(lever, {"cylinders.lift.bore": [0.05, -1]}, {"a": kpi}, duration=0.05)
    assert s.failed.tolist() == [False, True] and np.isnan(s["a"][1]) and "greater than 0" in s.errors[1] and s["a"][0] > 0
    with pytest.raises(tr.ModelError, match="greater than 0"):
        tr.sweep(lever, {"cylinders.lift.bore": [-2, -1]}, {"a": kpi}, duration=0.05)


def test_a_kpi_that_fails_is_a_row_unless_all_do(lever):
    def failing(values):
        return lambda run: values.pop(0)() if values else run["lever.angle"].max()

    for value, text in ((lambda: None, "expected a number, not None"), (lambda: 1 / 0, "ZeroDivisionError: division by zero"), (lambda: "x", "not 'x'")):
        s = tr.sweep(lever, {MASS: [90, 100, 110]}, {"a": failing([value]), "b": "max(lever.angle)"}, duration=0.05)
        assert s.done.all() and s.failed.tolist() == [True, False, False] and np.isnan(s["a"]).tolist() == [True, False, False] and s["b"].min() > 0
        assert s.errors[0].startswith(f"KPI 'a' of run 0 ({MASS} = 90") and text in s.errors[0]
        with pytest.raises(tr.ModelError, match="KPI 'a' of run .*" + text) as caught:
            tr.sweep(lever, {MASS: [90, 100]}, {"a": failing([value] * 2)}, duration=0.05)
        assert isinstance(caught.value.__cause__, (TypeError, ZeroDivisionError))


@pytest.mark.parametrize("duration", [0.05, 0.0505])  # by batches, by single runs
def test_key_figures_that_are_not_finite_fail(lever, duration):
    kpi = {"a": "max(lever.angle) / (max(lever.angle) - max(lever.angle))", "b": "max(lever.angle)", "c": "0 / (max(lever.angle) - max(lever.angle))"}
    s = tr.sweep(lever, {MASS: [90, 100]}, kpi, duration=duration)
    assert s.failed.all() and np.isnan(s["a"]).all() and np.isnan(s["c"]).all() and (s["b"] > 0).all()
    assert all("is not a finite number" in text for text in s.errors)


def test_columns_of_sweeps_have_names(lever):
    s = tr.sweep(lever, {MASS: 100}, {"a": "max(lever.angle)"}, duration=0.01)
    assert "a" in s and "b" not in s and 0 not in s and list(s) == [MASS, "a"]
    with pytest.raises(TypeError, match="columns have names"):
        s[["a"]]


@pytest.mark.parametrize("options, error, text", [
    ({"sample": 3}, TypeError, "sample must be a text"), ({"keep": 3}, TypeError, "keep must be a text"), ({"overwrite": "x"}, TypeError, "True or False"),
    ({"folder": None}, TypeError, "folder must be a path, not NoneType"), ({"vary": {}}, tr.ModelError, "^vary: error: .*vary={path: values}"),
    ({"kpi": {}}, tr.ModelError, "^kpi: error: .*kpi={name: expression}"), ({"kpi": {"a": "max(lever.angl)"}}, tr.ModelError, "^kpi: error: "),
    ({"kpi": "max(lever.angle)"}, TypeError, r"such as \{'force': 'max"), ({"vary": {MASS: "50:60"}}, tr.ModelError, 'sample="lhs:N,SEED"'),
    ({"vary": {"x": [1]}}, tr.ModelError, "^vary: error: x: "),
])
def test_errors_of_sweeps_to_folders_name_arguments(lever, tmp_path, options, error, text):
    with pytest.raises(error, match=text) as caught:
        tr.sweep_to_folder(**{"model": lever, "folder": tmp_path / "sweep", "vary": {MASS: [1]}, "kpi": {"a": "max(lever.angle)"}, **options})
    assert "--" not in str(caught.value)


def test_a_failed_run_of_a_sweep_is_a_row(lever):
    s = tr.sweep(lever, {"sources.pump.pressure": ["10 MPa", "200 MPa"]}, {"a": "max(lever.angle)"})
    good = tr.sweep(lever, {"sources.pump.pressure": ["10 MPa"]}, {"a": "max(lever.angle)"})
    assert s["a"][0] == good["a"][0] and s.failed.tolist() == [False, True]
    assert np.isnan(s["a"][1]) and s.errors[1] and not s.errors[0]


@pytest.mark.parametrize("values, kpi, options, text", [
    ({}, {"a": "max(lever.angle)"}, {}, "at least one path"),
    ({MASS: []}, {"a": "max(lever.angle)"}, {}, "no values"),
    ({MASS: [1]}, {"a": "max(lever.angel)"}, {}, "did you mean 'lever.angle'"),
    ({MASS: [1]}, {"a": "lever.angle"}, {}, "course over time"),
    ({MASS: [1]}, {"a": "median(lever.angle)"}, {}, "the functions are max"),
    ({MASS: [1]}, {"a": "max(lever.angle"}, {}, "KPI"),
    ({MASS: [1]}, {"a": "[1]"}, {}, "only numbers"),
    ({MASS: [1]}, {"a": "__import__('os')"}, {}, "not usable"),
    ({MASS: ["1 m"]}, {"a": "max(lever.angle)"}, {}, "wrong unit"),
    ({MASS: [1]}, {"a": "max(lever.angle)"}, {"combine": "all"}, "product"),
    ({MASS: [1], "cylinders.lift.bore": [1, 2]}, {"a": "max(lever.angle)"}, {"combine": "zip"}, "equal length"),
    ({MASS: [1]}, {"a": "max(lever.angle)"}, {"duration": -1}, "above 0"),
    ({MASS: [1]}, {"a": "max(lever.angle)"}, {"threads": -1}, "negative"),
    ({MASS: [1]}, {"a": "max(lever.angle)"}, {"start": "x"}, "no start 'x'"),
    ({MASS: [1]}, {MASS: "max(lever.angle)"}, {}, "another name"),
    ({"no.such.path": [1]}, {"a": "max(lever.angle)"}, {}, "^values: error: no.such.path"),
])
def test_wrong_sweeps_are_refused(lever, values, kpi, options, text):
    with pytest.raises(tr.ModelError, match=text):
        tr.sweep(lever, values, kpi, **options)
    with pytest.raises(tr.ModelError, match="there is no column"):
        tr.sweep(lever, {MASS: [100]}, {"a": "max(lever.angle)"}, duration=0.01)["b"]


def test_sweeps_to_folders_are_those_of_the_program(lever, tmp_path):
    vary, kpi = {"cylinders.lift.bore": "50:60:5 mm", MASS: [90, 100]}, {"p": "max(piston_side.pressure)", "w": "rms(lift.force)/1000"}
    s = tr.sweep_to_folder(lever, tmp_path / "python", vary, kpi, threads=2)
    program = [os.environ["TRUNNION_PROGRAM"], "sweep", lever.file, "--vary", "cylinders.lift.bore=50:60:5 mm", "--vary", MASS + "=90,100", "-o", tmp_path / "program"]
    subprocess.run([*program, "--kpi", "p=" + kpi["p"], "--kpi", "w=" + kpi["w"]], check=True, capture_output=True)
    for name in ("sweep.h5", "sweep.csv", "sweep.json"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    assert s["cylinders.lift.bore"].tolist() == [0.05, 0.05, 0.055, 0.055, 0.06, 0.06] and s.done.all() and not s.failed.any()
    assert s["p"][3] == lever.replace({"cylinders.lift.bore": 0.055, MASS: 100}).run()["piston_side.pressure"].max()
    again = tr.sweep_to_folder(lever, tmp_path / "python", vary, kpi)
    assert np.array_equal(again["w"], s["w"])
    with pytest.raises(tr.ModelError, match="holds another sweep"):
        tr.sweep_to_folder(lever, tmp_path / "python", {MASS: [1]}, kpi)
    text = tr.sweep_to_folder(tr.Model.from_text(lever.yaml()), tmp_path / "text", {MASS: [90, -1]}, {"p": kpi["p"]})
    assert text.failed.tolist() == [False, True] and text["p"][0] == lever.replace({MASS: 90}).run()["piston_side.pressure"].max() and text.errors[1]
    with pytest.raises(TypeError, match="KPI 'p' must be a text"):
        tr.sweep_to_folder(lever, tmp_path / "wrong", {MASS: [1]}, {"p": max})


def test_sweeps_of_wrong_types_are_refused(lever):
    for arguments, text in (((lever, 3, {"a": "max(lever.angle)"}), "values must be a mapping"), ((lever, {MASS: [1]}, {"a": 3}), "KPI 'a' must be"),
                            ((lever, {MASS: [1]}, "max(lever.angle)"), r"kpi must be a mapping such as \{'force': 'max\(lift.force\)'\}"),
                            ((lever, {MASS: [1]}, {3: "max(lever.angle)"}), "3 is not a text"),
                            ((3, {}, {}), "trunnion.Model")):
        with pytest.raises(TypeError, match=text):
            tr.sweep(*arguments)
