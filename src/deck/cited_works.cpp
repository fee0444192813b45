// SPDX-License-Identifier: Apache-2.0
#include "cited_works.hpp"

#include <algorithm>

namespace apsis::deck {

namespace {

/// Collects works with their uses, each once.
class Works {
 public:
  void add(std::string const& key, std::string const& use) {
    auto const* const work = &citations().get(key);
    auto cited_work = std::find_if(list_.begin(), list_.end(),
                                   [&](CitedWork const& cited) { return cited.work == work; });
    if (cited_work == list_.end()) cited_work = list_.insert(list_.end(), CitedWork{work, {}});
    auto& uses = cited_work->uses;
    if (std::find(uses.begin(), uses.end(), use) == uses.end()) uses.push_back(use);
  }

  template <class Entry>
  void add_entry(std::string const& kind, Entry const& entry) {
    for (auto const& key : entry.cite) add(key, kind + " " + entry.name);
  }

  template <class Entries>
  void add_entries(std::string const& kind, Entries const& entries) {
    for (auto const& entry : entries) add_entry(kind, entry);
  }

  std::vector<CitedWork> take() { return std::move(list_); }

 private:
  std::vector<CitedWork> list_;
};

/// Whether a condition holds for the bodies of a run, or for those of one of its parts.
template <class Condition>
bool any_bodies(BodiesPlan const& bodies, Condition const& condition) {
  return condition(bodies) || std::any_of(bodies.parts.begin(), bodies.parts.end(),
                                          [&](auto const& part) { return condition(part); });
}

/// Whether a condition holds for the object `masses` of bodies or of one of their parts.
template <class Condition>
bool any_masses(Configuration const& run, Condition const& condition) {
  return any_bodies(run.bodies, [&](BodiesPlan const& bodies) {
    return bodies.values.has("masses") && condition(bodies.values.object("masses"));
  });
}

bool has_kroupa_masses(Configuration const& run) {
  return any_masses(run, [](Values const& masses) { return masses.text("function") == "kroupa"; });
}

bool is_segregated(Configuration const& run) {
  return any_masses(run, [](Values const& masses) {
    return masses.has("segregation") && masses.number("segregation") > 0.0;
  });
}

bool has_text(Values const& values, char const* key, char const* text) {
  return values.has(key) && values.text(key) == text;
}

bool has_corrector(Configuration const& run) {
  auto const& values = run.integrator.values;
  return values.has("corrector") && values.integer("corrector") > 0;
}

/// An option of a deck that has a work of its own.
struct CitedOption {
  char const* key;
  char const* use;
  bool (*is_used)(Configuration const&);
};

std::vector<CitedOption> const& options() {
  using Run = Configuration const&;
  static std::vector<CitedOption> const table{
      {"Apsis", "this program", [](Run) { return true; }},
      {"Trott2022", "Kokkos", [](Run) { return true; }},
      {"Kroupa2001", "masses kroupa", has_kroupa_masses},
      {"Baumgardt2008", "masses segregation", is_segregated},
      {"HeggieMathieu1986", "henon_units", [](Run run) { return run.bodies.henon_units; }},
      {"Makino1991", "stepping block", [](Run run) { return run.integrator.has_block_steps(); }},
      {"Kahan1965", "compensated",
       [](Run run) { return integrators::IntegratorEntry::compensated(run.integrator.values); }},
      {"Wisdom1996", "wisdom_holman corrector", has_corrector},
      {"Wisdom2006", "wisdom_holman corrector", has_corrector},
      {"ReinTamayoBrown2019", "wisdom_holman kernel lazy",
       [](Run run) { return has_text(run.integrator.values, "kernel", "lazy"); }},
      {"Duncan1998", "wisdom_holman coordinates democratic",
       [](Run run) { return has_text(run.integrator.values, "coordinates", "democratic"); }},
  };
  return table;
}

/// Adds the criterion of variable steps: the one of the deck, or the scheme's own for block steps.
void add_criterion(Works& works, IntegratorPlan const& integrator) {
  if (!integrator.values.has("stepping")) return;
  auto const& stepping = integrator.values.object("stepping");
  std::string const name = stepping.has("criterion")             ? stepping.text("criterion")
                           : !integrator.has_block_steps()       ? ""
                           : integrator.entry->criterion.empty() ? "softened_acceleration"
                                                                 : integrator.entry->criterion;
  if (auto const* const entry = integrators::criteria().find(name)) {
    works.add_entry("criterion", *entry);
  }
}

}  // namespace

std::vector<CitedWork> cited_works(Configuration const& run) {
  Works works;
  for (auto const& option : options()) {
    if (option.is_used(run)) works.add(option.key, option.use);
  }
  works.add_entry("integrator", *run.integrator.entry);
  add_criterion(works, run.integrator);
  works.add_entry("solver", *run.gravity.solver);
  for (auto const& kernel : forces::softening_kernels()) {
    bool const is_used = kernel.kernel == run.gravity.law.softening_kernel &&
                         forces::largest_softening_length(run.gravity.law) > 0.0;
    if (is_used) works.add_entry("softening", kernel);
  }
  any_bodies(run.bodies, [&](BodiesPlan const& bodies) {
    if (bodies.model != nullptr) works.add_entry("model", *bodies.model);
    return false;
  });
  for (auto const& force : run.forces) works.add_entry("force", *force.entry);
  for (auto const& plan : run.diagnostics) works.add_entry("table", *plan.entry);
  return works.take();
}

std::vector<CitedWork> all_cited_works() {
  Works works;
  for (auto const& option : options()) works.add(option.key, option.use);
  works.add_entries("integrator", integrators::integrators());
  works.add_entries("criterion", integrators::criteria());
  works.add_entries("solver", forces::solvers());
  works.add_entries("softening", forces::softening_kernels());
  works.add_entries("model", generators());
  works.add_entry("model", initial_conditions::listed());
  works.add_entry("model", file_model());
  works.add_entries("force", forces::extra_forces());
  works.add_entries("table", diagnostic_entries());
  return works.take();
}

}  // namespace apsis::deck
