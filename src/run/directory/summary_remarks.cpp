// SPDX-License-Identifier: Apache-2.0
#include "summary_facts.hpp"
#include <apsis/core/text.hpp>

#include <optional>

namespace apsis::run {

namespace {

/// Returns a note on an energy error that is plainly too large, and within the limit if there is
/// one.
std::optional<std::string> energy_remark(deck::Configuration const& run, Outcome const& outcome) {
  constexpr double noted_error = 0.1;
  auto const& conserved = outcome.conservation;
  double const error = conserved.max_relative_energy_error;
  auto const& limit = run.limits.max_relative_energy_error;
  if (!(error > noted_error) || (limit && error > *limit)) return std::nullopt;
  if (!conserved_sums(outcome).energy) return std::nullopt;
  bool const is_massless_body = conserved.max_test_particle_energy_error == error;
  return std::string(is_massless_body ? "the energy of a massless body" : "the energy") +
         " changed by " + formatted(error < 1e4 ? "%.0f %%" : "%.2e %%", 100.0 * error) +
         (limit ? ", within the limit of the deck" : "") +
         ": the results of this run are not reliable; use shorter steps or softening, and " +
         (limit ? "a smaller" : "set") + " conservation.max_relative_energy_error";
}

/// Returns a note if the solver did not reach the requested accuracy.
std::optional<std::string> forces_remark(Outcome const& outcome) {
  auto const& errors = outcome.force_errors;
  if (!errors || errors->worst <= errors->requested) return std::nullopt;
  return formatted(
      "99 %% of the accelerations had errors of at most %.2g at the worst check of the run (%.2g "
      "at "
      "the last one), but %.2g was requested: use the solver 'direct', precision 'double' or a "
      "smaller gravity.accuracy",
      errors->worst, errors->measured, errors->requested);
}

/// Advice on a passage beyond resolution. A scheme with steps of its own may choose them for the
/// massive bodies alone.
std::string advice_on_passage(deck::Configuration const& run,
                              simulation::CoarsestPassage const& passage) {
  using Kind = simulation::CoarsestPassage::Kind;
  if (passage.kind != Kind::step) {
    return std::string(": the orbits are not reliable afterwards; use ") +
           (passage.kind == Kind::pericentre ? "shorter steps or " : "") + "'gauss_radau15'";
  }
  return run.integrator.entry->has_own_steps()
             ? ": the steps follow the massive bodies, and the orbit of this body may not be "
               "reliable; set integrator.stepping.judged to 'all'"
             : ": the orbit of this body is not reliable; use shorter steps";
}

}  // namespace

std::string passage_words(deck::Configuration const& run,
                          simulation::CoarsestPassage const& passage) {
  auto const distance =
      formatted("%.4g", passage.distance) + unit_suffix(run.units, dimension::length);
  auto const time = formatted("%.6g", passage.time) + unit_suffix(run.units, dimension::time);
  using Kind = simulation::CoarsestPassage::Kind;
  auto const name = run.integrator.entry->name;
  if (passage.kind == Kind::encounter) {
    return "body " + std::to_string(passage.body) + " came within three Hill radii of body " +
           std::to_string(passage.massive) + ", at " + distance + " at time " + time + ", which '" +
           name + "' does not resolve";
  }
  if (passage.kind == Kind::pericentre) {
    return "body " + std::to_string(passage.body) + " has its pericentre at " + distance +
           " from body " + std::to_string(passage.massive) +
           formatted(" at time %s, with %.3g of the 12 steps in its passage that '%s' needs",
                     time.c_str(), 12.0 / passage.measure, name.c_str());
  }
  auto text = "body " + std::to_string(passage.body) + " passed body " +
              std::to_string(passage.massive) + " at " + distance + " at time " + time +
              formatted(": dt sqrt(G m / r^3) = %.3g, ", passage.measure);
  return text + (passage.is_resolved()
                     ? formatted("resolved up to %.2g", passage.limit)
                     : formatted("beyond resolution, which ends at %.2g", passage.limit));
}

std::optional<std::string> summary_remark(deck::Configuration const& run, Outcome const& outcome) {
  std::string notes;
  auto const add = [&](std::optional<std::string> const& remark) {
    if (remark) notes += (notes.empty() ? "" : "; ") + *remark;
  };
  add(energy_remark(run, outcome));
  auto const& passage = outcome.passage;
  bool const is_noted = passage && !passage->is_resolved();
  if (is_noted && (outcome.exit == ExitStatus::conserved || !passage->is_massless)) {
    add(passage_words(run, *passage) + advice_on_passage(run, *passage));
  }
  if (notes.empty()) add(forces_remark(outcome));
  return notes.empty() ? std::nullopt : std::optional(notes);
}

}  // namespace apsis::run
