"""Errors of random machines (tools/scale.py: random)."""
# SPDX-License-Identifier: BSD-3-Clause
import math

from .machines import FAMILIES, PLANAR, random_machine
from .runs import CVODE, DOUBLE_STEP, LEAST_ERROR, Run, error, extrapolated
from .tables import first_line, number, quantile, table

MACHINES = 200
RESOLVED = 1e-2  # maximum error of double-step
RECORDS = 50  # of a run, about


def same_motion(run, reference, machine, like):
    """The error of a run of one machine by a reference of another, the same but for its units."""
    factor = math.sqrt(machine.length / like.length)
    columns = {channel: [x * machine.scales[channel] for x in reference.columns[channel]] for channel in machine.scales}
    return error(run, Run("completed", "", columns | {"time": [t * factor for t in reference.time]}, {}), machine.scales)


def measure_machine(program, index):
    """Figures of one, or why it is not among those that count."""
    machine, unit = (random_machine(program.options.seed, index, as_unit) for as_unit in (False, True))
    every = max(1, machine.steps // RECORDS)
    channels = list(machine.scales)
    found = {"machine": index, "family": machine.family, "length": machine.length, "masses": [min(machine.masses), max(machine.masses)],
             "step": machine.step, "steps": machine.steps, "bodies": len(machine.masses)}

    def other(settings, division):
        return program.reference(unit.text(division), settings, channels, every * division)

    def discard(why, message=""):
        return found | {"discarded": why, "message": message}

    runs = {}
    for division in (1, 2, 8, 16):
        run = runs[division] = other(DOUBLE_STEP, division)
        if run.status == "refused":
            return discard("model rejected", run.message)
        if not run.completed:
            return discard("double-step fails" + (" with a shorter step" if division > 1 else ""), run.message)
    reference = extrapolated(runs[16], runs[8])
    off, off_half = (error(run, reference, unit.scales) for run in (runs[1], runs[2]))
    found |= {"double_step": off, "double_step_half": off_half}
    if off > RESOLVED:
        return discard(f"error of double-step above {RESOLVED:g}")
    cvode = other(CVODE, 1)
    if not cvode.completed:
        return discard("cvode fails", cvode.message)
    found["reference"] = error(cvode, reference, unit.scales)
    if found["reference"] > max(0.1 * off, 1e-8):
        return discard("references disagree")
    if off > 1e-9 and not 3 < off / off_half < 5.5:
        return discard("double-step not of second order")
    run = program.other(machine.text(1), DOUBLE_STEP, channels, every)
    found["double_step_here"] = same_motion(run, reference, machine, unit) if run.completed else math.inf
    found["double_step_here_message"] = run.message if not run.completed else ""
    for name, division in (("penalty", 1), ("penalty_half", 2)):
        run = program.penalty(machine.text(division), [], channels, every * division)
        found[name] = same_motion(run, reference, machine, unit) if run.completed else math.inf
        found[f"{name}_message"] = (run.message or run.status) if not run.completed else ""
    found["ratio"] = max(found["penalty"], LEAST_ERROR) / max(off, LEAST_ERROR)
    if LEAST_ERROR < found["penalty"] < math.inf and LEAST_ERROR < found["penalty_half"] < math.inf:
        found["reduction"] = found["penalty"] / found["penalty_half"]
    return found


def statistics_of(cases):
    """Of random machines: how many fail, ratios to double-step, and how the error falls when the step is halved."""
    ratios, down = [c["ratio"] for c in cases], [c["reduction"] for c in cases if "reduction" in c]
    return {"machines": len(cases), "failed": sum(not math.isfinite(c["penalty"]) or not math.isfinite(c["penalty_half"]) for c in cases),
            "median": quantile(ratios, 0.5), "p95": quantile(ratios, 0.95), "worst": max(ratios),
            "reduction_median": quantile(down, 0.5) if down else None, "reduction_p05": quantile(down, 0.05) if down else None,
            "reduction_least": min(down, default=None)}


def study_random(program, options):
    """Random machines with loops."""
    wanted = options.count or (MACHINES if not options.quick else 40)
    cases, index = [], 0
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    while (options.machine and not cases) or sum("discarded" not in c for c in cases) < wanted and not options.machine and index < 4 * wanted:
        missing = wanted - sum("discarded" not in c for c in cases)
        batch = options.machine or list(range(index, index + missing))
        index += len(batch)
        cases += program.all(lambda i: measure_machine(program, i), batch)
    for c in cases if options.keep else []:
        (options.keep / f"machine_{c['machine']}.yaml").write_text(random_machine(options.seed, c["machine"]).text(1))
    counted = [c for c in cases if "discarded" not in c]

    def between(values, what):
        return f"{what} {number(min(values, default=0))} ... {number(max(values, default=0))}"

    lengths, steps = (between([c[key] for c in counted], key) for key in ("length", "step"))
    masses = between([m for c in counted for m in c["masses"]], "masses")
    print("## Random machines\n")
    print(f"{len(counted)} machines of {len(cases)} drawn (seed {options.seed}), {lengths}, {masses}, {steps}: error of the penalty "
          "treatment over that of double-step on the same machine with its length and its middle mass for 1 m and 1 kg.")

    def row(name, here):
        some = statistics_of(here)
        return [name, *(str(value) if isinstance(value, int) else number(value, 3) for value in some.values())]

    families = sorted({c["family"] for c in counted})
    if counted:
        table(["machines", "number", "fail", "median", "95 %", "worst", "error reduction per halving of the step, median", "5 %", "least"],
              [*(row(f, [c for c in counted if c["family"] == f]) for f in families), row("all", counted)])
    worst = sorted(counted, key=lambda c: -c["ratio"])[:12] + sorted((c for c in counted if "reduction" in c), key=lambda c: c["reduction"])[:6]
    table(["machine", "family", "length [m]", "masses [kg]", "step [s]", "steps", "penalty", "at half the step", "double-step", "at half the step",
           "ratio"],
          [[str(c["machine"]), c["family"], number(c["length"]), f"{number(c['masses'][0])} ... {number(c['masses'][1])}", number(c["step"]),
            str(c["steps"]), c["penalty"], c["penalty_half"], c["double_step"], c["double_step_half"], number(c["ratio"], 3)] for c in worst])
    for c in counted:
        for name in ("penalty", "penalty_half"):
            if c[f"{name}_message"]:
                print(f"- machine {c['machine']}{' at half the step' if 'half' in name else ''}: {first_line(c[f'{name}_message'])}")
    here = [c["double_step_here"] / c["double_step"] for c in counted]
    print(f"\nDouble-step on the machines as they are, over that in their own units: median {number(quantile(here, 0.5), 3)}, "
          f"95 % {number(quantile(here, 0.95), 3)}, {sum(map(math.isinf, here))} fail.")
    reasons = {}
    for c in cases:
        if "discarded" in c:
            reasons.setdefault(c["discarded"], []).append(c)
    print(f"\nExcluded: {len(cases) - len(counted)}.")
    for why, some in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"- {why}: {len(some)} ({', '.join(str(c['machine']) for c in some[:12])}{', ...' if len(some) > 12 else ''})")
        if some[0]["message"]:
            print(f"  such as: {first_line(some[0]['message'])}")
    return {"seed": options.seed, "cases": cases}


