#!/usr/bin/env python3
"""Costs of the Python interface, relative to the engine's: minima of several repetitions.

    PYTHONPATH=build/release/python benchmarks/python_benchmark.py [--program build/release/bin/trunnion] [--memory]

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import trunnion as tr

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def least(call, repetitions=5):
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def io_overhead():
    """20 inputs and 20 outputs through io in each step, beside steps in one call."""
    text = (EXAMPLES / "lever_driven.yaml").read_text(encoding="utf-8")
    names = [f"u{i}" for i in range(20)]
    model = tr.Model.from_text(re.sub(r"^inputs:.*\n( .*\n)*", "inputs:\n" + "".join(f"  {name}: {{min: -10, max: 10}}\n" for name in [*names[:19], "command"]),
                                      text, flags=re.MULTILINE))
    n, inputs = 500, [*names[:19], "command"]
    states = ["lever.angle", "lever.rate", "piston_side.pressure", "rod_side.pressure"] * 5
    u = np.zeros(20)
    sim = model.simulation()
    io = sim.io(inputs, states)

    def stepped():
        for _ in range(n):
            io.step(u)

    sim.step(n)
    both = [(least(stepped, 1), least(lambda: sim.step(n), 1)) for _ in range(100)]  # in turn, as machines change their speed
    through_io, alone = (min(times) for times in zip(*both))
    print(f"io, 20 inputs and 20 outputs: {1e6 * (through_io - alone) / n:.2f} us above the step of {1e6 * alone / n:.2f} us (limit 2)")


def batch_rate():
    """fleet.step(actions None, n=20) of 1000 four-bars on 2 threads, beside 1000 steps in one call of the engine."""
    fleet = tr.Batch(tr.Model(EXAMPLES / "four_bar.yaml"), 1000, threads=2, outputs=["crank.angle"])
    fleet.step(n=20)
    python, engine = [], []
    for _ in range(40):  # in turn, as machines change their speed
        python.append(least(lambda: fleet.step(n=20), 1))
        engine.append(least(lambda: fleet._core.step(20), 1))
    print(f"fleet.step(n=20), 1000 four-bars, 2 threads: {100 * min(engine) / min(python):.1f} % of the engine's rate (limit 95)")


def sweep_rate(program):
    model = tr.Model(EXAMPLES / "lever.yaml")
    bores = np.linspace(0.045, 0.08, 1000)
    begin = time.perf_counter()
    tr.sweep(model, {"cylinders.lift.bore": bores}, {"p": "max(piston_side.pressure)"})
    in_process = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        sample = 40
        begin = time.perf_counter()
        for bore in bores[:: len(bores) // sample][:sample]:
            subprocess.run([program, "run", str(EXAMPLES / "lever.yaml"), "--set", f"cylinders.lift.bore={float(bore)!r}", "-q", "-o", folder], check=True)
        program_time = (time.perf_counter() - begin) / sample * 1000
    print(f"1000 runs of lever.yaml on one thread: {in_process:.1f} s; by the command line {program_time:.1f} s, {program_time / in_process:.1f} times (limit 5)")


def memory():
    model = tr.Model(EXAMPLES / "lever_driven.yaml")

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def use(n):
        for _ in range(n):
            sim = model.simulation()
            sim.io(["command"], ["lever.angle"]).step([1.0])

    use(1000)
    before = resident()
    use(100_000)
    print(f"100 000 simulations created and dropped: {(resident() - before) / 1e6:+.2f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/trunnion")
    parser.add_argument("--memory", action="store_true", help="also 100 000 simulations: a minute")
    options = parser.parse_args()
    io_overhead()
    batch_rate()
    sweep_rate(options.program)
    if options.memory:
        memory()


if __name__ == "__main__":
    main()
