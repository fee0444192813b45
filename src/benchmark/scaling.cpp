// SPDX-License-Identifier: Apache-2.0
#include <apsis/benchmark/environment.hpp>
#include <apsis/benchmark/scaling.hpp>
#include <apsis/benchmark/timing.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/io/record.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace apsis::benchmark {

namespace {

driver::ConfiguredDeck deck_of(std::size_t bodies, forces::Precision precision,
                               bool use_all_threads) {
  auto deck = driver::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.0001}, "run": {"steps": 1}})",
      "bench",
      {"bodies.count=" + std::to_string(bodies),
       "gravity.precision=" + forces::name_of(precision)});
  deck.configuration.use_all_threads = use_all_threads;
  return deck;
}

/// Steps of one simulation, and what the first process heard meanwhile.
struct Steps {
  Timing time;
  std::vector<double> waiting;
  Traffic heard;  ///< of one step
  std::string kernel;
};

Steps steps(driver::Configuration const& run, int repeats) {
  auto const simulation = driver::make_simulation(run, driver::make_bodies(run));
  auto const advance = [&](std::uint64_t count) {
    simulation->advance(count);
    Kokkos::fence("apsis::benchmark::scaling: the clock reads");
  };
  advance(1);
  constexpr double shortest_sample = 0.02;  // [s]
  auto const begin = std::chrono::steady_clock::now();
  advance(1);
  auto const batch = static_cast<std::uint64_t>(
      std::clamp(std::ceil(shortest_sample / std::max(seconds_since(begin), 1e-7)), 1.0, 1000.0));
  Steps found;
  std::vector<double> seconds;
  auto const of_batch = static_cast<double>(batch);
  for (int k = 0; k < repeats; ++k) {
    auto const start = std::chrono::steady_clock::now();
    advance(batch);
    seconds.push_back(seconds_since(start) / of_batch);
  }
  auto const [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  found.time = {median(seconds), *least, *most, repeats};
  found.kernel = simulation->kernel();
  // Apart from those: where messages are queued, to wait for them costs time itself.
  if (run.leader) {
    run.leader->time_moves(true);
    for (int k = 0; k < repeats; ++k) {
      Traffic const before = run.leader->traffic();
      advance(batch);
      auto const traffic = run.leader->traffic();
      found.waiting.push_back((traffic.seconds - before.seconds) / of_batch);
      found.heard = {0.0, (traffic.calls - before.calls) / batch,
                     (traffic.gathered_bytes - before.gathered_bytes) / batch,
                     (traffic.exchanged_bytes - before.exchanged_bytes) / batch};
    }
    run.leader->time_moves(false);
  }
  return found;
}

/// Where log2 of the number of processes stands for the hops of a message.
double hops(std::size_t processes) {
  return std::log2(static_cast<double>(std::max<std::size_t>(processes, 2)));
}

double pairs(double bodies) {
  return bodies * bodies;
}

/// On so many processes, where one alone has `alone`.
double bodies_on(std::size_t processes, Scaling scaling, std::size_t alone) {
  double const more = scaling == Scaling::weak ? std::sqrt(static_cast<double>(processes)) : 1.0;
  return std::round(more * static_cast<double>(alone));
}

}  // namespace

double ScalingCost::efficiency() const {
  double const work = pairs(static_cast<double>(bodies)) / pairs(static_cast<double>(bodies_alone));
  return work * seconds_alone / (static_cast<double>(processes) * seconds_step);
}

double ScalingCost::interactions_per_second() const {
  return pairs(static_cast<double>(bodies)) / seconds_step;
}

ScalingCost scaling_cost(std::shared_ptr<driver::Leader> const& leader, Scaling scaling,
                         std::size_t bodies, forces::Precision precision, int repeats,
                         bool use_all_threads) {
  ScalingCost cost{};
  cost.scaling = scaling;
  cost.processes = leader ? leader->members().size() : 1;
  cost.bodies_alone = bodies;
  cost.precision = precision;
  cost.bodies = static_cast<std::size_t>(bodies_on(cost.processes, scaling, bodies));
  auto const alone = steps(deck_of(bodies, precision, use_all_threads).configuration, repeats);
  cost.seconds_alone = alone.time.median;
  cost.seconds_step = alone.time.median;
  cost.spread = alone.time.spread();
  cost.kernel = alone.kernel;
  if (cost.processes == 1) return cost;
  auto deck = deck_of(cost.bodies, precision, use_all_threads);
  driver::share(deck, leader);
  auto const together = steps(deck.configuration, repeats);
  cost.kernel = together.kernel;
  cost.seconds_step = together.time.median;
  cost.spread = together.time.spread();
  cost.seconds_waiting = median(together.waiting);
  cost.messages = static_cast<double>(together.heard.calls);
  cost.bytes_gathered = static_cast<double>(together.heard.gathered_bytes);
  cost.bytes_exchanged = static_cast<double>(together.heard.exchanged_bytes);
  return cost;
}

MessageCost message_cost(std::shared_ptr<driver::Leader> const& leader, int repeats) {
  constexpr std::size_t in_all = std::size_t{16} << 20;  // [bytes]
  MessageCost cost;
  if (!leader || leader->members().size() == 1) return cost;
  cost.processes = leader->members().size();
  std::size_t const much = in_all / cost.processes;
  auto const timed_echo = [&](std::size_t bytes) {
    auto seconds = leader->echo(bytes, repeats + 1);
    seconds.erase(seconds.begin());  // who moves for the first time gets ready
    return median(seconds);
  };
  constexpr std::size_t little = 8;  // [bytes]
  cost.latency = timed_echo(little);
  double const came = static_cast<double>(much * (cost.processes - 1));
  cost.bandwidth = came / std::max(timed_echo(much) - cost.latency, 1e-9);
  return cost;
}

