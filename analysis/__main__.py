# SPDX-License-Identifier: Apache-2.0
"""python -m apsis.analysis ...: the command apsis-analysis."""
import sys

from .command_line import main

sys.exit(main(sys.argv[1:]))
