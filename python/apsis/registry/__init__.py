# SPDX-License-Identifier: Apache-2.0
"""Models, integrators and forces as functions, generated from the schema by tests/documents/registry_functions.py."""
