# SPDX-License-Identifier: Apache-2.0
"""Simulations and runs that the ranks of a communicator of mpi4py share (docs/python/simulation.md).

    mpirun -n 4 apsis-python -m apsis.mpi script.py [ARGUMENT...]

runs the script on rank 0; the other ranks compute their share of its simulations and runs.
"""
from __future__ import annotations

import pickle
import runpy
import sys
import traceback
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from .errors import INTERNAL, InternalError, Problem, UsageError

if TYPE_CHECKING:
    from mpi4py import MPI

T = TypeVar("T")

_leads = False


def leads() -> bool:
    """Whether this process leads ranks: simulations and runs are shared."""
    return _leads


def lead(main: Callable[[], T], comm: MPI.Comm | None = None, *, threads: int | None = None) -> T:
    """Calls `main` on rank 0; what it computes is shared by all ranks. Returns its value on every rank, or raises its exception.

    Every rank of comm calls this (default: MPI.COMM_WORLD). Within `main`, each `apsis.Simulation` and each run of `apsis.run` is
    shared, with the bits of one process. Files are written by rank 0. The simulations end with `main`. threads: of each rank;
    default: its share of the processors.

    The value must be one that pickle accepts. Raises UsageError without mpi4py, in a build without MPI, for another MPI than that of
    mpi4py, and within another `lead`. If a rank fails within a step, all ranks are aborted with its message.
    """
    MPI = _mpi()
    from .simulations.extension import _apsis
    from .simulations.simulation import close_shared
    global _leads
    if _leads:
        raise UsageError(Problem("lead", "is called within another one", "the other ranks follow that one", "call it once"))
    comm = MPI.COMM_WORLD if comm is None else comm
    if comm.Get_size() == 1:
        return main()
    ranks = _apsis.Ranks(comm.py2f())
    error: BaseException | None = None
    answer = b""
    if ranks.rank == 0:
        try:
            try:
                ranks.lead(threads)
                _leads = True
                value = main()
            finally:
                _leads = False
                close_shared()
            answer = _packed(value)
        except BaseException as raised:
            error, answer = raised, _packed_error(raised)
        if ranks.is_broken:
            _abort(comm, error)
        ranks.release()
    else:
        try:
            ranks.follow()
        except BaseException as raised:
            _abort(comm, raised)
    del ranks
    answer = comm.bcast(answer, root=0)
    if error is not None:
        raise error
    raises, result = pickle.loads(answer)
    if raises:
        raise result
    return value if comm.Get_rank() == 0 else result


def _mpi() -> Any:
    """Returns mpi4py.MPI if it has the MPI of the extension."""
    try:
        from mpi4py import MPI
    except ImportError as missing:
        raise UsageError(Problem("apsis.mpi", "needs mpi4py", str(missing), "install it (Debian: python3-mpi4py)")) from None
    from .simulations.extension import _apsis
    if not hasattr(_apsis, "Ranks"):
        raise UsageError(Problem("apsis.mpi", "is not in this build", "APSIS_ENABLE_MPI was off", "build Apsis with APSIS_ENABLE_MPI=ON"))
    if _apsis.mpi_library().strip("\0\n") != MPI.Get_library_version().strip("\0\n"):
        raise UsageError(Problem("apsis.mpi", "mpi4py has another MPI", f"Apsis was built with {_apsis.mpi_library()}",
                                 "build one of them with the MPI of the other"))
    return MPI


def _packed(value: Any) -> bytes:
    """Returns the message of a result."""
    try:
        return pickle.dumps((False, value))
    except Exception as error:
        raise UsageError(Problem("lead", "the value of main cannot be sent to the other ranks", str(error),
                                 "return numbers, arrays or other values that pickle accepts")) from error


def _packed_error(error: BaseException) -> bytes:
    """Returns the message of an exception; one that cannot be sent becomes an InternalError with its text."""
    try:
        message = pickle.dumps((True, error))
        pickle.loads(message)
        return message
    except Exception:
        text = f"{type(error).__name__}: {error}"
        return pickle.dumps((True, InternalError(Problem("rank 0", "raises an exception", text))))


def _abort(comm: MPI.Comm, error: BaseException | None) -> None:
    """Ends all ranks: the others wait for this one."""
    if error is not None:
        traceback.print_exception(error)
    sys.stdout.flush()
    sys.stderr.flush()
    comm.Abort(getattr(error, "exit_status", INTERNAL))


def _run_script() -> None:
    """Runs the script of the command line."""
    if len(sys.argv) < 2:
        sys.exit("usage: mpirun -n N apsis-python -m apsis.mpi SCRIPT [ARGUMENT...]")
    del sys.argv[0]

    def run() -> None:
        runpy.run_path(sys.argv[0], run_name="__main__")

    # runpy has a copy of this module under the name __main__.
    from apsis import mpi
    mpi.lead(run)


if __name__ == "__main__":
    _run_script()
