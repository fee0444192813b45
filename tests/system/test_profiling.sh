#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test_profiling.sh EXECUTABLE TOOL DECK WORK: a run under a profiling tool of Kokkos has a region for each phase.
set -eu
executable=$1; tool=$2; deck=$3; work=$4
rm -rf "$work"; mkdir -p "$work"
KOKKOS_TOOLS_LIBS=$tool "$executable" run "$deck" --output "$work/run" --quiet --set bodies.count=500 \
  --set run.end_time=0.125 --set integrator.time_step=0.015625 --set conservation.max_relative_energy_error=1 >"$work/log"
expect() { # expect PATH COUNT: the tool has seen this nesting of regions and kernels so many times
  grep -qx "$1 $2" "$work/log" || { echo "no line '$1 $2' in:"; cat "$work/log"; exit 1; }
}
expect apsis::step 8
expect apsis::step/apsis::forces 8
expect "apsis::step/apsis::integrators::kick_and_drift" 8
expect apsis::diagnostics '[0-9][0-9]*'
expect apsis::output '[0-9][0-9]*'
# Without a tool nothing is printed.
"$executable" run "$deck" --output "$work/run" --force --quiet --set bodies.count=500 --set run.end_time=0.015625 \
  --set integrator.time_step=0.015625 --set conservation.max_relative_energy_error=1 >"$work/log"
[ ! -s "$work/log" ]
