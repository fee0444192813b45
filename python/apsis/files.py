# SPDX-License-Identifier: Apache-2.0
"""Access to files by the rules of the executable: only regular files of limited size are read; a file is written under a unique
name in the same directory, synced and renamed, and only a regular file is replaced."""
import contextlib
import os
import shutil
import stat
import tempfile
import weakref
from pathlib import Path

from .errors import FILES, INPUT, Error, make_error, unreadable, unwritable

MEBI = 1 << 20
MOST_JSON = 64 * MEBI
MOST_TABLE = 1024 * MEBI
KINDS = {stat.S_IFREG: "", stat.S_IFLNK: "a symbolic link", stat.S_IFDIR: "a directory", stat.S_IFIFO: "a named pipe",
         stat.S_IFSOCK: "a socket"}


class TemporaryDirectory:
    """A directory that is removed with this object, without the warning of Python's own."""

    def __init__(self):
        self.name = tempfile.mkdtemp(prefix="apsis-")
        self._end = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)


def refused_kind(mode):
    """Returns the kind of a file that is not regular, "" for a regular one."""
    return KINDS.get(stat.S_IFMT(mode), "a device")


def open_regular(path, advice):
    """Returns a stream of bytes and their number. Only regular files are opened: a named pipe would wait for its writer, a
    device may have no end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise unreadable(error, path, advice) from error
    stream = None
    try:
        about = os.fstat(descriptor)
        kind = refused_kind(about.st_mode)
        if kind:
            raise make_error(FILES, f"{path}: cannot be read (it is {kind}, and a regular file is wanted); {advice}")
        stream = os.fdopen(descriptor, "rb")
    finally:
        if stream is None:
            os.close(descriptor)
    return stream, about.st_size


def read_bytes(path, most, kind, advice):
    """Returns all bytes of a regular file of limited size. `kind`: expected kind of file, for messages."""
    stream, size = open_regular(path, advice)
    with stream:
        try:
            content = stream.read(most + 1) if size <= most else b""
        except OSError as error:
            raise unreadable(error, path, advice) from error
    if size > most or len(content) > most:
        raise make_error(INPUT, f"{path}: is too large for {kind} (it has {max(size, len(content))} bytes, and at most {most} are "
                         f"read); {advice}")
    return content


def write(path, data, advice="choose another path"):
    """Writes bytes to a file."""
    try:
        kind = refused_kind(os.lstat(path).st_mode) if os.path.lexists(path) else ""
        if kind:
            raise make_error(FILES, f"{path}: is {kind} (only a regular file is replaced); {advice}")
        descriptor, temporary = tempfile.mkstemp(prefix=".apsis-", suffix=".tmp", dir=Path(path).parent)
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
