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
from concurrent.futures import ThreadPoolExecutor
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
    through_io, alone = np.transpose([(least(stepped, 1), least(lambda: sim.step(n), 1)) for _ in range(100)])  # in turn, as machines change their speed
    print(f"io, 20 inputs and 20 outputs: {1e6 * (through_io.min() - alone.min()) / n:.2f} us above the step of {1e6 * alone.min() / n:.2f} us (minima; "
          f"median of the pairs {1e6 * np.median(through_io - alone) / n:.2f} us; limit 2)")


def batch_rate():
    """fleet.step(actions, n=20) of 1000 four-bars on 2 threads, beside the C++ batch, which is the same call without actions and outputs, and beside
    Simulation.step on as many threads, from the same start. CPU time is less affected by other programs."""
    text = tr.Model(EXAMPLES / "four_bar.yaml").yaml() + "inputs: {u: 0}\n"  # nothing depends on it: the motion stays the same
    model, n, calls, steps, threads = tr.Model.from_text(text), 1000, 10, 20, 2
    fleet = tr.Batch(model, n, threads=threads, inputs=["u"], outputs=["crank.angle"])
    actions, share = np.zeros((n, 1)), 10  # of the machines, as single simulations
    simulations = [model.simulation() for _ in range(threads)]
    start = simulations[0].save()

    def through_python():
        for _ in range(calls):
            fleet.step(actions, n=steps)

    def engine():
        for _ in range(calls):
            fleet._core.step(steps)

    def bare(simulation):
        for _ in range(n // share // threads):
            simulation.restore(start)
            simulation.step(calls * steps)

    def bare_on_threads():
        list(pool.map(bare, simulations))

    def timed(work):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - wall, time.process_time() - cpu

    times = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(25):  # in turn, as machines change their speed
            row = []
            for work in (through_python, engine):
                fleet.reset()
                row.append(timed(work))
            times.append([*row, share * np.array(timed(bare_on_threads))])
    (python, core, single), (python_cpu, core_cpu, single_cpu) = np.transpose(times)
    layer = least(lambda: fleet.step(actions, n=0), 50) - least(lambda: fleet._core.step(0), 50)
    name = f"fleet.step(n=20), 1000 four-bars, {threads} threads"
    for of, (a, b, c) in {"wall": (python, core, single), "CPU": (python_cpu, core_cpu, single_cpu)}.items():
        print(f"{name}, by {of} time: {100 * np.median(b / a):.1f} % of the C++ batch's rate, {100 * np.median(c / a):.1f} % of the rate of Simulation.step (limit 95), "
              f"the C++ batch {100 * np.median(c / b):.1f} % of it; of minima {100 * b.min() / a.min():.1f}, {100 * c.min() / a.min():.1f} and "
              f"{100 * c.min() / b.min():.1f} %")
    print(f"fleet.step without steps: {1e6 * layer:.0f} us a call above the C++ batch's for actions, checks and outputs, {100 * layer * calls / core.min():.2f} % of 20 steps "
          f"(limit 1)")


def sweep_rate(program):
    """1000 runs by tr.sweep on one thread, beside the command line: a sample of runs before, and one after, scaled to 1000."""
    model = tr.Model(EXAMPLES / "lever.yaml")
    bores, sample = np.linspace(0.045, 0.08, 1000), 20

    def by_program(values):
        with tempfile.TemporaryDirectory() as folder:
            for bore in values:
                subprocess.run([program, "run", str(EXAMPLES / "lever.yaml"), "--set", f"cylinders.lift.bore={float(bore)!r}", "-q", "-o", folder], check=True)

    chosen = bores[:: len(bores) // sample][:sample]
    first = least(lambda: by_program(chosen), 1)
    in_process = least(lambda: tr.sweep(model, {"cylinders.lift.bore": bores}, {"p": "max(piston_side.pressure)"}), 1)
    last = least(lambda: by_program(chosen), 1)
    extrapolated = [t / sample * len(bores) for t in (first, last)]
    print(f"1000 runs of lever.yaml on one thread: {in_process:.1f} s; by the command line {min(extrapolated):.1f} to {max(extrapolated):.1f} s "
          f"(extrapolated from 2 x {sample} runs), {min(extrapolated) / in_process:.1f} times (limit 5)")


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
