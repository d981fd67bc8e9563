#!/usr/bin/env python3
"""Compares steady operation with the steady state reached by CVODE, on random hydraulic circuits with pumps, and prints a table in Markdown.

    tools/steady.py [--program build/release/bin/trunnion] [--count 500] [--seed 1] [--jobs 2] [--machine N ...] [--keep FOLDER] [--check] [--spoil SHARE]
    tools/steady.py --store [--program ...]     writes tests/data/steady.json, which docs/validation.md quotes

Every circuit has two to six volumes of 1e-6 ... 1e-2 m^3 at start pressures that do not fit, a pump (given flow, given speed, with a prime mover, with
cut-off or load sensing), relief, reducing and check valves, orifices, resistances, lines and accumulators. CVODE runs from the same start pressures for 60 s, or 2000 s where it has not come to rest, and again, from
what `trunnion steady` found, for 1 s. A circuit is
    right      solved, and CVODE stays there and comes there
    elsewhere  solved, CVODE stays there, but comes to another rest from the start, and `steady` names what is open
    unstable   solved, `steady` calls it unstable, and CVODE does not settle
    refused    `steady` finds none, and CVODE does not settle either: a pressure keeps rising, or swings
    wrong      all else
--check ends with 1 where one is wrong. --spoil changes what was found by that share before it is judged, to see that the judge finds it.
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

from oil_rule import written

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORED = ROOT / "tests/data/steady.json"
KINDS = ["right", "elsewhere", "unstable", "refused", "wrong"]
SETTLING, LONGER, HOLDING = 60, 2000, 1  # [s]
SAME, HELD, SETTLED = 1e-4, 1e-6, 1e-5  # of the range of pressures: the same rest; of a pressure; of the range over the last tenth


def circuit(number, seed):
    """A model file of a random circuit, JSON being YAML."""
    r = random.Random(f"steady {seed} {number}")
    log_uniform = lambda low, high: low * (high / low) ** r.random()
    count = r.randint(2, 6)
    names = [f"v{i}" for i in range(count)]
    volumes = {n: {"volume": log_uniform(1e-6, 1e-2)} | ({"pressure": f"{r.uniform(1, 200):.6g} bar"} if r.random() < 0.7 else {}) for n in names}
    model = {"trunnion": 1, "fluid": {"density": 870, "bulk_modulus": 1.5e9}, "volumes": volumes, "sources": {"tank": {"pressure": "1 bar"}},
             "valves": {}, "solver": {"step": 1e-3, "duration": SETTLING}}
    valves = model["valves"]
    size = lambda: {"flow": f"{log_uniform(1, 100):.6g} L/min", "at_pressure_drop": f"{r.choice([3, 5, 10, 35])} bar"}

    def join(a, b, name):
        kind = r.choice(["orifice", "orifice", "orifice", "check", "resistance", "line", "reducing"])
        if kind == "check":
            valves[name] = {"check": {"A": a, "B": b, "cracking_pressure": f"{r.choice([0, 0.5, 2])} bar", **size()}}
            if r.random() < 0.5:
                valves[name + "_open"] = {"orifice": {"A": a, "B": b, **size()}}
        elif kind == "resistance":
            valves[name] = {"resistance": {"A": a, "B": b, "flow": f"{log_uniform(0.1, 10):.6g} L/min", "at_pressure_drop": "100 bar"}}
        elif kind == "line":
            model.setdefault("lines", {})[name] = {"A": a, "B": b, "length": f"{r.uniform(0.5, 5):.4g} m", "diameter": f"{r.choice([8, 12, 20])} mm"}
        elif kind == "reducing" and "tank" not in (a, b):
            valves[name] = {"reducing": {"A": a, "B": b, "T": "tank", "setting": f"{r.uniform(10, 80):.5g} bar", **size()}}
        else:
            valves[name] = {"orifice": {"A": a, "B": b, **size()}}

    for i in range(1, count):
        join(r.choice(names[:i]), names[i], f"e{i}")
    join(names[-1], "tank", "drain")
    for i in range(r.randint(0, 3)):
        a, b = r.sample([*names, "tank"], 2)
        join(a, b, f"x{i}")
    if r.random() < 0.8:
        valves["relief"] = {"relief": {"A": names[0], "B": "tank", "cracking_pressure": f"{r.uniform(50, 200):.6g} bar",
                                       "flow": f"{log_uniform(10, 100):.6g} L/min", "override": f"{r.choice([2, 10])} bar"}}
    kind = r.choice(["flow", "speed", "engine", "cut_off", "load_sensing"])
    if kind == "flow":
        model["sources"]["pump"] = {"flow": f"{log_uniform(1, 60):.5g} L/min", "to": names[0]}
    else:
        pump = {"S": "tank", "P": names[0], "displacement": f"{log_uniform(2, 60):.5g} cm^3/rev", "speed": "1500 rpm"}
        if r.random() < 0.7:
            pump["losses"] = {"volumetric": r.choice([0.9, 0.95]), "mechanical": 0.92, "at_speed": "1500 rpm", "at_pressure": "200 bar"}
        if kind in ("cut_off", "load_sensing"):
            pump["control"] = {"pressure": f"{r.uniform(100, 250):.5g} bar", "band": f"{r.choice([5, 10, 20])} bar"}
            if kind == "load_sensing":
                pump["control"]["load_sensing"] = {"LS": names[-1], "margin": "20 bar"}
        if kind != "speed":
            pump["prime_mover"] = {"inertia": r.choice([0.2, 1]), "torque": "400 N m", "droop": "100 rpm"}
        model["pumps"] = {"pump": pump}
    if r.random() < 0.2:
        model["accumulators"] = {"acc": {"P": r.choice(names), "gas": {"volume": f"{r.uniform(0.2, 2):.4g} L", "precharge": f"{r.uniform(10, 80):.4g} bar"},
                                         "neck": {"diameter": "8 mm"}}}
    for n in names:  # every volume can settle
        if r.random() < 0.7:
            valves["leak_" + n] = {"resistance": {"A": n, "B": "tank", "flow": "0.2 L/min", "at_pressure_drop": "100 bar"}}
    return model


def call(program, *arguments):
    try:
        done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return "not finished within 300 s"
    return "" if done.returncode == 0 else (done.stderr.strip() or done.stdout.strip() or "no message")


def pressures(folder):
    """Columns of the pressures of volumes, up to the end of a run."""
    path = next((p for p in (folder / "results.csv", folder / "results.csv.part") if p.exists()), None)
    if path is None:
        return None, None
    with open(path) as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#")) if row]
    names = [n.split(" [")[0] for n in rows[0]]
    return names, [[float(x) for x in row] for row in rows[1:]]


CVODE = ["--set", "solver.constraints=double_step", "--set", "solver.integrator=cvode", "--set", "record.files=[csv]", "-q"]


def study(task):
    options, number = task
    model = circuit(number, options.seed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        path = written(model, number, folder, options.keep)
        if trouble := call(options.program, "check", path):
            if "equilibrium" not in trouble and "is not determined" not in trouble and "oil flows" not in trouble:
                return number, "wrong", f"the circuit is not a valid model: {trouble[:300]}"
        trouble = call(options.program, "steady", path, "-o", folder / "steady", "-q")
        steady = None if trouble else json.loads((folder / "steady/steady.json").read_text())
        # given pressures for CVODE: omitted ones start at 10 bar
        volumes = json.loads(json.dumps(model["volumes"]))
        for volume in volumes.values():
            volume.setdefault("pressure", "10 bar")
        (folder / "stated.yaml").write_text(json.dumps(model | {"volumes": volumes}))
        settling = call(options.program, "run", folder / "stated.yaml", "-o", folder / "run", "--set", "solver.step=0.02", *CVODE)
        names, rows = pressures(folder / "run")
        if rows is None:
            return number, "wrong", f"CVODE did not begin: {settling[:200]}"
        at = {n: names.index(n + ".pressure") for n in volumes}
        span = max(1e5, max(row[i] for row in rows for i in at.values()) - min(row[i] for row in rows for i in at.values()))
        late = rows[-max(2, len(rows) // 10):]
        moving = max(max(row[i] for row in late) - min(row[i] for row in late) for i in at.values()) / span
        settled = not settling and moving < SETTLED
        if steady is None:
            verdict = "refused" if not settled else "wrong"
            return number, verdict, f"{trouble[:200]} [CVODE moved {moving:.2g} at the end{': ' + settling[:100] if settling else ''}]"
        found = {n: steady["pressures"][n]["pressure"] * (1 + options.spoil) for n in at}
        if not settled and not settling:  # a leak or an accumulator settles slowly
            settling = call(options.program, "run", folder / "stated.yaml", "-o", folder / "long", "--set", f"solver.duration={LONGER}", "--set",
                            "solver.step=0.1", *CVODE)
            names, rows = pressures(folder / "long")
            late = rows[-max(2, len(rows) // 10):]
            moving = max(max(row[i] for row in late) - min(row[i] for row in late) for i in at.values()) / span
            settled = not settling and moving < SETTLED
        off = max(abs(rows[-1][i] - found[n]) for n, i in at.items()) / span
        unstable = steady["stability"]["verdict"] == "unstable"
        holding = call(options.program, "run", path, "--steady", "-o", folder / "hold", "--set", f"solver.duration={HOLDING}", *CVODE)
        names, rows = pressures(folder / "hold")
        held = not holding and max(abs(row[names.index(n + ".pressure")] / found[n] - 1) for row in rows for n in at) < HELD
        text = f"off by {off:.2g} of the range, CVODE moved {moving:.2g} at the end, held: {held}, open: {steady['open']}, unstable: {unstable}"
        if unstable:
            return number, "unstable" if not settled or off > SAME else "wrong", text
        if not held:
            return number, "wrong", text + " " + holding[:200]
        if off < SAME:
            return number, "right", text
        return number, "elsewhere" if steady["open"] else "wrong", text


def table(counts):
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (list(counts), ["---"] * len(counts), [str(c) for c in counts.values()]))


def stored():
    """The table of random circuits."""
    return table(json.loads(STORED.read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/bin/trunnion")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--machine", type=int, nargs="*")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--spoil", type=float, default=0)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    numbers = options.machine or range(options.count)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(study, [(options, n) for n in numbers], chunksize=2))
    counts = {"circuits": len(results)} | {k: sum(r[1] == k for r in results) for k in KINDS}
    print(table(counts), end="\n\n")
    if options.store:
        STORED.write_text(json.dumps(counts, indent=1) + "\n")
    for number, verdict, text in results:
        if verdict != "right" or options.machine:
            print(number, verdict, text.replace("\n", " "))
    if options.check and any(r[1] == "wrong" for r in results):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
