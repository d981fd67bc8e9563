"""Simulations, states, linear models, descriptions, units."""
# SPDX-License-Identifier: BSD-3-Clause
import pickle
import sys
import threading
import types

import numpy as np
import pytest

import trunnion as tr


def test_steps_follow_the_run(lever):
    run = lever.run(2)
    sim = lever.simulation()
    for k in range(0, 2000, 20):
        assert sim.time == run.time[k] and sim["lever.angle"] == run["lever.angle"][k]
        sim.step(20)
    sim.run_until("2.25 s")
    assert sim.time == 2.25
    assert sim.outputs(["time", "lever.angle"]).tolist() == [2.25, sim["lever.angle"]]
    assert repr(sim).endswith("at 2.25 s>")


def test_io_is_steps_inputs_and_reads(driven):
    names = ["lever.angle", "lift.force", "piston_side.pressure"]
    sim, other = driven.simulation(), driven.simulation()
    io = sim.io(["command"], names)
    out = np.empty(3)
    for k in range(50):
        u = np.sin(0.1 * k) * 3
        if k % 3 == 0:
            y = io.step([u], n=2)
        elif k % 3 == 1:
            y = io.step(u, n=2, out=out)
            assert y is out
        else:
            y = io.step(np.array([u]), 2)
        other.inputs["command"] = u
        other.step(2)
        assert y.tolist() == [other[name] for name in names]
    assert np.array_equal(io.read(), y)
    before = sim.inputs["command"]
    io.step(None)
    assert sim.inputs["command"] == before == u


