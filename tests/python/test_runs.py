"""Runs, results and their files."""
# SPDX-License-Identifier: BSD-3-Clause
import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import time
import weakref

import numpy as np
import pytest

import trunnion as tr


def same_bits(a, b):
    return a.shape == b.shape and np.array_equal(a.view(np.int64), b.view(np.int64))


@pytest.mark.parametrize("name, overrides", [("lever", {"cylinders.lift.bore": "63 mm"}), ("excavator_quasistatic", {"solver.duration": "1 s"}),
                                             ("crane_single", {"solver.coupling": "cosimulation", "solver.duration": 0.5}),
                                             ("four_bar", {"record.every": 7, "record.channels": ["crank.angle", "energy.*"]})])
def test_a_run_is_bit_equal_to_the_program(name, overrides, program, root, tmp_path):
    from trunnion.units import override_text

    file = root / f"examples/{name}.yaml"
    sets = [part for path, value in overrides.items() for part in ("--set", f"{path}={override_text(value)}")]
    program("run", file, *sets, "-q", "-o", tmp_path / "run")
    stored, run = tr.read(tmp_path / "run"), tr.Model(file, overrides).run()
    assert run.channels == stored.channels and len(run) > 100
    assert all(same_bits(run[name], stored[name]) for name in run.channels)
    assert run.summary["energy"] == stored.summary["energy"]
    assert not stored.failed


def test_inputs_of_a_run_are_those_of_the_program(driven, program, root, tmp_path):
    times, values = np.array([0.0, 0.4, 1.1]), np.array([0.0, 3.3, -2.0])
    course = tmp_path / "u.csv"
    course.write_text("time,command\n" + "".join(f"{float(t)!r},{float(u)!r}\n" for t, u in zip(times, values)))
    program("run", driven.file, "--input", course, "--set", "solver.duration=1.5", "-q", "-o", tmp_path / "run")
    stored = tr.read(tmp_path / "run")
    for inputs in ({"command": (times, values)}, course):
        run = driven.run(1.5, inputs=inputs)
        assert same_bits(run["lever.angle"], stored["lever.angle"])
    assert np.ptp(stored["lever.angle"]) > 0.01
    texts = driven.run(1.5, inputs={"command": (["0 s", "400 ms", 1.1], [0, "3.3", -2])})
    assert same_bits(texts["lever.angle"], stored["lever.angle"])


@pytest.mark.parametrize("inputs, error", [({"command": np.nan}, tr.ModelError), ({"comand": 1}, tr.ModelError), ({"command": ([0, 1], [1])}, tr.ModelError),
                                           ({"command": ([1, 0], [1, 2])}, tr.ModelError), (3, TypeError),
                                           ({3: 1}, TypeError), ({"command": ([0, 1], ["a", "b"])}, tr.ModelError), ({"command": [1, 2, 3]}, TypeError)])
def test_wrong_inputs_of_a_run_are_refused(driven, inputs, error):
    with pytest.raises(error):
        driven.run(0.1, inputs=inputs)


def test_findings_of_inputs_name_no_temporary_file(driven):
    with pytest.raises(tr.ModelError, match="^inputs: error: inputs.command: the value 20 ") as caught:
        driven.run(0.1, inputs={"command": 20})
    assert [(f.file, f.line) for f in caught.value.findings] == [("inputs", 0)]


