# SPDX-License-Identifier: Apache-2.0
"""Self-contained HTML page of a run: verdict, figures, summary, deck, environment, and the command that repeats it."""
import base64
import html
import io
import json
import shlex
import tempfile
from pathlib import Path

import numpy as np

from . import binaries, conservation, frames, orbits, profile, radii, style
from .. import files, units
from .digits import shown
from ..executable import ERRORS, call, find_executable
from ..runs.loading import load_run
from ..errors import INPUT, USAGE, Error, Problem, make_error
from ..messages import read_messages, unchanged
from ..snapshots import open_snapshot, snapshots_of

STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fdfdfc; --faint: #6b6b6b; --line: #d8d8d4; --good: #006a4e;
  --bad: #a33c00; --other: #4b5560; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e4; --paper: #17191c; --faint: #a5a5a0; --line: #3a3d42;
  --good: #3fc79a; --bad: #ff9a5c; --other: #b4bdc8; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
p.reference, figcaption { color: var(--faint); } p.verdict { font-size: 1.15rem; border-left: .4rem solid; padding-left: .8rem; }
p.advice { border-left: .4rem solid var(--line); padding-left: .8rem; } img.dark { background: black; }
.good { color: var(--good); } .bad { color: var(--bad); } .other { color: var(--other); }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem 1.2rem .15rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; } td { font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; border: 1px solid var(--line); padding: .6rem .8rem; font-size: .85rem; }
figure { margin: 1.5rem 0; } img { max-width: 100%; background: white; border-radius: 4px; }
"""
CLASSES = {"conserved": "good", "not_conserved": "bad", "non_finite": "bad", "collision": "bad"}
ENVIRONMENT = ("backend", "device", "threads", "precision", "solver", "kernel", "version", "git", "compiler", "kokkos")


PICTURE = 1280  # largest width and height of a rendered picture in the page [pixels]


def text(value):
    return html.escape(value if isinstance(value, str) else json.dumps(value))


def readable(value):
    """Returns a value of summary.json as text, numbers with the chosen number of digits."""
    return shown(value) if isinstance(value, float) else value if isinstance(value, str) else json.dumps(value)


def table(rows, head=None):
    top = f"<tr>{''.join(f'<th>{text(cell)}</th>' for cell in head)}</tr>" if head else ""
    return f"<table>{top}{''.join('<tr>' + ''.join(f'<td>{text(cell)}</td>' for cell in row) + '</tr>' for row in rows)}</table>"


def data_url(png):
    return "data:image/png;base64," + base64.b64encode(png).decode()


def inlined(figure):
    """Returns the picture as a data URL."""
    stream = io.BytesIO()
    style.write(figure, stream, format="png", dpi=120)
    style.plt.close(figure)
    return data_url(stream.getvalue())


def reduced(path):
    """Returns a picture as a PNG that fits PICTURE, with 256 colours."""
    from PIL import Image
    stream = io.BytesIO()
    try:
        image = Image.open(path).convert("RGB")
    except OSError as error:
        raise make_error(INPUT, f"{path}: cannot be read as a picture ({error}); remove it, or draw it again with apsis render") from error
    image.thumbnail((PICTURE, PICTURE))
    image.quantize(256).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def rendered(run, apsis):
    """Returns PNGs with captions: the last of each series that the run drew, or else its last snapshot, drawn by the executable."""
    series = {}
    for path in sorted((run.path / "pictures").glob("*.png")):
        series[path.stem.rpartition("_")[0]] = path
    if series:
        return [(reduced(path), f"{path.parent.name}/{path.name}, drawn by the run") for path in series.values()]
    snapshots = run.snapshot_paths()
    if not snapshots:
        raise make_error(INPUT, f"{run.path}: has neither pictures nor snapshots; name output.render in the deck")
    try:
        executable = find_executable(apsis)
    except Error as problem:
        if apsis or problem.exit_status != USAGE:
            raise
        raise make_error(INPUT, str(problem)) from problem
    with tempfile.TemporaryDirectory(prefix="apsis-analysis-") as work:
        process = call([executable, "render", *ERRORS, str(snapshots[-1]), "--output", work, "--set", f"width={PICTURE}", "--set",
                        f"height={PICTURE * 9 // 16}"])
        drawn = sorted(Path(work).glob("*.png"))
        if process.returncode or not drawn:
            problems = read_messages(process.stderr, voice=unchanged)["error"] or [Problem("", f"status {process.returncode}")]
            raise make_error(INPUT, f"{snapshots[-1]}: apsis render did not draw it ({problems[-1].text()}); see apsis help render")
        return [(reduced(drawn[-1]), f"{snapshots[-1].name}, drawn by apsis render")]


def pictures(run, apsis):
    return "".join(f'<figure><img class="dark" alt="{text(caption)}" src="{data_url(png)}"><figcaption>{text(caption)}</figcaption>'
                   "</figure>" for png, caption in rendered(run, apsis))


def conservation_figure(run):
    log = run.table("conservation")
    return conservation.draw([run], [log]), conservation.describe(run, log, conservation.measure(log))


def radii_figure(run):
    measurement = radii.measure(run)
    return radii.draw(run, measurement), radii.describe(run, measurement)


def profile_figure(run):
    profiles, model, reason = profile.profiles_of(run.path)
    lines = [line for item in profiles for line in profile.describe(item)]
    return profile.draw(profiles, f"Profile of {style.plain(run.name)}"), lines + ([reason] if model is None else [])


def frames_figure(run):
    several, reach, about = frames.frames_of(snapshots_of([run.path], most=5))
    distance = frames.distance_of(several, about, None, False)
    return frames.draw(several, reach, about, distance=distance), frames.describe(several, reach, about)


def orbits_figure(run):
    paths, elements, tables, more, names, about = measurement = orbits.measure(run)
    return orbits.draw(run, paths, elements, tables, names), orbits.describe(run, *measurement)


def binaries_figure(run):
    measurement = binaries.measure(run)
    return binaries.draw(run, *measurement), binaries.describe(run, *measurement)


def table_figure(name):
    """Draws every column of a table without a command of its own against time."""
    def drawn(run):
        table = run.table(name)
        columns = [column for column in table if column not in ("step", "time") and "_id" not in column
                   and table[column].dtype.kind in "iuf" and np.isfinite(table[column]).any()]
        if not columns:
            raise make_error(INPUT, f"{table.path}: has no numbers")
        figure, grid = style.figure_with(len(columns), 1, sharex=True, figsize=(8, 1.8 * len(columns) + 0.8))
        for column, axes in zip(columns, grid[:, 0]):
            axes.plot(table["time"], table[column], marker=style.marker_for(table.rows), color=style.BLUE)
            axes.set_ylabel(units.label(column.replace("_", " "), table.units[column], table.system))
        axes.set_xlabel(units.label("time", table.units["time"], table.system))
        figure.align_ylabels()
        return figure, [f"{column}: {shown(np.nanmin(table[column]))} to {shown(np.nanmax(table[column]))}"
                        f"{units.spoken(table.units[column])}" for column in columns]
    return drawn


FIGURES = [("Conservation", conservation_figure), ("The bodies", frames_figure), ("Radii", radii_figure), ("Profile", profile_figure),
           ("Orbits", orbits_figure), ("Binaries", binaries_figure), ("Distances", table_figure("pair_distances")),
           ("Errors of forces", table_figure("force_errors")), ("Errors of potentials", table_figure("potential_errors"))]


def figures(run, apsis=None):
    """Returns HTML of every possible figure of the run, their titles, and the reasons for missing figures."""
    parts, titles, missing = [], [], []
    try:
        parts.append(f"<h2>Picture</h2>{pictures(run, apsis)}")
        titles.append("Picture")
    except Error as problem:
        if problem.exit_status != INPUT:
            raise
        missing.append(f"<li>Picture: {text(str(problem))}</li>")
    for title, draw in FIGURES:
        try:
            figure, lines = draw(run)
        except Error as problem:
            if problem.exit_status != INPUT:
                raise
            if title == "Conservation":
                raise
            missing.append(f"<li>{title}: {text(str(problem))}</li>")
            continue
        lines = "\n".join(lines)
        parts.append(f'<h2>{title}</h2><figure><img alt="{title}" src="{inlined(figure)}"><figcaption><details><summary>'
                     f"Numbers</summary><pre>{html.escape(lines)}</pre></details></figcaption></figure>")
        titles.append(title)
    if missing:
        parts.append(f"<details><summary>Figures that are not here</summary><ul>{''.join(missing)}</ul></details>")
    return "".join(parts), titles


def verdict(run):
    summary = run.summary
    if not summary:
        return '<p class="verdict other">No verdict: the run goes on, or was ended from outside.</p>'
    status = str(summary.get("status", "unknown"))
    words = (f"{status.replace('_', ' ')}, exit code {summary.get('exit_code')}; {summary.get('steps')} steps to "
             f"t = {readable(summary.get('time'))}")
    if summary.get("stop_reason") not in (None, "end"):
        words += f"; stopped: {summary['stop_reason']}"
    rows = []
    for name, key in (("energy", "relative energy error"), ("momentum", "momentum error")):
        largest = summary.get(conservation.LIMITS[name])
        rows.append((f"largest {key}", "" if largest is None else shown(largest),
                     "" if largest is None else conservation.against(run, name, largest)))
    if summary.get("remark"):
        status = "not_conserved"  # drawn in its colour
    advice = "".join(f'<p class="advice"><b>{key}</b>: {text(words)}</p>' for key, words in conservation.advice_of(run))
    return f'<p class="verdict {CLASSES.get(status, "other")}">{text(words)}</p>{advice}' + table(rows, ("", "measured", ""))


def environment(run):
    summary = run.summary
    rows = [(name, summary[name]) for name in ENVIRONMENT if name in summary]
    for path in run.snapshot_paths()[-1:]:
        about = open_snapshot(path).about
        rows += [(name.lower(), about[name]) for name in ("HDF5",) if name in about]
    return table(rows) if rows else "<p>No summary.json yet.</p>"


def page(run, apsis=None):
    title = str(run.deck.get("title") or run.name)
    drawn, titles = figures(run, apsis)
    repeat = f"apsis run {shlex.quote(str(run.path / 'deck.resolved.json'))} --output {shlex.quote(run.name + '.again')}"
    rest = [(key, readable(value)) for key, value in run.summary.items() if key not in ENVIRONMENT and key not in ("units", "tables")]
    rest += [(f"units: {key}", readable(value)) for key, value in (run.summary.get("units") or {}).items()]
    body = [f"<h1>{text(title)}</h1>"]
    if run.deck.get("reference"):
        body.append(f'<p class="reference">{text(run.deck["reference"])}</p>')
    body += ["<h2>Verdict</h2>", verdict(run), drawn, "<h2>Summary</h2>", table(rest), "<h2>Environment</h2>", environment(run),
             "<h2>To repeat it</h2>", f"<pre>{text(repeat)}</pre>", "<h2>Deck</h2>",
             f"<pre>{html.escape(run.deck.json())}</pre>"]
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>{text(title)}</title><style>{STYLE}</style></head>\n<body>{''.join(body)}</body></html>\n"), titles


def run(options):
    run = load_run(options.run)
    written, titles = page(run, options.apsis)
    summary = run.summary
    yield f"{run.path}: {summary.get('status', 'goes on, or was ended from outside')}; {', '.join(titles).lower()}"
    files.write(options.output, written.encode("utf-8", errors="replace"), style.OTHER_OUTPUT)
    yield options.output
