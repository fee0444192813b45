# SPDX-License-Identifier: Apache-2.0
"""What processes with a simulation print at their end."""
import _apsis


def errors_but_kokkos(text):
    """Returns what a process printed on standard error, but for one line: on CUDA, Kokkos says that a process that could not finalise
    it did not."""
    if _apsis.build()["backend"] != "cuda":
        return text
    return text.replace("Kokkos::Cuda ERROR: Failed to call Kokkos::Cuda::finalize()\n", "")
