"""The closed loops of docs/closed_loops: every figure of the pages, and machines that miss it."""
# SPDX-License-Identifier: BSD-3-Clause
import json
import re

import numpy as np
import pytest

import trunnion as tr


@pytest.fixture(scope="session")
def run(root):
    """Run of an example with other values; kept, as several tests read the unchanged ones."""
    done = {}

    def run_example(name, **overrides):
        key = (name, repr(overrides))
        if key not in done:
            done[key] = tr.Model(root / f"examples/{name}.yaml", overrides).run()
        return done[key]

    return run_example


def during(result, start, end):
    return (result.time >= start) & (result.time <= end)


# ---------------------------------------------------------------- position servo


def servo_deviation(result):
    return 1e3 * (result["target.signal"] - result["ram.length"])


def test_servo_follows_its_motion_within_a_millimetre(run):
    servo = run("position_servo")
    motion = during(servo, 0, 2.79)
    assert np.ptp(1e3 * servo["ram.length"][motion]) > 249
    assert np.abs(servo_deviation(servo)[motion]).max() < 1
    without = run("position_servo", **{"control.position.pid.feedforward": 0})
    assert np.abs(servo_deviation(without)[motion]).max() > 5


def overshoot_and_settling(result, start, end):
    """Beyond the target [mm], and the time after which the deviation stays below 1 mm [s]."""
    step = during(result, start + 1e-3, end)
    deviation, time = servo_deviation(result)[step], result.time[step] - start
    return (-np.sign(deviation[0]) * deviation).max(), time[np.abs(deviation) > 1].max()


def test_servo_settles_without_overshoot(run):
    servo = run("position_servo")
    overshoot, settled = overshoot_and_settling(servo, 2.8, 3.6)
    assert overshoot < 0.1 and settled < 0.4
    overshoot, settled = overshoot_and_settling(servo, 3.6, 4.4)
    assert overshoot < 1.1 and settled < 0.5
    assert servo["servo_valve.spool"].min() < -0.99
    unfiltered = run("position_servo", **{"control.approach.lead_lag.lead": "0.2 s"})
    assert overshoot_and_settling(unfiltered, 2.8, 3.6)[0] > 4


# ---------------------------------------------------------------- active damping


def damping_of_the_oscillation(root, gain):
    linear = tr.Model(root / "examples/active_damping.yaml", {"parameters.feedback": gain}).linearize(at="steady")
    values = np.array(linear.eigenvalues)
    oscillation = values[(values.imag > 30) & (values.imag < 40)]
    assert len(oscillation) == 1
    return -oscillation[0].real / abs(oscillation[0])


def test_pressure_feedback_damps_monotonically(root):
    ratios = [damping_of_the_oscillation(root, gain) for gain in (0, 5e-9, 1e-8, 1.5e-8, 2e-8, 2.5e-8, 3e-8)]
    assert np.all(np.diff(ratios) > 0.05)
    assert ratios[0] == pytest.approx(0.006, abs=0.0005) and ratios[4] == pytest.approx(0.373, abs=0.002) and ratios[6] == pytest.approx(0.607, abs=0.003)
    assert damping_of_the_oscillation(root, -2e-9) < 0


def test_the_limit_of_the_feedback_is_where_the_slow_mode_loses_its_damping(root, program, tmp_path):
    program("linearize", root / "examples/active_damping.yaml", "--steady", "--find-zero", "parameters.feedback=0:1e-7", "-o", tmp_path / "limit")
    limit, = json.loads((tmp_path / "limit/find_zero.json").read_text())["crossings"]
    assert limit["value"] == pytest.approx(5.98e-8, abs=0.01e-8) and limit["frequency_hz"] == pytest.approx(0.70, abs=0.01) and limit["better"] == "below"

    def rightmost(gain):  # of the oscillations, through the other interface
        values = np.array(tr.Model(root / "examples/active_damping.yaml", {"parameters.feedback": gain}).linearize(at="steady").eigenvalues)
        return values[values.imag > 0].real.max()

    assert rightmost(0.999 * limit["value"]) < 0 < rightmost(1.001 * limit["value"])


