#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of cmake/debian/prefix.sh about mirrors that do not deliver.

    test_mirrors.py SOURCE WORK

The package client is replaced by scripts whose mirrors fail with apt's own messages; no network is used.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, WORK = sys.argv[1], Path(sys.argv[2])
SOURCES = WORK / "etc/sources.list"

# A mirror http://NAME.invalid/ fails with the text in errors/NAME, if that file exists.
PROGRAMS = {
    "apt-config": f"echo \"sourcelist='{SOURCES}'; sourceparts='{SOURCES}.d'\"",
    "apt-get": r"""
here=$(dirname "$0")/..
name=$(sed -E 's|.*http://([a-z]+)\.invalid.*|\1|' "$(dirname "$2")/sources.list")
case "$*" in
*update*)
  echo "$name" >>"$here/asked"
  if [ -e "$here/errors/$name" ]; then cat "$here/errors/$name"; exit 100; fi ;;
*download*)
  if [ -e "$here/errors/download" ]; then cat "$here/errors/download"; exit 100; fi
  touch library_1.2-3_all.deb ;;
esac""",
    "apt-cache": "echo 'Version: 1.2-3'",
    "dpkg-deb": 'case $1 in -x) touch "$3/unpacked" ;; *) echo 1.2-3 ;; esac',
    "dpkg": r"""[ "$(printf '%s\n' "$2" "$4" | sort -V | head -n 1)" = "$4" ]"""}

# Each kind of failure: the mirror, apt's message, and words of the advice.
FAILURES = [
    ("resolve", "E: Failed to fetch http://resolve.invalid/InRelease  Could not resolve 'resolve.invalid'\n"
     "E: Some index files failed\n", "check the network and /etc/resolv.conf"),
    ("silent", "E: Failed to fetch http://silent.invalid/InRelease  Temporary failure resolving 'silent.invalid'\n",
     "check the network and /etc/resolv.conf"),
    ("network", "W: Failed to fetch http://network.invalid/InRelease  Could not connect to network.invalid:80 - connect "
     "(101: Network is unreachable)\n", "check the network, or set a proxy"),
    ("expired", "E: Release file for http://expired.invalid/InRelease is expired (invalid since 3d 2h). Updates for this "
     "repository will not be applied.\n", "check this machine's date"),
    ("security", "E: The repository 'http://security.invalid/debian sid Release' does not have a Release file.\n",
     "one of security updates alone is not enough"),
    ("unsigned", "W: GPG error: http://unsigned.invalid/InRelease: the public key is not available: NO_PUBKEY 1\n"
     "E: The repository is not signed.\n", "install the package debian-archive-keyring"),
    ("full", "E: Write error - write (28: No space left on device)\n", "the disk is full")]


def set_sources(*names):
    """Makes these the only mirrors."""
    for path in ("apt", "library"):
        shutil.rmtree(WORK / path, ignore_errors=True)
    (WORK / "asked").unlink(missing_ok=True)
    lines = [f"deb [trusted=yes] http://{name}.invalid/debian stable main\n" for name in names]
    SOURCES.write_text("# a comment\n" + "".join(lines))


def unpack(status, *words, options=()):
    """Runs prefix.sh, which ends with this status and says these words."""
    process = subprocess.run(
        ["sh", f"{SOURCE}/cmake/debian/prefix.sh", WORK / "apt", WORK / "library", *options, "library"],
        env={**os.environ, "PATH": f"{WORK}/bin:{os.environ['PATH']}"}, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    assert process.returncode == status, f"the status is {process.returncode}, not {status}: {process.stdout}"
    for text in words:
        assert text in process.stdout, f"it does not say '{text}', but\n{process.stdout}"


def asked():
    """Returns the mirrors that were asked, in order."""
    return (WORK / "asked").read_text().split()


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in ("etc/sources.list.d", "errors", "bin"):
        (WORK / folder).mkdir(parents=True)
    for name, text in PROGRAMS.items():
        (WORK / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (WORK / "bin" / name).chmod(0o755)

    for name, message, advice in FAILURES:
        (WORK / "errors" / name).write_text(message)
        set_sources(name)
        first = message.splitlines()[0].split(": ", 1)[1]
        unpack(3, f"http://{name}.invalid/debian: {first}", advice, "debian's sid", "CONTRIBUTING.md")

    # Every mirror is tried and has its line.
    set_sources("resolve", "expired", "security")
    unpack(3, "resolve.invalid/debian: Failed to fetch", "expired.invalid/debian: Release file",
           "security.invalid/debian: The repository", "To do: the mirror's name is not resolved")
    log = (WORK / "apt/update.log").read_text()
    assert all(f"== http://{name}.invalid" in log for name in ("resolve", "expired", "security")), log
    set_sources()
    unpack(3, "apt's sources name no mirror")

    # One working mirror is enough; only lists of the package client remain.
    set_sources("expired", "good")
    unpack(0, options=("--at-least", "library", "1.2"))
    assert (WORK / "library/unpacked").exists() and not list(WORK.rglob("*.deb")), "unpacking leaves packages"
    assert "library 1.2-3\n" in (WORK / "library.versions").read_text()

    # A release that is too old is refused before its packages are downloaded.
    set_sources("good")
    unpack(1, "sid has library 1.2-3, 1.10 or newer is needed", options=("--at-least", "library", "1.10"))
    assert not (WORK / "library").exists(), "too old, but unpacked"
    unpack(1, "trixie has library 1.2-3", options=("--suite", "trixie", "--at-least", "library", "1.10"))

    # A failed download is reported, and the next attempt contacts the mirrors again.
    (WORK / "errors/download").write_text("E: Failed to fetch library.deb  404  Not Found\n")
    set_sources("good")
    unpack(1, "the download from sid failed: E: Failed to fetch library.deb")
    (WORK / "errors/download").unlink()
    unpack(0)
    assert asked() == ["good", "good"], asked()

    # Both formats of apt; sources of source packages and disabled ones are no mirrors.
    set_sources("resolve")
    (WORK / "etc/sources.list.d/a.sources").write_text(
        "Types: deb\nEnabled: no\nURIs: http://disabled.invalid/debian\nSuites: x\n\n# one more\nTypes: deb-src\n"
        "URIs: http://code.invalid/debian\n\nTypes: deb deb-src\nURIs: http://expired.invalid/debian\n"
        "  http://security.invalid/debian\nSuites: x\n")
    (WORK / "etc/sources.list.d/b.list").write_text("deb-src http://code.invalid/debian x main\ndeb cdrom:[x]/ x main\n")
    unpack(3)
    assert asked() == ["resolve", "expired", "security"], asked()
    shutil.rmtree(WORK)


main()
