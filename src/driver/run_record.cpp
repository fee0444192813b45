// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/driver/run_record.hpp>

namespace apsis::driver {

namespace {
void exchange(SavedState& state, std::string const& name, io::LineFile::Written& written) {
  state.exchange(name + "/bytes", written.bytes);
  state.exchange(name + "/digest", written.digest);
}
}  // namespace

void BodiesIdentity::exchange(SavedState& state) {
  state.exchange("run/bodies", count);
  state.exchange("run/ids", ids);
  state.exchange("run/mass", mass);
}

void RunRecord::exchange(SavedState& state) {
  state.exchange("run/deck", deck);
  state.exchange("run/made_by", made_by);
  bodies.exchange(state);
  state.exchange("run/step", step);
  state.exchange("run/wall_seconds", wall_seconds);
  state.exchange("run/snapshots", snapshots);
  state.exchange("run/kept_snapshots", kept_snapshots);
  driver::exchange(state, "run/conservation.csv", log);
  state.exchange("run/tables", table_files);
  tables.resize(table_files.size());
  for (std::size_t i = 0; i < tables.size(); ++i) {
    driver::exchange(state, "run/" + table_files[i], tables[i]);
  }
}

std::string this_executable() {
  auto const build = build_info();
  return "apsis " + build.version + " (" + build.git + "), " + build.backend + ", " +
         build.compiler + ", Kokkos " + build.kokkos + ", " + build.simd;
}

}  // namespace apsis::driver