@pytest.mark.parametrize("call, error, text", [
    (lambda m, r: tr.Model(m.file, [1]), TypeError, "overrides must be a mapping"),
    (lambda m, r: tr.Model(m.file, {"cylinders.lift.bore": object()}), TypeError, "cylinders.lift.bore: a object"),
    (lambda m, r: tr.Model.from_text(3), TypeError, "must be a str"),
    (lambda m, r: tr.Model.from_compact(b"x"), TypeError, "must be a str"),
    (lambda m, r: m.replace(3), TypeError, "mapping"),
    (lambda m, r: m.run(0.1, on_progress=3), TypeError, "function of the time"),
    (lambda m, r: m.linearize(at="somewhere"), tr.ModelError, "expected 'stated', 'equilibrium', 'steady' or a time"),
    (lambda m, r: m.linearize(at=-1), tr.ModelError, "must not be negative"),
    (lambda m, r: m.curve(commands=["x"]), TypeError, "commands must be an array of numbers"),
    (lambda m, r: m.curve(3), TypeError, "actuator must be a text"),
    (lambda m, r: m.curve("lift"), tr.ModelError, "actuator: error"),
    (lambda m, r: m.linearize(independent=[3]), TypeError, "3 is not a name"),
    (lambda m, r: m.linearize(independent=None), TypeError, "list of names, not NoneType"),
    (lambda m, r: m.linearize(inputs=3), TypeError, "inputs must be a list of names, not int"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["time"], threads="x"), TypeError, "threads must be an integer, not str"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["time"], threads=1.5), TypeError, "threads must be an integer, not float"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["time"], threads=-1), tr.ModelError, "threads must not be negative"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["time"], [[0, 1], [2, 3]]), tr.ModelError, r"list of times \[s\], but have shape \(2, 2\)"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["time"], 1.0), tr.ModelError, "list of times"),
    (lambda m, r: m.sensitivities(["x"], ["time"]), tr.ModelError, "model.parameters lists all"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["x"]), tr.ModelError, "model.channels lists all"),
    (lambda m, r: m.sensitivities(["gravity.1"], ["lever.angle"], [0.01]).by("x", "lever.angle"), tr.ModelError, "the parameters are gravity.1"),
    (lambda m, r: m.gradients(["lever.angle"], parameters=3), TypeError, "parameters must be a list of names, not int"),
    (lambda m, r: m.gradients(["lever.angle"], []), tr.ModelError, "list of times"),
    (lambda m, r: m.gradients(["lever.angle"], weigh=3), TypeError, "weigh must be a function"),
    (lambda m, r: m.gradients(["lever.angle"], [0.01], lambda y: y * np.nan, ["gravity.1"]), tr.ModelError, "finite numbers"),
    (lambda m, r: tr.Model(3), TypeError, "must be a path, not int"),
    (lambda m, r: tr.Model(m.file, {"x": 1}), tr.ModelError, "^overrides: error: x: "),
    (lambda m, r: tr.read(3), TypeError, "folder must be a path"),
    (lambda m, r: r.save(3), TypeError, "folder must be a path"),
    (lambda m, r: r.report("x.html", [3]), TypeError, "3 is not a name"),
    (lambda m, r: r.array(3), TypeError, "list of names, not int"),
    (lambda m, r: r.array("time"), TypeError, "list of names"),
    (lambda m, r: r["nothing"], tr.ModelError, ".channels lists all"),
])
def test_misuse_of_models_and_results_says_what_to_do(lever, call, error, text):
    with pytest.raises(error, match=text):
        call(lever, lever.run(0.01))


def test_columns_are_views_that_outlive_the_run(lever):
    run = lever.run(0.5)
    angle = run["lever.angle"]
    assert angle.base is not None and not angle.flags.owndata and not angle.flags.writeable
    assert angle.__array_interface__["data"][0] == run["lever.angle"].__array_interface__["data"][0]
    before = angle.copy()
    del run
    lever.run(0.5)
    assert np.array_equal(angle, before)
    with pytest.raises(ValueError):
        angle[0] = 1


def test_a_result_says_what_it_is(lever):
    run = lever.run(0.2)
    assert "Lever" in repr(run) and "201 records" in repr(run)
    assert run.units["lever.angle"] == "rad" and run.units["piston_side.pressure"] == "Pa" and run.meanings["lever.angle"]
    assert "<table>" in run._repr_html_() and "lever.angle" in run._repr_html_()
    assert run.array(["time", "lever.angle"]).shape == (201, 2) and run.array([]).shape == (201, 0)
    with pytest.raises(tr.ModelError, match="did you mean 'lever.angle'"):
        run["lever.angl"]
    with pytest.raises(TypeError):
        run[3]


