# SPDX-License-Identifier: Apache-2.0
"""python -m apsis ..., and the command `apsis` of a wheel: the command line of the executable."""
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
    if os.path.basename(sys.argv[0]) == "apsis":  # the command of a wheel
        os.environ["APSIS_STARTED_AS"] = sys.argv[0]
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
