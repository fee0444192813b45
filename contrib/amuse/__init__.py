# SPDX-License-Identifier: Apache-2.0
from .interface import Apsis

__all__ = ["Apsis"]
