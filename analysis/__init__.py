# SPDX-License-Identifier: Apache-2.0
"""Commands of apsis-analysis: each module draws and prints results of runs, or of `apsis bench`."""
