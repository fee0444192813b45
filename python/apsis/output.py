# SPDX-License-Identifier: Apache-2.0
"""Writes output files by the rule of the executable: a temporary file of unique name in the same directory, synced and
renamed; only a regular file is replaced."""
import contextlib
import os
import stat
import tempfile
from pathlib import Path

from .files import expect_writable
from .errors import FILES, Error, make_error, unwritable

ADVICE = "choose another path"


def entry_of(path):
    """Returns what exists at a path and must not be replaced; nothing if the path may be written."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return None
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a directory"}
    return kinds.get(stat.S_IFMT(mode))


def write(path, data, advice=ADVICE):
    """Writes bytes to a file."""
    path = Path(path)
    expect_writable(path, advice)
    try:
        kind = entry_of(path)
        if kind:
            raise make_error(FILES, f"{path}: is {kind} (only a regular file is replaced); {advice}")
        descriptor, temporary = tempfile.mkstemp(prefix=".apsis-", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                umask = os.umask(0)
                os.umask(umask)
                os.fchmod(file.fileno(), 0o666 & ~umask)
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except Error:
        raise
    except OSError as error:
        raise unwritable(error, path, advice) from error
