// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"

#include "benchmark/bench.hpp"
#include "benchmark/timing.hpp"
#include "files/record.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace apsis::benchmark {

namespace {

deck::ConfiguredDeck make_deck(std::size_t bodies, ScalingRequest const& request,
                               bool use_all_threads) {
  std::vector<std::string> overrides{"bodies.count=" + std::to_string(bodies),
                                     "gravity.precision=" + forces::name_of(request.precision)};
  if (request.fmm_accuracy) {
    overrides.emplace_back("gravity.solver=fmm");
    overrides.push_back("gravity.accuracy=" + shortest(*request.fmm_accuracy));
  }
  auto deck = deck::configure(
      R"({"bodies": {"generator": "plummer"}, "gravity": {"softening": 0.01},
          "integrator": {"time_step": 0.0001}, "run": {"steps": 1}})",
      "bench", overrides);
  deck.configuration.use_all_threads = use_all_threads;
  return deck;
}

/// Timing of the steps of one simulation, and the messages that rank 0 received meanwhile.
struct StepTimes {
  Timing time;
  std::vector<double> waiting_share;  ///< part of the time of a step, one per repeat
  Traffic traffic;                    ///< per step
  std::string kernel;
};

StepTimes time_steps(deck::Configuration const& run, int repeats) {
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
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
  StepTimes result;
  std::vector<double> seconds;
  auto const batch_steps = static_cast<double>(batch);
  for (int k = 0; k < repeats; ++k) {
    auto const start = std::chrono::steady_clock::now();
    advance(batch);
    seconds.push_back(seconds_since(start) / batch_steps);
  }
  auto const [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  result.time = {median(seconds), *least, *most, repeats};
  result.kernel = simulation->info().kernel;
  // Measured in steps of their own: where messages are queued, to wait for them takes time itself.
  if (run.leader) {
    run.leader->set_timed(true);
    for (int k = 0; k < repeats; ++k) {
      Traffic const before = run.leader->traffic();
      auto const start = std::chrono::steady_clock::now();
      advance(batch);
      auto const elapsed = seconds_since(start);
      auto const traffic = run.leader->traffic();
      result.waiting_share.push_back((traffic.seconds - before.seconds) / elapsed);
      result.traffic = {0.0, (traffic.calls - before.calls) / batch,
                        (traffic.gathered_bytes - before.gathered_bytes) / batch,
                        (traffic.exchanged_bytes - before.exchanged_bytes) / batch};
    }
    run.leader->set_timed(false);
  }
  return result;
}

double hops(std::size_t processes) {
  return std::log2(static_cast<double>(std::max<std::size_t>(processes, 2)));
}

/// Work of a step: pairs, or bodies for the solver fmm.
double work(ScalingRequest const& request, double bodies) {
  return request.fmm_accuracy ? bodies : bodies * bodies;
}

/// Total number of bodies on this number of ranks.
double total_bodies(std::size_t processes, ScalingRequest const& request) {
  auto const alone = static_cast<double>(request.bodies), count = static_cast<double>(processes);
  if (request.scaling == Scaling::strong) return alone;
  return std::round(alone * (request.fmm_accuracy ? count : std::sqrt(count)));
}

}  // namespace

double ScalingCost::efficiency() const {
  double const more = work(request, static_cast<double>(bodies)) /
                      work(request, static_cast<double>(request.bodies));
  return more * seconds_alone / (static_cast<double>(processes) * seconds_step);
}

double ScalingCost::rate() const {
  return work(request, static_cast<double>(bodies)) / seconds_step;
}

ScalingCost scaling_cost(std::shared_ptr<simulation::Leader> const& leader,
                         ScalingRequest const& request, int repeats, bool use_all_threads) {
  ScalingCost cost{};
  cost.request = request;
  cost.processes = leader ? leader->ranks().size() : 1;
  cost.bodies = static_cast<std::size_t>(total_bodies(cost.processes, request));
  auto const alone =
      time_steps(make_deck(request.bodies, request, use_all_threads).configuration, repeats);
  cost.seconds_alone = alone.time.median;
  cost.seconds_step = alone.time.median;
  cost.spread = alone.time.spread();
  cost.kernel = alone.kernel;
  if (cost.processes == 1) return cost;
  auto deck = make_deck(cost.bodies, request, use_all_threads);
  simulation::set_leader(deck, leader);
  auto const together = time_steps(deck.configuration, repeats);
  cost.kernel = together.kernel;
  cost.seconds_step = together.time.median;
  cost.spread = together.time.spread();
  cost.seconds_waiting = median(together.waiting_share) * cost.seconds_step;
  cost.messages = static_cast<double>(together.traffic.calls);
  cost.bytes_gathered = static_cast<double>(together.traffic.gathered_bytes);
  cost.bytes_exchanged = static_cast<double>(together.traffic.exchanged_bytes);
  return cost;
}

MessageCost message_cost(std::shared_ptr<simulation::Leader> const& leader, int repeats) {
  constexpr std::size_t total_bytes = std::size_t{16} << 20;  // [bytes]
  MessageCost cost;
  if (!leader || leader->ranks().size() == 1) return cost;
  cost.processes = leader->ranks().size();
  std::size_t const bytes_per_rank = total_bytes / cost.processes;
  auto const time_echo = [&](std::size_t bytes) {
    auto seconds = leader->time_gathers(bytes, repeats + 1);
    seconds.erase(seconds.begin());  // the first message includes the set-up
    return median(seconds);
  };
  constexpr std::size_t few_bytes = 8;  // [bytes]
  cost.latency = time_echo(few_bytes);
  double const received = static_cast<double>(bytes_per_rank * (cost.processes - 1));
  cost.bandwidth = received / std::max(time_echo(bytes_per_rank) - cost.latency, 1e-9);
  return cost;
}

