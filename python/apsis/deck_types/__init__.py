# SPDX-License-Identifier: Apache-2.0
"""Types of decks, generated from `apsis schema`. Imported by type checkers alone."""
