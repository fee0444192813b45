// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/units.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/integrators/stepping.hpp>

namespace apsis::driver {

namespace {

std::vector<Parameter> joined(std::vector<Parameter> first, std::vector<Parameter> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Parameter unit(std::string_view name, std::string_view doc, Dimension of) {
  return number(name, doc).above(0.0).or_in_words(of);
}

Parameter units_section() {
  std::vector<Form> forms;
  for (auto const& units : unit_systems()) {
    forms.push_back({"system", units.system, units.doc, {}, forms.empty()});
  }
  forms.push_back(
      {"length",
       "",
       "units of one's own, by their values in SI or in words: \"kpc\", \"1e10 Msun\", \"km/s\"",
       {unit("length", "unit of length [m]", dimension::length).needed(),
        unit("mass", "unit of mass [kg]", dimension::mass).needed(),
        unit("time", "unit of time [s]", dimension::time),
        unit("velocity", "unit of velocity [m/s], in place of that of time", dimension::velocity)},
       false,
       {"time", "velocity"}});
  return object("units", std::move(forms),
                "what the numbers of the deck mean; without it they have no units");
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
  return object("bodies", std::move(forms), "where the bodies come from").needed();
}

/// Parameter that chooses an entry of a registry; the first entry is the default.
template <class Entry>
Parameter choice_of(std::string name, Registry<Entry> const& table) {
  std::string doc;
  for (auto const& entry : table) {
    doc += (doc.empty() ? "" : "; ") + entry.name + ": " + entry.doc;
  }
  return choice(std::move(name), table.names(), std::move(doc)).or_else(table.front().name);
}

Parameter gravity_section() {
  std::vector<Parameter> const law{
      number("G",
             "gravitational constant [length^3 / (mass time^2)]; that of the units if it is not "
             "given")
          .above(0.0),
      number("softening", "softening length eps [length]").at_least(0.0).or_else(0.0),
      choice_of("softening_kernel", forces::softening_kernels()),
      choice_of("precision", forces::precisions()),
  };
  std::vector<Form> forms;
  for (auto const& solver : forces::solvers()) {
    forms.push_back(
        {"solver", solver.name, solver.doc, joined(law, solver.parameters), forms.empty()});
  }
  return object("gravity", std::move(forms), "the law of gravity and how it is evaluated")
      .there_always();
}

Parameter integrator_section() {
  std::vector<Form> forms;
  for (auto const& integrator : integrators::integrators()) {
    std::vector<Parameter> const common{
        number("time_step", "dt; with stepping other than fixed the longest step [time]")
            .above(0.0)
            .needed(),
        integrators::stepping_parameter(integrator),
    };
    forms.push_back({"name", integrator.name, integrator.doc, joined(common, integrator.parameters),
                     forms.empty()});
  }
  return object("integrator", std::move(forms), "how the bodies are advanced").needed();
}

/// Returns the conditions that end a run before its last step.
std::vector<Parameter> stop_parameters() {
  return {
      number("encounter_distance",
             "stop when two bodies, not both massless, come closer than this [length]; looked at "
             "within every internal step, O(massive x N)")
          .above(0.0)
          .changeable(),
      number("escape_radius",
             "stop when a body is farther from the centre of mass [length]; looked at after every "
             "step, O(N)")
          .above(0.0)
          .changeable(),
      number(
          "max_wall_time",
          "stop with a checkpoint and status 75 so early that this process ends within this time "
          "of the clock [s]")
          .above(0.0)
          .changeable(),
      text("stop_file",
           "stop with a checkpoint and status 75 when this file exists; a relative path starts in "
           "the run's directory")
          .changeable()};
}

Parameter run_section() {
  std::vector<Form> forms{
      {"end_time", "", "until a time, which must be a whole number of steps",
       joined({number("end_time", "time at which the run ends [time]")
                   .at_least(0.0)
                   .needed()
                   .changeable()},
              stop_parameters())},
      {"steps", "", "a number of steps",
       joined(
           {integer("steps", "number of steps").at_least(0).at_most(0x1p53).needed().changeable()},
           stop_parameters())}};
  return object("run", std::move(forms), "how long the run is").needed();
}

Parameter output_section() {
  std::vector<Parameter> keys{
      number("conservation_interval",
             "time between lines of conservation.csv, a whole number of steps [time]; "
             "a hundredth of the run if it is not given")
          .above(0.0)
          .changeable(),
      number(
          "snapshot_interval",
          "time between snapshots, a whole number of steps [time]; also one at the start; none if "
          "it is not given")
          .above(0.0)
          .changeable(),
      integer("snapshot_compression",
              "0 stores numbers as they are, 1 to 9 compresses them without loss, ever harder")
          .at_least(0)
          .at_most(9)
          .or_else(std::int64_t{0})
          .changeable(),
      boolean("snapshot_accelerations", "whether snapshots have the accelerations, O(N^2)")
          .or_else(false)
          .changeable(),
      boolean("snapshot_potentials", "whether snapshots have the potentials, O(N^2)")
          .or_else(false)
          .changeable(),
      records("render",
              joined({number("interval", "time between pictures, a whole number of steps [time]")
                          .above(0.0)
                          .needed()},
                     render::shot_parameters()),
              "series of pictures, in pictures/"),
      boolean("final_state",
              "whether a run that reaches its end leaves a snapshot and a checkpoint of it, with "
              "which --resume goes on to a later end")
          .or_else(true)
          .changeable(),
      number("checkpoint_interval", "time between checkpoints, a whole number of steps [time]")
          .above(0.0)
          .changeable(),
      number("checkpoint_wall_interval",
             "time of the clock between checkpoints, whatever else there are [s]; 0 for none")
          .at_least(0.0)
          .or_else(900.0)
          .changeable()};
  return object("output", std::move(keys), "what is written, and when").there_always();
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
             "at a time in conservation.csv that breaks a limit: report: go on, status 1 at the "
             "end; stop: end there, status 1; retry: back to the last time in conservation.csv "
             "and on with half the step, at most twice, then stop")
          .or_else(std::string("report"))};
  return object("conservation", std::move(keys),
                "limits that decide the exit status; what is not given is not judged")
      .there_always();
}

Parameter diagnostics_section() {
  std::vector<Parameter> keys;
  for (auto const& diagnostic : diagnostic_entries()) {
    auto fields =
        joined({number("interval", "time between lines of " + diagnostic.file +
                                       ", a whole number of steps [time]; that of conservation.csv "
                                       "if it is not given")
                    .above(0.0)
                    .changeable()},
               diagnostic.parameters);
    keys.push_back(object(diagnostic.name, std::move(fields), diagnostic.doc));
  }
  return object("diagnostics", std::move(keys), "further tables; each is written if it is here");
}

}  // namespace

io::DeckTable const& deck_table() {
  static io::DeckTable const table{
      {text("$schema", "where an editor finds this schema").changeable(),
       text("title", "what the run is, in a line").or_else(std::string()).changeable(),
       text("reference", "the paper or text that the problem comes from")
           .or_else(std::string())
           .changeable()},
      {units_section(), bodies_section(), gravity_section(), integrator_section(), run_section(),
       output_section(), diagnostics_section(), conservation_section()},
      deck_aliases()};
  return table;
}

}  // namespace apsis::driver
