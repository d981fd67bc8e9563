"""Nonlinear Dynamics 111 (2023): linearisation of hydraulically actuated multibody systems."""
# SPDX-License-Identifier: BSD-3-Clause
import math
import re

from entries import ROOT, Curve, Item, Panel, Paper, Statement, file_value

DEGREES = 180 / math.pi
SCENARIOS = {"linear_full": ("overdamped", 1), "linear_tenth": ("underdamped, high friction", 10), "linear_hundredth": ("underdamped, low friction", 100)}
DIFFERENCE_STEPS = range(-12, 0)
CHANNELS = "--output crank.angle,v1.pressure,v2.pressure,v3.pressure"


FRICTION = ",".join("{{model: brown_mcphee, coulomb: {:g} N, static: {:g} N, viscous: {:g} N s/m, stribeck_velocity: 12.5 mm/s, viscous_factor: 1}}".format(*(value / divisor for value in (210, 830, 330)))
                    for _, divisor in SCENARIOS.values())


def simulated(name):
    """Responses of a scenario, by its number in the one command."""
    return f"scenarios/simulate_{list(SCENARIOS).index(name) + 1}.csv"


def spectrum(r, name):
    """Rows of all eigenvalues, of a scenario or of the linear model of a command."""
    if name not in SCENARIOS:
        return r.rows(f"{name}/eigenvalues.csv")
    rows = r.rows("scenarios/root_locus.csv")
    friction = list(dict.fromkeys(row["cylinders.lift.friction"] for row in rows))[list(SCENARIOS).index(name)]
    return [row for row in rows if row["cylinders.lift.friction"] == friction]


def eigenvalues(r, name):
    """Nonzero eigenvalues by magnitude."""
    found = [complex(float(row["re"]), float(row["im"])) for row in spectrum(r, name) if row["chain"] in ("", "0")]
    return sorted((value for value in found if value), key=lambda value: (abs(value), value.imag))


def zeros(r, name):
    return len([1 for row in spectrum(r, name) if float(row["re"]) == 0 and float(row["im"]) == 0])


def real_ones(r, name):
    return sum(value.imag == 0 for value in eigenvalues(r, name))


def pair(r, name):
    return next(value for value in eigenvalues(r, name) if value.imag > 0)


def fastest(r, name):
    return min(value.real for value in eigenvalues(r, name))


def linear_error(r, file, channel):
    """Largest difference of the linear from the nonlinear response, in percent of the largest deviation from rest after 1.5 s."""
    data = r.columns(file)
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
    file = simulated(name)

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

    limits = (2.5, 5) if divisor == 1 else (11, 18)
    together = {1: (0.009, 0.017), 10: (0.03, 0.05), 100: (0.03, 0.06)}[divisor]
    return [
        Item(f"Figure {numbers[0]}", f"{title}: phi_2", ("scenarios",), panels=lambda r: [angle(r, (0, 9), "(a) whole run"), angle(r, (1.49, 1.7), "(b) detail, t > t2")], statements=(
            Statement("the linear response reproduces the nonlinear one: largest difference in percent of the deviation", lambda r: linear_error(r, file, "crank.angle"), limits,
                      true=(0, 20), unit="%", form=".2g"),
            # less than this is Newton's tolerance and depends on the compiler
            Statement("the angle returns to its equilibrium: deviation at 3 s over that at 1.5 s (1e-6 where it is less)", lambda r: max(1e-6, abs(
                r.at(file, "crank.angle", 3) - r.at(file, "crank.angle", 0)) / abs(r.at(file, "crank.angle", 1.5) - r.at(file, "crank.angle", 0))), (1e-6, 1e-6), true=(0, 0.05), form=".0e"))),
        Item(f"Figure {numbers[1]}", f"{title}: pressures", ("scenarios",), panels=pressures, statements=(
            Statement("p1 and p2 differ negligibly: largest difference over their deviation", lambda r: max(abs(a - b) for a, b in zip(
                r.columns(file)["v1.pressure"], r.columns(file)["v2.pressure"])) / max(abs(a - r.columns(file)["v1.pressure"][0]) for a in r.columns(file)["v1.pressure"]),
                together, true=(0, 0.1), form=".2g"),
            Statement("the linear response reproduces p3: largest difference in percent of the deviation", lambda r: linear_error(r, file, "v3.pressure"), limits, true=(0, 20), unit="%",
                      form=".2g"))),
    ]


