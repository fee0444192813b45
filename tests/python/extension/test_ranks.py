# SPDX-License-Identifier: Apache-2.0
"""Simulations and runs that several ranks share by apsis.mpi. Run by mpirun; every rank checks.

usage: mpirun -n N apsis-python test_ranks.py DIRECTORY
"""
import contextlib
import copy
import io
import pickle
import runpy
import shutil
import sys
import traceback
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
from mpi4py import MPI

import apsis
import apsis.mpi

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
work = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()
failures = []


def check(true, what):
    if not true:
        failures.append(what)


def raised(function, *words, **options):
    """Returns what a call raises."""
    try:
        function(*words, **options)
    except BaseException as error:
        return error
    return None


def sphere(count=1000, **options):
    return apsis.Simulation(apsis.plummer(count, seed=1), softening=0.01, time_step=1 / 64, **options)


def states(simulation):
    """Returns numbers of a simulation at several times."""
    simulation.advance(3)
    result = [simulation.position.copy()]
    simulation.advance(until=0.11)
    simulation.time_step = -1 / 128
    simulation.advance()
    return [*result, simulation.velocity.copy(), simulation.potential, *simulation.measure(), *simulation.field([[0, 0, 1]])]


def equal(first, second):
    return len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second))


def test_all_ranks_get_the_bits_of_one_process(alone):
    calls = []

    def main():
        calls.append(rank)
        return states(sphere())

    check(equal(apsis.mpi.lead(main, threads=1), alone), "bits of one process, on every rank")
    check(equal(apsis.mpi.lead(main), alone), "a second call")
    check(calls == ([0, 0] if rank == 0 else []), "main is called on rank 0 alone")


def test_several_simulations_and_saved_states(alone):
    def main():
        first, second = sphere(), sphere(700)
        restored = pickle.loads(pickle.dumps(second))
        result = states(first)
        second.advance(2)
        restored.advance(2)
        check(np.array_equal(second.position, restored.position), "a saved state")
        check(np.array_equal(copy.copy(first).position, first.position), "a copy")
        with contextlib.redirect_stdout(io.StringIO()):
            view = second.show()
        second.advance(2)
        check(view.is_open, "a shown simulation")
        return result

    check(equal(apsis.mpi.lead(main), alone), "bits beside other simulations")


def test_simulations_end_with_main():
    shared = []

    def main():
        shared.extend([sphere(), sphere().position])
        shared[0].advance()

    apsis.mpi.lead(main)
    if rank == 0:
        check(isinstance(raised(shared[0].advance), apsis.UsageError), "a shared simulation is closed at the end")
        check(shared[1].shape == (1000, 3), "an array stays")
    sphere().advance()  # of this rank alone


class Unsendable(Exception):
    def __init__(self, text):
        super().__init__(text)
        self.function = lambda: text


class Unreadable(Exception):
    def __init__(self, text, number):
        super().__init__(text)


def test_errors_are_raised_on_every_rank():
    def fail(error):
        raise error

    for error in (ValueError("mine"), KeyboardInterrupt(), SystemExit(3)):
        result = raised(apsis.mpi.lead, lambda: fail(error))
        check(type(result) is type(error) and result.args == error.args, f"{error!r} becomes {result!r}")
    for error in (Unsendable("mine"), Unreadable("mine", 2)):
        result = raised(apsis.mpi.lead, lambda: fail(error))
        check(type(result) is (type(error) if rank == 0 else apsis.InternalError) and "mine" in str(result), f"{error!r} becomes {result!r}")
    result = raised(apsis.mpi.lead, lambda: (x for x in ()))
    check(isinstance(result, apsis.UsageError) and "cannot be sent" in str(result), f"a value that cannot be sent: {result!r}")
    result = raised(apsis.mpi.lead, lambda: sphere(-1))
    check(isinstance(result, apsis.BadInput), f"a wrong deck: {result!r}")
    result = raised(apsis.mpi.lead, lambda: apsis.mpi.lead(sphere))
    check(isinstance(result, apsis.UsageError) and "within another one" in str(result), f"lead within lead: {result!r}")

    def change():
        sim = sphere()
        check("several ranks share" in str(raised(sim.remove, 0)), "bodies cannot be replaced")
        deck = apsis.Deck(sim.deck)
        deck["removal"] = {"beyond": 100}
        sim.advance()
        return apsis.Simulation(deck)

    result = raised(apsis.mpi.lead, change)
    check("not available on several ranks" in str(result), f"removal: {result!r}")


