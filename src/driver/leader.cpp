// SPDX-License-Identifier: Apache-2.0
#include "share_of_simulation.hpp"
#include <apsis/core/rows.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/transport.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/integrators/collision.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <map>
#include <type_traits>

namespace apsis::driver {

namespace {

/// What the leader tells the others to do, to one of their simulations or all by themselves.
enum class Call : std::uint64_t {
  begin,
  connect,
  release,
  echo,
  make,
  restore,
  forget,
  advance,
  set_time_step,
  turn_back,
  mark,
  go_back,
  save,
  bodies,
  potential,
  measure,
  density_centre,
  closest_pair,
  pair_distances,
  farthest_body,
  force_errors,
  show,
  copy_to,
  not_finite,
  not_finite_measurement,
  time_forces,
  identity,
};

// What Sharing says of yes and no.
constexpr std::uint64_t devices_bit = 1, signals_bit = 2;

struct Told {
  Call call;
  std::uint64_t simulation = 0;
  std::uint64_t numbers[2]{};
  double value = 0.0;
};
static_assert(std::is_trivially_copyable_v<Told>);

void tell(Communicator const& others, Told const& what) {
  of_the_first(others, std::as_bytes(std::span(&what, 1)));
}

Told hear(Communicator const& leader) {
  auto const bytes = of_the_first(leader, {});
  Told what{};
  APSIS_EXPECT(bytes.size() == sizeof what, "what the leader tells is as long as what is heard");
  std::memcpy(&what, bytes.data(), sizeof what);
  return what;
}

std::string text_of_the_first(Communicator const& with, std::string const& text = {}) {
  auto const bytes = of_the_first(with, std::as_bytes(std::span(text)));
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

constexpr char end_of_word = '\0';

std::vector<Member> members_of(Communicator const& with, Member const& own) {
  std::string text;
  for (auto const& word :
       {own.host, own.device, own.address, own.executable, own.words, std::to_string(own.threads),
        std::to_string(own.processors), own.problem}) {
    text += word + end_of_word;
  }
  auto const bytes = with.gather(std::as_bytes(std::span(text)));
  std::string_view rest(reinterpret_cast<char const*>(bytes.data()), bytes.size());
  auto const word = [&] {
    auto const end = rest.find(end_of_word);
    std::string const of(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    return of;
  };
  std::vector<Member> members(with.size());
  for (auto& member : members) {
    member.host = word();
    member.device = word();
    member.address = word();
    member.executable = word();
    member.words = word();
    member.threads = std::stoi(word());
    member.processors = std::stoi(word());
    member.problem = word();
  }
  return members;
}

void expect_own_devices(std::vector<Member> const& members) {
  std::map<std::string, std::size_t> users;
  for (std::size_t k = 0; k < members.size(); ++k) {
    auto const& member = members[k];
    if (member.address.empty()) continue;
    auto const [first, alone] = users.try_emplace(member.host + " " + member.address, k);
    if (alone) continue;
    throw Error(
        ExitStatus::usage,
        Problem{"process " + std::to_string(k) + " (" + member.host + ")", "has no GPU of its own",
                "it would share that of process " + std::to_string(first->second),
                "start one process for each GPU, or give --share-gpus"});
  }
}

/// The time that each gather of so many bytes of each process takes [s].
std::vector<double> echoed(Communicator const& with, std::size_t bytes, int times) {
  Kokkos::View<std::byte*, MemorySpace> const all("apsis::driver::leader::echo",
                                                  bytes * with.size());
  std::vector<std::size_t> begins;
  for (std::size_t k = 0; k <= with.size(); ++k) begins.push_back(k * bytes);
  ExecutionSpace const space;
  std::vector<double> seconds;
  for (int k = 0; k < times; ++k) {
    with.gather({});  // all are here
    auto const begin = std::chrono::steady_clock::now();
    with.transport().gather(space, {all.data(), all.size()}, begins);
    space.fence("apsis::driver::leader: the clock reads an echo");
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return seconds;
}

/// Signals may come to any process: the leader heeds them all.
void hear_of_signals(Communicator const& with) {
  int const own[2]{Signals::stop(), Signals::take_checkpoint_request() ? SIGUSR1 : 0};
  auto const all = gathered(with, std::vector<int>(std::begin(own), std::end(own)));
  if (with.rank() != 0) return;
  for (int const signal : all) {
    if (signal != 0) Signals::pass_on(signal);
  }
}

/// One who looks at nothing.
class NoReader final : public BodiesReader {
 public:
  void read(Context const&, Bodies<float> const&, std::vector<std::uint8_t> const&) override {}
  void read(Context const&, Bodies<double> const&, std::vector<std::uint8_t> const&) override {}
};

/// One whose errors are his own: nobody waits for them.
class CarefulReader final : public BodiesReader {
 public:
  explicit CarefulReader(BodiesReader& to) : to_(to) {}
  void read(Context const& context, Bodies<float> const& bodies,
            std::vector<std::uint8_t> const& species) override {
    pass_on(context, bodies, species);
  }
  void read(Context const& context, Bodies<double> const& bodies,
            std::vector<std::uint8_t> const& species) override {
    pass_on(context, bodies, species);
  }
  std::exception_ptr failed;

 private:
  template <class Real>
  void pass_on(Context const& context, Bodies<Real> const& bodies,
               std::vector<std::uint8_t> const& species) {
    try {
      to_.read(context, bodies, species);
    } catch (...) {
      failed = std::current_exception();
    }
  }
  BodiesReader& to_;
};

Told told_to_copy(std::uint64_t simulation, SnapshotContent const& content) {
  return {Call::copy_to, simulation, {content.accelerations, content.potentials}};
}

/// What the leader does to its own simulation.
void do_the_same(Simulation& of, Told const& told, Communicator const& leader) {
  switch (told.call) {
    case Call::advance:
      of.advance(told.numbers[0], static_cast<Ask>(told.numbers[1]));
      return hear_of_signals(leader);
    case Call::set_time_step:
      return of.set_time_step(told.value);
    case Call::turn_back:
      return of.turn_back();
    case Call::mark:
      return of.mark();
    case Call::go_back:
      return of.go_back();
    case Call::save: {
      SavedState state;
      return of.exchange(state);
    }
    case Call::bodies:
      of.bodies();
      return;
    case Call::potential:
      of.potential();
      return;
    case Call::measure:
      of.measure();
      return;
    case Call::density_centre:
      of.density_centre();
      return;
    case Call::closest_pair:
      of.closest_pair();
      return;
    case Call::pair_distances:
      of.pair_distances();
      return;
    case Call::farthest_body:
      of.farthest_body();
      return;
    case Call::force_errors:
      of.force_errors(told.numbers[0], told.numbers[1]);
      return;
    case Call::show: {
      NoReader nobody;
      return of.show(nobody);
    }
    case Call::copy_to: {
      HostColumns nothing;
      SnapshotContent content;
      content.accelerations = told.numbers[0] != 0;
      content.potentials = told.numbers[1] != 0;
      return of.copy_to(nothing, content);
    }
    case Call::not_finite:
      of.not_finite();
      return;
    case Call::not_finite_measurement:
      of.not_finite_measurement();
      return;
    case Call::time_forces:
      of.time_forces();
      return;
    case Call::identity:
      of.identity();
      return;
    case Call::begin:
    case Call::connect:
    case Call::release:
    case Call::echo:
    case Call::make:
    case Call::restore:
    case Call::forget:
      break;
  }
  APSIS_EXPECT(false, "the leader tells what can be done to a simulation");
}

}  // namespace

/// The leader's simulation: its own bodies, and those of the others.
class SharedSimulation final : public Simulation {
  /// Does what the others are told to do. An exception that does not come to all of them alike
  /// leaves them waiting.
  template <class Act>
  std::invoke_result_t<Act const&> together(Told const& told, Act const& act) const {
    if (leader_.torn_) {
      throw Error(ExitStatus::internal,
                  Problem{"processes", "cannot go on together",
                          "an error came to one in the middle of what they do together",
                          "see what was said before, and resume"});
    }
    tell(*leader_.others_, told);
    struct Torn {
      bool& is;
      bool alike = false;
      int before = std::uncaught_exceptions();
      ~Torn() { is = is || (std::uncaught_exceptions() > before && !alike); }
    } torn{leader_.torn_};
    try {
      return act();
    } catch (integrators::Collision const&) {
      torn.alike = true;
      throw;
    }
  }
  template <class Act>
  std::invoke_result_t<Act const&> together(Call call, Act const& act) const {
    return together(Told{call, number_}, act);
  }

 public:
  /// `make` makes the leader's own, once the others were told.
  template <class Make>
  SharedSimulation(Leader& leader, Told told, Configuration const& run, Make const& make)
      : leader_(leader), number_(leader.made_++) {
    told.simulation = number_;
    told.numbers[1] = run.use_all_threads;
    together(told, [&] {
      text_of_the_first(*leader_.others_, leader_.deck_);
      own_ = make();
    });
  }
  ~SharedSimulation() override {
    own_.reset();
    if (!leader_.torn_) tell(*leader_.others_, {Call::forget, number_});
  }

  std::uint64_t step() const override { return own_->step(); }
  double time() const override { return own_->time(); }
  double G() const override { return own_->G(); }
  std::size_t count() const override { return own_->count(); }
  double time_step() const override { return own_->time_step(); }
  Massless massless() const override { return own_->massless(); }
  double interactions() const override { return own_->interactions(); }
  std::uint64_t integrator_steps() const override { return own_->integrator_steps(); }
  std::string kernel() const override { return own_->kernel(); }
  int threads() const override { return own_->threads(); }
  double bytes() const override { return own_->bytes(); }

  HostBodies const& bodies() override {
    return together(
        Call::bodies, [&]() -> auto& { return own_->bodies(); });
  }
  std::vector<double> const& potential() override {
    return together(
        Call::potential, [&]() -> auto& { return own_->potential(); });
  }
  diagnostics::Measurement const& measure() override {
    return together(
        Call::measure, [&]() -> auto& { return own_->measure(); });
  }
  std::optional<diagnostics::DensityCentre> const& density_centre() override {
    return together(
        Call::density_centre, [&]() -> auto& { return own_->density_centre(); });
  }
  std::optional<diagnostics::ClosestPair> closest_pair() override {
    return together(Call::closest_pair, [&] { return own_->closest_pair(); });
  }
  std::optional<diagnostics::PairDistances> pair_distances() override {
    return together(Call::pair_distances, [&] { return own_->pair_distances(); });
  }
  std::optional<diagnostics::FarthestBody> farthest_body() override {
    return together(Call::farthest_body, [&] { return own_->farthest_body(); });
  }
  diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) override {
    return together({Call::force_errors, number_, {seed, sample}},
                    [&] { return own_->force_errors(seed, sample); });
  }
  void show(BodiesReader& to) override {
    CarefulReader careful(to);
    BodiesReader& reader = careful;
    together(Call::show, [&] { own_->show(reader); });
    if (careful.failed) std::rethrow_exception(careful.failed);
  }
  void copy_to(HostColumns& copies, SnapshotContent const& content) override {
    together(told_to_copy(number_, content), [&] { own_->copy_to(copies, content); });
  }

  void advance(std::uint64_t steps, Ask at_the_end) override {
    together({Call::advance, number_, {steps, static_cast<std::uint64_t>(at_the_end)}}, [&] {
      own_->advance(steps, at_the_end);
      hear_of_signals(*leader_.others_);
    });
  }
  void set_time_step(double time_step) override {
    together({Call::set_time_step, number_, {}, time_step},
             [&] { own_->set_time_step(time_step); });
  }
  void turn_back() override {
    together(Call::turn_back, [&] { own_->turn_back(); });
  }
  std::optional<NotFinite> not_finite() override {
    return together(Call::not_finite, [&] { return own_->not_finite(); });
  }
  NotFinite not_finite_measurement() override {
    return together(Call::not_finite_measurement, [&] { return own_->not_finite_measurement(); });
  }
  void mark() override {
    together(Call::mark, [&] { own_->mark(); });
  }
  void go_back() override {
    together(Call::go_back, [&] { own_->go_back(); });
  }
  void exchange(SavedState& state) override {
    APSIS_EXPECT(!state.restores(), "what is restored is made anew");
    together(Call::save, [&] { own_->exchange(state); });
  }
  double time_forces() override {
    return together(Call::time_forces, [&] { return own_->time_forces(); });
  }
  BodiesIdentity identity() const override {
    return together(Call::identity, [&] { return own_->identity(); });
  }

 private:
  Leader& leader_;
  std::uint64_t number_;
  std::unique_ptr<Simulation> own_;
};

Leader::Leader(std::shared_ptr<Communicator const> others) : others_(std::move(others)) {}

void Leader::begin(Sharing const& how, Member const& own) {
  tell(*others_, {Call::begin,
                  0,
                  {static_cast<std::uint64_t>(how.threads.value_or(0)),
                   (how.share_devices ? devices_bit : 0) | (how.heeds_signals ? signals_bit : 0)}});
  members_ = members_of(*others_, own);
  std::vector<Problem> problems;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    auto const& member = members_[k];
    std::string const who = "process " + std::to_string(k) + " (" + member.host + ")";
    if (!member.problem.empty()) {
      problems.push_back({who, "cannot take part", member.problem, ""});
    } else if (member.words != own.words) {
      problems.push_back({who, "was started with other words",
                          "'" + member.words + "'; process 0 with '" + own.words + "'",
                          "give all processes the same"});
    } else if (member.executable != own.executable) {
      problems.push_back({who, "is another executable",
                          member.executable + "; process 0 is " + own.executable,
                          "start the same one everywhere"});
    } else if (member.device != own.device) {
      problems.push_back(
          {who, "has another device",
           member.device + "; process 0 has " + own.device + ", and bits may depend on it",
           "ask the batch system for machines of one kind"});
    }
  }
  if (!problems.empty()) throw Error(ExitStatus::internal, std::move(problems));
  if (!how.share_devices) expect_own_devices(members_);
  tell(*others_, {Call::connect});
  carrier_ = others_->transport().name();
}

std::string Leader::crowds() const {
  std::map<std::string, std::pair<int, int>> hosts;  // threads, processors
  for (auto const& member : members_) {
    auto& [threads, processors] = hosts[member.host];
    threads += member.threads;
    processors = std::max(processors, member.processors);
  }
  std::string text;
  for (auto const& [host, of] : hosts) {
    if (of.second == 0 || of.first <= of.second) continue;
    text += (text.empty() ? "" : "; ") + host + ": " + std::to_string(of.first) + " threads on " +
            std::to_string(of.second) + " processors";
  }
  return text;
}

std::string Leader::places() const {
  std::map<std::string, std::map<std::string, int>> devices;
  for (auto const& member : members_) ++devices[member.host][member.device];
  std::string text;
  for (auto const& [host, of_host] : devices) {
    for (auto const& [device, count] : of_host) {
      text += (text.empty() ? "" : "; ") + host + ": " + std::to_string(count) + " x " + device;
    }
  }
  return text;
}

std::string Leader::summary() const {
  return std::to_string(members_.size()) + " processes: " + places() + "; bodies move by " +
         carrier_;
}

void share(ConfiguredDeck& deck, std::shared_ptr<Leader> const& leader) {
  deck.configuration.leader = leader;
  if (leader) leader->deck_ = deck.resolved;
}

std::unique_ptr<Simulation> Leader::make(Configuration const& run, HostBodies const& start) {
  return std::make_unique<SharedSimulation>(*this, Told{Call::make, 0, {start.size()}}, run, [&] {
    return make_share(run, others_, start, start.size());
  });
}

std::unique_ptr<Simulation> Leader::restore(Configuration const& run, std::size_t count,
                                            SavedState& state) {
  return std::make_unique<SharedSimulation>(*this, Told{Call::restore, 0, {count}}, run, [&] {
    return restore_share(run, others_, count, state);
  });
}

std::vector<double> Leader::echo(std::size_t bytes, int times) {
  tell(*others_, {Call::echo, 0, {bytes, static_cast<std::uint64_t>(times)}});
  return echoed(*others_, bytes, times);
}

Traffic Leader::traffic() const {
  auto const &of_hosts = others_->traffic(), &of_bodies = others_->transport().traffic();
  return {of_hosts.seconds + of_bodies.seconds, of_hosts.calls + of_bodies.calls,
          of_hosts.gathered_bytes + of_bodies.gathered_bytes,
          of_hosts.exchanged_bytes + of_bodies.exchanged_bytes};
}

void Leader::time_moves(bool timed) const {
  others_->transport().time_moves(timed);
}

void Leader::release(ExitStatus status) {
  tell(*others_, {Call::release, 0, {static_cast<std::uint64_t>(status)}});
}

ExitStatus follow(std::shared_ptr<Communicator const> const& leader,
                  std::function<Member(Sharing const&, std::shared_ptr<void>& kept)> const& begin) {
  std::optional<Signals> signals;
  std::shared_ptr<void> kept;
  std::map<std::uint64_t, std::unique_ptr<Simulation>> simulations;
  for (;;) {
    auto const told = hear(*leader);
    if (told.call == Call::release) {
      simulations.clear();
      return static_cast<ExitStatus>(told.numbers[0]);
    }
    if (told.call == Call::begin) {
      Sharing how;
      if (told.numbers[0] != 0) how.threads = static_cast<int>(told.numbers[0]);
      how.share_devices = (told.numbers[1] & devices_bit) != 0;
      how.heeds_signals = (told.numbers[1] & signals_bit) != 0;
      if (how.heeds_signals && !signals) signals.emplace(-1, Signals::Until::end_of_process);
      Member own;
      try {
        own = begin(how, kept);
      } catch (...) {
        own.problem = error_from(std::current_exception()).what();
      }
      members_of(*leader, own);
    } else if (told.call == Call::connect) {
      leader->transport();
    } else if (told.call == Call::make || told.call == Call::restore) {
      auto run = configure(text_of_the_first(*leader), "the leader's deck", {}, BodiesFiles::leave)
                     .configuration;
      run.use_all_threads = told.numbers[1] != 0;
      SavedState state{std::vector<StateBlock>()};
      auto& made = simulations[told.simulation];
      made = told.call == Call::make ? make_share(run, leader, {}, told.numbers[0])
                                     : restore_share(run, leader, told.numbers[0], state);
    } else if (told.call == Call::echo) {
      echoed(*leader, told.numbers[0], static_cast<int>(told.numbers[1]));
    } else if (told.call == Call::forget) {
      simulations.erase(told.simulation);
    } else {
      try {
        do_the_same(*simulations.at(told.simulation), told, *leader);
      } catch (integrators::Collision const&) {
        // It comes to all alike, and to the leader's caller.
      }
    }
  }
}

}  // namespace apsis::driver