def test_the_boom_comes_to_rest_with_pressure_feedback_only(run):
    damped, undamped = run("active_damping"), run("active_damping", **{"parameters.feedback": 0})

    def swing(result, start):
        return np.ptp(result["head.pressure"][during(result, start, start + 0.25)])

    assert swing(undamped, 3) > 80e5 and swing(damped, 3) < 0.02 * swing(undamped, 3)
    assert swing(undamped, 3) > 0.6 * swing(undamped, 2.2)
    assert np.abs(damped["boom.angle"] - damped["target.signal"])[during(damped, 4, 5)].max() < np.deg2rad(0.2)


# ---------------------------------------------------------------- excavator


def deviation_from_the_line(result):
    stroke = during(result, 2.5, 8.5)
    return 1e3 * np.abs(result["teeth.position_z"] - result["path_z.signal"])[stroke].max()


def test_excavator_levels_a_trench(run):
    trench = run("excavator_autonomous")
    assert deviation_from_the_line(trench) < 5
    assert np.ptp(trench["teeth.position_x"][during(trench, 2.5, 8.5)]) > 2.48
    attitude = trench["boom.angle"] + trench["arm.angle"] + trench["bucket.angle"]
    assert np.abs(np.rad2deg(attitude) + 95)[during(trench, 2.5, 8.5)].max() < 1
    assert 9e3 < trench["teeth.resistance"].max() < 10.5e3


@pytest.mark.parametrize("overrides, least", [({"control.*_open.pid.feedforward": 0}, 12),
                                              ({"control.*_lever.dead_band_compensation.positive": 0, "control.*_lever.dead_band_compensation.negative": 0}, 15)])
def test_a_worse_controller_of_the_excavator_misses_the_line(run, overrides, least):
    assert deviation_from_the_line(run("excavator_autonomous", **overrides)) > least


def error_of_the_kinematics(result):
    """Deviation of a length minus that of its angle times its lever arm, at most [m]: zero where the expressions describe the mechanism."""
    errors = []
    for part, cylinder in (("boom", "boom_left"), ("arm", "arm_lift"), ("bucket", "bucket_curl")):
        moving = np.abs(result[f"{part}.rate"]) > 0.02
        assert moving.sum() > 1000
        lever = result[f"{cylinder}.rate"][moving] / result[f"{part}.rate"][moving]
        errors.append(result[f"{cylinder}.length"] - result[f"{part}_target.output"])
        errors[-1] = np.abs(errors[-1][moving] - lever * (result[f"{part}.angle"] - result[f"{part}_to.output"])[moving]).max()
    return max(errors)


def test_expressions_of_the_kinematics_describe_the_mechanism(run):
    channels = ["*", *(f"{part}_{what}.output" for part in ("boom", "arm", "bucket") for what in ("to", "target"))]
    assert error_of_the_kinematics(run("excavator_autonomous", **{"record.channels": channels})) < 1e-5
    wrong = {"control.bucket_target.expression": "sqrt((1.841 + 0.62*cos(rocker_to))^2 + (-0.58 + 0.62*sin(rocker_to))^2)"}
    assert error_of_the_kinematics(run("excavator_autonomous", **{"record.channels": channels}, **wrong)) > 5e-4


def error_of_the_operator(result):
    """Of the teeth from the level line, while they are pulled along it [mm]."""
    x = result["teeth.position_x"]
    return 1e3 * np.abs(result["teeth.position_z"] + 0.15)[(x < 6.6) & (x > 4.5)].max()


def test_an_operator_model_levels_the_same_trench(run):
    trench = run("excavator_operator")
    assert error_of_the_operator(trench) < 6
    assert abs(trench["teeth.position_x"][-1] - 4.4) < 2e-3 and trench["trench.output"][-1] == pytest.approx(2.7, abs=1e-9)
    attitude = trench["boom.angle"] + trench["arm.angle"] + trench["bucket.angle"]
    assert np.abs(np.rad2deg(attitude) + 95).max() < 1.5
    assert error_of_the_operator(run("excavator_operator", **{"control.*_open.pid.feedforward": 0})) > 9


