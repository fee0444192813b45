# SPDX-License-Identifier: Apache-2.0
"""Bad input: one line and the status given in the manual, and no other effect. Uses the runs that results.py made."""
import json
import os
import re
import shutil
import subprocess
import sys
import time

import h5py
import numpy as np

from apsis import Error, files, load_run
from apsis.analysis import conservation, models, radii, report
from harness import analysis, check, drawn, executable, process, process_without, tool, work

# Bad input: one line each, and the status given in the manual.
(work / "empty").mkdir()
shutil.copytree(work / "cluster", work / "cut")
(work / "cut/conservation.csv").write_text("step,time\n")
(work / "cut/structure.csv").write_text("step,time\n1,2,3\n")
(work / "cut/snapshot_000000.h5").write_text("no snapshot")
(work / "list.json").write_text("[]")


def changed(name, change):
    shutil.copy(work / "cluster/snapshot_000002.h5", work / name)
    with h5py.File(work / name, "r+") as file:
        change(file)
    return name


def without_bodies(file):
    del file["PartType1"]


def with_nan(file):
    place = file["PartType1/Coordinates"][:]
    place[7, 1] = np.nan
    del file["PartType1/Coordinates"]
    file["PartType1/Coordinates"] = place


def of_unequal_columns(file):
    del file["PartType1/Masses"]
    file["PartType1/Masses"] = np.ones((500, 2))


with h5py.File(work / "strange.h5", "w") as file:
    file["temperature"] = np.ones(3)
with h5py.File(work / "gadget.h5", "w") as file:  # from another code, without units and with one mass per species
    file.create_group("Header").attrs.update({"Time": 2.0, "MassTable": np.array([0, 0.5, 0, 0, 0, 0])})
    file["PartType1/Coordinates"], file["PartType1/ParticleIDs"] = np.eye(3), np.arange(3)
check("t = 2.0, 3 bodies" in drawn("frames", "gadget.h5", "-o", "gadget.png")[0], "a snapshot of others is drawn")
BAD = [
    (74, "conservation", "nowhere"), (65, "conservation", "empty"), (65, "conservation", "cut"),
    (74, "frames", "nowhere"), (65, "frames", "empty"), (65, "frames", "cut"), (65, "frames", "strange.h5"),
    (65, "frames", changed("zero.h5", without_bodies)), (65, "frames", changed("nan.h5", with_nan)),
    (65, "frames", changed("unequal.h5", of_unequal_columns)), (65, "frames", "disk", "--species", "gas"),
    (64, "frames", "cluster", "--reach", "-1"), (64, "frames", "cluster", "-o", "x.gif"), (64, "frames"), (64,),
    (64, "nothing"), (74, "frames", "cluster", "-o", "nowhere/x.png"),
    (74, "radii", "nowhere"), (65, "radii", "disk"), (65, "radii", "cut"), (65, "profile", "lone"), (65, "profile", "empty"),
    (65, "profile", "disk", "--species", "gas"), (74, "profile", "nowhere.h5"), (64, "profile", "cluster", "--bins", "0"),
    (65, "profile", "nan.h5"), (65, "profile", "zero.h5"), (65, "orbits", "cluster"), (65, "orbits", "planets", "--ids", "7"),
    (65, "report", "empty"), (74, "report", "nowhere"), (74, "report", "cluster", "-o", "nowhere/x.html"),
    (64, "report", "cluster", "-o", "x.png"), (74, "yt", "nowhere.h5"), (65, "convergence", "list.json"),
    (74, "convergence", "kepler.json", "--apsis", "nowhere"), (65, "convergence", "cluster/structure.csv"),
    (64, "convergence", "kepler.json", "--apsis", executable, "--integrator", "none_such"),
    (64, "convergence", "kepler.json", "--apsis", executable, "--time-step", "0.3"),
    (65, "convergence", "kepler.json", "--apsis", executable, "--set", "gravity.none=1"),
    (65, "convergence", "kepler.json", "--apsis", executable, "--set", "run.encounter_distance=1.2"),
    (74, "bench", "nowhere.json"), (65, "bench", "list.json"), (65, "bench", "cluster.json"),
    (65, "scaling", "bench.json"), (65, "scaling", "list.json"), (74, "scaling", "nowhere.json"),
]
for status, *words in BAD:
    result = tool(*words)
    check(result.returncode == status and result.stderr.count("\n") == 1 and result.stderr.startswith("apsis-analysis: error: ")
          and "; " in result.stderr, f"{words} ends with {result.returncode}: {result.stderr}")
    if words[:1] == ["yt"]:  # the same whether yt is installed or not
        again = process_without("yt", *words)
        check((again.returncode, again.stderr) == (status, result.stderr), f"without yt {words}: {again}")
