#!/usr/bin/env python3
"""Compares the oil's time rule with CVODE on random hydraulic circuits whose pressures jump, and prints a table in Markdown.

    tools/oil_rule.py [--program build/release/bin/trunnion] [--count 1000] [--seed 1] [--jobs 2] [--step 1e-3] [--dynamic]
                      [--cosimulation] [--set PATH=VALUE ...] [--machine N ...] [--keep FOLDER] [--worst N] [--check]
    tools/oil_rule.py --cases [--program ...]       the circuits of tests/data/jumps, against where they settle
    tools/oil_rule.py --store [--program ...]       writes tests/data/oil_rule.json, which docs/validation.md quotes: 1000 circuits of each kind

Every circuit has two to six volumes of 1e-9 ... 1e-2 m^3 at start pressures that do not fit, orifices of which some are opened and closed at
once, check and relief valves, pumps and a supply that jump. --dynamic gives relief valves a natural frequency. An error is the largest
difference of a pressure from CVODE's, over the range of all pressures of that circuit in its whole run; late is from the fifth (tenth) step
after a jump on. A circuit chatters where CVODE's own pressure still turns round several times, by more than 2 % of the range, from the tenth step
after a jump on: its phase, not its pressures, is what is compared there. --check ends with 1 where a run fails or swings, or where more than
0.5 % (1 %; --dynamic: 1 %, 2 %) of the circuits that do not chatter are off by more than 5 % (1 %) that late. A pressure swings
where it reverses in every one of six steps by more than a tenth of a per cent of the range, from the fifth step after a jump on, and CVODE's,
at the same instants, does not in five of six steps after that jump: poppets oscillate at up to 500 Hz. --cosimulation: a body on a cylinder
between two tanks is added, and the circuit is the hydraulic subsystem of a co-simulation with communication steps of that length; a warning is
there that accuracy is called lost.
"""
# SPDX-License-Identifier: BSD-3-Clause
import argparse
import concurrent.futures
import csv
import json
import pathlib
import random
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "tests/data/oil_rule.json"
# file, pressures where it settles [bar], time of the last jump [s], range of its pressures [bar]
CASES = [
    ("pump_stops_at_check", {"line": 100.5}, 0.2, 2),
    ("supply_steps", {"v": 101, "w": 51}, 0.03, 210),
    ("start_pressures", {"v": 401 / 3, "w": 202 / 3}, 0.0, 199),
]
JUMPS = [0.0, 0.02, 0.04]  # [s]
DURATION = 0.07
LATE = (5, 10)  # steps after a jump
VALID = 1e12  # [Pa]
COUPLED = {  # a body on a cylinder between two tanks
    "gravity": [0, 0, 0],
    "bodies": {"body": {"point_mass": {"mass": "100 kg"}}},
    "joints": {"body": {"prismatic": {"parent": "ground", "axis": "x"}, "position": "1 m"}},
    "cylinders": {"cylinder": {"base": {"body": "ground", "at": [0, 0, 0]}, "rod_end": {"body": "body", "at": [0, 0, 0]}, "A": "tank", "B": "tank",
                               "bore": "20 mm", "rod": "10 mm", "chamber_length_A": "0.5 m", "chamber_length_B": "0.5 m"}},
}