# ---------------------------------------------------------------- hydrostatic drive


def test_drive_follows_its_ramp_and_brakes_on_the_pump(run):
    drive = run("hydrostatic_drive")
    deviation = np.abs(drive["flywheel.rate"] - drive["ramp.output"])
    assert deviation.max() < 12 and deviation[during(drive, 3, 4)].max() < 5
    assert drive["flywheel.rate"].max() > 175 and drive["flywheel.rate"].min() < -115
    braking = during(drive, 5.5, 6.7)
    assert np.all(drive["side_B.pressure"][braking] > 4 * drive["side_A.pressure"][braking])
    assert 35e3 < drive["main.power"].max() < 37e3
    assert np.abs(drive["engine.rate"] - 2000 * np.pi / 30).max() < 4
    unloaded = run("hydrostatic_drive", **{"springs.governor.damping": "8 N m s/rad", "forces.throttle.load": "1675.516 N m"})
    assert np.abs(unloaded["engine.rate"] - 2000 * np.pi / 30).max() > 10
    slow = run("hydrostatic_drive", **{"control.swash.pid.gain": 0})
    assert np.abs(slow["flywheel.rate"] - slow["ramp.output"]).max() > 14


def test_charge_pump_keeps_the_low_side_filled(run):
    drive = run("hydrostatic_drive")
    assert min(drive["side_A.pressure"].min(), drive["side_B.pressure"].min()) >= 19.9e5
    assert drive["case.pressure"].max() < 3e5
    assert drive["motor.case_leakage_A.flow"].min() > 0 and drive["case_drain.flow"][-1] > 20 / 6e4
    assert drive.summary["energy"]["closed_to_percent"] < 1e-5
    starved = run("hydrostatic_drive", **{"valves.check_A.check.flow": "0.01 L/min", "valves.check_B.check.flow": "0.01 L/min"})
    assert min(starved["side_A.pressure"].min(), starved["side_B.pressure"].min()) < 1e5


# ---------------------------------------------------------------- scissor lift


def test_flow_divider_keeps_the_table_level(run):
    lift = run("scissor_lift")
    difference = 1e3 * np.abs(lift["left_lift.length"] - lift["right_lift.length"])
    lifting = during(lift, 0, 7.8)
    assert difference[lifting].max() < 8 and difference.max() < 23
    assert np.ptp(lift["length.output"]) > 0.53
    assert np.abs(np.rad2deg(lift["platform.angle"])).max() < 1
    assert np.all(lift["left_head.pressure"][during(lift, 2, 6)] > 1.7 * lift["right_head.pressure"][during(lift, 2, 6)])


def test_without_its_spool_the_divider_lets_the_table_tilt(run):
    tee = run("scissor_lift", **{"valves.divider.flow_divider.range": 1e9, "solver.duration": "7.5 s"})
    assert 1e3 * np.abs(tee["left_lift.length"] - tee["right_lift.length"]).max() > 300


def test_sequence_waits_for_lengths(run):
    lift = run("scissor_lift")
    step, length = lift["cycle.output"], lift["length.output"]
    assert list(dict.fromkeys(step[1:])) == [1, 2, 3, 4, 5, 0]
    lifted, lowered = np.argmax(step == 3), np.argmax(step == 5)
    assert 1.8 < length[lifted] < 1.802 and 1.398 < length[lowered] < 1.4


# ---------------------------------------------------------------- the page


def test_root_locus_of_the_page_is_drawn(root, program, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    text = (root / "docs/closed_loops/active_damping.md").read_text(encoding="utf-8")
    code, = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    program("linearize", root / "examples/active_damping.yaml", "--steady", "--vary", "parameters.feedback=0,2e-8", "-o", "locus")
    exec(compile(code, "docs/closed_loops/active_damping.md", "exec"), {})
    assert (tmp_path / "active_damping_locus.svg").stat().st_size > 10000
