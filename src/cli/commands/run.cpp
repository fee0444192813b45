// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/messages.hpp"
#if APSIS_ENABLE_VIEW
#include "cli/live_options.hpp"
#include "view/viewer_feed.hpp"
#endif
#include "core/signals.hpp"
#include "files/json_data.hpp"
#include <apsis/core/text.hpp>
#include <apsis/core/units.hpp>
#include <apsis/run/run_output.hpp>
#include <apsis/run/session.hpp>

#include <csignal>
#include <iostream>
#include <unistd.h>

namespace apsis::cli {

namespace {

struct RunOptions {
  std::string deck;
  std::vector<std::string> overrides;
  std::string output;
  bool force = false, resume = false, resume_if_possible = false, allow_deck_change = false;
  bool quiet = false;
  std::string progress = "text";  ///< "text" or "json"
  bool share_gpus = false;
  std::optional<int> threads;
#if APSIS_ENABLE_VIEW
  bool view = false;
  std::string view_wait = "auto";  ///< "yes", "no" or "auto"
  std::optional<double> pace;      ///< [time / s]; 0: unlimited; empty: chosen for few bodies
  LiveOptions live;
#endif
};

void warn(Problem const& problem) {
  print_message(MessageKind::warning, problem);
}

run::Existing choose_existing(RunOptions const& options) {
  return options.resume               ? run::Existing::resume
         : options.resume_if_possible ? run::Existing::resume_if_possible
         : options.force              ? run::Existing::replace
                                      : run::Existing::refuse;
}

run::Order make_order(RunOptions const& options, RankContext const& ranks) {
  run::Order order;
  order.deck = options.deck;
  order.overrides = options.overrides;
  order.output = options.output;
  order.existing = choose_existing(options);
  if (options.allow_deck_change) order.deck_change = run::DeckChange::allow_safe;
  order.threads = options.threads;
  order.leader = ranks.leader;
  return order;
}

/// Returns the destination and style of the progress display.
run::Display make_display(RunOptions const& options, RankContext const& ranks) {
  if (options.quiet) return {};
  if (options.progress == "json") return {run::ProgressStyle::json, &std::cout};
  bool const is_terminal =
      isatty(STDOUT_FILENO) != 0 && !ranks.leader;  // mpirun gives only some ranks a terminal
  return {is_terminal ? run::ProgressStyle::terminal : run::ProgressStyle::lines, &std::cout,
          [] { return terminal_columns(STDOUT_FILENO); }};
}

Option progress_option(std::string& word) {
  return Option{"--progress",
                "text: lines for people; json: progress and the end of the run as JSON objects, a "
                "line each, for programs",
                &word, "WORD"}
      .excludes({"--quiet"})
      .has_effect_if([&word]() -> std::optional<Problem> {
        if (word == "text" || word == "json") return {};
        return Problem{"", "is '" + word + "'", "", "give text or json"};
      });
}

#if APSIS_ENABLE_VIEW
/// The viewers of a run; the server starts with the run.
struct Viewers {
  bool waits = false;  ///< for the first viewer, and at the end for Ctrl-C
  double pace = 0.0;   ///< [time / s]; 0: unlimited
  deck::Configuration const* run = nullptr;
  std::unique_ptr<view::Server> server;
  std::optional<view::ViewerFeed> feed;
  run::Control control;
};

/// Chooses the pace, and whether the run waits for viewers. A run of few bodies that is started by
/// hand would end before its page can be opened. Scripts and batch jobs have no terminal.
void choose_waiting(RunOptions const& options, RankContext const& ranks,
                    deck::Configuration const& run, Viewers& viewers) {
  constexpr std::uint64_t few_bodies = 1000;
  bool const is_by_hand =
      run.bodies.count() < few_bodies && isatty(STDOUT_FILENO) != 0 && !ranks.leader;
  viewers.waits = options.view_wait == "yes" || (options.view_wait == "auto" && is_by_hand);
  viewers.pace = options.pace.value_or(is_by_hand ? view::watchable_pace(run) : 0.0);
  if (viewers.pace > 0.0) {
    std::cout << "pace             "
              << run.units.with_short_unit(formatted("%.4g", viewers.pace), dimension::time)
              << " per second; --pace 0 is unlimited" << std::endl;
  }
}

std::shared_ptr<Viewers const> add_viewers(RunOptions const& options, RankContext const& ranks,
                                           run::Hooks& hooks) {
  auto const viewers = std::make_shared<Viewers>();
  hooks.begin = [viewers, options, ranks](auto const& run) {
    auto const& live = options.live;
    auto& feed = viewers->feed;
    viewers->run = &run;
    bool const is_first = !feed;
    if (is_first) {
      viewers->server = serve(live, live.control ? ViewerRights::may_stop : ViewerRights::watch);
      feed.emplace(*viewers->server);
      viewers->control = view::viewers(*feed);
      choose_waiting(options, ranks, run, *viewers);
    }
    auto hello = view::make_hello(run, run.title.empty() ? options.deck : run.title);
    hello.control = live.control;
    feed->discard_commands();
    feed->begin(hello,
                forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
    if (is_first && viewers->waits) await_viewer(*feed);
  };
  hooks.add_observers = [viewers](deck::Configuration const& run, run::RunOutput& output) {
    output.add("view", run::OnError::warn,
               [&](run::ErrorPolicy&) { return live_view(run, *viewers->feed, viewers->pace); });
  };
  hooks.controls = {[viewers](run::RunClock const& clock) { return viewers->control(clock); }};
  hooks.end = [viewers](run::Outcome const& outcome) {
    viewers->feed->end(view::verdict_of(*viewers->run, outcome));
  };
  return viewers;
}

Option pace_option(std::optional<double>& pace) {
  return Option{"--pace",
                "Simulated time per second, in the deck's unit of time (0: unlimited; default: "
                "unlimited, but in a terminal 60 steps per second below 1000 bodies)",
                &pace, "X"}
      .needs({"--view"})
      .has_effect_if([&pace]() -> std::optional<Problem> {
        if (*pace >= 0.0) return {};
        return Problem{"", "is negative", "a pace has no direction", "give a number >= 0"};
      });
}

Option wait_option(std::string& word) {
  return Option{"--view-wait",
                "yes: begin with the first viewer, and keep the page after the end until Ctrl-C; "
                "no: neither; auto: yes in a terminal below 1000 bodies",
                &word, "WORD"}
      .needs({"--view"})
      .has_effect_if([&word]() -> std::optional<Problem> {
        if (word == "yes" || word == "no" || word == "auto") return {};
        return Problem{"", "is '" + word + "'", "", "give yes, no or auto"};
      });
}
#endif

void print_end(std::string const& text, bool as_json) {
  std::cout << (as_json
                    ? files::to_json_line(files::JsonData::Object{{"kind", "end"}, {"text", text}})
                    : text)
            << std::flush;
}

/// Reports a run that had finished earlier. `steps`: number of steps of the deck.
void report_finished(run::FinishedRun const& run, std::uint64_t steps,
                     std::filesystem::path const& directory, RunOptions const& options) {
  bool const ended_early = run.exit == ExitStatus::not_conserved && run.steps < steps;
  if (!options.quiet) {
    print_end(
        printable(directory.string()) + ": is finished: after step " + std::to_string(run.steps) +
            " at time " + shortest(run.time) + ", " + run.status +
            (ended_early ? "; a limit ended it there: start it again with shorter steps and "
                           "--force, or continue it with a wider limit and --allow-deck-change\n"
                         : "; to continue it, give a later end (--set run.end_time=... or "
                           "run.steps=..., whichever the deck has)\n"),
        options.progress == "json");
  }
  // The summary has the problem as one text, which names its place.
  if (!run.problem.empty()) print_message(MessageKind::error, {"", run.problem});
}

/// Prints the summary of a run, or only a warning if it is quiet.
void print_summary(run::Session const& session, run::Outcome const& outcome,
                   RunOptions const& options) {
  auto const& run = session.configuration();
  auto const& directory = session.directory();
  if (!options.quiet) {
    auto const tone = outcome.exit == ExitStatus::conserved ? Tone::good
                      : outcome.exit == ExitStatus::stopped ? Tone::doubtful
                                                            : Tone::bad;
    auto const text = run::summary_text(run, outcome, directory.current_path().string());
    bool const as_json = options.progress == "json";
    print_end(as_json ? text : with_toned_line(text, "status ", tone, STDOUT_FILENO), as_json);
  } else if (auto const remark = run::summary_remark(run, outcome)) {
    warn({directory.path().string(), *remark, "", ""});
  }
}

void print_problems(run::Outcome const& outcome) {
  // A stop that was requested is not an error.
  auto const kind = outcome.exit == ExitStatus::stopped ? MessageKind::note : MessageKind::error;
  for (auto const& problem : outcome.problems) print_message(kind, problem);
}

class Notes final : public run::Observer {
 public:
  std::uint64_t next_step(std::uint64_t /*step*/) const override { return run::no_step; }
  void note(std::string const& line) override { print_message(MessageKind::note, {"run", line}); }
};

/// Adds notes to a run with messages as data; in texts the progress display has them.
void add_notes(run::Hooks& hooks) {
  if (message_format() != MessageFormat::json) return;
  hooks.remark = [](std::string const& remark) {
    print_message(MessageKind::note, {"deck", remark});
  };
  hooks.add_observers = [add_others = hooks.add_observers](deck::Configuration const& run,
                                                           run::RunOutput& output) {
    add_others(run, output);
    output.add("notes", run::OnError::warn,
               [](run::ErrorPolicy&) { return std::make_unique<Notes>(); });
  };
}

void begin_ranks(RunOptions const& options, RankContext const& ranks) {
  if (!ranks.leader) return;
  ranks.leader->begin({options.threads, options.share_gpus, true}, this_member(ranks));
  if (auto const crowds = ranks.leader->oversubscription(); !crowds.empty()) {
    warn({"ranks", "share processors", crowds,
          "start fewer ranks, or give --threads or OMP_NUM_THREADS"});
  }
}

ExitStatus run(RunOptions const& options, RankContext const& ranks) {
  std::shared_ptr<void> kokkos;  // outlives the callbacks, which own memory of the device
  std::optional<Signals> signals;
  run::Session session(make_order(options, ranks));
  // A closed pipe must not end a run.
  std::signal(SIGPIPE, SIG_IGN);
  run::Hooks hooks;
  hooks.display = make_display(options, ranks);
  hooks.warn = warn;
  hooks.initialise = [&](std::optional<int> threads) { kokkos = kokkos_session(threads, ranks); };
  hooks.prepare = [&] {
    begin_ranks(options, ranks);
    signals.emplace(options.quiet ? -1 : STDOUT_FILENO, Signals::Until::end_of_process);
  };
#if APSIS_ENABLE_VIEW
  std::shared_ptr<Viewers const> viewers;
  if (options.view) viewers = add_viewers(options, ranks, hooks);
#endif
  add_notes(hooks);
  hooks.end = [&, end_of_view = hooks.end](run::Outcome const& outcome) {
    print_summary(session, outcome, options);
    end_of_view(outcome);
    print_problems(outcome);
  };
  auto const outcome = session.run(hooks);
  if (outcome.finished) {
    report_finished(*outcome.finished, session.configuration().steps, session.directory().path(),
                    options);
  }
#if APSIS_ENABLE_VIEW
  bool const is_shown = viewers && !outcome.finished && !outcome.stop.interrupted();
  if (is_shown && viewers->waits) keep_page();
#endif
  return outcome.exit;
}

}  // namespace

Command run_command(RankContext const& ranks) {
  auto const options = std::make_shared<RunOptions>();
  std::string const contradiction = "one continues a run, the other removes it";
  return {"run",
          "Run a simulation described by a deck",
          {{"DECK", "JSON deck to run; with --resume or --force also the directory of a run",
            &options->deck},
           {"--set", "Override a deck value, e.g. gravity.softening=0.02 (repeatable)",
            TextList{&options->overrides, false}, "PATH=VALUE"},
           {"--output", "Directory to write to (default: <deck name>.run in the current directory)",
            &options->output, "DIR"},
           {"--force", "Replace an existing run in the output directory", &options->force},
           Option{"--resume",
                  "Continue the run in the output directory from its newest checkpoint; "
                  "run.end_time or run.steps may be larger than before",
                  &options->resume}
               .excludes({"--force"}, contradiction)
               .excludes({"--resume-if-possible"}),
           Option{"--resume-if-possible",
                  "Like --resume, but start a new run if there is none (for job scripts)",
                  &options->resume_if_possible}
               .excludes({"--force"}, contradiction),
           Option{"--allow-deck-change",
                  "With --resume: accept an earlier end and changed outputs and limits",
                  &options->allow_deck_change}
               .needs({"--resume", "--resume-if-possible"}),
           {"--quiet", "Print neither progress nor summary", &options->quiet},
           progress_option(options->progress),
#if APSIS_ENABLE_VIEW
           {"--view",
            "Show the running simulation in a browser; prints the URL (default: port 8642, or a "
            "free port; 0: a free port)",
            OptionalNumber{&options->view, &options->live.port, 0, 65535}, "[PORT]"},
           address_option("--view-address", options->live).needs({"--view"}),
           frame_option(options->live).needs({"--view"}),
           control_option("Allow viewers to pause, step, stop and restart the run", options->live)
               .needs({"--view"}),
           pace_option(options->pace),
           wait_option(options->view_wait),
#endif
           share_gpus_option(options->share_gpus),
           threads_option(options->threads)},
          [options, ranks] { return run(*options, ranks); }};
}

}  // namespace apsis::cli
