// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/benchmark/bench.hpp>
#include <apsis/benchmark/snapshot_cost.hpp>

#include <string>
#include <vector>

namespace apsis::benchmark {

/// What was measured with, and the table's heading.
std::string bench_heading(FmaRates const& limits);
/// A line of the table.
std::string bench_line(Row const& row);
/// The fastest shape of each precision and number of bodies.
std::string best_of_sweep(std::vector<Row> const& rows);
/// {"environment": {...}, "rows": [...]}; times in milliseconds. What snapshots cost are rows of
/// the "kernel" snapshot.
std::string bench_json(FmaRates const& limits, std::string const& memory,
                       std::vector<Row> const& rows, std::vector<SnapshotCost> const& snapshots);

}  // namespace apsis::benchmark