Prediction predicted(ScalingCost const& measured, MessageCost const& messages,
                     std::size_t processes) {
  auto const count = static_cast<double>(processes);
  auto const alone = static_cast<double>(measured.bodies_alone);
  Prediction of{};
  of.processes = processes;
  of.bodies = bodies_on(processes, measured.scaling, measured.bodies_alone);
  double const work = measured.seconds_alone * pairs(of.bodies) / pairs(alone);
  of.seconds_step = work / count;
  if (processes > 1 && messages.processes > 1) {
    auto const of_measured = static_cast<double>(measured.processes);
    double const more = of.bodies / static_cast<double>(measured.bodies);
    // Of all that is gathered the others' part comes from elsewhere; partial sums of the bodies
    // that a process has, from all others.
    double const gathered = more * measured.bytes_gathered * (1.0 - 1.0 / count);
    double const partial =
        more * measured.bytes_exchanged * of_measured / (1.0 - 1.0 / of_measured);
    double const exchanged = partial * (1.0 - 1.0 / count) / count;
    of.seconds_step +=
        measured.messages * messages.latency * hops(processes) / hops(messages.processes) +
        (gathered + exchanged) / messages.bandwidth;
  }
  of.interactions_per_second = pairs(of.bodies) / of.seconds_step;
  of.efficiency = work / (count * of.seconds_step);
  return of;
}

std::string scaling_heading(MessageCost const& messages) {
  std::string text;
  if (messages.processes > 1) {
    text += formatted("messages between %zu processes: %.3g us each, %.3g GB/s\n",
                      messages.processes, messages.latency * 1e6, messages.bandwidth * 1e-9);
  }
  return text +
         "whole leapfrog steps; alone: the first process by itself; waiting: what the first waits "
         "for the others and their bodies\n\n" +
         formatted("%-7s %9s %9s %-9s %-15s %12s %12s %14s %11s %9s %8s\n", "scaling", "processes",
                   "bodies", "precision", "kernel", "step ms", "alone ms", "interactions/s",
                   "efficiency", "waiting", "spread");
}

std::string scaling_line(ScalingCost const& cost) {
  return formatted("%-7s %9zu %9zu %-9s %-15s %12.5g %12.5g %14.4g %10.1f%% %8.1f%% %7.1f%%\n",
                   cost.scaling == Scaling::strong ? "strong" : "weak", cost.processes, cost.bodies,
                   forces::name_of(cost.precision).c_str(), cost.kernel.c_str(),
                   cost.seconds_step * 1e3, cost.seconds_alone * 1e3,
                   cost.interactions_per_second(), 100.0 * cost.efficiency(),
                   100.0 * cost.seconds_waiting / cost.seconds_step, 100.0 * cost.spread);
}

std::string prediction_lines(ScalingCost const& cost, MessageCost const& messages,
                             std::vector<std::size_t> const& processes) {
  double const here = predicted(cost, messages, cost.processes).seconds_step;
  auto text = formatted("  model %9zu processes: %12.5g ms a step, %+.1f %% of what was measured\n",
                        cost.processes, here * 1e3, 100.0 * (here / cost.seconds_step - 1.0));
  for (auto const count : processes) {
    auto const of = predicted(cost, messages, count);
    text += formatted(
        "  model %9zu processes: %12.5g ms a step of %.0f bodies, %.4g "
        "interactions/s, efficiency %.1f %%\n",
        count, of.seconds_step * 1e3, of.bodies, of.interactions_per_second, 100.0 * of.efficiency);
  }
  return text;
}

std::string scaling_json(std::vector<ScalingCost> const& costs, MessageCost const& messages,
                         std::vector<std::size_t> const& processes, bool complete) {
  auto environment = environment_record();
  environment.emplace_back("complete", complete);
  environment.emplace_back("message_microseconds", messages.latency * 1e6);
  environment.emplace_back("message_gigabytes_per_second", messages.bandwidth * 1e-9);
  std::vector<io::Record> rows;
  auto const add = [&](ScalingCost const& cost, std::string const& kernel, Prediction const& of,
                       io::Record const& more) {
    io::Record row{{"kernel", kernel},
                   {"scaling", std::string(cost.scaling == Scaling::strong ? "strong" : "weak")},
                   {"processes", static_cast<std::int64_t>(of.processes)},
                   {"bodies", static_cast<std::int64_t>(of.bodies)},
                   {"bodies_alone", static_cast<std::int64_t>(cost.bodies_alone)},
                   {"precision", forces::name_of(cost.precision)},
                   {"milliseconds_step", of.seconds_step * 1e3},
                   {"interactions_per_second", of.interactions_per_second},
                   {"efficiency", of.efficiency}};
    row.insert(row.end(), more.begin(), more.end());
    rows.push_back(std::move(row));
  };
  for (auto const& cost : costs) {
    Prediction const measured{cost.processes, static_cast<double>(cost.bodies), cost.seconds_step,
                              cost.interactions_per_second(), cost.efficiency()};
    add(cost, cost.kernel, measured,
        {{"milliseconds_alone", cost.seconds_alone * 1e3},
         {"milliseconds_waiting", cost.seconds_waiting * 1e3},
         {"spread", cost.spread},
         {"messages", cost.messages},
         {"megabytes_gathered", cost.bytes_gathered * 1e-6},
         {"megabytes_exchanged", cost.bytes_exchanged * 1e-6},
         {"milliseconds_model", predicted(cost, messages, cost.processes).seconds_step * 1e3}});
    for (auto const count : processes) add(cost, "model", predicted(cost, messages, count), {});
  }
  return io::to_json(environment, rows);
}

}  // namespace apsis::benchmark
