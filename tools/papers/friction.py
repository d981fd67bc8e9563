"""Jaiswal, Sopanen, Mikkola 2021: four friction models on a four-bar mechanism."""
# SPDX-License-Identifier: BSD-3-Clause
import bisect
import math

from entries import ROUNDING, Curve, Item, Panel, Paper, Statement, file_value

MODELS = ["bengisu_akay", "brown_mcphee", "lugre", "modified_lugre"]
NAMES = ["Bengisu-Akay", "Brown-McPhee", "LuGre", "modified LuGre"]
OPEN = ((1, 2.5), (5, 8))
DEGREES = 180 / math.pi
WORK = [121.02, 120.99, 120.94, 120.97]
DRIFT = [0.45, 0.45, 0.44, 0.44]
SMALLER = "jumps of the command are at step boundaries here, and the drift is 20 times smaller"
CLOSES = "with jumps at step boundaries the opening adds almost no drift; the peak is at the closing of the valve"


def frames(r):
    """Bodies at every second, from their centres of mass: pivots are at twice the distance."""
    data, curves = r.columns("friction/brown_mcphee/results.csv"), []
    for second in range(11):
        i = min(range(len(data["time"])), key=lambda k: abs(data["time"][k] - second))
        xs, ys = [0.0], [0.0]
        for body in ("crank", "coupler", "rocker"):
            xs.append(2 * data[body + ".center_x"][i] - xs[-1])
            ys.append(2 * data[body + ".center_y"][i] - ys[-1])
        curves.append(Curve(f"{second} s", xs, ys))
    return [Panel("positions", "X [m]", "Y [m]", curves, equal=True)]


def all_models(r, x, y, of_x=1, of_y=1, less=False):
    return [r.curve(f"friction/{model}/results.csv", x, y, name, of_x, of_y, less) for model, name in zip(MODELS, NAMES)]


def energies(r):
    def panel(model, name):
        file = f"friction/{model}/results.csv"
        return Panel(name, "time [s]", "energy [J]", [
            r.curve(file, "time", "energy.kinetic", "kinetic"), r.curve(file, "time", "energy.potential", "potential, change", less=True),
            r.curve(file, "time", "energy.actuator_work", "work of the cylinder"), r.curve(file, "time", "energy.drift", "drift")], shaded=OPEN)
    return [panel(*pair) for pair in zip(MODELS, NAMES)]


def mode(r, index):
    histogram = r.row("friction", index)["iterations_histogram"]
    return int(max(histogram, key=histogram.get))


def largest_counts_at_switching(r):
    """Share of the steps with the most iterations of their run that lie within 0.25 s after a jump of the command."""
    data, near, total = r.columns("friction/history.csv"), 0, 0
    for model in MODELS:
        counts = data[model + ".iterations"]
        times = [t for t, n in zip(data["time"], counts) if n == max(counts)]
        total += len(times)
        near += sum(any(0 <= t - jump <= 0.25 for jump in (1, 2.5, 5, 8)) for t in times)
    return near / total


def iterations_at_closing(r, model):
    data = r.columns("friction/history.csv")
    counts = [n for t, n in zip(data["time"], data[model + ".iterations"]) if 2.5 < t <= 2.7 or 8 < t <= 8.2]
    return sum(counts) / len(counts)


def lag(r, model):
    """Largest difference [N] of the friction force in the cycle from the steady curve at the same speed, 1 mm/s and more."""
    law, data = r.columns(f"law_{model}/friction_steady.csv"), r.columns(f"friction/{model}/results.csv")
    sign = 1 if sum(v * f for v, f in zip(data["lift.rate"], data["lift.friction"])) > 0 else -1
    largest = 0
    for v, f in zip(data["lift.rate"], data["lift.friction"]):
        if 1e-3 <= abs(v) < law["velocity"][-1]:
            i = bisect.bisect_right(law["velocity"], v)
            (v0, v1), (f0, f1) = law["velocity"][i - 1:i + 1], law["force"][i - 1:i + 1]
            largest = max(largest, abs(sign * f - f0 - (v - v0) / (v1 - v0) * (f1 - f0)))
    return largest


def peak(r, model):
    """Largest steady friction less its viscous part [N]."""
    law, viscous = r.columns(f"law_{model}/friction_steady.csv"), file_value("four_bar.yaml", r"viscous: ([\d.]+) N")
    return max(abs(f) - viscous * abs(v) for v, f in zip(law["velocity"], law["force"]))