def circuit(number, seed, dynamic):
    """A model file of a random circuit, JSON being YAML."""
    r = random.Random(f"{seed} {number}")
    log_uniform = lambda low, high: low * (high / low) ** r.random()
    count = r.randint(2, 6)
    names = [f"v{i}" for i in range(count)]
    volumes = {n: {"volume": log_uniform(1e-9, 1e-2), "pressure": f"{r.uniform(1, 250):.6g} bar"} for n in names}
    supply = [r.uniform(50, 250) for _ in JUMPS]
    signals = {"ps": {"steps": [[t, f"{p:.6g} bar"] for t, p in zip(JUMPS, supply)]}}
    sources = {"supply": {"pressure": "ps"}, "tank": {"pressure": "1 bar"}}
    valves = {}

    def steps(values):
        return {"steps": [[t, v] for t, v in zip(JUMPS, values)]}

    def size():
        return {"flow": f"{log_uniform(1, 100):.6g} L/min", "at_pressure_drop": f"{r.choice([3, 5, 10, 35])} bar"}

    def join(a, b, name):
        kind = r.choice(["orifice", "orifice", "orifice", "valve", "check", "resistance"])
        if kind == "check":
            valves[name] = {"check": {"A": a, "B": b, "cracking_pressure": f"{r.choice([0, 0.5, 2])} bar", **size()}}
            if r.random() < 0.5:
                valves[name + "_open"] = {"orifice": {"A": a, "B": b, **size()}}
        elif kind == "valve":
            signals[name] = steps([r.choice([0, 1, 0.3]) for _ in JUMPS])
            valves[name] = {"orifice": {"A": a, "B": b, **size()}, "signal": name}
        elif kind == "resistance":
            valves[name] = {"resistance": {"A": a, "B": b, "flow": f"{log_uniform(0.01, 1):.6g} L/min", "at_pressure_drop": "100 bar"}}
        else:
            valves[name] = {"orifice": {"A": a, "B": b, **size()}}

    join("supply", names[0], "e0")
    for i in range(1, count):
        join(r.choice(names[:i]), names[i], f"e{i}")
    join(names[-1], "tank", "drain")
    for i in range(r.randint(0, 3)):
        a, b = r.sample([*names, "supply", "tank"], 2)
        if {a, b} != {"supply", "tank"}:
            join(a, b, f"x{i}")
    if r.random() < 0.5:
        relief = {"A": r.choice(names), "B": "tank", "cracking_pressure": f"{r.uniform(50, 200):.6g} bar",
                  "flow": f"{log_uniform(10, 100):.6g} L/min", "override": f"{r.choice([2, 10])} bar"}
        if dynamic:
            relief.update(frequency=f"{log_uniform(50, 300):.6g} Hz", damping=r.choice([0.3, 0.7]))
        valves["relief"] = {"relief": relief}
    if r.random() < 0.4:
        signals["q"] = steps([f"{r.choice([0, 5, 30]):g} L/min" for _ in JUMPS])
        sources["pump"] = {"flow": "q", "to": r.choice(names)}
    for n in names:  # every volume can settle
        if r.random() < 0.7:
            valves["leak_" + n] = {"resistance": {"A": n, "B": "tank", "flow": "0.02 L/min", "at_pressure_drop": "100 bar"}}
    return {"trunnion": 1, "fluid": {"density": 870, "bulk_modulus": 1.5e9}, "volumes": volumes, "sources": sources, "valves": valves,
            "signals": signals, "solver": {"step": 1e-3, "duration": DURATION}}


def written(model, number, folder, keep):
    """The model file of a circuit in `folder`, with a copy in the folder `keep` where there is one."""
    text = json.dumps(model, indent=1)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"circuit_{number}.yaml").write_text(text)
    path = folder / "circuit.yaml"
    path.write_text(text)
    return path


def run(program, model, folder, settings):
    out = folder / "out"
    command = [str(program), "run", str(model), "-o", str(out), "--set", "record.files=[csv]", "--set", "solver.allow_open_balance=true"]
    for s in settings:
        command += ["--set", s]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, "not finished within 120 s", {}
    if done.returncode != 0:
        return None, (done.stderr.strip() or done.stdout.strip()).splitlines()[0:1], {}
    with open(out / "results.csv") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    columns = {name.split(" [")[0]: [float(row[i]) for row in rows[1:] if row] for i, name in enumerate(rows[0])}
    summary = json.loads((out / "summary.json").read_text())
    for file in out.iterdir():
        file.unlink()
    return columns, "", summary


def swings(values, steps_after, first, threshold, needed):
    """The jumps, by number, after which a pressure reverses in `needed` of five successive ends of steps, from the step `first` on."""
    jump, recent, found = 0, [], set()
    differences = [b - a for a, b in zip(values, values[1:])]
    for before, now, after in zip(differences, differences[1:], steps_after):
        if after == 0:
            jump, recent = jump + 1, []
        recent = [*recent[-4:], after >= first and before * now < 0 and min(abs(before), abs(now)) > threshold]
        if sum(recent) >= needed:
            found.add(jump)
    return found


