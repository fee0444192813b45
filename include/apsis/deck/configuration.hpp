// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/core/units.hpp>
#include <apsis/deck/deck.hpp>
#include <apsis/forces/extra_entry.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/formats/bodies_file.hpp>
#include <apsis/initial_conditions/model.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/render/shot.hpp>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace apsis::simulation {
class Instant;
class Leader;
}  // namespace apsis::simulation
namespace apsis::run {
class StepRows;
}

namespace apsis::deck {

using forces::name_of;
using forces::Precision;

/// Value of a table cell: a quantity in the units of the run, a whole number, or a text without
/// commas and quotation marks.
using Cell = std::variant<double, std::uint64_t, std::string>;

struct Configuration;

/// Entry of the registry of diagnostics: an object that the deck section `diagnostics` may contain,
/// and the table that a run writes for it.
struct DiagnosticEntry {
  std::string name;  ///< name of the object in the deck
  std::string file;
  std::string doc;
  std::vector<Parameter> parameters;  ///< keys of the object besides `interval`
  /// Columns after step and time, and the rows of one time.
  std::vector<TableColumn> (*columns)(Values const&);
  std::vector<std::vector<Cell>> (*rows)(Values const&, simulation::Instant&);
  std::uint64_t fewest_bodies = 0;
  std::uint64_t most_bodies = std::numeric_limits<std::uint64_t>::max();
  /// Throws a bad-input error if these bodies do not match the values.
  void (*check)(Values const&, HostBodies const&) = nullptr;
  // Cost of a row, for estimates. The rest of the cost is measured on few bodies.
  /// Measurements of all bodies that a row needs: a set of Measured.
  unsigned measured = 0;
  /// Number of sampled bodies at which a row sums the field in double precision; null: none.
  std::size_t (*drawn)(Values const&) = nullptr;
  /// Whether a row contains the closest approach since the previous row.
  bool watches_approaches = false;
  /// Seed of the tangent vector that a row needs; null: none.
  std::uint64_t (*tangent_seed)(Values const&) = nullptr;
  /// Makes the source of rows of a table that follows every step, instead of `rows`; such a table
  /// has no interval. Null for others.
  std::shared_ptr<run::StepRows> (*follow)(Values const&, Configuration const&) = nullptr;
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()
};

/// Returns all diagnostics. They measure states of a run, so the room `run` defines them.
Registry<DiagnosticEntry> const& diagnostic_entries();

/// Interval of an output that no interval asks for [steps].
inline constexpr std::uint64_t never_due = std::uint64_t{1} << 62;

/// Diagnostic that a deck requests.
struct PlannedDiagnostic {
  DiagnosticEntry const* entry;
  Values values;
  std::uint64_t steps;                     ///< between rows; never_due: listed steps alone
  std::vector<std::uint64_t> listed = {};  ///< further steps with rows, ascending
};

/// Action of a run when a conservation limit is exceeded.
enum class OnViolation { report, stop, retry };

/// Contents of a snapshot besides positions, velocities, masses and ids.
struct SnapshotContent {
  int compression = 0;  ///< 0 ... 9
  bool accelerations = false;
  bool potentials = false;
};

/// Resolved section `bodies`.
struct BodiesPlan {
  initial_conditions::ModelEntry const* model = nullptr;
  Values values{};           ///< of the model
  bool henon_units = false;  ///< rescale the bodies to exact Henon units
  std::shared_ptr<formats::BodiesFile const>
      file{};  ///< bodies read from the file that the deck names
  /// Number of bodies if it does not follow from the model: for a file, for parts, or for a
  /// checkpoint.
  std::optional<std::uint64_t> known_count{};
  std::vector<BodiesPlan> parts{};  ///< components of a composite model

  std::uint64_t count() const {
    return known_count ? *known_count : static_cast<std::uint64_t>(model->count(values));
  }
  /// K / |W| > 0 to which the velocities are scaled; empty if they are not.
  std::optional<double> virial_ratio() const;
  /// Whether bodies are rescaled by their energies, which takes sweeps over all pairs.
  bool is_rescaled() const;
  /// Whether the deck names a file of bodies, read or not.
  bool has_file() const;
  /// Whether a list, the model or the format of the file gives names to bodies.
  bool has_names() const;
  /// Returns all files that were read, including those of the parts.
  std::vector<std::shared_ptr<formats::BodiesFile const>> files() const;
};

/// Resolved section `integrator`.
struct IntegratorPlan {
  integrators::IntegratorEntry const* entry = nullptr;
  Values values{};
  double time_step = 0.0;  ///< [time]

