// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/run_output.hpp>
#include <apsis/io/csv_metadata.hpp>

#include <utility>

namespace apsis::driver {

namespace {
/// What does not change while the run runs.
void write_descriptions(Configuration const& run, RunDirectory const& directory,
                        std::string const& deck) {
  io::write_file(directory.resolved_deck(), deck);
  auto const log = directory.conservation();
  io::write_file(
      RunDirectory::metadata_of(log),
      io::csv_metadata(log.filename().string(), diagnostics::conservation_columns(), run.units));
}
}  // namespace

RunOutput::RunOutput(Configuration const& run, RunDirectory const& in, std::string resolved_deck)
    : directory(in), deck(std::move(resolved_deck)), log(in.conservation()), tables(run, in) {
  write_descriptions(run, in, deck);
  log.write(header_line(diagnostics::conservation_columns()));
}

RunOutput::RunOutput(Configuration const& run, RunDirectory const& in, std::string resolved_deck,
                     RunRecord const& from)
    : directory(in),
      deck(std::move(resolved_deck)),
      log(in.conservation(), from.log),
      tables(run, in, from) {
  in.cut_back(from.snapshots);
  write_descriptions(run, in, deck);
}

void RunOutput::sync() {
  log.sync();
  tables.sync();
  io::sync_directory(directory.path());
}

void RunOutput::finish() {
  sync();
  log.close();
  tables.close();
}

void RunOutput::tell(RunRecord& record) const {
  record.deck = deck;
  record.log = log.written();
  tables.tell(record);
}

}  // namespace apsis::driver