for words in (["conservation", "cluster"], ["conservation", "nowhere"]):
    separate, same = process(*words), tool(*words)
    check(vars(same) == {name: getattr(separate, name) for name in vars(same)}, f"a process does the same: {separate} {same}")
check("body 7" in tool("frames", "nan.h5").stderr, "the body that is not finite is named")

# Output files: only a regular file is replaced, and no other file is touched.
beside = work / "beside"
beside.mkdir()
(beside / "precious").write_text("mine")
(beside / "link.png").symlink_to("precious")
(beside / "directory.png").mkdir()
os.mkfifo(beside / "pipe")
for name, kind in (("link.png", "a symbolic link"), ("directory.png", "a directory")):
    try:
        files.write(beside / name, b"new")
        check(False, f"{name} was replaced")
    except Error as problem:
        check(problem.exit_status == 74 and f"is {kind}" in str(problem), f"{name}: {problem}")
result = tool("conservation", "cluster", "-o", beside / "link.png")
check(result.returncode == 74 and "is a symbolic link" in result.stderr, f"a link is refused: {result}")
(beside / "old").write_text("old")
files.write(beside / "old", b"new")
check((beside / "old").read_text() == "new" and (beside / "precious").read_text() == "mine", "only the file is replaced")
check(sorted(os.listdir(beside)) == ["directory.png", "link.png", "old", "pipe", "precious"], "no temporary file is left")

# Values of other types in a deck, a summary, a snapshot's deck or a table's description: never an
# internal error.
shutil.copytree(work / "cluster", work / "odd")
ODD = ("a word", -1.5, 10 ** 400, None, [1], {"a": 1})


def places(content, before=()):
    """Yields every position in a JSON value."""
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        yield before + (key,)
        if isinstance(value, (dict, list)):
            yield from places(value, before + (key,))


def with_value(content, place, value):
    content = json.loads(json.dumps(content))
    inside = content
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return json.dumps(content)


def read_all(odd):
    """Runs the computations of the commands for a run, without the pictures."""
    run = load_run(odd)
    log = run.table("conservation")
    list(conservation.describe(run, log, conservation.measure(log)))
    report.verdict(run), report.environment(run)
    list(radii.describe(run, radii.measure(run)))
    models.model_of(run.section("bodies"), 1.0, 1.0)


refused = 0
for name in ("summary.json", "deck.resolved.json", "conservation.csv-metadata.json", "structure.csv-metadata.json"):
    whole = json.loads((work / "cluster" / name).read_text())
    some = [place for place in places(whole) if "metadata" not in name or place[:3] in {(), ("tableSchema",), (
        "tableSchema", "columns"), ("tableSchema", "columns", 0), ("tableSchema", "columns", 1)} or len(place) < 3]
    for place in some:
        for value in ODD:
            (work / "odd" / name).write_text(with_value(whole, place, value))
            try:
                read_all(work / "odd")
            except Error as problem:
                refused += 1
                check(problem.exit_status == 65 and "\n" not in str(problem), f"{name}: {place} = {value!r:.20}: {problem}")
            except Exception as error:
                check(False, f"{name}: {place} = {value!r:.20}: {type(error).__name__}: {error}")
    (work / "odd" / name).write_text(json.dumps(whole))
check(refused > 100, f"only {refused} values were refused")
for text in ('{"conservation": {"max_momentum_error": "small"}}', '{"conservation": {"max_momentum_error": NaN}}', '{"title": 1e999}',
             "[" * 100000, '{"bodies": []}'):
    (work / "odd/deck.resolved.json").write_text(text)
    result = tool("conservation", "odd")
    check(result.returncode == 65 and result.stderr.count("\n") == 1, f"a deck of {text:.60} is {result}")

# Invalid files, endless files, and files that announce more data than they contain.
(work / "hostile").mkdir()
shutil.copytree(work / "cluster", work / "hostile/run")
os.mkfifo(work / "hostile/pipe")
os.mkfifo(work / "hostile/pipe.h5")
os.mkfifo(work / "hostile/pipe.png")
(work / "hostile/run/conservation.csv").unlink()
(work / "hostile/run/conservation.csv").symlink_to("/dev/zero")
with open(work / "hostile/large.json", "w") as file:
    file.truncate(3 << 30)
shutil.copytree(work / "cluster", work / "hostile/large")
with open(work / "hostile/large/conservation.csv", "w") as file:
    file.truncate(3 << 30)


def promising(name, **options):
    """Writes a snapshot of at most 80 kB that announces three million bodies."""
    with h5py.File(work / f"hostile/{name}", "w") as file:
        file.create_group("Header").attrs.update({"Time": 0.0, "MassTable": np.array([0, 1.0, 0, 0, 0, 0])})
        file["PartType1/ParticleIDs"] = np.arange(3)
        file.create_dataset("PartType1/Coordinates", (3_000_000, 3), "f8", **options)
    return f"hostile/{name}"