  /// Whether a criterion chooses the steps (adaptive or block stepping); time_step is then the
  /// longest step.
  bool has_variable_steps() const {
    return integrators::step_mode(values) != integrators::StepMode::fixed;
  }
  /// Whether each body has its own step.
  bool has_block_steps() const {
    return integrators::step_mode(values) == integrators::StepMode::block;
  }
};

/// Resolved section `gravity`.
struct GravityPlan {
  forces::SolverEntry const* solver = nullptr;
  Values values{};  ///< of the solver
  forces::Gravity law{};
  Precision precision = Precision::double_precision;

  /// Returns the requirements of an integrator on the solver.
  forces::Demand demand(IntegratorPlan const& integrator) const {
    forces::Demand demand{law, precision, values};
    if (integrator.entry == nullptr) return demand;
    demand.derivatives = integrator.entry->derivatives;
    demand.has_subset_requests = integrator.has_block_steps();
    demand.needs_exact_forces = integrator.entry->needs_exact_forces;
    demand.integrator_name = integrator.entry->name;
    return demand;
  }
};

/// Series of pictures that a deck requests.
struct PlannedPictures {
  render::Shot shot;
  std::uint64_t steps;  ///< between pictures
};

/// Resolved section `output`; intervals are in steps of the deck.
struct OutputPlan {
  std::uint64_t conservation_steps = 1;           ///< between lines of the conservation log
  std::optional<std::uint64_t> snapshot_steps{};  ///< between snapshots
  SnapshotContent snapshot_content{};
  std::vector<PlannedPictures> pictures{};
  std::optional<std::uint64_t> checkpoint_steps{};   ///< between checkpoints
  std::optional<double> checkpoint_wall_interval{};  ///< [s]
  bool final_state =
      true;  ///< write a snapshot and a checkpoint of the last state, whatever the intervals
  std::vector<std::uint64_t> snapshot_listed{};  ///< further steps with snapshots, ascending

  bool has_snapshots() const { return snapshot_steps || !snapshot_listed.empty() || final_state; }
};

/// Resolved section `conservation`.
struct Limits {
  std::optional<double> max_relative_energy_error{};
  std::optional<double> max_momentum_error{};  ///< [mass length / time]
  OnViolation on_violation = OnViolation::report;
};

/// Conditions that end a run before its last step; an empty one is disabled.
struct StopConditions {
  std::optional<double>
      encounter_distance;               ///< [length], between two bodies that are not both massless
  std::optional<double> escape_radius;  ///< [length], from the centre of mass
  std::optional<double> max_wall_time;  ///< [s]
  double wall_time_before = 0.0;        ///< part of max_wall_time used before this run began [s]
  std::optional<double> job_end;        ///< of the batch system [s of the Unix epoch]
  std::filesystem::path stop_file;      ///< path as opened by the process; empty: none
};

/// Action when the surfaces of two bodies touch.
enum class OnCollision { stop, merge, bounce };

/// Resolved section `collisions`.
struct CollisionsPlan {
  OnCollision on_collision = OnCollision::stop;
  double restitution = 1.0;                ///< of a bounce: 0 ... 1
  double slowest_rebound = 0.0;            ///< of an inelastic bounce [mutual escape speed]
  std::optional<std::uint64_t> at_most{};  ///< number of collisions after which the run ends
};

/// Resolved section `removal`.
struct RemovalPlan {
  double beyond = 0.0;        ///< distance from the centre of mass [length]
  bool only_unbound = false;  ///< only bodies of positive energy about the centre of mass
  bool only_massless = false;
};

/// Resolved section `encounters`.
struct EncountersPlan {
  double distance = 0.0;  ///< [length]
  bool stops = false;     ///< whether the run ends after the first one
};

/// Events of bodies within the steps of a run.
struct EventsPlan {
  std::optional<CollisionsPlan> collisions{};
  std::optional<RemovalPlan> removal{};
  std::optional<EncountersPlan> encounters{};

