#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small library in the place of Apsis, built by cmake/shared_library.cmake: the loader takes the variant of the highest
level, the library exports all of a static Kokkos, and nothing of a static HDF5.

    test_variants.py SOURCE WORK GENERATOR COMPILER
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, WORK, GENERATOR, COMPILER = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]
LOADER = Path("/lib64/ld-linux-x86-64.so.2")
FILES = {"CMakeLists.txt": r"""
cmake_minimum_required(VERSION 3.25)
project(apsis VERSION 2.5.7 LANGUAGES CXX)
include(GNUInstallDirs)
include("${SOURCE}/cmake/shared_library.cmake")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_library(kokkoscore STATIC kokkos.cpp)
add_library(Kokkos::kokkoscore ALIAS kokkoscore)
add_library(hidden STATIC hidden.cpp)
foreach(which hdf5 pictures)
  add_library(apsis_${which} INTERFACE)
  add_library(apsis::${which} ALIAS apsis_${which})
endforeach()
target_link_libraries(apsis_hdf5 INTERFACE "${CMAKE_BINARY_DIR}/libhidden.a")
function(apsis_set_up_library target)
  target_link_libraries(${target} PUBLIC kokkoscore PRIVATE apsis_hdf5)
  add_dependencies(${target} hidden)
  apsis_set_up_shared_library(${target})
endfunction()
add_library(apsis level.cpp)
apsis_set_up_library(apsis)
apsis_add_variants(apsis apsis_set_up_library)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE apsis)
""", "kokkos.cpp": "int state = 0;\nint unused_by_library() { return ++state; }\n",
         "hidden.cpp": "int hidden_function() { return 1; }\n", "level.cpp": """
int hidden_function();
// In the program too, for the lowest level.
inline char const* set() {
#if defined(__AVX512F__)
  return "v4";
#elif defined(__AVX2__)
  return "v3";
#else
  return "base";
#endif
}
char const* level() { return hidden_function() == 1 ? set() : ""; }
""", "program.cpp": """
#include <cstdio>
char const* level();
int unused_by_library();
inline char const* set() { return "that of the program"; }
char const* (*volatile used)() = set;
int main() { std::printf("%s %d %s", level(), unused_by_library(), used()); }
"""}


def output(*words, **environment):
    """Returns what a command prints."""
    return subprocess.run([str(word) for word in words], check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, **environment}).stdout


def main():
    searched = output(LOADER, "--help") if LOADER.exists() else ""
    if not re.search("x86-64-v3 .*searched", searched):
        print("skipped: the loader searches no x86-64-v3 on this machine")
        return 77
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name, text in FILES.items():
        (WORK / name).write_text(text.lstrip())
    build = WORK / "build"
    output("cmake", "-S", WORK, "-B", build, "-G", GENERATOR, f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DSOURCE={SOURCE}",
           "-DAPSIS_BACKEND=openmp", "-DAPSIS_NATIVE=OFF", "-DBUILD_SHARED_LIBS=ON", "-DAPSIS_HWCAPS=x86-64-v3;x86-64-v4")
    output("cmake", "--build", build)

    best = "v4" if re.search("x86-64-v4 .*searched", searched) else "v3"
    for masked, expected in (("", best), ("-AVX512F", "v3"), ("-AVX512F,-AVX2", "base")):
        printed = output(build / "program", GLIBC_TUNABLES=f"glibc.cpu.hwcaps={masked}")
        assert printed == f"{expected} 1 that of the program", f"with '{masked}' masked the program says '{printed}'"
    for folder in ("lib", "lib/glibc-hwcaps/x86-64-v3", "lib/glibc-hwcaps/x86-64-v4"):
        library = build / folder / "libapsis.so"
        dynamic = output("readelf", "-d", library)
        assert "soname: [libapsis.so.2.5]" in dynamic, f"{library} has another soname than libapsis.so.2.5: {dynamic}"
        symbols = output("nm", "-DC", "--defined-only", library)
        assert "unused_by_library" in symbols and "hidden_function" not in symbols, \
            f"{library} must export unused_by_library (Kokkos) and hide hidden_function (HDF5): {symbols}"
    shutil.rmtree(WORK)
    return 0


sys.exit(main())
