#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the component `program`, which is the .deb: it has a manual page for each command, completions, licence and
changelog, and nothing else than a user needs.

    test_install.py BUILD WORK BACKEND PYTHON_DIR LIBRARY_DIR ZSH_DIR PRIVATE_DIR
"""
import gzip
import re
import shutil
import subprocess
import sys
from pathlib import Path

BUILD, WORK = sys.argv[1], Path(sys.argv[2])
BACKEND, PYTHON_DIR, LIBRARY_DIR, ZSH_DIR, PRIVATE_DIR = sys.argv[3:]
PREFIX = WORK / "prefix"


def install(prefix, component):
    """Installs a component and returns its files, relative to the prefix."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, "--component", component], check=True,
                   stdout=subprocess.DEVNULL)
    return [str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()]


def check_text(name, pattern):
    """The file, decompressed if its name says so, matches the pattern."""
    data = (PREFIX / name).read_bytes()
    if name.endswith(".gz"):
        assert data[4:8] == bytes(4), f"{name} contains the time of its compression: two builds give two files"
        data = gzip.decompress(data)
    assert re.search(pattern, data.decode(), re.DOTALL), f"{name} does not match '{pattern}'"


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    files = install(PREFIX, "program")
    # Commands as `apsis help` lists them.
    text = subprocess.run([PREFIX / "bin/apsis", "--help"], check=True, capture_output=True, text=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", re.split("^subcommands:", text, flags=re.MULTILINE | re.IGNORECASE)[-1], re.MULTILINE)
    assert len(commands) >= 10, f"apsis --help lists {len(commands)} commands (it has more than ten):\n{text}"
    check_text("share/man/man1/apsis.1.gz", r"^\.TH APSIS 1")
    for command in commands:
        check_text(f"share/man/man1/apsis-{command}.1.gz", rf"^\.TH APSIS.*-{command} 1")
    check_text("share/man/man5/apsis-deck.5.gz", r"^\.TH APSIS.*-DECK 5")
    check_text("share/bash-completion/completions/apsis", "complete .*apsis")
    check_text(f"share/man/man1/apsis.{BACKEND}.1.gz", r"^\.TH APSIS 1")
    check_text(f"{ZSH_DIR}/_apsis", "^#compdef apsis")
    check_text("share/fish/vendor_completions.d/apsis.fish", "for program in apsis")
    check_text("share/doc/apsis/copyright", "^Format: .*License: Apache-2.0.*Bitstream")
    check_text("share/doc/apsis/changelog.gz", "^# Changelog")
    # The program of `apsis bench`.
    rates = subprocess.run([PREFIX / "bin/apsis", "bench", "--bodies", "8", "--kernel", "all", "--precision", "double"], check=True,
                           capture_output=True, text=True).stdout
    assert " pairwise_tile " in rates, f"the installed apsis bench measures nothing:\n{rates}"

    known = (rf"bin/apsis((-bench)?\.{BACKEND}|-start)?|share/man/man[15]/apsis[a-z.-]*\.[15]\.gz"
             r"|share/doc/apsis/(copyright|changelog\.gz)"
             r"|share/(bash-completion/completions/apsis|zsh/[a-z-]*/_apsis|fish/vendor_completions\.d/apsis\.fish)"
             rf"|({PYTHON_DIR})/(_apsis\.([^/]*\.so|pyi)|apsis/.*)|({LIBRARY_DIR})/(glibc-hwcaps/[^/]*/)?libapsis[a-z_]*\.so\..*"
             rf"|{PRIVATE_DIR}/(apsis(-bench)?\.{BACKEND}|hdf5/.*\.so.*|pictures/.*\.so.*|debian/kokkos.*)")
    for name in files:
        assert re.fullmatch(known, name) and "__pycache__" not in name, \
            f"the component program has {name}, which is no part of the program"
    # Each file belongs to a component, so that no package lacks it.
    rest = install(WORK / "rest", "Unspecified")
    assert not rest, f"without a component, so in no .deb: {rest}"
    shutil.rmtree(WORK)


main()