@pytest.mark.parametrize("call, error, text", [
    (lambda s: s.io(["comand"], []), tr.ModelError, "did you mean 'command'"),
    (lambda s: s.io("command", []), TypeError, "list of names"),
    (lambda s: s.io(["command"], []).step([1, 2]), tr.ModelError, r"shape \(2,\); expected \(1,\)"),
    (lambda s: s.io(["command"], []).step([[1]]), tr.ModelError, r"shape \(1, 1\)"),
    (lambda s: s.io(["command"], []).step([np.nan]), tr.ModelError, "command must be a finite number"),
    (lambda s: s.io([], ["time"]).step(out=np.empty(2)), tr.ModelError, "writeable array of 1"),
    (lambda s: s.io([], ["time"]).step(n=-1), tr.ModelError, "must not be negative"),
    (lambda s: s.step(-1), tr.ModelError, "must not be negative"),
    (lambda s: s.io([], ["time"]).step(out=[0.0]), tr.ModelError, "float64"),
    (lambda s: s.io([], ["time"]).step(out=np.empty(1, np.float32)), tr.ModelError, "float64"),  # a copy would be filled instead
    (lambda s: s.io([3], []), TypeError, "3 is not a name"),
    *[(lambda s, u=u: s.io(["command"], []).step(u), TypeError, "u must be an array of numbers") for u in ("x", "3", ["a"], {"command": 1}, 1 + 2j, 80 * "\u00e4")],
    (lambda s: s.io(["command", "command"], []), tr.ModelError, "the input 'command' is named twice"),
    (lambda s: s.io([], []).step(n=2.5), TypeError, "n must be an integer, not float"),
    (lambda s: s.io([], []).step(n="2"), TypeError, "n must be an integer, not str"),
    (lambda s: s.io([], []).step(n=2**70), TypeError, "n is too large"),
    (lambda s: s.io([], []).step(u=[1], m=2), TypeError, "takes u, n and out.*; found the names u, m"),
    (lambda s: tr.Io(), TypeError, "made by Simulation.io"),
    (lambda s: tr.Io(s, [], []), TypeError, "made by Simulation.io"),
    (lambda s: tr.State(), TypeError, "made by Simulation.save"),
    (lambda s: tr.State.from_bytes(3), TypeError, r"needs bytes\(state\), not int"),
    (lambda s: tr.State.from_bytes("x"), TypeError, r"needs bytes\(state\), not str"),
    (lambda s: tr.State.from_bytes(b""), tr.ModelError, "no state"),
    (lambda s: setattr(s, "inputs", {"command": 5}), AttributeError, "one by one"),
    (lambda s: setattr(s.inputs, "command", 5), AttributeError, "command"),
    (lambda s: setattr(s, "statee", 5), AttributeError, "statee"),
    (lambda s: setattr(s, "state", ["20 deg"]), tr.ModelError, "shape"),
    (lambda s: s.run_until(-1), tr.ModelError, "already"),
    (lambda s: s.ramp("command", 1, "1 m"), tr.ModelError, "slope: .*expected 1/s"),
    (lambda s: s.linearize(independent=[3]), TypeError, "3 is not a name"),
    (lambda s: s.transition(inputs=3), TypeError, "list of names, not int"),
    (lambda s: s["x"], tr.ModelError, "model.channels lists all"),
    (lambda s: s.parameters["x"], tr.ModelError, "model.parameters lists all"),
    (lambda s: s.io(None, []), TypeError, "list of names, not NoneType"),
    (lambda s: pickle.dumps(s.io([], [])), TypeError, "pickle the model"),
    (lambda s: s.step("2"), TypeError, "n must be an integer, not str"),
    (lambda s: s.step(2**70), TypeError, "too large"),
    (lambda s: s.inputs[3], TypeError, "3 is not a name"),
    (lambda s: s.inputs.__setitem__(3, 1), TypeError, "3 is not a name"),
    (lambda s: setattr(s, "state", "abc"), TypeError, "the state must be an array of numbers"),
    (lambda s: s.run_until(np.inf), tr.ModelError, "finite"),
    (lambda s: s.run_until("5 m"), tr.ModelError, "wrong unit; expected s"),
    (lambda s: s["lever.angel"], tr.ModelError, "did you mean 'lever.angle'"),
    (lambda s: s[0], TypeError, "names"),
    (lambda s: s["energy.stored"], tr.ModelError, ""),
    (lambda s: s.inputs.__setitem__("command", np.nan), tr.ModelError, "finite"),
    (lambda s: s.inputs.__setitem__("command", None), TypeError, "must be a number"),
    (lambda s: s.inputs.__setitem__("command", True), TypeError, "must be a number"),
    (lambda s: s.inputs.__delitem__("command"), TypeError, "cannot be removed"),
    (lambda s: s.parameters.__setitem__("bodies.lever.rod.mas", 1), tr.ModelError, "did you mean 'bodies.lever.rod.mass'"),
    (lambda s: s.parameters.__setitem__("bodies.lever.rod.mass", -1), tr.ModelError, "outside its limits"),
    (lambda s: s.parameters.__setitem__("bodies.lever.rod.mass", "3 m"), tr.ModelError, "wrong unit; expected kg"),
    (lambda s: setattr(s, "state", [1, 2]), tr.ModelError, "shape"),
    (lambda s: setattr(s, "state", np.full(5, np.nan)), tr.ModelError, "finite"),
    (lambda s: s.restore([1.0]), TypeError, "save"),
    (lambda s: s.restore(b"nothing"), tr.ModelError, "no state"),
    (lambda s: s.restart("fast"), tr.ModelError, "'stated', 'equilibrium' or 'steady'"),
    (lambda s: s.transition(), tr.ModelError, "no step"),
    (lambda s: s.linearize(outputs=["lever.angel"]), tr.ModelError, "lever.angle"),
    (lambda s: s.linearize(inputs=["nothing"]), tr.ModelError, "there is no input 'nothing'"),
    (lambda s: pickle.dumps(s), TypeError, "pickle its model"),
])
def test_misuse_is_refused_and_changes_nothing(driven, call, error, text):
    sim = driven.simulation()
    before = sim.save()
    with pytest.raises(error, match=text):
        call(sim)
    assert sim.save() == before
    sim.step()


