"""Nonlinear Dynamics 111 (2023): linearisation of hydraulically actuated multibody systems."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from entries import Curve, Item, Panel, Paper, Statement, file_value

DEGREES = 180 / math.pi
SCENARIOS = {"linear_full": ("overdamped", 1), "linear_tenth": ("underdamped, high friction", 10), "linear_hundredth": ("underdamped, low friction", 100)}
DIFFERENCE_STEPS = range(-12, 0)
CHANNELS = "--output crank.angle,v1.pressure,v2.pressure,v3.pressure"


def scenario(name, divisor):
    friction = "" if divisor == 1 else "".join(f" --set cylinders.lift.friction.{key}={value / divisor:g}" for key, value in (("coulomb", 210), ("static", 830), ("viscous", 330)))
    return f"trunnion linearize examples/four_bar_linear.yaml --equilibrium --simulate 1.5 -o {name} --set 'solver.step=0.1 ms' {CHANNELS}{friction}"


def eigenvalues(r, name):
    """Nonzero eigenvalues by magnitude."""
    found = [complex(float(row["re"]), float(row["im"])) for row in r.rows(f"{name}/eigenvalues.csv") if row["chain"] in ("", "0")]
    return sorted((value for value in found if value), key=lambda value: (abs(value), value.imag))


def zeros(r, name):
    return len([1 for row in r.rows(f"{name}/eigenvalues.csv") if float(row["re"]) == 0 and float(row["im"]) == 0])


def real_ones(r, name):
    return sum(value.imag == 0 for value in eigenvalues(r, name))


def pair(r, name):
    return next(value for value in eigenvalues(r, name) if value.imag > 0)


def fastest(r, name):
    return min(value.real for value in eigenvalues(r, name))


def linear_error(r, name, channel):
    """Largest difference of the linear from the nonlinear response, in percent of the largest deviation from rest after 1.5 s."""
    data = r.columns(f"{name}/simulate.csv")
    pairs = [(a, b) for a, b in zip(data[channel], data[channel + ".linear"]) if b == b]
    return 100 * max(abs(a - b) for a, b in pairs) / max(abs(a - data[channel][0]) for a, _ in pairs)


def difference_error(r, exponent, index):
    """Relative error of an eigenvalue of the overdamped scenario, by central differences."""
    exact = sorted(eigenvalues(r, "linear_full"), key=abs)[index]
    rows = [row for row in r.rows("counterpart/differences.csv") if math.isclose(float(row["increment"]), 10.0 ** exponent)]
    return float(min(rows, key=lambda row: abs(complex(float(row["exact_re"]), float(row["exact_im"])) - exact))["relative_error"])


# The paper numbers eigenvalues by size: the first two nonzero ones that are not -1/tau.
THIRD, FOURTH = 0, 2


def response(name, numbers):
    title, divisor = SCENARIOS[name]
    file = f"{name}/simulate.csv"

    def angle(r, begin, label):
        curves = [r.curve(file, "time", "crank.angle", "NL", of_y=DEGREES, less=True)]
        start = r.columns(file)["crank.angle"][0]
        data = r.columns(file)
        curves.append(Curve("L", data["time"], [DEGREES * (value - start) for value in data["crank.angle.linear"]]))
        for curve in curves:
            kept = [k for k, t in enumerate(curve.x) if begin[0] <= t <= begin[1]]
            curve.x, curve.y = [curve.x[k] for k in kept], [curve.y[k] for k in kept]
        return Panel(label, "time [s]", "phi_2 - phi_2(0) [deg]", curves)

    def pressures(r):
        def curves(*channels):
            return [r.curve(file, "time", f"v{k}.pressure{ending}", f"p{k}, {kind}", of_y=1e-6) for k in channels for ending, kind in (("", "NL"), (".linear", "L"))]
        return [Panel("(a) p1, p2", "time [s]", "pressure [MPa]", curves(1, 2)), Panel("(b) p3", "time [s]", "pressure [MPa]", curves(3))]

    limits = (0.5, 6) if divisor == 1 else (8, 20)
    return [
        Item(f"Figure {numbers[0]}", f"{title}: phi_2", (name,), panels=lambda r: [angle(r, (0, 9), "(a) whole run"), angle(r, (1.49, 1.7), "(b) detail, t > t2")], statements=(
            Statement("the linear response reproduces the nonlinear one: largest difference in percent of the deviation", lambda r: linear_error(r, name, "crank.angle"), limits,
                      true=(0, 20), unit="%", form=".2g"),
            Statement("the angle returns to its equilibrium: deviation at 3 s over that at 1.5 s", lambda r: abs(r.at(file, "crank.angle", 3) - r.at(file, "crank.angle", 0)) / abs(
                r.at(file, "crank.angle", 1.5) - r.at(file, "crank.angle", 0)), (0, 0.01), true=(0, 0.05), form=".1e"))),
        Item(f"Figure {numbers[1]}", f"{title}: pressures", (name,), panels=pressures, statements=(
            Statement("p1 and p2 differ negligibly: largest difference over their deviation", lambda r: max(abs(a - b) for a, b in zip(
                r.columns(file)["v1.pressure"], r.columns(file)["v2.pressure"])) / max(abs(a - r.columns(file)["v1.pressure"][0]) for a in r.columns(file)["v1.pressure"]),
                (0, 0.06), true=(0, 0.1), form=".2g"),
            Statement("the linear response reproduces p3: largest difference in percent of the deviation", lambda r: linear_error(r, name, "v3.pressure"), limits, true=(0, 20), unit="%",
                      form=".2g"))),
    ]


def start(channel, turns):
    return lambda r: (DEGREES * r.at("torque/results.csv", channel, 0)) % 360 + 360 * turns


EIGENVALUES = [Statement(f"two null eigenvalues, {title}", lambda r, name=name: zeros(r, name), (2, 2), 2, form="g") for name, (title, _) in SCENARIOS.items()] + [
    Statement(f"-1/tau is an eigenvalue, {title}: nearest", lambda r, name=name: min((v.real for v in eigenvalues(r, name) if not v.imag), key=lambda v: abs(v + 219.911486)),
              (-219.912, -219.911), -1 / 4.547284088339867e-3, unit="1/s", form=".6f") for name, (title, _) in SCENARIOS.items()] + [
    Statement("overdamped: all nonzero eigenvalues are real, number of real ones", lambda r: real_ones(r, "linear_full"), (4, 4), 4, form="g"),
    Statement("overdamped: lambda_3", lambda r: eigenvalues(r, "linear_full")[0].real, (-159.8566, -159.8565), true=(-1e9, 0), unit="1/s", form=".6f"),
    Statement("overdamped: lambda_4", lambda r: eigenvalues(r, "linear_full")[2].real, (-1445.915, -1445.914), true=(-1e9, 0), unit="1/s", form=".6f"),
    Statement("overdamped: lambda_5", lambda r: fastest(r, "linear_full"), (-11434.095, -11434.094), true=(-1e9, 0), unit="1/s", form=".6f"),
    *(Statement(f"{SCENARIOS[name][0]}: real part of the pair lambda_3, lambda_4", lambda r, name=name: pair(r, name).real, band, true=(-1e9, 0), unit="1/s", form=".6f")
      for name, band in (("linear_tenth", (-80.51, -80.5099)), ("linear_hundredth", (-8.2729, -8.2728)))),
    *(Statement(f"{SCENARIOS[name][0]}: imaginary part of the pair", lambda r, name=name: pair(r, name).imag, band, true=(1e-9, 1e9), unit="1/s", form=".6f")
      for name, band in (("linear_tenth", (473.9785, 473.9786)), ("linear_hundredth", (480.6962, 480.6964)))),
    Statement("lambda_5 changes very little between the underdamped scenarios: relative change", lambda r: abs(fastest(r, "linear_hundredth") / fastest(r, "linear_tenth") - 1), (1e-7, 1e-6),
              true=(0, 0.01), form=".1e"),
    Statement("their real parts decrease substantially: low over high friction", lambda r: pair(r, "linear_hundredth").real / pair(r, "linear_tenth").real, (0.102, 0.104), true=(0, 0.5),
              form=".4f"),
    Statement("the system has 6 eigenvalues, 2 (n - m) + r + u", lambda r: len(r.rows("linear_full/eigenvalues.csv")), (6, 6), 6, form="g"),
]

PAPER = Paper(
    key="linearisation", title="Linearisation",
    citation="Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6",
    equations="Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation)",
    commands={
        "torque": "trunnion run examples/four_bar_linear.yaml -o torque --set 'record.channels=[\"*\", pulse.factor]'",
        **{name: scenario(name, divisor) for name, (_, divisor) in SCENARIOS.items()},
        "friction_linear": "trunnion friction examples/four_bar_linear.yaml -o friction_linear",
        "counterpart": f"trunnion linearize examples/four_bar_linear.yaml --equilibrium --method counterpart -o counterpart --difference-step {','.join(f'1e{e}' for e in DIFFERENCE_STEPS)}",
    },
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (1, "flow over pressure drop, laminar and turbulent"), (2, "free-body diagram of the cylinder"), (3, "four-bar mechanism, coordinates and frames"), (4, "its lengths"), (5, "hydraulic circuit")]),
        Item("Table 1", "mechanical parameters", ("torque",), excerpt=("four_bar_linear.yaml", ["bodies", "joints", "loops"]),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value.", statements=(
            Statement("(90): z_G2(0)", lambda r: r.at("torque/results.csv", "crank.center_y", 0), (0.866, 0.8661), 0.866, unit="m", form=".4f"),
            Statement("(90): phi_32(0)", start("coupler.angle", 0), (322, 322.2), 322.1, unit="deg", form=".2f"),
            Statement("(90): phi_43(0)", start("rocker.angle", 0), (266.3, 266.5), 266.4, unit="deg", form=".2f"),
            Statement("(90): s(0) = sqrt(3)", lambda r: r.at("torque/results.csv", "lift.length", 0), (1.73205, 1.73206), math.sqrt(3), unit="m", form=".6f"))),
        Item("Table 2", "hydraulic parameters", ("torque",), excerpt=("four_bar_linear.yaml", ["fluid", "volumes", "sources", "valves", "cylinders"]), statements=(
            Statement("(91): p1(0) = p2(0)", lambda r: r.at("torque/results.csv", "v2.pressure", 0) / 1e6, (2.8204, 2.8206), 2.82, unit="MPa", form=".4f"),
            Statement("(91): p3(0)", lambda r: r.at("torque/results.csv", "v3.pressure", 0) / 1e6, (3.4999, 3.5001), 3.5, unit="MPa"))),
        Item("Table 3", "eigenvalues", tuple(SCENARIOS), tuple(EIGENVALUES),
             note="The numbers of the table are not part of the text of the paper; its statements on them are."),
        Item("Figure 6", "external torque", ("torque",), panels=lambda r: [Panel("torque on the input link", "time [s]", "M2 [N m]", [
            r.curve("torque/results.csv", "time", "pulse.factor", "M2", of_y=file_value("four_bar_linear.yaml", r"pulse:.*torque:? *\[?[0, ]*([\d.]+)"))])], statements=(
            Statement("M2 at t1 = 1 s", lambda r: r.at("torque/results.csv", "pulse.factor", 1.2) * file_value("four_bar_linear.yaml", r"pulse:.*torque:? *\[?[0, ]*([\d.]+)"), (250, 250), 250,
                      unit="N m"),
            Statement("M2 after t2 = 1.5 s", lambda r: r.at("torque/results.csv", "pulse.factor", 1.6), (0, 0), 0, unit="N m"))),
        *response("linear_full", (7, 8)), *response("linear_tenth", (9, 10)), *response("linear_hundredth", (11, 12)),
        Item("Section 4.4", "overdamped against underdamped", tuple(SCENARIOS), (
            *(Statement(f"the overdamped response is reproduced better: its error over that of {SCENARIOS[name][0]}",
                        lambda r, name=name: linear_error(r, "linear_full", "crank.angle") / linear_error(r, name, "crank.angle"), (0.1, 0.5), true=(0, 1), form=".2f")
              for name in ("linear_tenth", "linear_hundredth")),)),
        Item("Figure 13", "friction force and its first-order approximation", ("friction_linear",), panels=lambda r: [Panel("friction", "velocity [m/s]", "F [N]", [
            r.curve("friction_linear/friction_steady.csv", "velocity", "force", "F_mu"), r.curve("friction_linear/friction_steady.csv", "velocity", "first_order", "first order")])],
            statements=(
            Statement("excellent for low velocities: largest difference below 0.5 mm/s over F_s", lambda r: max(abs(a - b) for v, a, b in zip(*(
                r.columns("friction_linear/friction_steady.csv")[c] for c in ("velocity", "force", "first_order"))) if abs(v) <= 5e-4) / 830, (0, 0.01), true=(0, 0.01), form=".2g"),
            Statement("worse for larger ones: largest difference up to 50 mm/s over F_s", lambda r: max(abs(a - b) for a, b in zip(*(
                r.columns("friction_linear/friction_steady.csv")[c] for c in ("force", "first_order")))) / 830, (5, 15), true=(0.1, 100), form=".3g"))),
        Item("Figure 14", "errors of the eigenvalues by central differences", ("counterpart",), panels=lambda r: [
            Panel(f"({letter}) error of {label}", "h", "relative error", [Curve(label, [10.0 ** e for e in DIFFERENCE_STEPS], [difference_error(r, e, k) for e in DIFFERENCE_STEPS])], log="xy")
            for letter, label, k in (("a", "lambda_3", THIRD), ("b", "lambda_4", FOURTH))], statements=(
            *(Statement(f"error of {label} at h = 1e-5 is about 0", lambda r, k=k: difference_error(r, -5, k), (1e-8, 2e-6), true=(0, 1e-4), form=".1e")
              for label, k in (("lambda_3", THIRD), ("lambda_4", FOURTH))),
            *(Statement(f"error of {label} rises for high h: at 0.1", lambda r, k=k: difference_error(r, -1, k), (0.1, 2), true=(0.01, 9), form=".1g")
              for label, k in (("lambda_3", THIRD), ("lambda_4", FOURTH))),
            Statement("it rises for very low h: at 1e-12 over that at 1e-7, lambda_3", lambda r: difference_error(r, -12, THIRD) / difference_error(r, -7, THIRD), (10, 1e9), true=(10, 1e9),
                      form=".0e", timed=True),
            Statement("eigenvalues of the counterpart, 2 n + r + u with n coordinates: number without redundant coordinates of the paper",
                      lambda r: len(r.rows("counterpart/eigenvalues.csv")), (6, 24), 24, form="g",
                      why="it depends on the coordinates; the mechanism has 3 relative angles here instead of 10 coordinates")),
            note="The ratio of computing times, 0.016 s to 0.005 s in the paper, is measured by `make bench` (linear_benchmark); see docs/validation.md, linear models."),
    ])