Prediction predict(ScalingCost const& measured, MessageCost const& messages,
                   std::size_t processes) {
  auto const count = static_cast<double>(processes);
  auto const alone = static_cast<double>(measured.request.bodies);
  Prediction prediction{};
  prediction.processes = processes;
  prediction.bodies = total_bodies(processes, measured.request);
  double const seconds = measured.seconds_alone * work(measured.request, prediction.bodies) /
                         work(measured.request, alone);
  prediction.seconds_step = seconds / count;
  if (processes > 1 && messages.processes > 1) {
    auto const measured_ranks = static_cast<double>(measured.processes);
    double const more = prediction.bodies / static_cast<double>(measured.bodies);
    // Gathered data: all except the rank's own part comes from other ranks. Partial sums: those of
    // the rank's bodies come from all other ranks.
    double const gathered = more * measured.bytes_gathered * (1.0 - 1.0 / count);
    double const partial =
        more * measured.bytes_exchanged * measured_ranks / (1.0 - 1.0 / measured_ranks);
    double const exchanged = partial * (1.0 - 1.0 / count) / count;
    prediction.seconds_step +=
        measured.messages * messages.latency * hops(processes) / hops(messages.processes) +
        (gathered + exchanged) / messages.bandwidth;
  }
  prediction.rate = work(measured.request, prediction.bodies) / prediction.seconds_step;
  prediction.efficiency = seconds / (count * prediction.seconds_step);
  return prediction;
}

std::string scaling_heading(MessageCost const& messages, bool of_fmm) {
  std::string text;
  if (messages.processes == 1) {
    text +=
        "note: there is one process and nothing to compare it with; put 'mpirun -n 2' before this "
        "command (docs/parallel.md)\n";
  } else {
    text += formatted("messages between %zu ranks: %.3g us each, %.3g GB/s\n", messages.processes,
                      messages.latency * 1e6, messages.bandwidth * 1e-9);
  }
  return text +
         "whole leapfrog steps; alone: rank 0 by itself; waiting: time that rank 0 waits for the "
         "other ranks and their bodies\n\n" +
         formatted("%-7s %9s %9s %-9s %-15s %12s %12s %14s %11s %9s %8s\n", "scaling", "processes",
                   "bodies", "precision", "kernel", "step ms", "alone ms",
                   of_fmm ? "bodies/s" : "interactions/s", "efficiency", "waiting", "spread");
}

std::string scaling_line(ScalingCost const& cost) {
  auto const among_ranks = [&](double share) {
    return cost.processes > 1 ? formatted("%.1f%%", 100.0 * share) : "-";
  };
  return formatted(
      "%-7s %9zu %9zu %-9s %-15s %12.5g %12.5g %14.4g %11s %9s %7.1f%%\n",
      cost.request.scaling == Scaling::strong ? "strong" : "weak", cost.processes, cost.bodies,
      forces::name_of(cost.request.precision).c_str(), cost.kernel.c_str(), cost.seconds_step * 1e3,
      cost.seconds_alone * 1e3, cost.rate(), among_ranks(cost.efficiency()).c_str(),
      among_ranks(cost.seconds_waiting / cost.seconds_step).c_str(), 100.0 * cost.spread);
}

std::string prediction_lines(ScalingCost const& cost, MessageCost const& messages,
                             std::vector<std::size_t> const& processes) {
  double const model_seconds = predict(cost, messages, cost.processes).seconds_step;
  auto text = formatted("  model %9zu ranks: %12.5g ms per step, %+.1f %% of the measured time\n",
                        cost.processes, model_seconds * 1e3,
                        100.0 * (model_seconds / cost.seconds_step - 1.0));
  for (auto const count : processes) {
    auto const prediction = predict(cost, messages, count);
    text += formatted(
        "  model %9zu ranks: %12.5g ms per step of %.0f bodies, %.4g interactions/s, efficiency "
        "%.1f %%\n",
        count, prediction.seconds_step * 1e3, prediction.bodies, prediction.rate,
        100.0 * prediction.efficiency);
  }
  return text;
}

std::string scaling_json(std::vector<ScalingCost> const& costs, MessageCost const& messages,
                         std::vector<std::size_t> const& processes, bool complete) {
  auto environment = environment_record();
  environment.emplace_back("complete", complete);
  environment.emplace_back("message_microseconds", messages.latency * 1e6);
  environment.emplace_back("message_gigabytes_per_second", messages.bandwidth * 1e-9);
  std::vector<files::Record> rows;
  auto const add = [&](ScalingCost const& cost, std::string const& kernel,
                       Prediction const& prediction, files::Record const& more) {
    files::Record row{
        {"kernel", kernel},
        {"scaling", std::string(cost.request.scaling == Scaling::strong ? "strong" : "weak")},
        {"processes", static_cast<std::int64_t>(prediction.processes)},
        {"bodies", static_cast<std::int64_t>(prediction.bodies)},
        {"bodies_alone", static_cast<std::int64_t>(cost.request.bodies)},
        {"precision", forces::name_of(cost.request.precision)},
        {"milliseconds_step", prediction.seconds_step * 1e3},
        {cost.request.fmm_accuracy ? "bodies_per_second" : "interactions_per_second",
         prediction.rate},
        {"efficiency", prediction.efficiency}};
    if (cost.request.fmm_accuracy) row.emplace_back("accuracy", *cost.request.fmm_accuracy);
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
         {"milliseconds_model", predict(cost, messages, cost.processes).seconds_step * 1e3}});
    for (auto const count : processes) add(cost, "model", predict(cost, messages, count), {});
  }
  return files::to_json(environment, rows);
}

}  // namespace apsis::benchmark
