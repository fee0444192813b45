// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/run_output.hpp>
#include <apsis/io/file.hpp>

#include <utility>

namespace apsis::driver {

RunOutput::RunOutput(Configuration const& run, RunDirectory const& in, std::string resolved_deck,
                     Display display, RunRecord const* from)
    : directory(in), deck(std::move(resolved_deck)) {
  if (from != nullptr) in.cut_back(from->snapshots);
  io::write_file(in.resolved_deck(), deck);
  for (auto const& entry : observer_entries()) {
    observers.add(entry.name, entry.on_error, [&](Tolerance& tolerance) {
      return entry.make({run, in, deck, from, display, tolerance});
    });
  }
}

void RunOutput::sync() {
  observers.sync();
  io::sync_directory(directory.path());
}

void RunOutput::finish() {
  sync();
  observers.close();
}

void RunOutput::tell(RunRecord& record) const {
  record.deck = deck;
  observers.tell(record);
}

}  // namespace apsis::driver
