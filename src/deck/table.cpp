// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"
#include <apsis/integrators/stepping.hpp>

namespace apsis::deck {

namespace {

std::vector<Parameter> joined(std::vector<Parameter> first, std::vector<Parameter> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Parameter units_section() {
  std::vector<Form> forms;
  for (auto const& units : unit_systems()) {
    forms.push_back({"system", units.system, units.doc, {}, forms.empty()});
  }
  forms.push_back(custom_units_form());
  return object("units", std::move(forms),
                "units of the numbers in the deck; default: dimensionless");
}

Parameter bodies_section() {
  std::vector<Form> forms;
  for (auto const& model : generators()) {
    forms.push_back({"generator", model.name, model.doc, model.parameters});
  }
  auto const& listed = initial_conditions::listed();
  forms.push_back({listed.name, "", listed.doc, listed.parameters});
  auto const& file = file_model();
  forms.push_back({file.name, "", file.doc, file.parameters});
  return object("bodies", std::move(forms), "the initial bodies").needed();
}

/// Parameter that chooses an entry of a registry; the first entry is the default.
template <class Entry>
Parameter choice_of(std::string name, Registry<Entry> const& table) {
  std::string doc;
  for (auto const& entry : table) {
    doc += (doc.empty() ? "" : "; ") + entry.name + ": " + entry.doc;
  }
  return choice(std::move(name), table.names(), std::move(doc)).with_default(table.front().name);
}

Parameter gravity_section() {
  std::vector<Parameter> lengths;
  for (auto const* species : species_types::names) {
    lengths.push_back(
        number(species, std::string("softening length of the species ") + species + " [length]")
            .at_least(0.0));
  }
  std::vector<Parameter> const law{
      positive("G",
               "gravitational constant [length^3 / (mass time^2)]; default: that of the units"),
      number("softening", "softening length eps [length]").at_least(0.0).with_default(0.0),
      object("softening_by_species", std::move(lengths),
             "softening lengths of some species instead of softening; the larger length of a pair "
             "applies to both bodies"),
      choice_of("softening_kernel", forces::softening_kernels()),
      choice_of("precision", forces::precisions()),
  };
  std::vector<Form> forms;
  for (auto const& solver : forces::solvers()) {
    forms.push_back(
        {"solver", solver.name, solver.doc, joined(law, solver.parameters), forms.empty()});
  }
  return object("gravity", std::move(forms), "the law of gravity and its solver").always_present();
}

Parameter integrator_section() {
  std::vector<Form> forms;
  for (auto const& integrator : integrators::integrators()) {
    std::vector<Parameter> const common{
        number("time_step",
               "dt; with stepping other than fixed the longest step; below 0: backwards in time "
               "[time]")
            .needed(),
        integrators::stepping_parameter(integrator),
    };
    forms.push_back({"name", integrator.name, integrator.doc, joined(common, integrator.parameters),
                     forms.empty()});
  }
  return object("integrator", std::move(forms), "integration scheme and time steps").needed();
}

/// Returns the conditions that end a run before its last step.
std::vector<Parameter> stop_parameters() {
  return {positive("encounter_distance",
                   "stop when two bodies, not both massless, come closer than this [length]; "
                   "checked within every internal step, O(massive x N)")
              .changeable(),
          positive("escape_radius",
                   "stop when a body is farther from the centre of mass than this [length]; "
                   "checked after every step, O(N)")
              .changeable(),
          positive("max_wall_time",
                   "stop with a checkpoint and status 75 so early that this process ends within "
                   "this wall time [s]")
              .changeable(),
          text("stop_file",
               "stop with a checkpoint and status 75 when this file exists; a relative path starts "
               "in the run's directory")
              .changeable()};
}

/// Returns the time at which a run begins: a number, or that of the file of bodies.
Parameter start_time() {
  auto parameter = number("start_time",
                          "time at which the run begins; 'file': that of the file of bodies; "
                          "end_time and listed times count from the same zero; default: 0 [time]");
  parameter.choices = {"file"};
  return parameter;
}

Parameter run_section() {
  std::vector<Form> forms{
      {"end_time", "", "run until a time, a whole number of steps",
       joined({number("end_time", "time at which the run ends; below 0 with steps below 0 [time]")
                   .needed()
                   .changeable(),
               start_time()},
              stop_parameters())},
      {"steps", "", "run a number of steps",
       joined(
           {integer("steps", "number of steps").at_least(0).at_most(0x1p53).needed().changeable(),
            start_time()},
           stop_parameters())}};
  return object("run", std::move(forms), "length of the run, and conditions that end it early")
      .needed();
}

/// Keys for listed and logarithmic times. `what`: output at them; `prefix`: of the keys.
std::vector<Parameter> time_list_parameters(std::string const& prefix, std::string const& what) {
  return {
      numbers(prefix + "times", "times of " + what + ", each a whole number of steps [time]")
          .changeable(),
      object(
          prefix + "logarithmic_times",
          {number("first", "first time [time]").needed(),
           number("last", "last time, farther from 0 [time]").needed(),
           integer("count", "number of times").at_least(2).at_most(1e6).needed()},
          "times of " + what +
              " with equal ratios, each at the nearest step; times that share a step count once")};
}

Parameter output_section() {
  std::vector<Parameter> keys{
      positive("conservation_interval",
               "time between lines of conservation.csv, a whole number of steps [time]; default: a "
               "hundredth of the run")
          .changeable(),
      positive("snapshot_interval",
               "time between snapshots, a whole number of steps [time]; also one at the start; "
               "default: none")
          .changeable(),
      time_list_parameters("snapshot_", "further snapshots")[0],
      time_list_parameters("snapshot_", "further snapshots")[1],
      integer("snapshot_compression", "lossless compression from 0 (none) to 9 (strongest)")
          .at_least(0)
          .at_most(9)
          .with_default(std::int64_t{0})
          .changeable(),
      boolean("snapshot_accelerations", "write accelerations to snapshots, O(N^2) with 'direct'")
          .with_default(false)
          .changeable(),
      boolean("snapshot_potentials", "write potentials to snapshots, O(N^2) with 'direct'")
          .with_default(false)
          .changeable(),
      records("render",
              joined({positive("interval", "time between pictures, a whole number of steps [time]")
                          .needed()},
                     render::shot_parameters()),
              "series of pictures, in pictures/"),
      boolean("final_state",
              "write a snapshot and a checkpoint at the end of the run, from which --resume "
              "continues to a later end")
          .with_default(true)
          .changeable(),
      positive("checkpoint_interval", "time between checkpoints, a whole number of steps [time]")
          .changeable(),
      number("checkpoint_wall_interval",
             "wall time between checkpoints, in addition to checkpoint_interval [s]; 0: none")
          .at_least(0.0)
          .with_default(900.0)
          .changeable()};
  return object("output", std::move(keys), "output files and their intervals").always_present();
}

Parameter conservation_section() {
  std::vector<Parameter> keys{
      number("max_relative_energy_error", "limit on the relative error of the internal energy")
          .at_least(0.0)
          .changeable(),
      number("max_momentum_error", "limit on |P - P0| [mass length / time]")
          .at_least(0.0)
          .changeable(),
      choice("on_violation", {"report", "stop", "retry"},
             "action at a time in conservation.csv that exceeds a limit: report: continue, status "
             "1 at the end; stop: end the run, status 1; retry: roll back to the previous time in "
             "conservation.csv and continue with half the step, at most twice, then stop")
          .with_default(std::string("report"))};
  return object("conservation", std::move(keys),
                "limits on conservation errors, which determine the exit status; default: none")
      .always_present();
}

Parameter collisions_section() {
  std::vector<Parameter> keys{
      choice("on_collision", {"stop", "merge", "bounce"},
             "action when the surfaces of two bodies touch, not both massless: stop: end the run "
             "before the step of the contact; merge: the heavier body takes mass and momentum of "
             "the other; bounce: reverse the approach")
          .with_default(std::string("merge")),
      number(
          "restitution",
          "speed along the line of centres after a bounce over that before: 1 elastic, 0 plastic")
          .at_least(0.0)
          .at_most(1.0)
          .with_default(1.0),
      number("slowest_rebound",
             "smallest speed along the line of centres after an inelastic bounce, in units of the "
             "mutual escape speed of the two bodies at contact; without it, bodies that rest on "
             "each other bounce infinitely often")
          .at_least(0.0)
          .at_most(1.0)
          .with_default(0.01),
      integer("at_most", "end the run after this many collisions; default: unlimited")
          .at_least(1)
          .changeable()};
  return object("collisions", std::move(keys),
                "collisions of bodies with radii, found on their paths within every internal step; "
                "default: bodies pass through each other");
}

Parameter removal_section() {
  std::vector<Parameter> keys{
      positive("beyond",
               "remove bodies farther than this from the centre of mass, except the heaviest body "
               "[length]; checked after every step")
          .needed(),
      boolean("unbound", "remove only bodies with positive energy about the centre of mass")
          .with_default(false),
      choice("of", {"all", "massless"}, "bodies that can be removed: all, or only massless ones")
          .with_default(std::string("all"))};
  return object("removal", std::move(keys), "removal of bodies during the run; default: none");
}

Parameter encounters_section() {
  std::vector<Parameter> keys{
      positive("distance",
               "closest approaches below this are written to events.csv, of pairs that are not "
               "both massless [length]; found on their paths within every internal step")
          .needed(),
      choice("then", {"list", "stop"},
             "list: continue; stop: end the run after the step of the first encounter")
          .with_default(std::string("list"))};
  return object("encounters", std::move(keys), "list of close encounters; default: none");
}

Parameter diagnostics_section() {
  std::vector<Parameter> keys;
  for (auto const& diagnostic : diagnostic_entries()) {
    if (diagnostic.follow != nullptr) {
      keys.push_back(object(diagnostic.name, diagnostic.parameters, diagnostic.doc));
      continue;
    }
    auto fields =
        joined({positive("interval",
                         "time between lines of " + diagnostic.file +
                             ", a whole number of steps [time]; default: that of conservation.csv")
                    .changeable()},
               joined(time_list_parameters("", "further lines"), diagnostic.parameters));
    keys.push_back(object(diagnostic.name, std::move(fields), diagnostic.doc));
  }
  return object("diagnostics", std::move(keys), "additional tables; each object here enables one");
}

/// A list of objects, which are forms by their name.
Parameter forces_list() {
  auto parameter =
      records("forces", {}, "forces besides gravity, a list of objects; default: none");
  for (auto const& force : forces::extra_forces()) {
    parameter.forms.push_back({"name", force.name, force.doc, force.parameters});
  }
  return parameter;
}

}  // namespace

DeckTable const& deck_table() {
  static DeckTable const table{
      {text("$schema", "path of this schema for editors").changeable(),
       text("title", "description of the run in one line").with_default(std::string()).changeable(),
       text("reference", "paper or text that defines the problem")
           .with_default(std::string())
           .changeable(),
       forces_list()},
      {units_section(), bodies_section(), gravity_section(), integrator_section(), run_section(),
       output_section(), diagnostics_section(), collisions_section(), removal_section(),
       encounters_section(), conservation_section()},
      deck_aliases()};
  return table;
}

}  // namespace apsis::deck
