# SPDX-License-Identifier: Apache-2.0
"""Files as they may be given: regular ones, of a stated size."""
import os
import stat

from .problem import FILES, INPUT, Problem, unreadable

MEBI = 1 << 20
MOST_JSON = 64 * MEBI
MOST_TABLE = 1024 * MEBI


def kind_of(mode):
    """Why a file of this mode is refused; None if it is a regular one."""
    if stat.S_ISREG(mode):
        return None
    what = ("a directory" if stat.S_ISDIR(mode) else "a named pipe" if stat.S_ISFIFO(mode) else
            "a socket" if stat.S_ISSOCK(mode) else "a device")
    return f"it is {what}, and a regular file is wanted"


def open_regular(path, advice):
    """A stream of bytes and their number. Nothing but a regular file is opened: a named pipe would wait for its writer, a
    device may have no end."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise unreadable(error, path, advice) from error
    stream = None
    try:
        about = os.fstat(descriptor)
        why = kind_of(about.st_mode)
        if why:
            raise Problem(FILES, f"{path}: cannot be read ({why}); {advice}")
        stream = os.fdopen(descriptor, "rb")
    finally:
        if stream is None:
            os.close(descriptor)
    return stream, about.st_size


def read_bytes(path, most, kind, advice):
    """All bytes of a regular file that has at most so many. `kind`: what it is to be, for errors."""
    stream, size = open_regular(path, advice)
    with stream:
        try:
            content = stream.read(most + 1) if size <= most else b""
        except OSError as error:
            raise unreadable(error, path, advice) from error
    if size > most or len(content) > most:
        raise Problem(INPUT, f"{path}: is too large for {kind} (it has {max(size, len(content))} bytes, and at most {most} are "
                      f"read); {advice}")
    return content


def expect_writable(path):
    """Refuses to write to what would wait for a reader, or is no file."""
    try:
        why = kind_of(os.stat(path).st_mode)
    except OSError:
        return  # it is not there, or writing says what is wrong
    if why and not os.path.isdir(path):
        raise Problem(FILES, f"{path}: cannot be written ({why}); choose another --output")