def amplitude(r, name):
    """Largest deviation [deg] of phi_2 from rest, in the direction against the torque, after it has ended at 1.5 s."""
    data = r.columns(simulated(name))
    return DEGREES * max(data["crank.angle"][0] - a for t, a in zip(data["time"], data["crank.angle"]) if t > 1.5)


def stored_ratio():
    """Ratio of the times of counterpart and exact linear model, four-bar, that `make bench` measured."""
    text = (ROOT / "docs/validation.md").read_text()
    return float(re.search(r"of the counterpart \(ratio ([\d.]+);", text).group(1))


def throttle(r):
    """Pressure drops [Pa] and flows [m3/s] of a throttle, by drop."""
    data = r.columns("flow/results.csv")
    return sorted((a - b, q) for a, b, q in zip(data["v1.pressure"], data["v2.pressure"], data["throttle.flow"]))


def coefficients(r):
    """Laminar and turbulent coefficient of the throttle, each at its smallest and its largest drop."""
    points = throttle(r)
    laminar = [q / dp for dp, q in points if 1e3 <= dp < 1.9e5]
    turbulent = [q / math.sqrt(dp) for dp, q in points if dp > 2.1e5]
    return laminar[0], laminar[-1], turbulent[0], turbulent[-1]


def start(channel, turns):
    return lambda r: (DEGREES * r.at("torque/results.csv", channel, 0)) % 360 + 360 * turns


EIGENVALUES = [Statement(f"two null eigenvalues, {title}", lambda r, name=name: zeros(r, name), (2, 2), 2, form="g") for name, (title, _) in SCENARIOS.items()] + [
    Statement(f"-1/tau is an eigenvalue, {title}: nearest", lambda r, name=name: min((v.real for v in eigenvalues(r, name) if not v.imag), key=lambda v: abs(v + 219.911486)),
              (-219.912, -219.911), -1 / 4.547284088339867e-3, unit="1/s", form=".6f") for name, (title, _) in SCENARIOS.items()] + [
    Statement("overdamped: all nonzero eigenvalues are real, number of real ones", lambda r: real_ones(r, "linear_full"), (4, 4), 4, form="g"),
    Statement("overdamped: lambda_3", lambda r: eigenvalues(r, "linear_full")[0].real, (-159.8566, -159.8565), unit="1/s", form=".6f"),
    Statement("overdamped: lambda_4", lambda r: eigenvalues(r, "linear_full")[2].real, (-1445.915, -1445.914), unit="1/s", form=".6f"),
    Statement("overdamped: lambda_5", lambda r: fastest(r, "linear_full"), (-11434.095, -11434.094), unit="1/s", form=".6f"),
    *(Statement(f"{SCENARIOS[name][0]}: real part of the pair lambda_3, lambda_4", lambda r, name=name: pair(r, name).real, band, unit="1/s", form=".6f")
      for name, band in (("linear_tenth", (-80.51, -80.5099)), ("linear_hundredth", (-8.2729, -8.2728)))),
    *(Statement(f"{SCENARIOS[name][0]}: imaginary part of the pair", lambda r, name=name: pair(r, name).imag, band, unit="1/s", form=".6f")
      for name, band in (("linear_tenth", (473.9785, 473.9786)), ("linear_hundredth", (480.6962, 480.6964)))),
    Statement("lambda_5 changes very little between the underdamped scenarios: relative change", lambda r: abs(fastest(r, "linear_hundredth") / fastest(r, "linear_tenth") - 1), (1e-7, 1e-6),
              true=(0, 0.01), form=".1e"),
    Statement("their real parts decrease substantially: low over high friction", lambda r: pair(r, "linear_hundredth").real / pair(r, "linear_tenth").real, (0.102, 0.104), true=(0, 0.5),
              form=".4f"),
    Statement("without friction the pair lambda_3, lambda_4 is stable, damped by the throttle: its real part", lambda r: pair(r, "frictionless").real, (-0.247, -0.246), true=(-1e9, -1e-9), unit="1/s",
              form=".4f", why="its real part is not negative"),
    Statement("and its imaginary part", lambda r: pair(r, "frictionless").imag, (480.76, 480.775), unit="1/s", form=".3f"),
    Statement("the system has 6 eigenvalues, 2 (n - m) + r + u", lambda r: len(spectrum(r, "linear_full")), (6, 6), 6, form="g"),
]

