// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>
#include <apsis/core/table_column.hpp>
#include <apsis/core/units.hpp>
#include <apsis/driver/stop_conditions.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/io/bodies_file.hpp>
#include <apsis/io/deck.hpp>
#include <apsis/render/shot.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace apsis::driver {

class Leader;
using forces::name_of;
using forces::Precision;

/// A number in a row of a table: a quantity in the run's own units, or a whole number.
using Cell = std::variant<double, std::uint64_t>;

/// One line of the table of diagnostics: an object that a deck's section `diagnostics` may have,
/// and the table that a run then writes.
struct DiagnosticEntry {
  std::string name;  ///< of the object
  std::string file;
  std::string doc;
  std::vector<Parameter> parameters;  ///< besides the interval
  /// What follows step and time in each row, and the numbers of the rows of a time.
  std::vector<TableColumn> (*columns)(Values const&);
  std::vector<std::vector<Cell>> (*rows)(Values const&, Instant&);
  std::uint64_t fewest_bodies = 0;
  std::uint64_t most_bodies = std::numeric_limits<std::uint64_t>::max();
  /// Throws a bad-input error if these bodies are not those that the values ask for.
  void (*check)(Values const&, HostBodies const&) = nullptr;
  /// Cost of a row: what it measures of all bodies, a set of Measured; of how many drawn bodies it
  /// sums the field in double, if that is so. What it costs besides is timed on few bodies.
  unsigned measured = 0;
  std::size_t (*drawn)(Values const&) = nullptr;
  /// Whether its rows are of closest approaches since the last row.
  bool watches_approaches = false;
};

/// Every diagnostic.
Registry<DiagnosticEntry> const& diagnostic_entries();

/// A diagnostic that a deck asks for.
struct PlannedDiagnostic {
  DiagnosticEntry const* entry;
  Values values;
  std::uint64_t steps;  ///< between rows
};

/// What a run does when it breaks a limit of conservation.
enum class OnViolation { report, stop, retry };

/// What a snapshot has besides positions, velocities, masses and ids.
struct SnapshotContent {
  int compression = 0;  ///< 0 ... 9
  bool accelerations = false;
  bool potentials = false;
};

/// What the sections of a deck choose, resolved.
struct BodiesChoice {
  initial_conditions::ModelEntry const* model = nullptr;
  Values model_values{};
  bool henon_units = false;                      ///< rescale the bodies to exact Henon units
  std::shared_ptr<io::BodiesFile const> file{};  ///< the bodies, if the deck names a file of them
  /// How many bodies, if it is not the model that says so: those of a file, of parts, or of a
  /// checkpoint.
  std::optional<std::uint64_t> known_count{};
  std::vector<BodiesChoice> parts{};  ///< of a model that puts several together

  std::uint64_t bodies() const {
    return known_count ? *known_count : static_cast<std::uint64_t>(model->count(model_values));
  }
  /// Whether the deck names a file of bodies, be it read or left alone.
  bool has_file() const;
  /// Every file that was read.
  std::vector<std::shared_ptr<io::BodiesFile const>> files() const;
};

struct IntegratorChoice {
  integrators::IntegratorEntry const* integrator = nullptr;
  Values integrator_values{};
  double time_step = 0.0;  ///< [time]
};

/// Whether a criterion says how long steps are: time_step is then the longest.
bool bodies_decide_steps(IntegratorChoice const& by);
/// Whether each body has its own step.
bool has_block_steps(IntegratorChoice const& by);

struct GravityChoice {
  forces::SolverEntry const* solver = nullptr;
  Values solver_values{};
  forces::Gravity gravity{};
  Precision precision = Precision::double_precision;

  /// What an integrator asks of the solver.
  forces::Demand demand(IntegratorChoice const& by) const {
    forces::Demand of{gravity, precision, solver_values};
    if (by.integrator == nullptr) return of;
    of.derivatives = by.integrator->derivatives;
    of.of_some = has_block_steps(by);
    of.asked_by = by.integrator->name;
    return of;
  }
};

