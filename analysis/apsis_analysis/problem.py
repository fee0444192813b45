# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, in one line, with the exit status of docs/manual.md."""

USAGE, INPUT, INTERNAL, FILES = 64, 65, 70, 74


class Problem(Exception):
    """`<where>: <problem> (<why>); <what to do>`, and the status that a command ends with."""

    def __init__(self, status, text):
        super().__init__(" ".join(str(text).split()))
        self.status = status


def unreadable(error, path, advice):
    """The problem of an OSError."""
    return Problem(FILES, f"{path}: cannot be read ({error.strerror or error}); {advice}")
