# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, in one line, with the exit status of docs/commands.md."""
import errno
import os
import unicodedata

USAGE, INPUT, INTERNAL, FILES = 64, 65, 70, 74
MOST_SHOWN = 80      # characters of a word that is too long to be shown in full
LONGEST_PATH = 512   # characters of a word that may be a path
LIMITS = {errno.EMFILE: "raise the limit of open files (ulimit -n)", errno.ENFILE: "close files of other programs",
          errno.ENOMEM: "raise the limit of memory (ulimit -v)", errno.EAGAIN: "raise the limit of processes (ulimit -u)"}


def printable(text):
    """Returns the text in one line that is safe for a terminal: control characters, changes of writing direction, line
    separators and invalid UTF-8 become '?'."""
    return "".join("?" if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") or c in "\u202a\u202b\u202c\u202d\u202e"
                   "\u2066\u2067\u2068\u2069" else c for c in str(text))


def shortened(word):
    """Returns a word of a user in the form used in messages."""
    fits = len(word) <= (LONGEST_PATH if "/" in word else MOST_SHOWN)
    return word if fits else word[:MOST_SHOWN] + "..."


class Problem(Exception):
    """`<where>: <problem> (<why>); <what to do>`, and the exit status."""

    def __init__(self, status, text):
        super().__init__(printable(" ".join(map(shortened, str(text).split()))))
        self.status = status


def failed(error, path, what, advice):
    """Returns the problem of an OSError; limits of the system get a status of their own."""
    why = os.strerror(error.errno) if error.errno else error
    limit = LIMITS.get(error.errno)
    return Problem(INTERNAL if limit else FILES, f"{path}: {what} ({why}); {limit or advice}")


def unreadable(error, path, advice):
    return failed(error, path, "cannot be read", advice)


def unwritable(error, path):
    return failed(error, path, "cannot be written", "choose another --output")