def elastic(r, model):
    """Displacement before slip over that of a spring with the stiffness of the bristles under the same force."""
    data, stiffness = r.columns(f"law_{model}/friction_preslip.csv"), file_value("four_bar.yaml", r"bristle_stiffness: ([\d.e]+) N")
    return stiffness * max(data["displacement"]) / max(data["force"])


def hysteresis(r, run, velocity=0.01):
    """Friction at a velocity [m/s] of a harmonic cycle when it accelerates, over that when it decelerates."""
    data = r.columns(f"{run}/friction_cycle.csv")
    period = data["time"][-1] / 2  # of two; the first one begins at rest

    def at(begin, end):
        points = sorted((v, f) for t, v, f in zip(data["time"], data["velocity"], data["force"]) if period * begin < t <= period * end)
        i = bisect.bisect_right(points, (velocity,))
        (v0, f0), (v1, f1) = points[i - 1:i + 1]
        return f0 + (velocity - v0) / (v1 - v0) * (f1 - f0)
    return at(1, 1.25) / at(1.25, 1.5)


def start(r, body):
    return (DEGREES * r.at("friction/brown_mcphee/results.csv", body + ".angle", 0) + 180) % 360 - 180


def jump_at_rest(r):
    """Largest change of friction [N] within a step where the velocity changes its sign."""
    largest = 0
    for model in MODELS:
        data = r.columns(f"friction/{model}/results.csv")
        v, f = data["lift.rate"], data["lift.friction"]
        largest = max(largest, *(abs(f[i] - f[i - 1]) / (1e-6 + abs(v[i] - v[i - 1])) for i in range(1, len(v)) if v[i] * v[i - 1] < 0))
    return largest


def steps_cpu(r, index):
    return r.row("friction", index)["step_cpu_seconds"]


def bristles_over_static(of):
    """Least ratio of a law with bristles to a static one."""
    return min(of(2), of(3)) / max(of(0), of(1))