def test_values_by_name_are_a_mapping(driven):
    sim = driven.simulation()
    assert "command" in sim.inputs and "comand" not in sim.inputs and 3 not in sim.parameters
    assert sim.inputs.get("comand") is None and sim.inputs.get("command", 5) == 0 == sim.inputs["command"]
    assert "lever.angle" in sim and "lever.angel" not in sim and 3 not in sim and list(sim) == [c.name for c in driven.channels]
    assert repr(sim.io(["command"], ["time", "lever.angle"])) == "<trunnion.Io: 1 inputs, 2 outputs>"


def test_a_simulation_needs_a_model():
    with pytest.raises(TypeError, match="trunnion.Model"):
        tr.Simulation("lever.yaml")
    with pytest.raises(TypeError, match="trunnion.Model"):
        tr.Batch("lever.yaml", 3)


def test_a_failed_simulation_stays_at_its_last_state(unstable):
    sim = unstable.simulation()
    for _ in range(2):
        with pytest.raises(tr.RunError) as caught:
            sim.step(100_000)
        assert caught.value.time == sim.time == 1 and caught.value.equations and caught.value.remedy
    assert np.isfinite(sim["crank.angle"])
    sim.restart()
    assert sim.time == 0
    sim.step(10)


def test_states_continue_bit_for_bit(driven, crane):
    sim = driven.simulation()
    sim.inputs["command"] = 4
    sim.step(100)
    saved = sim.save()
    sim.step(100)
    end = sim.save()
    for state in (saved, bytes(saved), tr.State.from_bytes(bytearray(bytes(saved))), pickle.loads(pickle.dumps(saved)), tr.State.from_bytes(bytes(saved))):
        other = driven.simulation()
        other.restore(state)
        assert other.time == pytest.approx(0.1)
        other.step(100)
        assert other.save() == end != saved
    with pytest.raises(tr.ModelError, match="another model"):
        crane.simulation().restore(saved)
    with pytest.raises(tr.ModelError):
        tr.State.from_bytes(bytes(saved)[:-3])
    sim.attach_ledger()
    sim.step(10)
    kept, energy = sim.save(), sim["energy.stored"] if "energy.stored" in [c.name for c in driven.channels] else sim["energy.residual"]
    sim.step(10)
    sim.restore(kept)
    name = "energy.stored" if "energy.stored" in [c.name for c in driven.channels] else "energy.residual"
    assert sim[name] == energy


def test_the_minimal_state_moves_the_machine(crane):
    sim = crane.simulation()
    x = sim.state
    names = sim.state_names
    assert len(names) == len(x) == len(sim.state_units) and "boom.angle" in names
    x[names.index("boom.angle")] += 0.01
    sim.state = x
    assert sim["boom.angle"] == x[names.index("boom.angle")]
    assert np.allclose(sim.state, x, rtol=1e-12)


def test_texts_with_units_are_numbers_wherever_they_stand(driven, lever):
    sim, other = driven.simulation(), driven.simulation()
    for s, value, slope in ((sim, "1", "2 1/s"), (other, 1, 2)):
        s.ramp("command", value, slope)
        s.step(10)
    assert sim.save() == other.save()
    x = sim.state.tolist()
    at = sim.state_names.index("lever.angle")
    sim.state = [*x[:at], "20 deg", *x[at + 1:]]
    assert sim.state[at] == pytest.approx(np.deg2rad(20), rel=1e-12)
    assert lever.sensitivities(["gravity.1"], ["lever.angle"], ["10 ms", 0.02]).times.tolist() == [0.01, 0.02]


def test_a_time_that_is_past_is_refused(driven):
    sim = driven.simulation()
    sim.run_until(0.3)
    sim.run_until(0.3)
    with pytest.raises(tr.ModelError, match=r"restart\(\)"):
        sim.run_until("100 ms")


def test_parameters_take_effect_as_overrides(lever):
    sim = lever.simulation()
    sim.parameters["bodies.lever.rod.mass"] = "150 kg"
    assert sim.parameters["bodies.lever.rod.mass"] == 150 and len(sim.parameters) == len(lever.parameters)
    sim.restart()
    sim.step(100)
    other = lever.replace({"bodies.lever.rod.mass": 150}).simulation()
    other.step(100)
    assert sim["piston_side.pressure"] == other["piston_side.pressure"] != lever.run(0.1)["piston_side.pressure"][-1]