def test_results_are_saved_and_read(lever, tmp_path):
    run = lever.run(0.2)
    run.save(tmp_path / "a")
    again = tr.read(tmp_path / "a")
    assert again.channels == run.channels and same_bits(again["lift.force"], run["lift.force"])
    assert again.summary["status"] == "completed" == run.summary["status"]
    with pytest.raises(tr.ModelError, match="copy its folder"):
        again.save(tmp_path / "b")
    assert again.units == run.units and again.meanings == run.meanings and again.title == run.title
    with pytest.raises(tr.ModelError, match="neither results.h5 nor results.csv"):
        tr.read(tmp_path)


def test_results_are_read_without_h5py(lever, tmp_path, monkeypatch):
    """One reader for all: units come from results.h5, by the library; results.csv alone has the same numbers and no units."""
    monkeypatch.setitem(sys.modules, "h5py", None)
    run = lever.run(0.2)
    run.save(tmp_path)
    stored = tr.read(tmp_path)
    assert stored.units["piston_side.pressure"] == "Pa" and stored.meanings["lever.angle"] == run.meanings["lever.angle"]
    assert not stored["lever.angle"].flags.writeable
    (tmp_path / "results.h5").rename(tmp_path / "moved.h5")
    table, alone = tr.read(tmp_path), tr.read(tmp_path / "moved.h5")
    assert table.units["piston_side.pressure"] == "" and alone.units == run.units
    assert all(same_bits(table[name], run[name]) and same_bits(alone[name], run[name]) for name in run.channels)
    for name in ("results.csv", "summary.json"):
        (tmp_path / name).rename(tmp_path / f"{name}.part")
    unfinished = tr.read(tmp_path)
    assert unfinished.failed and "killed" in repr(unfinished) and same_bits(unfinished["lever.angle"], run["lever.angle"])
    (tmp_path / "results.csv.part").write_text("time,x\n0,y\n0,1\n")
    with pytest.raises(tr.ModelError, match="no number in the column 2"):
        tr.read(tmp_path)

def test_a_report_is_a_page_or_says_why_not(lever, tmp_path):
    run = lever.run(0.2)
    try:
        report = run.report(tmp_path / "x.html")
    except tr.ModelError as error:
        assert "TRUNNION_VIEWER" in str(error)
        return
    assert (tmp_path / "x.html").stat().st_size > 100_000
    assert report._repr_html_().startswith("<iframe srcdoc=")


def test_results_pickle(lever):
    run = lever.run(0.2)
    again = pickle.loads(pickle.dumps(run))
    assert same_bits(again["lever.angle"], run["lever.angle"]) and again.units == run.units and not again.failed
    with pytest.raises(tr.ModelError, match="another process"):
        again.save("x")


def test_models_pickle_by_text(crane):
    for again in (pickle.loads(pickle.dumps(crane)), copy.deepcopy(crane)):
        assert again.fingerprint == crane.fingerprint
        assert same_bits(again.run(0.3)["boom.angle"], crane.run(0.3)["boom.angle"])
    heavier = pickle.loads(pickle.dumps(crane)).replace({"cylinders.lift.bore": "90 mm"})
    assert same_bits(heavier.run(0.3)["boom.angle"], crane.replace({"cylinders.lift.bore": "90 mm"}).run(0.3)["boom.angle"])
    assert not same_bits(heavier.run(0.3)["v1.pressure"], crane.run(0.3)["v1.pressure"])


def test_a_failing_run_keeps_its_results(unstable):
    with pytest.raises(tr.RunError) as caught:
        unstable.run()
    error = caught.value
    assert 0 < error.time < unstable.duration and error.equations and error.remedy
    assert error.result.failed and error.result.time[-1] == error.time and len(error.result) > 10
    assert "failed" in repr(error.result)
    again = pickle.loads(pickle.dumps(error))
    assert again.time == error.time and again.result.failed