PAPER = Paper(
    key="friction", title="Friction models",
    citation="S. Jaiswal, J. Sopanen, A. Mikkola, \"Efficiency comparison of various friction models of a hydraulic cylinder in the framework of multibody system "
             "dynamics\", Nonlinear Dynamics 104 (2021)",
    equations="Jaiswal, Sopanen, Mikkola 2021 (friction)",
    commands={"friction": "trunnion compare examples/four_bar.yaml -o friction --vary cylinders.lift.friction.model=bengisu_akay,brown_mcphee,lugre,modified_lugre "
                          "--reference examples/reference/four_bar_friction_paper.csv",
              **{f"law_{model}": f"trunnion friction examples/four_bar.yaml -o law_{model} --set cylinders.lift.friction.model={model}" for model in MODELS},
              **{f"slow_{model}": f"trunnion friction examples/four_bar.yaml -o slow_{model} --frequency '0.1 Hz' --set cylinders.lift.friction.model={model}" for model in MODELS[2:]}},
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "multibody system"), (2, "modelling of hydraulic actuators"), (3, "hydraulic cylinder"),
            (5, "elastic and rigid bristles"), (6, "four-bar mechanism")]),
        Item("Figure 4", "Stribeck curve: two continuous forms of it", ("law_bengisu_akay", "law_brown_mcphee"), note="A sketch in the paper; drawn with the data of the four-bar.", panels=lambda r: [
            Panel("steady friction", "velocity [m/s]", "F [N]", [r.curve(f"law_{model}/friction_steady.csv", "velocity", "force", name) for model, name in zip(MODELS[:2], NAMES)])], statements=tuple(
            Statement(f"the static friction F_s is the peak: largest friction less its viscous part, {NAMES[k]}", lambda r, k=k: peak(r, MODELS[k]), (829.5, 830.1), 830, unit="N", form=".1f") for k in (0, 1))),
        Item("Section 5", "initial relative joint coordinates", ("friction",), statements=tuple(
            Statement(f"z{k + 1}(0)", lambda r, body=body: start(r, body), (angle - 0.01, angle + 0.01), angle, unit="deg", form=".2f")
            for k, (body, angle) in enumerate((("crank", 60), ("coupler", -37.9), ("rocker", -93.58))))),
        Item("Table 1", "parameters of the hydraulic system", excerpt=("four_bar.yaml", ["fluid", "volumes", "sources", "valves"]),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value.",
             statements=(Statement("initial rod-side pressure p3(0)", lambda r: r.at("friction/brown_mcphee/results.csv", "v3.pressure", 0) / 1e6, (3.4999, 3.5001), 3.5, unit="MPa"),
                         Statement("static cylinder force at t = 0", lambda r: r.at("friction/brown_mcphee/results.csv", "lift.force", 0), (-386.1, -385.9), 681.23, unit="N",
                                   why="it does not follow from the stated masses; virtual work gives -386.00 N"))),
        Item("Table 2", "parameters of the friction models", excerpt=("four_bar.yaml", ["cylinders"]),
             note="The table is not part of the text of the paper; F_c, F_s and sigma_2 are printed in the paper on linearisation.",
             statements=(Statement("Coulomb friction F_c (linearisation, 4.4)", lambda r: file_value("four_bar.yaml", r"coulomb: ([\d.]+) N"), (210, 210), 210, unit="N"),
                         Statement("static friction F_s (linearisation, 4.4)", lambda r: file_value("four_bar.yaml", r"static: ([\d.]+) N"), (830, 830), 830, unit="N"),
                         Statement("viscous coefficient sigma_2 (linearisation, 4.4)", lambda r: file_value("four_bar.yaml", r"viscous: ([\d.]+) N"), (330, 330), 330, unit="N s/m"))),
        Item("Figure 7", "position of the four-bar mechanism at every second", ("friction",), panels=frames, statements=(
            Statement("closed loop: maximum violation", lambda r: max(r.row("friction", k)["max_violation"] for k in range(4)), (0, 1e-12), true=(0, 1e-7), unit="m", form=".1e", wide=ROUNDING),)),
        Item("Figure 8", "work cycle: crank angle, pressure p3", ("friction",), panels=lambda r: [
            Panel("(a) crank angle", "time [s]", "z1 [deg]", all_models(r, "time", "crank.angle", of_y=DEGREES), shaded=OPEN),
            Panel("(b) pressure p3", "time [s]", "p3 [MPa]", all_models(r, "time", "v3.pressure", of_y=1e-6), shaded=OPEN)], statements=(
            Statement("the models differ little: largest difference of crank angles", lambda r: max(
                abs(a - b) * DEGREES for model in MODELS[1:] for a, b in zip(*(r.columns(f"friction/{m}/results.csv")["crank.angle"] for m in (MODELS[0], model)))),
                (0.015, 0.05), true=(1e-6, 1), unit="deg", form=".2g"),)),
        Item("Figure 9", "friction force", ("friction", *(f"law_{model}" for model in MODELS), *(f"slow_{model}" for model in MODELS[2:])), panels=lambda r: [
            Panel("(a) friction force", "time [s]", "F [N]", all_models(r, "time", "lift.friction"), shaded=OPEN),
            Panel("(b) friction over velocity", "piston velocity [m/s]", "F [N]", all_models(r, "lift.rate", "lift.friction"))], statements=(
            Statement("friction is continuous at zero velocity: largest change over change of velocity", jump_at_rest, (8e4, 3e5), true=(0, 1e6), unit="N s/m", form=".2g",
                      why="it jumps; a continuous law has a finite slope at rest, about 1.5e5 N s/m for Brown-McPhee"),
            *(Statement(f"{NAMES[k]} follows its steady curve in the cycle: largest difference", lambda r, k=k: lag(r, MODELS[k]), ((0.01, 0.04), (0.02, 0.08))[k], true=(0, 2), unit="N", form=".2g") for k in (0, 1)),
            *(Statement(f"{NAMES[k]} shows frictional lag: largest difference from its steady curve", lambda r, k=k: lag(r, MODELS[k]), ((900, 1400), (750, 1200))[k - 2], true=(10, 2000), unit="N", form=".3g") for k in (2, 3)),
            *(Statement(f"{NAMES[k]} has pre-slip displacement, which is elastic: displacement over that of a spring with the stiffness of the bristles", lambda r, k=k: elastic(r, MODELS[k]), (1.02, 1.05),
                        true=(0.9, 1.1), form=".3f") for k in (2, 3)),
            *(Statement(f"{NAMES[k]} has a higher friction in acceleration than in deceleration: ratio at 10 mm/s in a cycle of {hertz} Hz", lambda r, k=k, run=run: hysteresis(r, f"{run}_{MODELS[k]}"),
                        band, true=(1.001, 99), form=".3f", why="the bristles are still turning over after the reversal; in slower cycles it holds")
              for k, run, hertz, band in ((2, "law", 1, (0.82, 0.86)), (2, "slow", 0.1, (1.02, 1.035)), (3, "law", 1, (1.19, 1.25)), (3, "slow", 0.1, (1.19, 1.25)))))),
        Item("Figure 10", "energies", ("friction",), panels=energies, statements=(
            *(Statement(f"maximum cylinder work, {NAMES[k]}", lambda r, k=k: -r.row("friction", k)["min_work"], (WORK[k] - 0.2, WORK[k] + 0.2), WORK[k], unit="J", form=".2f") for k in range(4)),
            *(Statement(f"peak energy drift, {NAMES[k]}", lambda r, k=k: r.row("friction", k)["max_drift"], (0.018, 0.026), DRIFT[k], unit="J", form=".3f", why=SMALLER) for k in range(4)),
            *(Statement(f"drift over maximum work, {NAMES[k]}", lambda r, k=k: r.row("friction", k)["drift_percent"], (0.015, 0.021), [0.37, 0.37, 0.36, 0.36][k], unit="%", form=".3f", why=SMALLER)
              for k in range(4)),
            *(Statement(f"time of the peak drift, around 1 s, {NAMES[k]}", lambda r, k=k: r.row("friction", k)["max_drift_time"], (2.5, 2.53), 1, within=0.2, unit="s", form=".3f", why=CLOSES)
              for k in range(4)))),
        Item("Figure 11", "Newton iterations", ("friction",), panels=lambda r: [
            Panel(name, "time [s]", "iterations", [r.curve("friction/history.csv", "time", model + ".iterations", name)], shaded=OPEN) for model, name in zip(MODELS, NAMES)],
            statements=(
            *(Statement(f"most frequent number of iterations, {NAMES[k]}", lambda r, k=k: mode(r, k), ((1, 1), (1, 1), (1, 2), (1, 2))[k], (1, 1, 2, 2)[k], form="g",
                        why="exact tangents: one iteration is enough in most steps here too") for k in range(4)),
            Statement("largest numbers occur at opening and closing of the valve: share within 0.25 s", largest_counts_at_switching, (0.85, 0.97), true=(0.5, 1), form=".2f",
                      why="they also occur while the pressures oscillate"),
            Statement("at closing LuGre needs more iterations than Bengisu-Akay: ratio of means", lambda r: iterations_at_closing(r, "lugre") / iterations_at_closing(r, "bengisu_akay"),
                      (0.9, 2), true=(1.05, 9), form=".1f", why="both need about the same number here, with exact tangents"))),
        Item("Figure 12", "cumulative integration time", ("friction",), panels=lambda r: [
            Panel("cumulative time of the steps", "time [s]", "integration time [s]", [r.curve("friction/history_times.csv", "time", model + ".step_seconds", name)
                                                                                      for model, name in zip(MODELS, NAMES)], shaded=OPEN)], statements=(
            Statement("LuGre and modified LuGre take longer than both static laws: least ratio of times", lambda r: bristles_over_static(lambda k: steps_cpu(r, k)), (0.5, 5), true=(1, 99), form=".2f",
                      timed=True, why="the clock was disturbed"),
            Statement("and need more iterations in all, which causes it: least ratio", lambda r: bristles_over_static(lambda k: r.row("friction", k)["iterations_mean"]), (1.08, 1.18), true=(1.01, 9),
                      form=".3f", why="they need as many"))),
        Item("Table 3", "numerical efficiency", ("friction",),
             note="The numbers of the table are not part of the text of the paper. Processor time depends on the machine.", statements=(
            *(Statement(f"mean iterations, {NAMES[k]}", lambda r, k=k: r.row("friction", k)["iterations_mean"], (mean - 0.05, mean + 0.05), form=".2f")
              for k, mean in enumerate((1.44, 1.42, 1.62, 1.66))),
            *(Statement(f"largest number of iterations, {NAMES[k]}", lambda r, k=k: r.row("friction", k)["iterations_max"], (3, 4), form="g") for k in range(4)),
            Statement("Brown-McPhee is faster than Bengisu-Akay: ratio of times", lambda r: steps_cpu(r, 1) / steps_cpu(r, 0), (0, 9), true=(0, 1), form=".2f", timed=True,
                      why="their times are equal within the noise of the clock"),
            Statement("modified LuGre is slowest: its time over that of LuGre", lambda r: steps_cpu(r, 3) / steps_cpu(r, 2), (0, 9), true=(1, 9), form=".2f", timed=True,
                      why="their times are equal within the noise of the clock"))),
    ])