def test_threads_step_in_parallel_and_one_simulation_belongs_to_one(driven):
    def work(sim):
        sim.inputs["command"] = 3
        sim.step(9_000)

    alone = driven.simulation()
    work(alone)
    sims = [driven.simulation() for _ in range(4)]
    threads = [threading.Thread(target=work, args=(sim,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(sim.save() == alone.save() for sim in sims)

    sim, refused = driven.simulation(), []  # at rest
    thread = threading.Thread(target=sim.step, args=(400_000,))
    thread.start()
    reads = [lambda: sim["lever.angle"], lambda: sim.time, lambda: sim._core.steps, lambda: sim._core.iterations]
    while thread.is_alive() and len(refused) < len(reads):  # only possible because the GIL is released
        try:
            reads[len(refused)]()
        except RuntimeError as error:
            refused.append(str(error))
    assert not thread.is_alive() or repr(sim).endswith("in use>")
    thread.join()
    assert len(refused) == len(reads) and all("another thread" in text for text in refused)
    assert sim.time == pytest.approx(400)


def test_linear_models_choose_inputs_and_outputs(driven):
    everything = driven.linearize(at="equilibrium")
    chosen = driven.linearize(at="equilibrium", inputs=["command"], outputs=["lever.angle", "piston_side.pressure"])
    n = len(chosen.states)
    assert chosen.A.shape == (n, n) and chosen.B.shape == (n, 1) and chosen.C.shape == (2, n) and chosen.D.shape == (2, 1)
    assert chosen.outputs == ["lever.angle", "piston_side.pressure"] and chosen.output_units == ["rad", "Pa"]
    assert np.array_equal(chosen.B[:, 0], everything.B[:, everything.inputs.index("command")])
    assert np.array_equal(chosen.C[1], everything.C[everything.outputs.index("piston_side.pressure")])
    assert np.allclose(sorted(np.linalg.eigvals(chosen.A), key=lambda v: (v.real, abs(v.imag)))[0].real, min(chosen.eigenvalues.real), rtol=1e-6)
    assert chosen.eigenvalues.dtype == complex and len(chosen.modes) == n and max(chosen.modes[0].participation) == 1
    assert chosen.stability in repr(chosen)
    moved = driven.linearize(at=0.3)
    assert moved.time == pytest.approx(0.3)
    with pytest.raises(tr.ModelError):
        driven.linearize(at="somewhere")


def test_linear_models_have_chosen_coordinates_and_both_sides_of_a_kink(root):
    four_bar = tr.Model(root / "examples/four_bar.yaml")
    pivoted, chosen = four_bar.linearize(), four_bar.linearize(independent=["rocker.angle"])
    assert pivoted.independent != ["rocker.angle"] and chosen.independent == ["rocker.angle"]
    assert np.allclose(pivoted.eigenvalues, chosen.eigenvalues, rtol=1e-8, atol=1e-8)
    with pytest.raises(tr.ModelError, match="did you mean rocker.angle"):
        four_bar.linearize(independent=["rocker.angel"])
    with pytest.raises(tr.RunError, match="choose fewer"):
        four_bar.linearize(independent=["rocker.angle", "crank.angle"])
    with pytest.raises(TypeError):
        four_bar.linearize(independent="rocker.angle")
    lever = tr.Model(root / "examples/lever.yaml").linearize(at="equilibrium", outputs=["lever.angle", "valve.flow_P"])
    other, = lever.other_sides
    column = lever.A[:, lever.states.index("valve.spool")]
    assert other.name == "valve.spool" and not other.is_input and not other.above and other.rates.shape == column.shape and other.outputs.shape == (2,)
    assert not np.allclose(other.rates, column)


def test_linear_models_go_to_control_and_scipy(driven, monkeypatch):
    calls = []

    def ss(A, B, C, D, *, states, inputs, outputs):
        for names in (states, inputs, outputs):  # the rules of python-control
            assert len(set(names)) == len(names) and not any("." in name for name in names)
        calls.append((A.shape, B.shape, C.shape, D.shape, states, inputs, outputs))
        return "system"

    monkeypatch.setitem(sys.modules, "control", types.SimpleNamespace(ss=ss))
    linear = driven.linearize(inputs=["command"], outputs=["lever.angle"])
    n = len(linear.states)
    assert linear.to_control() == "system"
    assert calls == [((n, n), (n, 1), (1, n), (1, 1), [name.replace(".", "_") for name in linear.states], ["command"], ["lever_angle"])]
    linear.outputs, calls[:] = ["a.b", "a_b", "a.b_2", "a_b.2"], []
    linear.to_control()
    assert calls[0][-1] == ["a_b_2", "a_b", "a_b_2_2", "a_b_2_3"]
    monkeypatch.setitem(sys.modules, "scipy", types.ModuleType("scipy"))
    monkeypatch.setitem(sys.modules, "scipy.signal", types.SimpleNamespace(StateSpace=lambda *m: [x.shape for x in m]))
    assert linear.to_scipy() == [(n, n), (n, 1), (1, n), (1, 1)]


def test_the_transition_predicts_a_step(driven):
    def stepped(dx, du):
        sim = driven.simulation()
        sim.inputs["command"] = 2
        sim.step(100)
        x = sim.state
        sim.state = x + dx
        sim.inputs["command"] = 2 + du
        sim.step()
        return sim

    sim = stepped(0, 0)
    F, G, P = sim.transition(inputs=["command"])
    n = len(sim.state)
    assert F.shape == (n, n) and G.shape == (n, 1) and P.shape == (n, 0)
    with pytest.raises(tr.ModelError, match="no parameter"):
        sim.transition(parameters=["cylinders.lift.bor"])
    assert sim.transition(parameters=["cylinders.lift.bore", "gravity.1"]).P.shape == (n, 2)
    d = np.zeros(n)
    d[0] = 1e-6
    change = (stepped(d, 0).state - stepped(-d, 0).state) / 2e-6
    assert np.allclose(change, F[:, 0], rtol=1e-4, atol=1e-6 * np.abs(F[:, 0]).max())


def test_descriptions_are_models(lever, tmp_path):
    yaml = pytest.importorskip("yaml")
    with open(lever.file, encoding="utf-8") as file:
        d = tr.Description(yaml.safe_load(file))
    assert np.array_equal(d.model().run(0.3)["lever.angle"], lever.run(0.3)["lever.angle"])
    d.cylinders.lift.bore = np.float64(0.063)
    d.save(tmp_path / "m.yaml")
    assert np.array_equal(tr.Model(tmp_path / "m.yaml").run(0.3)["lever.angle"],
                          lever.replace({"cylinders.lift.bore": "63 mm"}).run(0.3)["lever.angle"])
    again = pickle.loads(pickle.dumps(d))
    assert again == d and isinstance(again.cylinders, type(d.cylinders))


def test_parts_of_descriptions_are_sections_however_they_are_put_in():
    d = tr.Description(title="x")
    d.bodies.update({"a": {"rod": {"length": 1}}}, b={"rod": {}})
    d.bodies.setdefault("c", {"rod": {}})
    d.bodies |= {"d": {"rod": {}}}
    for both in (d.bodies | {"e": {"rod": {}}}, {"e": {"rod": {}}} | d.bodies):
        assert sorted(both) == ["a", "b", "c", "d", "e"] and all(type(both[name]) is type(d.bodies) for name in both)
    for name in "abcd":
        d.bodies[name].rod.mass = 2
        assert d["bodies"][name]["rod"]["mass"] == 2
    other = d.copy()
    other.bodies.a.rod.mass = 3
    assert type(other) is tr.Description and d.bodies.a.rod.mass == 2
    for shared in (tr.Description(d), tr.Description(bodies=d.bodies), {"title": "y"} | d):
        shared.bodies.a.rod.mass = 5
        assert d.bodies.a.rod.mass == 2
    d.bodies["items"].rod.mass = 4
    assert '"items"' in d.json()
    with pytest.raises(TypeError, match="must be a mapping such as"):
        tr.Description(3)
    with pytest.raises(TypeError, match="updated by a mapping, not int"):
        d.bodies |= 3


def test_findings_of_descriptions_have_paths():
    d = tr.Description(title="x")
    d.bodies.arm.rod = {"length": "1 kg", "mass": 2}
    d.joints.arm.revolute = {"parent": "grund", "axis": "z"}
    d.solver.step = "1 ms"
    with pytest.raises(tr.ModelError) as caught:
        d.model()
    findings = caught.value.findings
    assert {f.path for f in findings} >= {"bodies.arm.rod.length"}
    assert all(f.line > 0 and f.found for f in findings)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.findings == findings
    d.bodies.arm.rod.length = float("nan")
    with pytest.raises(tr.ModelError, match="bodies.arm.rod.length must be a finite number"):
        d.model()
    d.bodies.arm.rod.length = {1, 2}
    with pytest.raises(TypeError, match="bodies.arm.rod.length: a set"):
        d.model()


def test_models_say_what_they_are(lever, driven):
    assert repr(lever).startswith("<trunnion.Model 'Lever lifted") and "45 channels, 0 inputs" in repr(lever)
    assert [i.name for i in driven.inputs] == ["command"] and driven.inputs[0].max == 10
    bore = next(p for p in lever.parameters if p.name == "cylinders.lift.bore")
    assert bore.value == 0.05 and bore.unit == "m" and bore.meaning
    with pytest.raises(tr.ModelError) as caught:
        tr.Model(lever.file, {"cylinders.lift.boar": 1})
    assert caught.value.findings[0].path == "cylinders.lift.boar" and "bulk_modulus" in caught.value.findings[0].expected
    with pytest.raises(tr.ModelError, match="cannot be read"):
        tr.Model("nothing.yaml")


def test_infinite_parameters():
    model = tr.Model.from_text("""
trunnion: 1
gravity: [0, 0, 0]
bodies: {m: {point_mass: {mass: 10}}}
joints: {m: {prismatic: {parent: ground, axis: x}, position: 1}}
fluid: {density: 850, bulk_modulus: 1.5e9}
sources: {tank: {pressure: 1 bar}, pump: {pressure: 20 bar}}
volumes: {v: {volume: 1 L, pressure: 10 bar}}
valves: {o: {orifice: {A: pump, B: v, diameter: 1 mm}}}
cylinders: {c: {base: {body: ground}, rod_end: {body: m}, A: v, B: tank, bore: 50 mm, rod: 20 mm, chamber_length_A: 0.1, chamber_length_B: 0.4}}
solver: {step: 1 ms, duration: 1 s}
""")
    walls = "cylinders.c.bulk_modulus"
    sim, undisturbed = model.simulation(), model.simulation()
    assert sim.parameters[walls] == np.inf
    sim.parameters.update(dict(sim.parameters))
    for one in (sim, undisturbed):
        one.step(20)
    sim.parameters[walls] = 1e9
    sim.parameters[walls] = np.inf
    sim.step(5)
    undisturbed.step(5)
    assert np.array_equal(sim.state, undisturbed.state)
    with pytest.raises(tr.ModelError, match="finite"):
        sim.parameters["cylinders.c.bore"] = np.inf
    with pytest.raises(tr.ModelError, match="finite"):
        sim.parameters[walls] = np.nan
    fleet = tr.Batch(model, 2, randomize={walls: tr.uniform(1e9, 2e9)}, threads=100000)
    fleet.reset()
    fleet.step(n=3)
    assert not fleet.failed.any() and np.all(np.isfinite(fleet.parameters[walls]))


def test_units(lever, crane):
    every_parameter = [*lever.parameters, *crane.parameters]
    assert tr.to_si("5 N m", "N or N m") == 5 == tr.to_si(5, "-, m/rad or rad/m")
    assert tr.to_si("80 mm", "m") == 0.08 and tr.to_si(3) == 3 and tr.to_si(np.float32(0.5)) == 0.5
    assert tr.mm(50, 63).tolist() == [tr.to_si("50 mm"  , "m"), tr.to_si("63 mm", "m")]
    assert np.allclose(tr.bar(1, 2), [1e5, 2e5]) and np.allclose(tr.deg(180), [np.pi]) and np.allclose(tr.units("L/min", 6), [1e-4])
    assert all(tr.to_si(p.value, p.unit) == p.value for p in every_parameter)
    for value, unit, error in (("3 mm", "Pa", tr.ModelError), ("x", "m", tr.ModelError), ("5 m", 3, TypeError), ("5 m", "nonsense", tr.ModelError), ("5 m", "mm", tr.ModelError), (np.inf, "m", tr.ModelError), ([1], "m", TypeError), (None, "m", TypeError)):
        with pytest.raises(error):
            tr.to_si(value, unit)
    assert tr.mm([50, 63], 80).tolist() == tr.mm(50, 63, 80).tolist() and tr.mm().shape == (0,)
    with pytest.raises(tr.ModelError):
        tr.units("nonsense", 1)
    with pytest.raises(TypeError, match=r"the values \[mm\] must be an array of numbers, not 'x'"):
        tr.mm("x")


def test_stubs_name_what_the_extension_has(root):
    import ast

    from trunnion import _trunnion

    tree = ast.parse((root / "python/trunnion/_trunnion.pyi").read_text(encoding="utf-8"))
    classes = {node.name: {n.name if isinstance(n, ast.FunctionDef) else n.target.id for n in node.body if isinstance(n, (ast.FunctionDef, ast.AnnAssign))}
               for node in tree.body if isinstance(node, ast.ClassDef)}
    public = {name for name in dir(_trunnion) if not name.startswith("_")}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert public == set(classes) | functions | {"abi_version"}
    for name, members in classes.items():
        assert {m for m in dir(getattr(_trunnion, name)) if not m.startswith("_")} == {m for m in members if not m.startswith("_")}, name


def test_everything_public_is_documented():
    for name in tr.__all__:
        assert getattr(tr, name).__doc__, name
    for kind in (tr.Model, tr.Simulation, tr.Batch, tr.Result, tr.Sweep, tr.LinearSystem, tr.Description, tr.State, tr.Io, tr.Report, tr.Incident):
        for name, member in vars(kind).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, (property, classmethod, staticmethod))):
                assert member.__doc__, f"{kind.__name__}.{name}"


def test_gradients_are_those_of_sensitivities(lever):
    channels, times = ["lever.angle", "lift.length"], [0.5, 1.0]
    wanted = np.array([[0.3, 0.4], [0.9, 1.0]])
    found = lever.gradients(channels, times, weigh=lambda y: 2 * (y - wanted))
    assert len(found.parameters) == len(lever.parameters) and found.gradients.shape == (1, len(found.parameters))
    names = ["cylinders.lift.bore", "gravity.1", "signals.command.ramps.1.1"]
    forward = lever.sensitivities(names, channels, times)
    assert np.allclose(found.values, forward.values, rtol=1e-12)
    for name in names:
        expected = sum((2 * (found.values - wanted) * [forward.by(name, c) for c in channels]).ravel())
        assert np.allclose(found.by(name), expected, rtol=1e-8)
    ends = lever.gradients(channels, [0.5, 1.0], parameters=names)
    assert np.allclose(ends.by("gravity.1"), [forward.by("gravity.1", c)[-1] for c in channels], rtol=1e-8)
    with pytest.raises(tr.ModelError, match="gradients need a parameter"):
        lever.gradients(channels, times, parameters=[])
    with pytest.raises(ValueError, match="weigh returned the shape"):
        lever.gradients(channels, times, weigh=lambda y: y[0])
    with pytest.raises(ZeroDivisionError):
        lever.gradients(channels, times, weigh=lambda y: 1 / 0)
    with pytest.raises(tr.ModelError, match="sums over the run"):
        lever.gradients(["energy.supply"])


def test_sensitivities_are_those_of_runs(lever):
    names, channels = ["cylinders.lift.bore", "gravity.1"], ["lever.angle", "lift.force"]
    times = [0, 0.5, 1]
    found = lever.sensitivities(names, channels, times)
    assert found.derivatives.shape == (2, 2, 3) and found.values.shape == (2, 3) and found.times.tolist() == times
    assert found.by("gravity.1", "lift.force").tolist() == found.derivatives[1, 1].tolist()
    for name in names:
        value = next(p.value for p in lever.parameters if p.name == name)
        h = 1e-4 * abs(value)
        up, down = (lever.replace({name: value + d}).run(1) for d in (h, -h))
        for channel in channels:
            differences = np.array([up[channel][np.argmin(abs(up.time - t))] - down[channel][np.argmin(abs(down.time - t))] for t in times]) / (2 * h)
            assert np.allclose(found.by(name, channel), differences, rtol=1e-3, atol=1e-3 * np.abs(differences).max())
    assert lever.sensitivities(names, channels).times.shape == (201,)
    with pytest.raises(tr.ModelError, match="did you mean 'lift.force'"):
        lever.sensitivities(names, ["lift.forc"])
    with pytest.raises(tr.ModelError, match="times of sensitivities"):
        lever.sensitivities(names, channels, [1, 0])
    with pytest.raises(TypeError, match="list of names"):
        lever.sensitivities("gravity.1", channels)


def test_messages_are_kept():
    model = tr.Model.from_text("""
trunnion: 1
bodies: {arm: {rod: {length: 2 m, mass: 10 kg}}}
joints: {arm: {revolute: {parent: ground, axis: [0, -1, 0]}, angle: 20 deg}}
springs: {b: {joint: arm, stiffness: 300, damping: 20, rest: 0}}
forces: {motor: {joint: arm, load: 1 N m, signal: torque}}
control: {torque: {relay: {input: arm.angle, on: 0.5, off: 0.4, value_on: 0, value_off: 260}}}
solver: {step: 1 ms, duration: 1 s}
""")
    sim = model.simulation(start="steady")
    assert sim.messages == []
    sim.attach_messages()
    doubtful = [m for m in sim.messages if m.text.startswith("torque.mode: ")]
    assert len(doubtful) == 1 and doubtful[0].severity == "warning" and doubtful[0].time == 0
    sim.run_until(1)
    switched = [m for m in sim.messages if m.severity == "note"]
    assert [(m.time, True) for m in switched] == [(i.first_time, i.name in m.text) for m, i in zip(switched, sim.incidents)] and switched


def test_sampled_loops_are_judged():
    text = """
trunnion: 1
fluid: {density: 870 kg/m^3, bulk_modulus: 1500 MPa}
volumes: {v: {volume: 1 L, pressure: 5 MPa}}
sources: {feed: {flow: command, to: v}}
control: {command: {pid: {setpoint: 6e6, measurement: v.pressure, gain: GAIN, integral_time: 0.3 s}, period: 20 ms}}
solver: {step: 1 ms, duration: 1 s}
"""
    stable = tr.Model.from_text(text.replace("GAIN", "2e-12")).linearize()
    loop = stable.sampled_loop
    assert loop.period == 0.02 and loop.stability == "asymptotically_stable" and loop.states[:2] == ["v.pressure", "command.output"]
    z = np.linalg.eigvals(loop.F)
    assert loop.modes[0].eigenvalue.real == pytest.approx(np.log(np.max(np.abs(z))) / 0.02)
    unstable = tr.Model.from_text(text.replace("GAIN", "7e-11")).linearize().sampled_loop
    assert unstable.stability == "unstable" and unstable.modes[0].eigenvalue.real > 0 and "unstable" in unstable.text
    assert tr.Model.from_text(text.replace("GAIN", "2e-12").replace(", period: 20 ms", "")).linearize().sampled_loop is None
