#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a problem of `apsis bench --few` with REBOUND, for --beside.

usage: beside_rebound.py FILE

docs/commands.md describes FILE and the lines that are printed. Needs the Python module rebound (5.0 or newer).
"""
import sys
import time

import rebound

STEP = 0.01
FIXED = (("leapfrog", "leapfrog", {}), ("whfast", "whfast", {}), ("whfast_c17", "whfast", {"corrector": 17}),
         ("saba_10_6_4", "saba", {"type": "10,6,4"}))


def simulation(bodies, integrator, options, step):
    """Returns a simulation of the bodies with G = 1."""
    sim = rebound.Simulation()
    for m, x, y, z, vx, vy, vz in bodies:
        sim.add(m=m, x=x, y=y, z=z, vx=vx, vy=vy, vz=vz)
    sim.integrator = integrator
    for name, value in options.items():
        setattr(sim.integrator, name, value)
    sim.dt = step
    return sim


def report(name, make, run, repeats):
    """Prints the line of a run."""
    least, sim = float("inf"), None
    for _ in range(repeats):
        sim = make()
        start = time.process_time()
        run(sim)
        least = min(least, time.process_time() - start)
    places = " ".join(f"{p.x!r} {p.y!r} {p.z!r}" for p in sim.particles)
    print(name, max(1, sim.steps_done), repr(least), places, flush=True)


def main():
    with open(sys.argv[1]) as file:
        end, steps, repeats = file.readline().split()
        bodies = [tuple(map(float, line.split())) for line in file]
    end, steps, repeats = float(end), int(steps), int(repeats)
    if steps > 0:
        for name, integrator, options in (*FIXED, ("ias15", "ias15", {})):
            report(name, lambda: simulation(bodies, integrator, options, STEP), lambda sim: sim.steps(steps), repeats)
        return
    report("ias15", lambda: simulation(bodies, "ias15", {}, STEP), lambda sim: sim.integrate(end), repeats)
    for name, integrator, options in FIXED:
        for number in (1000, 4000, 16000, 64000, 256000):
            step = end / number
            report(name, lambda: simulation(bodies, integrator, options, step), lambda sim: sim.integrate(end), repeats)


main()