def test_communicators():
    part = world.Split(rank % 2, -rank)
    value = apsis.mpi.lead(lambda: (rank, sphere(600).measure().total), part)
    check(value[0] == max(k for k in range(size) if k % 2 == rank % 2), "rank 0 of a part leads it")
    part.Free()
    check(apsis.mpi.lead(lambda: rank, MPI.COMM_SELF) == rank, "a rank alone")


def test_runs():
    deck = apsis.Deck(bodies=apsis.plummer(1000, seed=1), gravity={"softening": 0.01}, integrator=apsis.leapfrog_kdk(1 / 64),
                      run={"end_time": 0.25})
    energies = []

    @apsis.every(steps=8)
    def watch(now):
        energies.append(now.measure()["kinetic"])

    def main():
        apsis.run(deck, work / "observed", observers=[watch], threads=None)
        outcome = apsis.run(deck, work / "plain")
        check(apsis.load_run(work / "observed").summary["processes"] == size, "ranks share a run with observers")
        return outcome.summary["processes"], outcome.status

    check(apsis.mpi.lead(main) == (size, "not_judged"), "ranks share a run")
    check(len(energies) == (3 if rank == 0 else 0), f"observers are called on rank 0: {energies}")


def test_a_script():
    script = work / "script.py"
    if rank == 0:
        script.write_text("""
import sys
import apsis
if __name__ == "__main__":
    apsis.Simulation(apsis.plummer(1000), softening=0.01, time_step=1).advance()
    open(sys.argv[1], "a").write(f"{apsis.mpi.leads()}\\n")
    sys.exit(5)
""")
    world.barrier()
    with mock.patch.object(sys, "argv", ["mpi.py", str(script), str(work / "said")]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module is imported already
        result = raised(runpy.run_module, "apsis.mpi", run_name="__main__")
    check(isinstance(result, SystemExit) and result.code == 5, f"the status of a script: {result!r}")
    world.barrier()
    check((work / "said").read_text() == "True\n", "a script runs once")


def test_the_executable_is_no_rank():
    """Its process inherits the variables of mpirun, and would wait for the other ranks or fail."""
    deck = apsis.Deck(bodies=apsis.plummer(10), integrator=apsis.leapfrog_kdk(0.1), gravity={"softening": 0.1}, run={"steps": 1})
    check(apsis.mpi.lead(lambda: deck.check().bodies) == 10, "decks are checked within lead")
    check(deck.check().bodies == 10, "each rank checks decks")


def test_builds_that_cannot():
    with mock.patch.dict(sys.modules, {"mpi4py": None}):
        check("needs mpi4py" in str(raised(apsis.mpi.lead, sphere)), "without mpi4py")
    with mock.patch.object(MPI, "Get_library_version", lambda: "MPI of another vendor"):
        check("has another MPI" in str(raised(apsis.mpi.lead, sphere)), "another MPI")
    with mock.patch.object(sys.modules["apsis.simulations.extension"], "_apsis", object()):
        check("is not in this build" in str(raised(apsis.mpi.lead, sphere)), "a build without MPI")


def main():
    if rank == 0:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
    world.barrier()
    alone = states(sphere())
    for test in (test_all_ranks_get_the_bits_of_one_process, test_several_simulations_and_saved_states):
        test(alone)
    for test in (test_simulations_end_with_main, test_errors_are_raised_on_every_rank, test_communicators, test_runs,
                 test_a_script, test_the_executable_is_no_rank, test_builds_that_cannot):
        test()
    every = [f"rank {k}: {failure}" for k, failed in enumerate(world.allgather(failures)) for failure in failed]
    if rank == 0 and every:
        print("\n".join(every), flush=True)
    return 1 if every else 0


if __name__ == "__main__":
    try:
        status = main()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        world.Abort(1)
    sys.exit(status)