/// A series of pictures that a deck asks for.
struct PlannedPictures {
  render::Shot shot;
  std::uint64_t steps;  ///< between pictures
};

struct OutputPlan {
  std::uint64_t conservation_steps = 1;           ///< between lines of the conservation log
  std::optional<std::uint64_t> snapshot_steps{};  ///< between snapshots
  SnapshotContent snapshot_content{};
  std::vector<PlannedPictures> pictures{};
  std::optional<std::uint64_t> checkpoint_steps{};   ///< between checkpoints
  std::optional<double> checkpoint_wall_interval{};  ///< [s]
  bool final_state = true;  ///< a snapshot and a checkpoint of the end, whatever else there is
};

struct ConservationLimits {
  std::optional<double> max_relative_energy_error{};
  std::optional<double> max_momentum_error{};  ///< [mass length / time]
  OnViolation on_violation = OnViolation::report;
};

/// A run, resolved: every default is filled in, every name is an entry of its table, every time is
/// a whole number of steps. Plain data; nothing is allocated for it.
struct Configuration : BodiesChoice,
                       GravityChoice,
                       IntegratorChoice,
                       OutputPlan,
                       ConservationLimits {
  std::string title{};
  Units units{};
  std::uint64_t steps = 0;  ///< of the whole run
  StopConditions stop{};
  std::vector<PlannedDiagnostic> diagnostics{};

  bool use_all_threads = false;  ///< also where fewer are faster
  /// Of the processes that share the run; nobody: this process has all bodies.
  std::shared_ptr<Leader> leader{};

  double time(std::uint64_t step) const { return static_cast<double>(step) * time_step; }
};

/// The model that takes its bodies from a file; as a line in the table of the deck. The bodies
/// themselves are read once, and belong to the configuration.
initial_conditions::ModelEntry const& file_model();

/// Every generator as decks have it: what is put together may have files among its parts.
Registry<initial_conditions::ModelEntry> const& generators();

/// The table of everything a deck may say, made from the registries.
io::DeckTable const& deck_table();

/// Words that people type for the deck's keys and their values: the table's own.
std::vector<io::DeckAlias> deck_aliases();

/// The same for the keys of a picture, at this place of a deck: "output.render.", or "".
std::vector<io::DeckAlias> picture_aliases(std::string const& place);

/// The text of a deck. Throws an input/output error if it cannot be read, and a bad-input error if
/// it is a file of bodies.
std::string read_deck_file(std::filesystem::path const& path);

struct ConfiguredDeck {
  Configuration configuration;
  std::string resolved;                       ///< the deck with every default filled in, as JSON
  std::vector<std::filesystem::path> inputs;  ///< the deck and every file that it names
};

/// Reads a deck and checks all of it, also what holds between its values. Throws a bad-input error
/// that carries every problem at once. Allocates nothing that grows with the number of bodies but
/// the deck itself.
///
/// A run that is resumed has its bodies already: then a file of bodies that the deck names is left
/// alone, and how many there are is the checkpoint's to say. What the deck leaves to the length of
/// the run, the interval of its log, stays what it was in the `earlier` resolved deck.
enum class BodiesFiles { read, leave };
ConfiguredDeck configure(std::string const& json, std::string const& source,
                         std::vector<std::string> const& overrides,
                         BodiesFiles files = BodiesFiles::read, std::string const& earlier = {});

/// Memory that a run of this configuration needs [bytes].
struct MemoryNeed {
  double device;  ///< where the kernels run
  double host;    ///< besides that, if the device is another memory
};
MemoryNeed memory_need(Configuration const& run);

/// Adds a problem if the run cannot fit into the memory of this machine, or of the accelerator if
/// Kokkos is initialised on one.
void check_memory(Configuration const& run, std::string const& where,
                  std::vector<Problem>& problems);

}  // namespace apsis::driver