def test_progress_is_reported_and_its_errors_end_the_run(lever):
    times = []
    lever.run(1, on_progress=times.append)
    assert len(times) == 1000 // 64 and times == sorted(times)

    def refuse(time):
        raise ZeroDivisionError(time)

    with pytest.raises(ZeroDivisionError):
        lever.run(1, on_progress=refuse)


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_a_run_that_its_progress_ends_is_freed(lever, kind):
    class Refuse:
        def __call__(self, time):
            raise kind

    refuse = Refuse()  # lives as long as the frame of the run, which has the result
    freed = weakref.ref(refuse)
    with pytest.raises(tr.Interrupted if kind is KeyboardInterrupt else kind) as caught:
        lever.run(1, on_progress=refuse)
    if kind is ZeroDivisionError:
        assert caught.traceback[-1].name == "__call__"
    del refuse, caught
    gc.collect()
    assert freed() is None


def test_progress_bars_need_no_tqdm(lever, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert len(lever.run(0.1, progress=True)) == 101


def test_progress_bars_use_tqdm(lever, monkeypatch):
    import types

    class Bar:
        made = []

        def __init__(self, **options):
            self.n, self.total, self.closed = 0, options["total"], False
            Bar.made.append(self)

        def update(self, n):
            self.n += n

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    lever.run(1, progress=True)
    assert Bar.made[0].closed and 0.9 < Bar.made[0].n <= Bar.made[0].total == 1
    tr.sweep(lever, {"cylinders.lift.bore": tr.mm(50, 63)}, {"a": "max(lever.angle)"}, duration=0.05, progress=True)
    assert Bar.made[1].closed and Bar.made[1].n == 2


INTERRUPTED = """
import sys, trunnion as tr
m = tr.Model(sys.argv[1], {"solver.duration": "1000 s"})
print("ready", flush=True)
try:
    {call}
except tr.Interrupted as stop:
    print("stopped", {kept}, flush=True)
"""


@pytest.mark.parametrize("call, kept", [
    ("m.run()", "len(stop.result), stop.result.failed"),
    ("s = m.simulation(); s.run_until(10**6)", "s.time > 0, stop.result is s and stop.steps == s._core.steps"),
    ("s = m.simulation(); s.step(10**9)", "round(s.time / m.step_size) == stop.steps > 0, stop.result is s and s.step() is None"),
    ("s = m.simulation(); io = s.io([], ['time']); io.step(n=10**9)", "round(io.read()[0] / m.step_size) == stop.steps > 0, stop.result is io"),
    ("b = tr.Batch(m, 500, 2, outputs=['time']); b.step(n=10**8)", "stop.steps > 0, stop.result is b and set((b.read()[:, 0] / m.step_size).round()) == {stop.steps}"),
    ("b = tr.Batch(m, 50, outputs=['time']); b.record(10**6)",
     "len(stop.result) - 1 == stop.steps > 0, stop.result.shape[1:] == (50, 1) and (stop.result[-1] == b.read()).all()"),
    ("tr.sweep(m, {'cylinders.lift.bore': [0.05, 0.06]}, {'a': 'max(lever.angle)'})", "len(stop.result) == 2, not stop.result.done.any()"),
    ("tr.sweep(m, {'cylinders.lift.bore': [0.05, 0.06]}, {'a': lambda r: len(r)})", "len(stop.result) == 2, not stop.result.done.any()"),
    ("tr.sweep(m, {'cylinders.lift.bore': [0.05 + 1e-5 * i for i in range(500)]}, {'a': 'max(lever.angle)'}, duration=3)", "stop.result.done.sum(), True"),
    ("m.sensitivities(['gravity.1', 'cylinders.lift.bore'], ['lever.angle'], threads=1)", "stop.result is None, True"),
    ("m.sensitivities([p.name for p in m.parameters][:8], ['lever.angle'], threads=2)", "stop.result is None, True"),
    ("m.gradients(['lever.angle'])", "stop.result is None, True"),
    ("import tempfile; tr.sweep_to_folder(m, tempfile.mkdtemp(), {'cylinders.lift.bore': [0.05 + 1e-5 * i for i in range(500)], 'solver.duration': [20]}, "
     "{'a': 'max(lever.angle)'})", "stop.result is None, 'goes on' in str(stop)"),
])
def test_ctrl_c_keeps_what_there_is(call, kept, root):
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED.replace("{call}", call).replace("{kept}", kept), str(root / "examples/lever.yaml")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.7)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    word, count, flag = out.split()
    assert word == "stopped" and flag == "True" and (count == "True" or int(count) > 0), (out, err)


