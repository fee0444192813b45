# SPDX-License-Identifier: Apache-2.0
"""The module: its names, the entries of the registries, the imports among its files, and the search for the executable."""
import ast
import graphlib
import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import resolve_name

import apsis
from apsis.executable import orders
from harness import check, executable, raises, source, work

# Every model, integrator and force has a function of its name.
for table, section, key in (("generators", "bodies", "generator"), ("integrators", "integrator", "name"), ("forces", "forces", "name")):
    for name in apsis.list_entries(table):
        check(callable(getattr(apsis, name, None)) and getattr(apsis, name).__doc__, f"{table}: apsis.{name}")
check(apsis.leapfrog_kdk(0.5, stepping={"mode": "block"}) == {"name": "leapfrog_kdk", "time_step": 0.5, "stepping": {"mode": "block"}},
      "an integrator")
check(apsis.radiation({"1": 0.1}, from_=0) == {"name": "radiation", "beta": {"1": 0.1}, "from": 0}, "a key that is a word of Python")
check(all(getattr(apsis, name) is not None for name in apsis.__all__), "every name of the module is there")
check(apsis.list_entries("integrators")["rk4"].startswith("classical Runge-Kutta") and "solvers" in apsis.list_entries(), "list_entries")
facts = apsis.info()
check(facts["threads"] >= 1 and facts["text"].startswith("apsis ") and f"git         {facts['git']}" in facts["text"], f"info: {facts}")
check(orders(str(executable))["hermite6"] == 6, "orders of the integrators")
check("not here" in " ".join(apsis.list_entries("kernels").values()) or facts["backend"] in ("cuda", "hip"), "entries that are not here")
check(list(apsis.list_entries("plummer")["generators"]) == ["plummer"], "an entry of any table")
raises(apsis.UsageError, "a table that does not exist", apsis.list_entries, "nothing")
check("no JSON" in str(raises(apsis.BadInput, "another program", apsis.info, shutil.which("echo"))), "another program")
check(facts["executable"] == str(executable) and apsis.schema()["title"] == "Apsis deck", "info and schema")

# Names: those of the extension are shown as well; a star takes none that the standard library has, and no helpers.
check({"Simulation", "LiveView", "Deck", "plummer", "mpi", "__version__"} <= set(dir(apsis)) and
      not {"importlib", "find_spec", "Any", "annotations", "TYPE_CHECKING"} & set(dir(apsis)), f"dir: {dir(apsis)}")
check("random" not in apsis.__all__ and "shell" not in apsis.__all__ and apsis.__version__ == apsis.info()["version"], "names of a star")

# Without the extension its names say what to do: the kernel of a notebook, another Python, no build.
places = work / "checkout/python"
shutil.copytree(source / "python/apsis", places / "apsis", ignore=shutil.ignore_patterns("__pycache__"))
environment = {**os.environ, "PYTHONPATH": str(places), "PYTHONDONTWRITEBYTECODE": "1"}
code = """import sys
{}
try:
    import apsis; apsis.Simulation
except AttributeError as error:
    print(error)
"""


def without_extension(first=""):
    return subprocess.run([sys.executable, "-c", code.format(first)], env=environment, capture_output=True, text=True).stdout


text = without_extension()
check("_apsis" in text and "cmake --workflow --preset python" in text and "apsis.run" in text, f"without the extension: {text}")
built = work / "checkout/build/openmp/python"
built.mkdir(parents=True)
(built / "_apsis.cpython-32-x86_64-linux-gnu.so").touch()
text = without_extension()
check("built for another Python" in text and "build/openmp/apsis-python" in text, f"the extension of another Python: {text}")
(built / "_apsis.cpython-32-x86_64-linux-gnu.so").unlink()
(built / "_apsis.py").write_text("raise ImportError(\"libc.so.6: version `GLIBC_2.99' not found\")\n")
(built / f"_apsis.{sysconfig.get_config_var('SOABI')}.so").touch()
text = without_extension()
check("is not on the path" in text and "build/openmp/apsis-python" in text, f"the extension of a build tree: {text}")
(built / f"_apsis.{sysconfig.get_config_var('SOABI')}.so").rename(built / "_apsis.other.so")
environment["PYTHONPATH"] += os.pathsep + str(built)
text = without_extension("sys.modules['ipykernel'] = sys")
check("newer C library" in text and f"{built.parent}/apsis-python -m ipykernel install --user --name apsis" in text,
      f"a notebook with another C library: {text}")