def chatters(values, steps_after, threshold):
    """Whether a pressure reverses three times within the late steps after one jump."""
    turns, extreme, direction = 0, values[0], 0
    for value, after in zip(values, steps_after):
        if after < LATE[1]:
            turns, extreme, direction = 0, value, 0
        elif direction * (value - extreme) > 0 or (direction == 0 and value != extreme):
            direction = direction or (1 if value > extreme else -1)
            extreme = value
        elif abs(value - extreme) > threshold:
            turns, extreme, direction = turns + 1, value, -direction
        if turns >= 3:
            return True
    return False


def study(task):
    options, number = task
    model = circuit(number, options.seed, options.dynamic)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        path = written(model, number, folder, options.keep)
        step = [f"solver.step={options.step}"]
        reference, trouble, _ = run(options.program, path, folder, [*step, "solver.constraints=double_step", "solver.integrator=cvode"])
        if reference is None:
            return number, "reference", trouble, {}
        settings = [*step, *options.set]
        if options.cosimulation:
            path = written({**model, **COUPLED}, number, folder, None)
            settings += [f"{key}={options.step}" for key in ("coupling.step", "coupling.hydraulics.step")]
            settings += ["solver.coupling=cosimulation", "coupling.hydraulics.integrator=trapezoidal"]
            if max(p for n in reference if n.endswith(".pressure") for p in reference[n]) > VALID:  # a pump into a closed volume
                return number, "reference", "a pressure beyond the range that a co-simulation accepts", {}
        result, trouble, summary = run(options.program, path, folder, settings)
        if result is None:
            return number, "failed", trouble, {}
    pressures = [n for n in result if n.endswith(".pressure")]
    every = [p for n in pressures for p in reference[n]]
    span = max(every) - min(every)
    last = [max(j for j in JUMPS if j <= t + 1e-9) if k else 0 for k, t in enumerate(reference["time"])]
    steps_after = [round((t - j) / options.step) for t, j in zip(reference["time"], last)]
    worst = {k: 0.0 for k in LATE}
    where = ""
    for n in pressures:
        for i, after in enumerate(steps_after):
            error = abs(result[n][i] - reference[n][i]) / span
            for k in LATE:
                if after >= k and error > worst[k]:
                    worst[k] = error
                    where = n if k == LATE[0] else where
    chatter = [n for n in pressures if chatters(reference[n], steps_after, 0.02 * span)]
    swing = [n for n in pressures
             if swings(result[n], steps_after, LATE[0], 1e-3 * span, 5) - swings(reference[n], steps_after, 0, 1e-3 * span, 4)]
    figures = {"errors": worst, "swing": swing, "chatter": chatter, "where": where, "volume": model["volumes"].get(where.split(".")[0], {}).get("volume"),
               "iterations": summary.get("iterations", {}).get("mean"), "oil": summary.get("energy", {}).get("oil_closed_to_percent"),
               "rule": summary.get("energy", {}).get("oil_rule_error_percent"),
               "lost": not (summary.get("coupling") or {"accurate": True})["accurate"], "resolved": summary.get("resolved_steps")}
    return number, "completed", "", figures


def cases(program):
    """The table of the circuits in tests/data/jumps."""
    lines = ["| circuit | settles at [bar] | step | `auto` | `alpha` | `trapezoidal` |", "| --- | --- | --- | --- | --- | --- |"]
    for name, truth, jump, span in CASES:
        for step in (1e-3, 1e-4):
            cells = []
            for rule in ("auto", "alpha", "trapezoidal"):
                with tempfile.TemporaryDirectory() as scratch:
                    settings = [f"solver.step={step}", f"solver.oil_rule={rule}"]
                    columns, trouble, _ = run(program, ROOT / f"tests/data/jumps/{name}.yaml", pathlib.Path(scratch), settings)
                if columns is None:
                    raise SystemExit(f"{name}: {trouble}")
                late = [i for i, t in enumerate(columns["time"]) if t >= jump + LATE[0] * step - 1e-9]
                off = max(abs(columns[f"{v}.pressure"][i] / 1e5 - p) for v, p in truth.items() for i in late)
                cells.append("below 0.001" if 100 * off / span < 1e-3 else f"{100 * off / span:.2g}")
            settled = ", ".join(f"{p:.2f}" for p in truth.values())
            lines.append(f"| `{name}` | {settled} | {1e3 * step:g} ms | {' | '.join(cells)} |")
    return "\n".join(lines)


