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

driver::ConfiguredDeck deck_of(std::size_t bodies, ScalingRequest const& request,
                               bool use_all_threads) {
  std::vector<std::string> chosen{"bodies.count=" + std::to_string(bodies),
                                  "gravity.precision=" + forces::name_of(request.precision)};
  if (request.fmm_accuracy) {
    chosen.emplace_back("gravity.solver=fmm");
    chosen.push_back("gravity.accuracy=" + shortest(*request.fmm_accuracy));
  }
  auto deck = driver::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.0001}, "run": {"steps": 1}})",
      "bench", chosen);
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
    run.leader->set_timed(true);
    for (int k = 0; k < repeats; ++k) {
      Traffic const before = run.leader->traffic();
      advance(batch);
      auto const traffic = run.leader->traffic();
      found.waiting.push_back((traffic.seconds - before.seconds) / of_batch);
      found.heard = {0.0, (traffic.calls - before.calls) / batch,
                     (traffic.gathered_bytes - before.gathered_bytes) / batch,
                     (traffic.exchanged_bytes - before.exchanged_bytes) / batch};
    }
    run.leader->set_timed(false);
  }
  return found;
}

/// Where log2 of the number of processes stands for the hops of a message.
double hops(std::size_t processes) {
  return std::log2(static_cast<double>(std::max<std::size_t>(processes, 2)));
}

/// What a step over so many bodies has to do.
double work(ScalingRequest const& of, double bodies) {
  return of.fmm_accuracy ? bodies : bodies * bodies;
}

/// On so many processes.
double bodies_on(std::size_t processes, ScalingRequest const& of) {
  auto const alone = static_cast<double>(of.bodies), count = static_cast<double>(processes);
  if (of.scaling == Scaling::strong) return alone;
  return std::round(alone * (of.fmm_accuracy ? count : std::sqrt(count)));
}

}  // namespace

double ScalingCost::efficiency() const {
  double const more =
      work(of, static_cast<double>(bodies)) / work(of, static_cast<double>(of.bodies));
  return more * seconds_alone / (static_cast<double>(processes) * seconds_step);
}

double ScalingCost::rate() const {
  return work(of, static_cast<double>(bodies)) / seconds_step;
}

ScalingCost scaling_cost(std::shared_ptr<driver::Leader> const& leader,
                         ScalingRequest const& request, int repeats, bool use_all_threads) {
  ScalingCost cost{};
  cost.of = request;
  cost.processes = leader ? leader->ranks().size() : 1;
  cost.bodies = static_cast<std::size_t>(bodies_on(cost.processes, request));
  auto const alone =
      steps(deck_of(request.bodies, request, use_all_threads).configuration, repeats);
  cost.seconds_alone = alone.time.median;
  cost.seconds_step = alone.time.median;
  cost.spread = alone.time.spread();
  cost.kernel = alone.kernel;
  if (cost.processes == 1) return cost;
  auto deck = deck_of(cost.bodies, request, use_all_threads);
  driver::set_leader(deck, leader);
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
  if (!leader || leader->ranks().size() == 1) return cost;
  cost.processes = leader->ranks().size();
  std::size_t const much = in_all / cost.processes;
  auto const timed_echo = [&](std::size_t bytes) {
    auto seconds = leader->time_gathers(bytes, repeats + 1);
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
  auto const alone = static_cast<double>(measured.of.bodies);
  Prediction of{};
  of.processes = processes;
  of.bodies = bodies_on(processes, measured.of);
  double const seconds =
      measured.seconds_alone * work(measured.of, of.bodies) / work(measured.of, alone);
  of.seconds_step = seconds / count;
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
  of.rate = work(measured.of, of.bodies) / of.seconds_step;
  of.efficiency = seconds / (count * of.seconds_step);
  return of;
}

std::string scaling_heading(MessageCost const& messages, bool of_fmm) {
  std::string text;
  if (messages.processes > 1) {
    text += formatted("messages between %zu processes: %.3g us each, %.3g GB/s\n",
                      messages.processes, messages.latency * 1e6, messages.bandwidth * 1e-9);
  }
  return text +
         "whole leapfrog steps; alone: the first process by itself; waiting: what the first waits "
         "for the others and their bodies\n\n" +
         formatted("%-7s %9s %9s %-9s %-15s %12s %12s %14s %11s %9s %8s\n", "scaling", "processes",
                   "bodies", "precision", "kernel", "step ms", "alone ms",
                   of_fmm ? "bodies/s" : "interactions/s", "efficiency", "waiting", "spread");
}

std::string scaling_line(ScalingCost const& cost) {
  return formatted("%-7s %9zu %9zu %-9s %-15s %12.5g %12.5g %14.4g %10.1f%% %8.1f%% %7.1f%%\n",
                   cost.of.scaling == Scaling::strong ? "strong" : "weak", cost.processes,
                   cost.bodies, forces::name_of(cost.of.precision).c_str(), cost.kernel.c_str(),
                   cost.seconds_step * 1e3, cost.seconds_alone * 1e3, cost.rate(),
                   100.0 * cost.efficiency(), 100.0 * cost.seconds_waiting / cost.seconds_step,
                   100.0 * cost.spread);
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
        count, of.seconds_step * 1e3, of.bodies, of.rate, 100.0 * of.efficiency);
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
    io::Record row{
        {"kernel", kernel},
        {"scaling", std::string(cost.of.scaling == Scaling::strong ? "strong" : "weak")},
        {"processes", static_cast<std::int64_t>(of.processes)},
        {"bodies", static_cast<std::int64_t>(of.bodies)},
        {"bodies_alone", static_cast<std::int64_t>(cost.of.bodies)},
        {"precision", forces::name_of(cost.of.precision)},
        {"milliseconds_step", of.seconds_step * 1e3},
        {cost.of.fmm_accuracy ? "bodies_per_second" : "interactions_per_second", of.rate},
        {"efficiency", of.efficiency}};
    if (cost.of.fmm_accuracy) row.emplace_back("accuracy", *cost.of.fmm_accuracy);
    row.insert(row.end(), more.begin(), more.end());
    rows.push_back(std::move(row));
  };
  for (auto const& cost : costs) {
    Prediction const measured{cost.processes, static_cast<double>(cost.bodies), cost.seconds_step,
                              cost.rate(), cost.efficiency()};
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
