"""Multipliers and the energy balance over the step (tools/scale.py: order)."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from .runs import CVODE, DOUBLE_STEP, ROOT, error, extrapolated
from .tables import first_line, number, table

SHAKEN_TABLE = """\
trunnion: 1
gravity: [0, 0, 0]
bodies: {table: {mass: 1000, inertia: [1, 1, 1]}}
joints: {table: {prismatic: {parent: ground, axis: x}}}
motions: {shake: {joint: table, signal: s}}
signals: {s: {sine: {amplitude: 10 mm, frequency: 2 Hz}}}
solver: {step: 1 ms, duration: 5 s}
"""

DRIVEN_SLIDER_CRANK = """\
trunnion: 1
title: Slider-crank, its crank moved to and fro
gravity: [0, -9.81, 0]
bodies: {a: {rod: {length: 1, mass: 3}}, b: {rod: {length: 2, mass: 5}}, s: {point_mass: {mass: 2}}}
joints:
  a: {revolute: {parent: ground}, angle: 1}
  b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -1.43}
  s: {prismatic: {parent: ground, axis: x}, position: 2.35}
loops: {l: {revolute: {between: [b, s], at: [[2, 0, 0], [0, 0, 0]]}}}
motions: {drive: {joint: a, signal: to_and_fro}}
springs: {recoil: {joint: s, stiffness: 200, damping: 5, rest: 2}}
signals: {to_and_fro: {sine: {amplitude: 0.8, frequency: 1 Hz, offset: 1}}}
solver: {step: 1 ms, duration: 2 s}
"""

DRIVEN_FIVE_BAR = """\
trunnion: 1
title: Five-bar with one side moved and the other swinging on a spring
gravity: [0, -9.81, 0]
bodies:
  a: {rod: {length: 1, mass: 3}}
  b: {rod: {length: 1.5, mass: 4}}
  d: {rod: {length: 1, mass: 2}}
  c: {rod: {length: 1.5, mass: 4}}
joints:
  a: {revolute: {parent: ground}, angle: 1.9}
  b: {revolute: {parent: a, at: [1, 0, 0]}, angle: -1.1}
  d: {revolute: {parent: ground, at: [1.2, 0, 0]}, angle: 1.2, hold: true}
  c: {revolute: {parent: d, at: [1, 0, 0]}, angle: 1}