PAPER = Paper(
    key="linearisation", title="Linearisation",
    citation="Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6",
    equations="Nonlinear Dynamics 111 (2023), doi 10.1007/s11071-023-08345-6 (linearisation)",
    commands={
        "torque": "trunnion run examples/four_bar_linear.yaml -o torque --set 'record.channels=[\"*\", pulse.factor]'",
        "scenarios": f"trunnion linearize examples/four_bar_linear.yaml --equilibrium --simulate 1.5 -o scenarios --set 'solver.step=0.1 ms' {CHANNELS} "
                     f"--vary 'cylinders.lift.friction={FRICTION}'",
        "flow": "trunnion run examples/four_bar_linear.yaml -o flow --set 'valves.throttle.orifice.diameter=2 mm' --set 'signals.command={ramps: [[0, 0], [0.2 s, 10]]}' --set 'solver.duration=0.5 s'",
        "frictionless": "trunnion linearize examples/four_bar_linear.yaml --equilibrium -o frictionless" + "".join(f" --set cylinders.lift.friction.{key}=0" for key in ("coulomb", "static", "viscous")),
        "torques": "trunnion linearize examples/four_bar_linear.yaml --equilibrium --simulate 1.5 -o torques --set 'solver.step=0.1 ms' --output crank.angle "
                   + "".join(f"--set cylinders.lift.friction.{key}={value} " for key, value in (("coulomb", 21), ("static", 83), ("viscous", 33)))
                   + "--vary 'forces.pulse.torque=[0,0,0.1 N m],[0,0,1 N m],[0,0,10 N m]'",
        "friction_linear": "trunnion friction examples/four_bar_linear.yaml -o friction_linear",
        "counterpart": f"trunnion linearize examples/four_bar_linear.yaml --equilibrium --method counterpart -o counterpart --difference-step {','.join(f'1e{e}' for e in DIFFERENCE_STEPS)}",
        "counterpart_cartesian": "trunnion linearize examples/four_bar_linear.yaml --equilibrium --method counterpart -o counterpart_cartesian --set solver.coordinates=cartesian",
    },
    items=[
        *(Item(f"Figure {n}", title, sketch=True) for n, title in [
            (2, "free-body diagram of the cylinder"), (3, "four-bar mechanism, coordinates and frames"), (4, "its lengths"), (5, "hydraulic circuit")]),
        Item("Figure 1", "flow over pressure drop, laminar and turbulent", ("flow",), note="A sketch in the paper; drawn with the flow through a throttle of 2 mm while the directional valve opens.", panels=lambda r: [
            Panel("flow through the throttle", "pressure drop [MPa]", "flow [L/min]", [Curve("throttle", [1e-6 * dp for dp, _ in throttle(r) if dp < 1e6], [6e4 * q for dp, q in throttle(r) if dp < 1e6])])], statements=(
            Statement("(6): the laminar flow is proportional to the drop: ratio of the coefficients at the largest and the smallest drop", lambda r: coefficients(r)[1] / coefficients(r)[0], (0.999999, 1.000001),
                      true=(0.999, 1.001), form=".6f", why="it is not"),
            Statement("the turbulent flow is proportional to its square root: the same", lambda r: coefficients(r)[3] / coefficients(r)[2], (0.999999, 1.000001), true=(0.999, 1.001), form=".6f", why="it is not"),
            Statement("both are equal at the limit of 2 bar: drop at which they are", lambda r: 1e-5 * (coefficients(r)[2] / coefficients(r)[0]) ** 2, (1.99999, 2.00001), 2, unit="bar", form=".5f"))),
        Item("Table 1", "mechanical parameters", ("torque",), excerpt=("four_bar_linear.yaml", ["bodies", "joints", "loops"]),
             note="The table is not part of the text of the paper; the comments of the model file state the origin of each value.", statements=(
            Statement("(90): z_G2(0)", lambda r: r.at("torque/results.csv", "crank.center_y", 0), (0.866, 0.8661), 0.866, unit="m", form=".4f"),
            Statement("(90): phi_32(0)", start("coupler.angle", 0), (322, 322.2), 322.1, unit="deg", form=".2f"),
            Statement("(90): phi_43(0)", start("rocker.angle", 0), (266.3, 266.5), 266.4, unit="deg", form=".2f"),
            Statement("(90): s(0) = sqrt(3)", lambda r: r.at("torque/results.csv", "lift.length", 0), (1.73205, 1.73206), math.sqrt(3), unit="m", form=".6f"))),
        Item("Table 2", "hydraulic parameters", ("torque",), excerpt=("four_bar_linear.yaml", ["fluid", "volumes", "sources", "valves", "cylinders"]), statements=(
            Statement("(91): p1(0) = p2(0)", lambda r: r.at("torque/results.csv", "v2.pressure", 0) / 1e6, (2.8204, 2.8206), 2.82, unit="MPa", form=".4f"),
            Statement("(91): p3(0)", lambda r: r.at("torque/results.csv", "v3.pressure", 0) / 1e6, (3.4999, 3.5001), 3.5, unit="MPa"))),
        Item("Table 3", "eigenvalues", ("scenarios", "frictionless"), tuple(EIGENVALUES),
             note="The numbers of the table are not part of the text of the paper; its statements on them are."),
        Item("Figure 6", "external torque", ("torque",), panels=lambda r: [Panel("torque on the input link", "time [s]", "M2 [N m]", [
            r.curve("torque/results.csv", "time", "pulse.factor", "M2", of_y=file_value("four_bar_linear.yaml", r"pulse:.*torque:? *\[?[0, ]*([\d.]+)"))])], statements=(
            Statement("M2 at t1 = 1 s", lambda r: r.at("torque/results.csv", "pulse.factor", 1.2) * file_value("four_bar_linear.yaml", r"pulse:.*torque:? *\[?[0, ]*([\d.]+)"), (250, 250), 250,
                      unit="N m"),
            Statement("M2 after t2 = 1.5 s", lambda r: r.at("torque/results.csv", "pulse.factor", 1.6), (0, 0), 0, unit="N m"))),
        *response("linear_full", (7, 8)), *response("linear_tenth", (9, 10)), *response("linear_hundredth", (11, 12)),
        Item("Section 4.4", "overdamped against underdamped", ("scenarios", "torques"), (
            Statement("from high to low friction the amplitude rises significantly: largest deviation after the torque has ended, ratio", lambda r: amplitude(r, "linear_hundredth") / amplitude(
                r, "linear_tenth"), (1.25, 1.45), true=(1.05, 99), form=".2f", why="it does not"),
            Statement("and the frequency: ratio of the imaginary parts", lambda r: pair(r, "linear_hundredth").imag / pair(r, "linear_tenth").imag, (1.014, 1.015), true=(1.05, 99), form=".4f",
                      why="474.0 rad/s rise to 480.7 rad/s, by 1.4 %; undamped, the pair would have 480.8 rad/s with both frictions"),
            *(Statement(f"a smaller torque M_0 improves the linear model: largest difference of phi_2 in percent of the deviation, underdamped, high friction, {250 * factor:g} N m", lambda r, k=k: linear_error(
                r, f"torques/simulate_{k}.csv", "crank.angle"), band, true=true, unit="%", form=".2g") for k, factor, band, true in (
                    (1, 0.1, (0.24, 0.36), (0, 1)), (2, 1, (12, 17), (0, 20)), (3, 10, (75, 105), (50, 1e3)))),
            *(Statement(f"the overdamped response is reproduced better: its error over that of {SCENARIOS[name][0]}",
                        lambda r, name=name: linear_error(r, simulated("linear_full"), "crank.angle") / linear_error(r, simulated(name), "crank.angle"), (0.1, 0.5), true=(0, 1), form=".2f")
              for name in ("linear_tenth", "linear_hundredth")),)),
        Item("Figure 13", "friction force and its first-order approximation", ("friction_linear",), panels=lambda r: [Panel("friction", "velocity [m/s]", "F [N]", [
            r.curve("friction_linear/friction_steady.csv", "velocity", "force", "F_mu"), r.curve("friction_linear/friction_steady.csv", "velocity", "first_order", "first order")])],
            statements=(
            Statement("excellent for low velocities: largest difference below 0.5 mm/s over F_s", lambda r: max(abs(a - b) for v, a, b in zip(*(
                r.columns("friction_linear/friction_steady.csv")[c] for c in ("velocity", "force", "first_order"))) if abs(v) <= 5e-4) / 830, (1e-4, 3e-4), true=(0, 0.01), form=".2g"),
            Statement("worse for larger ones: largest difference up to 50 mm/s over F_s", lambda r: max(abs(a - b) for a, b in zip(*(
                r.columns("friction_linear/friction_steady.csv")[c] for c in ("force", "first_order")))) / 830, (5, 15), true=(0.1, 100), form=".3g"))),
        Item("Figure 14", "errors of the eigenvalues by central differences", ("counterpart", "counterpart_cartesian"), panels=lambda r: [
            Panel(f"({letter}) error of {label}", "h", "relative error", [Curve(label, [10.0 ** e for e in DIFFERENCE_STEPS], [difference_error(r, e, k) for e in DIFFERENCE_STEPS])], log="xy")
            for letter, label, k in (("a", "lambda_3", THIRD), ("b", "lambda_4", FOURTH))], statements=(
            *(Statement(f"error of {label} at h = 1e-5 is about 0", lambda r, k=k: difference_error(r, -5, k), (3e-7, 9e-7), true=(0, 1e-4), form=".1e")
              for label, k in (("lambda_3", THIRD), ("lambda_4", FOURTH))),
            *(Statement(f"error of {label} rises for high h: at 0.1", lambda r, k=k: difference_error(r, -1, k), (0.6, 1.5), true=(0.01, 9), form=".1g")
              for label, k in (("lambda_3", THIRD), ("lambda_4", FOURTH))),
            Statement("it rises for very low h: at 1e-12 over that at 1e-7, lambda_3", lambda r: difference_error(r, -12, THIRD) / difference_error(r, -7, THIRD), (10, 1e9), true=(10, 1e9),
                      form=".0e", timed=True),
            *(Statement(f"eigenvalues of the counterpart, 2 n + r + u: {here} here", lambda r, run=run: len(r.rows(run + "/eigenvalues.csv")), (number, number), 24, form="g",
                        why=f"it depends on the coordinates; the paper has n = 10, and n = {(number - 4) // 2} here")
              for run, here, number in (("counterpart", "3 relative angles", 10), ("counterpart_cartesian", "9 cartesian coordinates", 22))),
            *(Statement(f"spurious null eigenvalues of it, one for each dependent coordinate and rate: {here} here", lambda r, run=run: len(r.rows(run + "/eigenvalues.csv")) - len(
                spectrum(r, "linear_full")), (number, number), 18, form="g", why="for the same reason; 2 m with m dependent coordinates, as in the paper")
              for run, here, number in (("counterpart", "3 relative angles", 4), ("counterpart_cartesian", "9 cartesian coordinates", 16))),
            Statement("its null eigenvalues, cartesian coordinates: these and the two of the table", lambda r: zeros(r, "counterpart_cartesian"), (18, 18), true=(18, 18), form="g", why="some are not exactly zero"),
            Statement("time of the counterpart over that of the exact linear model, 0.016 s over 0.005 s", lambda r: stored_ratio(), (1, 99), 3.2, form=".2g", timed=True,
                      why="5 times in compiled code")),
            note="The ratio of computing times is measured by `make bench` (linear_benchmark) and read from docs/validation.md, linear models."),
    ])
