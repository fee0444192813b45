# SPDX-License-Identifier: Apache-2.0
"""The stub python/_apsis.pyi has the names, properties and arguments of the extension, and no others."""
import ast
import re
import sys
from pathlib import Path

import _apsis

failures = []


def arguments_of(arguments):
    """Returns (name, default as text) of the arguments of a function, without `self`."""
    names = [each.arg for each in arguments.args]
    defaults = [""] * (len(names) - len(arguments.defaults)) + [ast.unparse(each) for each in arguments.defaults]
    return [pair for pair in zip(names, defaults) if pair[0] != "self"]


def functions_of(body):
    """Returns name: arguments of functions, None for properties."""
    functions = {}
    for each in body:
        if isinstance(each, ast.FunctionDef):
            is_property = any(isinstance(word, ast.Name) and word.id == "property" for word in each.decorator_list)
            if is_property or each.name not in functions:
                functions[each.name] = None if is_property else arguments_of(each.args)
    return functions


def bound(scope, names):
    """Returns the same of the objects of the extension."""
    functions = {}
    for name in names:
        each = getattr(scope, name)
        if isinstance(each, property):
            functions[name] = None
            continue
        text, _, defaults = each.__nb_signature__[0]
        text = re.sub(r"\[\w+=[^]]*\]", "", text)  # shapes of arrays are no syntax of Python
        for number, default in enumerate(defaults or ()):
            text = text.replace(f"\\{number}", repr(default))
        functions[name] = arguments_of(ast.parse(f"{text}: ...").body[0].args)
    return functions


def compare(what, stub, extension):
    for name in sorted({*stub, *extension}):
        mine, theirs = stub.get(name, "nothing"), extension.get(name, "nothing")
        if mine != theirs:
            failures.append(f"{what}.{name}: the stub has {mine}, the extension {theirs}")


tree = ast.parse((Path(__file__).resolve().parents[3] / "python/_apsis.pyi").read_text(encoding="utf-8"))
classes = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
state = functions_of(classes["State"].body)
functions = functions_of(tree.body)
has_mpi = hasattr(_apsis, "Ranks")
if not has_mpi:
    del functions["mpi_library"]
for kind in ("Simulation", "Observed", "LiveView", *(["Ranks"] if has_mpi else [])):
    scope = getattr(_apsis, kind)
    names = [name for name in vars(scope) if not name.startswith("_") or name == "__init__" and kind in ("Simulation", "Ranks")]
    inherited = state if kind in ("Simulation", "Observed") else {}
    compare(kind, {**inherited, **functions_of(classes[kind].body)}, bound(scope, names))
names = [name for name in dir(_apsis) if not name.startswith("_") and not isinstance(getattr(_apsis, name), type)]
compare("_apsis", functions, bound(_apsis, names))
kinds = {name for name in dir(_apsis) if isinstance(getattr(_apsis, name), type)}
if not kinds <= set(classes):
    failures.append(f"classes: {kinds - set(classes)}")
measured = {each.target.id for each in classes["Measured"].body if isinstance(each, ast.AnnAssign)}
simulation = _apsis.Simulation('{"bodies": {"generator": "figure_eight"}, "integrator": {"name": "rk4", "time_step": 0.1}}')
if measured != set(simulation.measure()):
    failures.append(f"measure: {measured ^ set(simulation.measure())}")
for failure in failures:
    print(f"FAILED: {failure}")
sys.exit(1 if failures else 0)