# The imports of the files make no circle, wherever they stand, also those for types alone.
files = {}
for package, folder in (("apsis.analysis", source / "analysis"), ("apsis", source / "python/apsis"),
                        ("apsis", executable.parent / "python/apsis")):
    for file in folder.rglob("*.py"):
        files[".".join((package, *file.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")] = file
imports = {}
for name, file in files.items():
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level and name != "apsis":
            base = resolve_name("." * node.level + (node.module or ""), package)
            names = {f"{base}.{each.name}" for each in node.names}
            imports.setdefault(name, set()).update(names & set(files) or {base})
try:
    graphlib.TopologicalSorter(imports).prepare()
except graphlib.CycleError as error:
    check(False, f"a circle of imports: {error}")
check(len(imports) > 40, f"files with imports: {len(imports)}")

# The search for the executable: use, the variable, the path; the error names them all.
folder = work / "path"
folder.mkdir()
(folder / "apsis.serial").symlink_to(executable)
known = os.environ.pop("APSIS_EXECUTABLE")
path = os.environ["PATH"]
os.environ["PATH"] = str(folder)
check(apsis.find_executable() == str(folder / "apsis.serial"), "an executable on the path")
check(apsis.use("serial") == str(folder / "apsis.serial") and apsis.use(executable) == str(executable), "use")
apsis.use()
raises(apsis.FileError, "an executable that is none", apsis.use, work / "nothing")
raises(apsis.UsageError, "a backend that is not there", apsis.use, "hip")
os.environ["APSIS_EXECUTABLE"] = str(work / "nothing")
raises(apsis.FileError, "a variable that names nothing", apsis.find_executable)
del os.environ["APSIS_EXECUTABLE"]
os.environ["PATH"] = str(work)
code = "import apsis.executable as e, pathlib; e.CHECKOUT = pathlib.Path('nowhere'); e.find_executable()"
environment = {**os.environ, "PYTHONPATH": str(source / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
stderr = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stderr
check(all(word in stderr for word in ("UsageError", "APSIS_EXECUTABLE", "apsis.openmp", "nowhere/build", "apsis.use(path)")),
      f"no executable: {stderr}")
os.environ["PATH"] = path
os.environ["APSIS_EXECUTABLE"] = known

# In an installation the package finds the executable of its prefix.
(work / "prefix/lib/any/apsis/python").mkdir(parents=True)
(work / "prefix/bin").mkdir()
(work / "prefix/bin/apsis.openmp").symlink_to(executable)
shutil.copytree(source / "python/apsis", work / "prefix/lib/any/apsis/python/apsis", ignore=shutil.ignore_patterns("__pycache__"))
environment = {**os.environ, "PYTHONPATH": str(work / "prefix/lib/any/apsis/python"), "PYTHONDONTWRITEBYTECODE": "1", "PATH": str(work)}
del environment["APSIS_EXECUTABLE"]
code = "import apsis; print(apsis.find_executable()); from apsis import errors, plummer"
process = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
check(process.stdout.strip() == str(work / "prefix/bin/apsis.openmp"), f"an installation: {process}")
# Without the modules that a build generates, their functions say what to run.
check(all(word in process.stderr for word in ("UsageError", "apsis.plummer: is not here", "cmake --workflow --preset demo")),
      f"without generated modules: {process}")

# The command line: python -m apsis is the executable, python -m apsis.analysis needs no numpy for its help.
environment = {**os.environ, "PYTHONPATH": str(source / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
process = subprocess.run([sys.executable, "-m", "apsis", "--version"], env=environment, capture_output=True, text=True)
check(process.returncode == 0 and process.stdout.strip(), f"python -m apsis: {process}")
code = "import sys; sys.modules['numpy'] = None; import apsis.analysis.command_line as c; sys.exit(c.main(['--help']))"
process = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
check(process.returncode == 0 and "usage: apsis-analysis" in process.stdout, f"help without numpy: {process}")
