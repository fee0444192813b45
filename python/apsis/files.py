# SPDX-License-Identifier: Apache-2.0
"""Access to input files: regular files of limited size only."""
import os
import stat

from .errors import FILES, INPUT, make_error, unreadable

MEBI = 1 << 20
MOST_JSON = 64 * MEBI
MOST_TABLE = 1024 * MEBI


def kind_of(mode):
    """Returns why a file of this mode is refused; None for a regular file."""
    if stat.S_ISREG(mode):
        return None
    what = ("a directory" if stat.S_ISDIR(mode) else "a named pipe" if stat.S_ISFIFO(mode) else
            "a socket" if stat.S_ISSOCK(mode) else "a device")
    return f"it is {what}, and a regular file is wanted"


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
        why = kind_of(about.st_mode)
        if why:
            raise make_error(FILES, f"{path}: cannot be read ({why}); {advice}")
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


def expect_writable(path, advice="choose another path"):
    """Refuses to write to a pipe, which would wait for a reader, or to anything else that is not a file."""
    try:
        why = kind_of(os.stat(path).st_mode)
    except OSError:
        return  # the file does not exist, or writing reports the error
    if why and not os.path.isdir(path):
        raise make_error(FILES, f"{path}: cannot be written ({why}); {advice}")
