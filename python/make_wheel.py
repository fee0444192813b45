#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the Python module from a finished build tree, by pyproject.toml: for machines without scikit-build-core.

    make_wheel.py BUILD FOLDER

The wheel is what the component `wheel` of the build tree installs: the package, with the executable and the extension if they
need no library of that tree. Otherwise it has Python code alone, for any machine (py3-none-any), and uses an executable that is
installed. Prints the path of the wheel.
"""
from __future__ import annotations

import base64
import hashlib
import stat
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
MOMENT = (2020, 1, 1, 0, 0, 0)  # of all files, so that equal contents give equal wheels


def metadata(project: dict) -> str:
    """Returns METADATA of the table `project` of pyproject.toml."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']}", f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Author: {author['name']}" for author in project["authors"]]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {need}; extra == "{extra}"' for need in needs)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (SOURCE / project["readme"]).read_text("utf-8")])


def tag(files: list[str]) -> str:
    """Returns the tag of a wheel with these files."""
    if not any(name.startswith(("apsis/bin/", "_apsis.")) for name in files):
        return "py3-none-any"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if any(name.endswith(".so") for name in files):
        version = f"cp{sys.version_info.major}{sys.version_info.minor}"
        return f"{version}-{version}-{platform}"
    return f"py3-none-{platform}"


def make_wheel(build: Path, folder: Path) -> Path:
    """Writes the wheel of a build tree into the folder and returns its path."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["cmake", "--install", build, "--prefix", scratch, "--component", "wheel", "--strip"], check=True,
                       stdout=subprocess.DEVNULL)
        names = {path.relative_to(scratch).as_posix(): path for path in sorted(Path(scratch).rglob("*")) if path.is_file()}
        contents = {name: path.read_bytes() for name, path in names.items()}
        executable = {name for name, path in names.items() if path.stat().st_mode & 0o100}
    info = f"{project['name']}-{project['version']}.dist-info"
    kind = tag(list(names))
    contents[f"{info}/METADATA"] = metadata(project).encode()
    contents[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: apsis\nRoot-Is-Purelib: {str(kind.endswith('any')).lower()}\n"
                                 f"Tag: {kind}\n").encode()
    contents[f"{info}/entry_points.txt"] = "\n".join(
        ["[console_scripts]", *(f"{name} = {place}" for name, place in project["scripts"].items()), ""]).encode()
    for name in project["license-files"]:
        contents[f"{info}/licenses/{name}"] = (SOURCE / name).read_bytes()
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}")
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{project['name']}-{project['version']}-{kind}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | (0o755 if name in executable else 0o644)) << 16
            archive.writestr(entry, data)
    return wheel


def main() -> int:
    """Makes a wheel as the command line says."""
    if len(sys.argv) != 3:
        print("make_wheel: error: command line: two folders are needed (build tree, folder of the wheel); give BUILD FOLDER",
              file=sys.stderr)
        return 64
    build = Path(sys.argv[1])
    if not (build / "cmake_install.cmake").is_file():
        print(f"make_wheel: error: {build}: is no build tree (it has no cmake_install.cmake); build one with cmake --preset",
              file=sys.stderr)
        return 74
    wheel = make_wheel(build, Path(sys.argv[2]))
    if wheel.name.endswith("py3-none-any.whl"):
        print("make_wheel: note: the executable and the extension are left out (they need libraries of the build tree, as Kokkos with its "
              "own C library); the wheel uses an executable that is installed, and has no apsis.Simulation", file=sys.stderr)
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main())
