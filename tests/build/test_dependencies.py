#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Configures Apsis in ways that cannot work: all reasons are reported at once and nothing is downloaded.

    test_dependencies.py SOURCE WORK GENERATOR COMPILER
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, WORK = Path(sys.argv[1]), Path(sys.argv[2])
BUILD = WORK / "build"
UPSTREAM = WORK / "upstream"
NETWORK_OFF = "-DAPSIS_UPSTREAM=http://localhost:9"  # nothing answers
NOTHING = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
           for package in ("Kokkos", "HDF5", "PNG", "Freetype", "Boost", "CLI11", "nlohmann_json", "doctest")]


def refused(messages, *options, upstream=NETWORK_OFF):
    """Configures a build tree, which fails with these messages, and returns the log."""
    shutil.rmtree(BUILD, ignore_errors=True)
    process = subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "-G", sys.argv[3], f"-DCMAKE_CXX_COMPILER={sys.argv[4]}",
                           upstream, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log = re.sub(r"[ \n]+", " ", process.stdout)
    assert process.returncode != 0, f"configured with {options}, which cannot work"
    for message in messages:
        assert message in log, f"with {options} the error does not say '{message}':\n{log}"
    return log


def check_no_downloads():
    """The build tree contains no package and no release."""
    begun = [*BUILD.glob("_debian/*.versions"), *BUILD.glob("_upstream/*")]
    assert not begun, f"refused, but it has begun with {begun}"


def check_source_tree():
    """In the source tree nothing is generated, and files that CMake itself leaves are named."""
    copy = WORK / "source"
    copy.mkdir()
    shutil.copy(SOURCE / "CMakeLists.txt", copy)
    shutil.copytree(SOURCE / "cmake", copy / "cmake")
    process = subprocess.run(["cmake", "."], cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.returncode != 0 and "rm -r CMakeCache.txt CMakeFiles" in re.sub(r"[ \n]+", " ", process.stdout), process.stdout
    left = {path.name for path in copy.iterdir()} - {"CMakeLists.txt", "cmake", "CMakeCache.txt", "CMakeFiles"}
    assert not left, f"in the source tree it leaves {left}"


def main():
    # There is no network: apt's sources are empty, and nothing answers in upstream's place.
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "etc").mkdir(parents=True)
    (WORK / "apt.conf").write_text(f'Dir::Etc::SourceList "{WORK}/etc/sources.list";\nDir::Etc::SourceParts "{WORK}/etc";\n')
    os.environ["APT_CONFIG"] = str(WORK / "apt.conf")

    refused(["APSIS_BACKEND is 'fortran'"], "-DAPSIS_BACKEND=fortran")
    refused(["APSIS_DEPENDENCIES is 'luck'"], "-DAPSIS_DEPENDENCIES=luck")
    refused(["APSIS_HWCAPS is 'x86-64-v9'", "BUILD_SHARED_LIBS is off", "APSIS_NATIVE is on", "'x86-64-v9' is no level"],
            "-DAPSIS_HWCAPS=x86-64-v9")
    # Debian's packages serve one backend and are not used for another.
    for backend in ("cuda", "serial"):
        refused(["Debian's Kokkos has the OpenMP backend only"], "-DAPSIS_DEPENDENCIES=debian", f"-DAPSIS_BACKEND={backend}")
    # A forced place is not replaced by another.
    refused(["system: no Kokkos 4.6 or newer is installed"],
            "-DAPSIS_DEPENDENCIES=system", "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON")
    # An invalid checkout is reported by name.
    refused(["FETCHCONTENT_SOURCE_DIR_KOKKOS is '/nonexistent', which holds no CMakeLists.txt"],
            "-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/nonexistent")

    # Everything that is missing at once, with the version found, the minimum, and advice.
    refused(["Kokkos cannot be provided", "HDF5 cannot be provided", "libpng and FreeType cannot be provided",
             "Boost cannot be provided", "CLI11 cannot be provided", "nlohmann_json cannot be provided",
             "doctest cannot be provided", "no Kokkos 4.6 or newer is installed", "no serial HDF5 1.10.8 or newer",
             "no Boost 1.74 or newer", "no CLI11 2.4.1 or newer", "install libhdf5-dev (1.10.8 or newer)",
             "install libpng-dev and libfreetype-dev", "install libcli11-dev (2.4.1 or newer)",
             "-D FETCHCONTENT_SOURCE_DIR_KOKKOS and -D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS",
             "upstream cannot be reached", "apt's sources name no mirror"], "-DAPSIS_BACKEND=openmp", *NOTHING)
    check_no_downloads()
    # An installed library that is too old is reported with its version. (Packages are searched below one root only: this
    # machine may have a newer one.)
    old = WORK / "old/usr/lib/cmake/CLI11"
    old.mkdir(parents=True)
    (old / "CLI11Config.cmake").touch()
    (old / "CLI11ConfigVersion.cmake").write_text("set(PACKAGE_VERSION 2.1.2)\n")
    refused(["CLI11 2.1.2 is installed, 2.4.1 or newer is needed"], "-DAPSIS_DEPENDENCIES=system",
            f"-DCMAKE_FIND_ROOT_PATH={WORK}/old", "-DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY",
            "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON")
    # GPU builds make their own Kokkos: the advice must not be to install one.
    log = refused(["Kokkos cannot be provided for the cuda backend", "To do: name a checkout with -D "
                   "FETCHCONTENT_SOURCE_DIR_KOKKOS and -D FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS HDF5"],
                  "-DAPSIS_BACKEND=cuda", *NOTHING)
    assert "Kokkos_ROOT" not in log, f"Kokkos_ROOT is advised, which GPU builds do not use:\n{log}"
    # MPI is searched before anything that is downloaded.
    log = refused(["no MPI is installed", "libopenmpi-dev and openmpi-bin"],
                  "-DAPSIS_ENABLE_MPI=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON")
    assert "Kokkos:" not in log, f"MPI is missing, but other things were looked for before:\n{log}"
    check_no_downloads()
    check_source_tree()

    # If upstream answers but does not deliver, the configuration continues: an empty copy, then one whose archive differs
    # from the pinned one.
    archive = UPSTREAM / "kokkos/kokkos/releases/download/5.1.0/kokkos-5.1.0.tar.gz"
    archive.parent.mkdir(parents=True)
    for message in ("download of kokkos/kokkos 5.1.0 failed", "is not the pinned release"):
        refused([message, "CONTRIBUTING.md says how"], "-DAPSIS_DEPENDENCIES=source",
                upstream=f"-DAPSIS_UPSTREAM=file://{UPSTREAM}")
        archive.write_text("something else")
    shutil.rmtree(WORK)


main()
