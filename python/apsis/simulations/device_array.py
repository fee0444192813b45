# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of a device, which the host cannot read."""
from __future__ import annotations

from typing import Any, Iterator

import _apsis
import numpy as np


class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A read-only array in the memory of a device: that of a simulation on a GPU.

    CuPy and PyTorch read it without a copy, `cupy.from_dlpack(sim.position)`, and so do they its transposed array `.T`. All else is
    done on the host, with a copy: `numpy.asarray(array)`, indexing, arithmetic, functions and methods of numpy.
    """

    def __init__(self, raw: Any):
        self._raw = raw  # has the protocol of DLPack, and keeps the memory alive

    def __dlpack__(self, **options: Any) -> Any:
        return self._raw.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._raw.__dlpack_device__()

    @property
    def T(self) -> DeviceArray:
        """The transposed array, in the same memory."""
        return self if self.ndim == 1 else DeviceArray(_apsis.transposed(self._raw))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array of a device cannot be read without a copy; leave copy=False out, or read it by cupy.from_dlpack")
        host = _apsis.array_on_host(self._raw)
        return host if dtype is None else host.astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(each, DeviceArray) for each in kwargs.get("out", ())):
            raise ValueError("assignment destination is read-only")
        return getattr(ufunc, method)(*_on_host(inputs), **kwargs)

    def __array_function__(self, function: Any, types: Any, words: Any, options: Any) -> Any:
        return function(*_on_host(words), **_on_host(options))

    def __getitem__(self, chosen: Any) -> Any:
        return np.asarray(self)[chosen]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __len__(self) -> int:
        return len(np.asarray(self))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"'DeviceArray' object has no attribute {name!r}")
        return getattr(np.asarray(self), name)  # shape, dtype, max() ...

    def __repr__(self) -> str:
        return f"<apsis.DeviceArray on device {self.__dlpack_device__()[1]}:\n{np.asarray(self)!r}>"


def _on_host(value: Any) -> Any:
    """Returns a value with copies on the host of all arrays of a device in it."""
    if isinstance(value, DeviceArray):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_on_host, value))
    return {name: _on_host(each) for name, each in value.items()} if isinstance(value, dict) else value