WORST = 5  # random machines that are stored one by one


def stored_random(figures):
    """Ranges, statistics of all machines and of parts of them, and the worst few."""
    cases = figures["cases"]
    counted = [c for c in cases if "discarded" not in c]
    masses = [m for c in counted for m in c["masses"]]
    groups = {"planar": [c for c in counted if c["family"] in PLANAR],
              "on a turning base": [c for c in counted if c["family"] == "on a turning base"],
              "spatial": [c for c in counted if c["family"] not in PLANAR and c["family"] != "on a turning base"], "all": counted}
    families = {family: [c for c in counted if c["family"] == family] for family in FAMILIES}
    discarded = {}
    for c in cases:
        if "discarded" in c:
            discarded[c["discarded"]] = discarded.get(c["discarded"], 0) + 1
    own_units = [c["double_step_here"] / c["double_step"] for c in counted]
    worst = sorted(counted, key=lambda c: (-c["ratio"], c["machine"]))[:WORST]
    return {"seed": figures["seed"], "drawn": len(cases), "machines": len(counted), "discarded": discarded,
            "lengths": [min(c["length"] for c in counted), max(c["length"] for c in counted)], "masses": [min(masses), max(masses)],
            "steps": [min(c["step"] for c in counted), max(c["step"] for c in counted)],
            "double_step": {"failed": sum(map(math.isinf, own_units)), "p95": quantile(own_units, 0.95)},
            "groups": [{"group": name} | statistics_of(some) for name, some in groups.items() if some],
            "families": [{"family": name} | statistics_of(some) for name, some in families.items() if some],
            "worst": [{key: c[key] for key in ("machine", "family", "length", "masses", "step", "steps", "penalty", "double_step", "ratio")}
                      for c in worst]}