def row(results):
    """Figures of a table row for these circuits."""
    counted = [r for r in results if r[1] != "reference"]
    done = [r for r in counted if r[1] == "completed"]
    calm = [r for r in done if not r[3]["chatter"]]
    over = lambda k, limit: sum(r[3]["errors"][k] > limit for r in calm)
    return {"circuits": len(counted), "failed": len(counted) - len(done), "chatter": len(done) - len(calm),
            "swing": sum(bool(r[3]["swing"]) for r in calm), "over_5": over(LATE[0], 0.05), "over_1": over(LATE[1], 0.01),
            "resolved": sum(r[3]["resolved"] or 0 for r in done), "oil": float(f"{max([r[3]['oil'] or 0 for r in done], default=0):.1g}"),
            "alarms": sum((r[3]["rule"] or 0) > 1 or r[3]["lost"] for r in done), "failures": sum((r[3]["rule"] or 0) > 20 for r in done)}


HEAD = (f"| | circuits | failed | chatter | of the others: swing | > 5 % from step {LATE[0]} | > 1 % from step {LATE[1]} | subdivided steps | oil balance error [%] | warning | rule error > 20 % |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")


def line(name, r):
    return (f"| {name} | {r['circuits']} | {r['failed']} | {r['chatter']} | {r['swing']} | {r['over_5']} | {r['over_1']} | {r['resolved']} "
            f"| {r['oil']:.0e} | {r['alarms']} | {r['failures']} |")


def study_all(options, numbers):
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        return list(pool.map(study, [(options, n) for n in numbers], chunksize=4))


def store(options):
    kinds = {}
    for name, dynamic, cosimulation, settings in (("valves at once", False, False, []), ("relief valves with poppets", True, False, []),
                                                  ("valves at once, co-simulation", False, True, []),
                                                  ("relief valves with poppets, co-simulation", True, True, []),
                                                  ("valves at once, `oil_rule: trapezoidal`", False, False, ["solver.oil_rule=trapezoidal"])):
        options.dynamic, options.cosimulation, options.set = dynamic, cosimulation, settings
        kinds[name] = row(study_all(options, range(1000)))
        print(line(name, kinds[name]))
    STORED.write_text(json.dumps(kinds, indent=1) + "\n")


def stored():
    """The table of random circuits."""
    return "\n".join([HEAD, *(line(name, r) for name, r in json.loads(STORED.read_text()).items())])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--step", type=float, default=1e-3)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--cosimulation", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--machine", type=int, nargs="*")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    if options.cases or options.store:
        print(cases(options.program) if options.cases else store(options) or "")
        return
    results = study_all(options, options.machine or range(options.count))
    figures = row(results)
    print(HEAD)
    print(line("with poppets" if options.dynamic else "valves at once", figures))
    print()
    for number, status, trouble, _ in results:
        if status != "completed":
            print(number, status, trouble)
    done = [r for r in results if r[1] == "completed"]
    for number, _, _, f in sorted(done, key=lambda r: -max(r[3]["errors"][LATE[0]], 5 * r[3]["errors"][LATE[1]]))[: options.worst]:
        print(number, " ".join(f"{100 * f['errors'][k]:.3g} %" for k in LATE), f["where"], f["volume"], "swings" if f["swing"] else "",
              "chatters" if f["chatter"] else "", f["resolved"])
    for number, _, _, f in sorted(done, key=lambda r: -(r[3]["oil"] or 0))[:3]:
        print(f"{number}: oil open {f['oil']:.2g} %")
    calm = len(done) - figures["chatter"]
    limits = {"over_5": 0.01, "over_1": 0.02} if options.dynamic else {"over_5": 0.005, "over_1": 0.01}
    if options.check and (figures["failed"] or figures["swing"] or any(figures[k] > share * calm for k, share in limits.items())):
        raise SystemExit("more circuits deviate than allowed")


if __name__ == "__main__":
    main()
