# SPDX-License-Identifier: Apache-2.0
"""python -m apsis ...: the command line of the executable."""
import os
import sys

from .errors import Error
from .executable import find_executable


def main() -> int:
    try:
        path = find_executable()
    except Error as error:
        print(f"apsis: error: {error}", file=sys.stderr)
        return error.exit_status
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