def linked(name, link):
    with h5py.File(work / f"hostile/{name}", "w") as file:
        file.create_group("Header").attrs.update({"Time": 0.0})
        file.create_group("PartType1")["Coordinates"] = link
    return f"hostile/{name}"


for status, *words in [
        (74, "conservation", "hostile/run"), (74, "frames", "hostile/pipe.h5"), (74, "frames", "/dev/zero"), (74, "bench", "hostile/pipe"),
        (74, "scaling", "/dev/urandom"), (74, "bench", "/dev/zero"), (74, "convergence", "hostile/pipe"), (65, "bench", "hostile/large.json"),
        (65, "conservation", "hostile/large"), (74, "yt", "hostile/pipe.h5"), (74, "frames", "cluster", "-o", "hostile/pipe.png"),
        (65, "frames", promising("chunks.h5", chunks=(1000, 3))), (65, "frames", promising("zipped.h5", chunks=(10 ** 6, 3), compression=9)),
        (65, "frames", promising("whole.h5")), (65, "frames", linked("outside.h5", h5py.ExternalLink("../disk.json", "/x"))),
        (65, "frames", linked("soft.h5", h5py.SoftLink("/nowhere"))),
        (64, "frames", "cluster", "--ids", "0:5"), (64, "frames", "cluster", "--dark", "--ids", "5:5"), (64, "frames", ""),
        (64, "frames", "cluster", "--dark", "--ids", "a:b"), (64, "frames", "cluster", "--reach="), (64, "frames", "cluster", "--reach", "1_0"),
        (64, "profile", "cluster", "--bins", "1e11"), (64, "profile", "cluster", "--bins", "100000000000"),
        (64, "profile", "cluster", "--bins", "010"), (64, "profile", "cluster", "--bins", "400"), (64, "orbits", "planets", "--about", "0x1"),
        (64, "orbits", "planets", "--ids", "-1"), (64, "orbits", "planets", "--ids", "1_0"), (64, "frames", "cluster", "--dar"),
        (74, "convergence", "kepler.json", "--apsis", "bench.json"), (64, "x" * 5000), (74, "frames", "x" * 5000)]:
    began = time.monotonic()
    result = tool(*words)
    check(result.returncode == status and result.stderr.count("\n") == 1 and len(result.stderr) < 500 and time.monotonic() - began < 20,
          f"{words}: {result}"[:600])

# Names of files do not affect the terminal, in errors and on standard output.
result = tool("frames", "a\x1b[2Jb\u202ec\udcff")
check(result.returncode == 74 and result.stderr.startswith("apsis-analysis: error: a?[2Jb?c?: "), f"control characters: {result!r}")
os.rename(work / "bench.json", work / "b\x1b[2Jench.json")
result = tool("bench", "b\x1b[2Jench.json", "-o", "o\x1b[2Jut.png")
check(result.returncode == 0 and "\x1b" not in result.stdout and "o?[2Jut.png" in result.stdout, f"control characters: {result!r}")
os.rename(work / "b\x1b[2Jench.json", work / "bench.json")

# A full standard output is status 74, for every kind of command.
for words in (["--help"], ["frames", "--help"], ["conservation", "cluster"]):
    for unbuffered in ("", "1"):
        with open("/dev/full", "w") as full:
            result = subprocess.run([sys.executable, analysis / "apsis-analysis", *words], cwd=work, stdout=full, stderr=subprocess.PIPE,
                                    text=True, env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
        check(result.returncode == 74 and result.stderr.count("\n") == 1,
              f"full output of {words}, PYTHONUNBUFFERED={unbuffered}: {result.returncode} {result.stderr}")

# yt draws if it is installed. A missing library is reported in one line with its package; help
# needs no library.
try:
    import yt  # noqa: F401
    has_yt = True
except ImportError as missing:
    has_yt = False
    print(f"not drawn by yt: {missing}")
if has_yt:
    check("500 bodies in yt" in drawn("yt", "cluster/snapshot_000002.h5", "-o", "yt.png")[0], "yt reads a snapshot")
for hidden, words in (("numpy", ("radii", "cluster")), ("h5py", ("frames", "cluster")), ("matplotlib", ("frames", "cluster")),
                      ("yt", ("yt", "cluster/snapshot_000002.h5"))):
    result = process_without(hidden, *words)
    check(result.returncode == 70 and result.stderr.count("\n") == 1 and result.stderr.endswith(f"; install python3-{hidden}\n"),
          f"without {hidden}: {result}")
for words in ([], *([word] for word in re.findall(r"^    (\w+)\s", tool("--help").stdout, re.M))):
    result = process_without("numpy h5py matplotlib PIL yt", *words, "--help")
    check(result.returncode == 0 and "usage: apsis-analysis" in result.stdout, f"help of {words}: {result.stderr}")