loops: {l: {revolute: {between: [b, c], at: [[1.5, 0, 0], [1.5, 0, 0]]}}}
motions: {drive: {joint: a, signal: to_and_fro}}
springs: {hold: {joint: d, stiffness: 300, damping: 3, rest: 1.2}}
signals: {to_and_fro: {sine: {amplitude: 0.3, frequency: 1 Hz, offset: 1.9}}}
solver: {step: 1 ms, duration: 2 s}
"""

TREATMENTS = {  # and their settings
    "penalty": [], "double_step": DOUBLE_STEP, "baumgarte": ["solver.constraints=baumgarte"],
    "ali1, rk4": ["solver.constraints=ali1", "solver.integrator=rk4"],
    "ali1, semi-implicit": ["solver.constraints=ali1", "solver.integrator=semi_implicit_euler"]}
SHAKEN_STEPS = [5, 1, 0.1]  # [ms]
ORDER_STEPS = [1, 0.5, 0.25]  # [ms]
ORDER_RECORDS = 10  # [ms]


def order(errors, floor):
    """Order from the last halving; None at the level of rounding."""
    return math.log2(errors[-2] / errors[-1]) if errors[-1] > floor and all(map(math.isfinite, errors[-2:])) else None


def treated(program, treatment, model, settings, channels, every):
    run = program.penalty if treatment == "penalty" else program.other
    return run(model, [*settings, *TREATMENTS[treatment]], channels, every)


def study_order(program, options):
    """Multipliers and the energy balance over the step."""
    figures = {"shaken_table": [], "multipliers": [], "ledger": []}
    print("## Multipliers and energy balance over the step\n")
    print("Shaken table: external work after ten periods, exactly 0, and its maximum error during the run, against the kinetic energy (7.9 J) [J].")
    rows = []
    for treatment in TREATMENTS:
        row = [treatment]
        for step in SHAKEN_STEPS:
            run = treated(program, treatment, SHAKEN_TABLE, [f"solver.step={step} ms"], ["energy.external"], max(1, round(5 / step)))
            found = {"treatment": treatment, "step": 1e-3 * step, "external": math.inf, "greatest": math.inf, "message": run.message}
            if run.completed:
                truth = [500 * ((0.04 * math.pi * math.cos(4 * math.pi * t)) ** 2 - (0.04 * math.pi) ** 2) for t in run.time]
                found["external"] = run.columns["energy.external"][-1]
                found["greatest"] = max(abs(a - b) for a, b in zip(run.columns["energy.external"], truth))
            figures["shaken_table"].append(found)
            row.append(f"{number(found['external'])}, {number(found['greatest'])}" if run.completed else run.status)
        rows.append(row)
    table(["treatment", *(f"{step:g} ms" for step in SHAKEN_STEPS)], rows)

    machines = {"driven slider-crank": (DRIVEN_SLIDER_CRANK, ["drive.multiplier_1", "l.multiplier_1", "l.multiplier_2"]),
                "driven five-bar": (DRIVEN_FIVE_BAR, ["drive.multiplier_1", "l.multiplier_1", "l.multiplier_2"]),
                "rolling_disc": (ROOT / "examples/rolling_disc.yaml", ["rim.normal_force", "rim.longitudinal_force", "rim.lateral_force"])}
    print("Multipliers: maximum error over the maximum magnitude of the three of a machine. Reference: double-step at 1/32 and 1/64 ms, "
          "extrapolated.\n")
    rows = []
    for name, (model, channels) in machines.items():
        end = ["solver.duration=2"]
        reference = extrapolated(*(program.reference(model, [*end, *DOUBLE_STEP, f"solver.step={1e-3 / n!r}"], channels, ORDER_RECORDS * n)
                                   for n in (64, 32)))
        size = max(abs(x) for channel in channels for x in reference.columns[channel])
        cvode = program.reference(model, [*end, *CVODE], channels, ORDER_RECORDS)
        if cvode.completed:
            print(f"- {name}: cvode agrees with it to {number(error(cvode, reference, dict.fromkeys(channels, size)))}")
        else:
            print(f"- {name}: cvode {cvode.status}: {first_line(cvode.message)}")
        for treatment in TREATMENTS:
            errors = {channel: [] for channel in channels}
            for step in ORDER_STEPS:
                run = treated(program, treatment, model, [*end, f"solver.step={step} ms"], channels, round(ORDER_RECORDS / step))
                for channel in channels:
                    errors[channel].append(error(run, reference, {channel: size}) if run.completed else math.inf)
            for channel in channels:
                found = order(errors[channel], 1e-10)
                figures["multipliers"].append({"machine": name, "treatment": treatment, "channel": channel, "errors": errors[channel],
                                               "order": found})
                rows.append([name, channel, treatment, *errors[channel], number(found, 3)])
    rows.sort(key=lambda row: (list(machines).index(row[0]), row[1]))
    beside = {(row[0], row[1]): row[3:6] for row in rows if row[2] == "double_step"}
    for row in rows:
        other = beside[row[0], row[1]][-1]
        row.append(number(row[5] / other, 3) if other > 1e-8 else "")
    table(["machine", "multiplier", "treatment", *(f"{s:g} ms" for s in ORDER_STEPS), "order", "over double-step at 0.25 ms"], rows)

    print("Energy balance: maximum error of each entry over the largest entry. Reference: double-step at 1/64 and 1/128 ms, extrapolated. Of all entries "
          "with errors above 1e-9 at 1 ms: the minimum order, and the maximum ratio to double-step at 0.25 ms unless at rounding.")
    models = {name: model for name, (model, _) in machines.items()}
    models |= {"four_bar": ROOT / "examples/four_bar.yaml", "four_bar_lift": ROOT / "examples/four_bar_lift.yaml"}
    rows = []
    for name, model in models.items():
        end, record = ["solver.duration=2"], ["energy.*"]
        reference = extrapolated(*(program.reference(model, [*end, *DOUBLE_STEP, f"solver.step={1e-3 / n!r}"], record, ORDER_RECORDS * n)
                                   for n in (128, 64)))
        entries = [channel for channel in reference.columns if channel != "time"]
        size = max(abs(x) for entry in entries for x in reference.columns[entry])
        offs = {}
        for treatment in TREATMENTS:
            runs = [treated(program, treatment, model, [*end, f"solver.step={step} ms"], record, round(ORDER_RECORDS / step)) for step in ORDER_STEPS]
            for entry in entries:
                offs[treatment, entry] = [error(run, reference, {entry: size}) if run.completed else math.inf for run in runs]
        for treatment in TREATMENTS:
            if not all(math.isfinite(offs[treatment, entry][-1]) for entry in entries):
                rows.append([name, treatment, "fails", "", ""])
                figures["ledger"] += [{"machine": name, "treatment": treatment, "entry": entry, "errors": offs[treatment, entry], "order": None,
                                       "double_step": offs["double_step", entry]} for entry in entries]
                continue
            orders, ratios = [], []
            for entry in entries:
                errors, other = offs[treatment, entry], offs["double_step", entry][-1]
                found = order(errors, 1e-10)
                figures["ledger"].append({"machine": name, "treatment": treatment, "entry": entry, "errors": errors, "order": found,
                                          "double_step": offs["double_step", entry]})
                if errors[0] > 1e-9 and found is not None:
                    orders.append((found, entry))
                    if other > 1e-8:
                        ratios.append((errors[-1] / other, entry))
            worst = max((offs[treatment, entry][0], entry) for entry in entries)
            rows.append([name, treatment, f"{number(worst[0])} ({worst[1]})", *(f"{number(some[0], 3)} ({some[1]})" if some else ""
                                                                               for some in (min(orders, default=None), max(ratios, default=None)))])
    table(["machine", "treatment", "maximum error at 1 ms", "minimum order", "maximum over double-step"], rows)
    return figures


ABOVE_ROUNDING = 1e-8  # errors for which an order and a ratio are computed


def stored_order(figures):
    """For every machine and treatment the maximum error at each step, the lowest order and the maximum ratio to double-step."""
    shaken = {}
    for c in figures["shaken_table"]:
        row = shaken.setdefault(c["treatment"], {"treatment": c["treatment"], "external": [], "external_max": []})
        row["external"].append(abs(c["external"]))
        row["external_max"].append(c["greatest"])

    def lines(cases, name):
        groups = {}
        for c in cases:
            groups.setdefault((c["machine"], c["treatment"]), []).append(c)
        beside = {(c["machine"], c[name]): c["errors"] for c in cases if c["treatment"] == "double_step"}
        found = []
        for (machine, treatment), some in groups.items():
            ratios = [c["errors"][-1] / beside[machine, c[name]][-1] for c in some if beside[machine, c[name]][-1] > ABOVE_ROUNDING]
            found.append({"machine": machine, "treatment": treatment, "errors": [max(c["errors"][i] for c in some) for i in range(len(ORDER_STEPS))],
                          "order": min((x for c in some if (x := order(c["errors"], ABOVE_ROUNDING)) is not None), default=None),
                          "ratio": max(ratios, default=None)})
        return found

    return {"treatments": list(TREATMENTS), "shaken_steps": [1e-3 * step for step in SHAKEN_STEPS], "steps": [1e-3 * step for step in ORDER_STEPS],
            "above_rounding": ABOVE_ROUNDING, "shaken_table": list(shaken.values()), "multipliers": lines(figures["multipliers"], "channel"),
            "ledger": lines(figures["ledger"], "entry")}
