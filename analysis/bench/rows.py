# SPDX-License-Identifier: Apache-2.0
"""Rows of `apsis bench --json` as series: one for each kernel, precision, number of threads and memory of a machine."""
import json
import re
from types import SimpleNamespace

from ...runs.loading import read_json
from ...errors import INPUT, make_error

PRECISIONS = ("single", "mixed", "double")
RATE = "interactions_per_second"
ROW = {"kernel": str, "precision": str, "threads": int, "bodies": int, RATE: (int, float),
       "spread": (int, float, type(None)), "percent_of_limit": (int, float, type(None))}


def get(record, key, kinds, where):
    """Returns record[key], which must have one of the types and be non-empty, non-negative and finite."""
    value = record.get(key, ...) if isinstance(record, dict) else ...
    if (not isinstance(value, kinds) or isinstance(value, bool) or value in ("", [])
            or isinstance(value, (int, float)) and not 0 <= value < 1e300
            or key in ("bodies", RATE) and not value or key == "precision" and value not in PRECISIONS):
        problem = "is missing" if value is ... else f"is {json.dumps(value)[:40]}"
        raise make_error(INPUT, f"{where}: '{key}' {problem}; give a file that apsis bench --json wrote")
    return value


def time_of(row):
    """Returns the wall time of one evaluation of all forces [s]. The rate counts N^2 interactions."""
    measured = row.get("milliseconds_force")
    known = isinstance(measured, (int, float)) and not isinstance(measured, bool) and 0 < measured < 1e300
    return 1e-3 * measured if known else row["bodies"] ** 2 / row[RATE]


def transfer_of(row):
    """Returns the wall times of copies to the device and back [s], (0, 0) without any."""
    values = [row.get(f"milliseconds_to_{place}") for place in ("device", "host")]
    return tuple(1e-3 * value if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e300 else 0.0
                 for value in values)


def machine_of(report, path, taken):
    """Returns the name of a machine for labels: device and backend, with the file's name if another file has the same."""
    device, backend = (get(get(report, "environment", dict, path), key, str, f"{path}: environment")
                       for key in ("device", "backend"))
    words = re.sub(r"\((R|TM|r|tm)\)|\b(CPU|Processor)\b|@.*", " ", device).split()
    name = f"{' '.join(words)[:40]} ({backend})"
    return f"{name}, {path}" if name in taken else name


def read_bench(path, taken):
    """Returns the series of one file: namespaces of `machine`, `kernel`, `precision`, `threads`, `memory` and `sizes`, {bodies:
    [row]}, the rows of one size being those of a sweep over tile shapes, the fastest first."""
    report = read_json(path, "give a file that apsis bench --json wrote")
    machine = machine_of(report, path, taken)
    series: dict[tuple, dict[int, list]] = {}
    for index, row in enumerate(get(report, "rows", list, path)):
        where = f"{path}: rows[{index}]"
        if isinstance(row, dict) and row.get("kernel") == "snapshot":
            continue  # costs of snapshots are not rates of kernels
        for key, kinds in ROW.items():
            get(row, key, kinds, where)
        name = row["kernel"], row["precision"], row["threads"], str(row.get("memory") or "").replace("_", " ")
        rows = series.setdefault(name, {}).setdefault(row["bodies"], [])
        if any(earlier.get("shape") == row.get("shape") for earlier in rows):
            raise make_error(INPUT, f"{where}: an earlier row measures the same; keep one of them")
        rows.append(row)
    for (kernel, precision, threads, memory), sizes in series.items():
        for rows in sizes.values():
            rows.sort(key=lambda row: -row[RATE])
        yield SimpleNamespace(machine=machine, kernel=kernel, precision=precision, threads=threads, memory=memory, sizes=sizes)


def threads_in_words(threads):
    return f"{threads} thread{'' if threads == 1 else 's'}"


def baseline_of(series):
    """Returns the series that speed-ups are relative to: plain loops, then `naive`, then the slowest; in double with the fewest
    threads if there is a choice. It has a measurement at the most sizes."""
    def rank(entry):
        plain = 0 if entry.kernel.startswith("reference") else 1 if entry.kernel == "naive" else 2
        slowest = min(rows[0][RATE] for rows in entry.sizes.values())
        return plain, -PRECISIONS.index(entry.precision), entry.threads, -len(entry.sizes), slowest
    return min(series, key=rank)


def speedups(entry, base):
    """Returns (N, speed-up) at each N that both series have."""
    return [(n, entry.sizes[n][0][RATE] / base.sizes[n][0][RATE]) for n in sorted(entry.sizes.keys() & base.sizes.keys())]