class Stop(Exception):
    """Of a signal handler."""


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Stop])
def test_steps_that_were_interrupted_continue_bit_for_bit(kind, driven):
    """A signal during a call ends it between two steps; what a handler raises other than KeyboardInterrupt is raised as it is."""
    def handler(*_):
        raise kind("x")

    def interrupted(call):
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        try:
            with pytest.raises(tr.Interrupted if kind is KeyboardInterrupt else Stop) as caught:
                call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return caught.value

    sim = driven.simulation()
    sim.inputs["command"] = 0.1
    stop = interrupted(lambda: sim.step(10**8))
    done = round(sim.time / driven.step_size)
    assert done > 0 and done % 64 == 0
    if kind is KeyboardInterrupt:
        assert (stop.steps, stop.result) == (done, sim) and f"after {done} of 100000000 steps" in str(stop)
    other = driven.simulation()
    other.inputs["command"] = 0.1
    other.step(done)
    assert sim.save() == other.save()
    sim.step(10)
    other.step(10)
    assert sim.save() == other.save()

    fleet = tr.Batch(driven, 64, threads=2, inputs=["command"], outputs=["lever.angle"])
    stop = interrupted(lambda: fleet.step(np.linspace(-0.1, 0.1, 64)[:, None], n=10**8))
    steps = np.unique(np.round(fleet.time / driven.step_size))
    assert len(steps) == 1 and steps[0] > 0
    if kind is KeyboardInterrupt:
        assert (stop.steps, stop.result) == (steps[0], fleet)
    again = tr.Batch(driven, 64, inputs=["command"], outputs=["lever.angle"])
    assert np.array_equal(again.step(np.linspace(-0.1, 0.1, 64)[:, None], n=int(steps[0])), fleet.read())
    assert np.array_equal(again.step(n=7), fleet.step(n=7))


def test_memory_does_not_grow(driven):
    """2000 simulations and batches created and dropped; benchmarks/python_benchmark.py does it 100 000 times."""

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def use(n):
        for _ in range(n):
            sim = driven.simulation()
            io = sim.io(["command"], ["lever.angle"])
            io.step([1.0])
            sim.save()
            sim.inputs["command"] = 1

    use(500)
    before = resident()
    use(2000)
    assert resident() - before < 2e6


def test_optional_packages_are_named_when_missing(lever, monkeypatch):
    run = lever.run(0.05)
    linear = lever.linearize()
    sweep = tr.sweep(lever, {"cylinders.lift.bore": ["50 mm"]}, {"a": "max(lever.angle)"}, duration=0.05)
    for module, call in (("pandas", run.to_pandas), ("pandas", lambda: sweep.frame), ("scipy.signal", linear.to_scipy), ("control", linear.to_control)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=f"pip install {module.split('.')[0]}"):
            call()


def test_pandas_frames(lever):
    pandas = pytest.importorskip("pandas")
    frame = lever.run(0.05).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and frame.attrs["units"]["lever.angle"] == "rad"


def test_pandas_frames_of_a_stand_in(lever, monkeypatch):
    import types

    class Frame(dict):
        def __init__(self, columns, index=None):
            super().__init__(columns)
            self.index, self.attrs = index, {}

    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=Frame, Index=lambda values, name: (name, values)))
    frame = lever.run(0.05).to_pandas()
    assert frame.index[0] == "time" and len(frame.index[1]) == len(frame["lever.angle"]) and "time" not in frame
    assert frame.attrs["units"]["lever.angle"] == "rad"