  bool any() const { return collisions || removal || encounters; }
  /// Whether bodies can be merged or removed during the run.
  bool can_remove() const {
    return removal || (collisions && collisions->on_collision == OnCollision::merge);
  }
};

/// Resolved configuration of a run: every default is filled in, every name is resolved to a
/// registry entry, every time is a whole number of steps. Plain data: nothing is allocated for the
/// run.
struct Configuration {
  BodiesPlan bodies{};
  GravityPlan gravity{};
  IntegratorPlan integrator{};
  OutputPlan output{};
  Limits limits{};
  std::string title{};
  Units units{};
  std::uint64_t steps = 0;  ///< of the whole run
  StopConditions stop{};
  std::vector<PlannedDiagnostic> diagnostics{};
  std::vector<forces::PlannedForce> forces{};  ///< besides gravity
  forces::ExtraForceSetting force_setting{};
  EventsPlan events{};

  bool use_all_threads = false;  ///< even where fewer threads are faster
  /// Leader of the ranks that share the run; null if this process has all bodies.
  std::shared_ptr<simulation::Leader> leader{};

  double start_time = 0.0;  ///< time of step 0 [time]

  double time(std::uint64_t step) const {
    return start_time + static_cast<double>(step) * integrator.time_step;
  }
};

/// Returns the registry entry of the model that reads its bodies from a file. The bodies are read
/// once and stored in the configuration.
initial_conditions::ModelEntry const& file_model();

/// Returns all generators as decks have them: the parts of a composite may also be files.
Registry<initial_conditions::ModelEntry> const& generators();

/// Returns the table of all deck keys, made from the registries.
DeckTable const& deck_table();

/// Returns alternative names that users type for deck keys and values; part of deck_table().
std::vector<DeckAlias> deck_aliases();

/// Returns alternative names for the keys of a picture. `place`: path prefix in the deck,
/// "output.render." or "".
std::vector<DeckAlias> picture_aliases(std::string const& place);

/// Returns the text of a deck file. Throws an input/output error if it cannot be read, and a
/// bad-input error if it is a file of bodies.
std::string read_deck_file(std::filesystem::path const& path);

/// Result of configure().
struct ConfiguredDeck {
  Configuration configuration;
  std::string resolved;                       ///< the deck with every default filled in, as JSON
  std::vector<std::filesystem::path> inputs;  ///< the deck and every file that it names
};

/// Whether configure() reads the files of bodies that a deck names. With `leave`, for resumed runs,
/// it does not: the bodies and their number are in the checkpoint.
enum class BodiesFiles { read, leave };

/// Reads a deck and checks all of it, including the consistency of its values. Throws a bad-input
/// error that contains all problems. Apart from the deck itself and the files of bodies, allocates
/// nothing that grows with the number of bodies. `earlier`: resolved deck of the interrupted run;
/// the default log interval, which depends on the length of the run, is taken from it. `given`:
/// content of the file of bodies of the deck, which is then not read.
ConfiguredDeck configure(std::string const& json, std::string const& source,
                         std::vector<std::string> const& overrides,
                         BodiesFiles files = BodiesFiles::read, std::string const& earlier = {},
                         std::shared_ptr<formats::BodiesFile const> const& given = {});

/// Configures a simulation without a run. The deck needs no end of a run;
/// if it has one, it has no effect on the simulation. `bodies`,
/// unless empty, are those of the program, and the deck then has no section `bodies`. Throws a
/// bad-input error that contains all problems of the deck and of these bodies.
ConfiguredDeck configure_simulation(std::string const& json, std::string const& source,
                                    std::vector<std::string> const& overrides,
                                    std::optional<HostBodies> bodies = {});

/// Memory requirement of a run [bytes].
struct MemoryNeed {
  double device;  ///< in the memory space of the kernels
  double host;    ///< additionally on the host, if the device has its own memory
};
MemoryNeed memory_need(Configuration const& run);

/// Adds a problem if the run does not fit into the memory of this host, or of the accelerator if
/// Kokkos is initialised on one.
void check_memory(Configuration const& run, std::string const& where,
                  std::vector<Problem>& problems);

/// Adds a problem if this rank has no memory for its `own_count` of the `total` bodies that ranks
/// share: its own columns, the columns gathered from all ranks, and the workspace of the solver.
void check_memory_of_rank(Configuration const& run, std::size_t own_count, std::size_t total,
                          std::vector<Problem>& problems);

/// Returns a configured deck with bodies of the program instead of its own. Throws a bad-input
/// error that contains all problems of these bodies, and of the deck with them.
ConfiguredDeck with_bodies(ConfiguredDeck const& deck, HostBodies bodies);

}  // namespace apsis::deck
