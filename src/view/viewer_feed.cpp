// SPDX-License-Identifier: Apache-2.0
#include "view/viewer_feed.hpp"

#include "apsis/view/simulation_view.hpp"
#include "view/sampler.hpp"
#include "view/server/server.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/forces/precision.hpp>
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <utility>

namespace apsis::view {

namespace {

/// Points of the first frame, which is ready before a viewer requests one.
constexpr std::uint32_t first_frame_points = 65536;
constexpr std::chrono::milliseconds min_frame_interval{16};
constexpr std::chrono::milliseconds state_interval{250};
/// Minimum interval between frames, in units of the time of the last frame.
constexpr int frame_cost_factor = 9;

/// Returns the wall time of `work`, without that of kernels that were launched before.
template <class Work>
std::chrono::steady_clock::duration measure_time(Context const& context, Work const& work) {
  context.space.fence("apsis::view: only the frame's own time counts");
  auto const begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - begin;
}

}  // namespace

view::Hello make_hello(deck::Configuration const& run, std::string const& title) {
  view::Hello hello;
  hello.title = title;
  hello.bodies = run.bodies.count();
  hello.backend = build_info().backend;
  hello.device = device_name();
  hello.precision = name_of(run.gravity.precision);
  hello.integrator = run.integrator.entry->name;
  hello.units = run.units;
  hello.end_time = run.time(run.steps);
  hello.energy_limit = run.limits.max_relative_energy_error;
  hello.momentum_limit = run.limits.max_momentum_error;
  return hello;
}

ViewerFeed::ViewerFeed(view::Server& server)
    : server_(server), sampler_(std::make_unique<view::Sampler>()) {}

ViewerFeed::~ViewerFeed() = default;

void ViewerFeed::discard_commands() {
  command_.reset();
  while (server_.take()) {
  }
  note_.clear();
  frame_needed_ = false;
}

void ViewerFeed::begin(view::Hello const& hello, double flops) {
  server_.clear("conservation");
  server_.say("hello", view::text_of(hello));
  sampler_->reset();
  flops_ = flops;
  points_ = first_frame_points;
  start_ = sent_ = Clock::now();
  status_ = {};
  described_ = false;
  interactions_ = 0.0;
  steps_taken_ = 0;
  active_seconds_ = active_steps_ = active_interactions_ = 0.0;
}

void ViewerFeed::count_from(std::uint64_t step, double interactions) {
  sent_ = Clock::now();
  steps_taken_ = step;
  interactions_ = interactions;
}

bool ViewerFeed::has_command() {
  if (!command_) command_ = server_.take();
  return command_.has_value();
}

std::optional<view::Command> ViewerFeed::take() {
  auto command = command_ ? std::exchange(command_, std::nullopt) : server_.take();
  using Kind = view::Command::Kind;
  if (command) frame_needed_ = command->kind == Kind::pause || command->kind == Kind::single_step;
  return command;
}

bool ViewerFeed::is_interval_over() const {
  // However many points the viewers request, most of the time is left for the run.
  auto const interval = std::max<Clock::duration>(min_frame_interval, frame_cost_factor * cost_);
  return Clock::now() - frame_sent_ >= interval;
}

bool ViewerFeed::is_frame_due() {
  auto const requested_points = server_.wanted_points();
  bool const is_ready = requested_points > 0 && is_interval_over();
  if (requested_points > 0) points_ = requested_points;
  return is_ready || frame_needed_;
}

void ViewerFeed::describe(double G, HostBodies const& bodies) {
  view::SystemFacts facts{.G = G};
  if (bodies.size() <= view::max_detailed_bodies && !bodies.name.empty()) {
    facts.ids = bodies.id;
    facts.names = bodies.name;
  }
  server_.say("system", view::text_of(facts));
  described_ = true;
}

void ViewerFeed::offer(view::Setup const& setup) {
  server_.say("setup", view::text_of(setup));
}

void ViewerFeed::show(simulation::Instant& now) {
  if (!described_) {
    bool const is_detailed = now.count() <= view::max_detailed_bodies;
    describe(now.G(), is_detailed ? now.bodies() : HostBodies());
  }
  view::Frame frame;
  on_whole(now, [&](Context const& context, auto const& bodies, auto const& species) {
    cost_ =
        measure_time(context, [&] { frame = sampler_->take(context, bodies, species, points_); });
  });
  publish(std::move(frame), now.step(), now.time());
}

void ViewerFeed::show(Context const& context, Bodies<double> const& bodies,
                      std::vector<std::uint8_t> const& species, ViewedState const& moment) {
  view::Frame frame;
  cost_ = measure_time(context, [&] { frame = sampler_->take(context, bodies, species, points_); });
  publish(std::move(frame), moment.step, moment.time);
}

void ViewerFeed::publish(view::Frame frame, std::uint64_t step, double time) {
  frame.step = step;
  frame.time = time;
  server_.publish(std::move(frame));
  frame_sent_ = Clock::now();
  frame_needed_ = false;
}

void ViewerFeed::add(double time, diagnostics::Conservation const& conserved) {
  auto const& first = *conserved.first;
  auto const& last = conserved.last;
  add({time, conserved.relative_energy_error, norm(last.momentum - first.momentum),
       norm(last.angular_momentum - first.angular_momentum)});
}

void ViewerFeed::add(view::ConservedPoint const& point) {
  server_.append("conservation", view::text_of(point));
}

void ViewerFeed::send_state(simulation::Instant const& now, view::State::Status status) {
  send_state({now.step(), 0, now.time(), now.interactions()}, status);
}

void ViewerFeed::send_state(ViewedState const& moment, view::State::Status status) {
  auto const present = Clock::now();
  bool const is_changed = status_ != status || !note_.empty();
  if (!is_changed && present - sent_ < state_interval) return;
  auto const seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  double const elapsed = seconds(present - sent_);
  view::State state{.status = status,
                    .step = moment.step,
                    .steps = moment.steps,
                    .time = moment.time,
                    .wall_seconds = seconds(present - start_),
                    .message = std::exchange(note_, {})};
  bool const is_active = status_ != view::State::Status::paused && moment.step >= steps_taken_;
  double const steps = static_cast<double>(moment.step - steps_taken_);
  double const interactions = moment.interactions - interactions_;
  if (is_active) {
    active_seconds_ += elapsed;
    active_steps_ += steps;
    active_interactions_ += interactions;
  }
  auto const set_rates = [&](double step_count, double interaction_count, double duration) {
    if (!(duration > 0.0)) return;
    state.steps_per_second = step_count / duration;
    state.interactions_per_second = interaction_count / duration;
    state.flops = state.interactions_per_second * flops_;
  };
  if (status == view::State::Status::finished)
    set_rates(active_steps_, active_interactions_, active_seconds_);
  if (status == view::State::Status::running && is_active) set_rates(steps, interactions, elapsed);
  server_.say("state", view::text_of(state));
  status_ = status;
  sent_ = present;
  interactions_ = moment.interactions;
  steps_taken_ = moment.step;
}

void ViewerFeed::end(view::Over const& over) {
  server_.say("over", view::text_of(over));
}

struct SimulationView::View {
  explicit View(ServerOptions const& options) : server(options) {}

