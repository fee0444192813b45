# SPDX-License-Identifier: Apache-2.0
"""Runs of decks: processes, outcomes, ensembles, observers, and the files of run directories."""