  void show(simulation::Instant& now) {
    feed.show(now);
    shown_step = now.step();
    shown_time = now.time();
  }

  Server server;
  ViewerFeed feed{server};
  diagnostics::Conservation conservation;
  bool followed = false;  ///< follow() was called since the last arrive()
  std::uint64_t shown_step = 0;
  double shown_time = 0.0;  ///< of the last frame [time]
};

SimulationView::SimulationView(deck::Configuration const& run, simulation::Instant& now,
                               ServerOptions const& options)
    : view_(std::make_unique<View>(options)) {
  restart(run, now);
}

SimulationView::~SimulationView() = default;

std::string SimulationView::url() const {
  return view_->server.url();
}

std::size_t SimulationView::viewers() const {
  return view_->server.viewers();
}

void SimulationView::restart(deck::Configuration const& run, simulation::Instant& now) {
  auto hello = make_hello(run, run.title.empty() ? "simulation" : run.title);
  // The program decides when it ends, and no limit judges it.
  hello.end_time.reset();
  hello.energy_limit.reset();
  hello.momentum_limit.reset();
  auto& feed = view_->feed;
  feed.begin(hello, forces::field_flops(run.gravity.precision, run.integrator.entry->derivatives));
  feed.count_from(now.step(), now.interactions());
  view_->conservation = {};
  view_->show(now);
  view_->feed.send_state(now, State::Status::paused);
}

void SimulationView::follow(simulation::Instant& now) {
  view_->followed = true;
  if (view_->feed.is_frame_due()) view_->show(now);
  view_->feed.send_state(now, State::Status::running);
}

void SimulationView::arrive(simulation::Instant& now) {
  if (view_->followed) {
    rest(now);
  } else if (view_->feed.is_interval_over()) {
    view_->show(now);
    view_->feed.send_state(now, State::Status::running);
  }
  view_->followed = false;
}

void SimulationView::rest(simulation::Instant& now) {
  if (now.step() != view_->shown_step || now.time() != view_->shown_time) view_->show(now);
  view_->feed.send_state(now, State::Status::paused);
}

void SimulationView::add_measurement(simulation::Instant& now) {
  auto const& measurement = now.measure();
  if (!measurement.is_finite()) return;
  view_->conservation.add(measurement);
  view_->feed.add(now.time(), view_->conservation);
}

void SimulationView::end(std::string const& message) {
  view_->feed.end({message, Over::Verdict::unjudged});
}

}  // namespace apsis::view
