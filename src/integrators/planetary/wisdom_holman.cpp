// SPDX-License-Identifier: Apache-2.0
#include "integrators/entries.hpp"
#include "massless_orbits.hpp"
#include "planetary_system.hpp"
#include <apsis/bodies/transfer.hpp>

#include <cmath>

namespace apsis::integrators {

namespace {

struct WisdomHolmanOptions {
  bool is_democratic;
  int corrector;
  bool is_lazy;
};

/// Wisdom-Holman splitting: half a drift along Kepler orbits, a kick by the perturbations, half a
/// drift (Wisdom & Holman 1991, AJ 102, 1528). The coordinates of the map are kept from step to
/// step; synchronise() computes the bodies from a copy. So the half drifts of two steps are one
/// Kepler step, and neither outputs nor watches change a bit.
///
/// The massive bodies are advanced on the host by one thread, on every rank alike. They record a
/// program of drifts and kicks, which the massless bodies execute in one kernel launch.
class WisdomHolman final : public Integrator<double> {
 public:
  explicit WisdomHolman(WisdomHolmanOptions const& options)
      : options_(options), corrector_(options.corrector) {}

  void prepare(ExecutionSpace const& /*space*/, Bodies<double> const& bodies) override {
    rows_ = bodies.size();
    system_ = {};
    massless_ = {};
    step_size_ = 0.0;
  }

  void start(Context const& context, Bodies<double> const& bodies,
             forces::Solver<double>& solver) override {
    prepare(context, bodies);
    G_ = solver.gravity().G;
    extra_forces_ = solver.extra_forces();
    read(context, bodies);
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override;

  void step(Context const& context, Bodies<double> const& bodies, forces::Solver<double>& solver,
            double dt, Column<double> const* /*potential*/) override {
    extra_forces_ = solver.extra_forces();
    system_.set_extra_forces(extra_forces_);
    if (step_size_ != 0.0 && step_size_ != std::abs(dt)) {
      read(context, bodies);
      step_size_ = 0.0;
    }
    std::size_t const kicks = make_step(dt);
    solver.count(static_cast<double>(kicks * system_.size()) * static_cast<double>(bodies.total));
    if (system_.program().numbers.size() > longest_program) {
      advance_massless(context, bodies, system_.program().size(), {});
    }
  }

  /// Does not write the bodies; synchronise() does.
  std::uint64_t step_few(forces::FewBodySums<double>& sums, Bodies<double> const& /*bodies*/,
                         double dt, std::uint64_t steps, double largest_square) override {
    if (system_.program().is_recording) return 0;
    if (step_size_ != 0.0 && step_size_ != std::abs(dt)) return 0;
    std::uint64_t step_count = 0;
    while (step_count < steps) {
      sums.add_evaluations(make_step(dt));
      ++step_count;
      if (!system_.is_within(largest_square)) break;
    }
    return step_count;
  }

  void synchronise(Context const& context, Bodies<double> const& bodies) override {
    std::size_t const lasting = system_.program().size();
    saved_state_ = system_.state();
    corrector_.undo(system_, step_size_);
    system_.finish_drift();
    write_massive(context, bodies);
    if (system_.program().is_recording) {
      advance_massless(context, bodies, lasting, system_.frames());
    }
    system_.state() = saved_state_;
  }

 private:
  /// Numbers of a program after which the massless bodies execute it: it fits a cache.
  static constexpr std::size_t longest_program = 8192;

  /// Makes one step of the map; applies the corrector before the first one. Returns the number of
  /// kicks.
  std::size_t make_step(double dt) {
    std::size_t kicks = options_.is_lazy ? 2 : 1;
    if (step_size_ == 0.0) {
      step_size_ = std::abs(dt);
      corrector_.apply(system_, step_size_);
      kicks += corrector_.kicks();
    }
    system_.drift(0.5 * dt);
    if (options_.is_lazy) {
      system_.kick_lazily(dt);
    } else {
      system_.kick(dt);
    }
    system_.drift(0.5 * dt);
    return kicks;
  }

  void read(Context const& context, Bodies<double> const& bodies);
  void allocate_massless(ExecutionSpace const& space, std::size_t count);
  void write_massive(ExecutionSpace const& space, Bodies<double> const& bodies);
  void advance_massless(ExecutionSpace const& space, Bodies<double> const& bodies,
                        std::size_t lasting, std::vector<double> const& frames);

  WisdomHolmanOptions options_;
  Corrector corrector_;
  double G_ = 1.0;
  double step_size_ = 0.0;  ///< |dt| of the corrector that was applied; 0: none yet [time]
  PlanetarySystem system_;
  forces::ExtraForces const* extra_forces_ = nullptr;
  MasslessOrbits massless_;
  std::size_t rows_ = 0;  ///< bodies of this rank
  std::vector<double> saved_state_, numbers_;
};

/// View of numbers of the host in the memory of the kernels; a copy where that is another memory.
auto on_device(std::vector<double> const& numbers) {
  Kokkos::View<double const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      host(numbers.data(), numbers.size());
  return Kokkos::create_mirror_view_and_copy(MemorySpace(), host);
}

/// Reads the bodies at a synchronised time. Collective; fences.
void WisdomHolman::read(Context const& context, Bodies<double> const& bodies) {
  auto const host = to_host(context.space, bodies);
  std::vector<MassiveBody> massive;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (!(host.mass[i] > 0.0)) continue;
    massive.push_back({host.mass[i], host.position[i], host.velocity[i], bodies.first + i});
  }
  massive = gather_values(context, std::move(massive));
  std::vector<double> masses;
  for (auto const& body : massive) masses.push_back(body.mass);
  check_dominant_body(masses);
  system_ = PlanetarySystem(G_, options_.is_democratic, std::move(massive));
  system_.set_extra_forces(extra_forces_);
  system_.program().is_recording = system_.size() < bodies.total;
  if (!system_.program().is_recording) return;
  allocate_massless(context.space, host.size());
  auto const position = Kokkos::create_mirror_view(massless_.position);
  auto const velocity = Kokkos::create_mirror_view(massless_.velocity);
  auto const frame = Kokkos::create_mirror_view(massless_.frame);
  auto const frames = system_.frames();
  for (std::size_t i = 0; i < host.size(); ++i) {
    bool const is_massless = !(host.mass[i] > 0.0);
    frame(i) = is_massless ? system_.frame_of(host.position[i], host.velocity[i]) : 0;
    double const* const origin = frames.data() + 6 * frame(i);
    auto const& x = host.position[i];
    auto const& v = host.velocity[i];
    double const components[]{x.x, x.y, x.z, v.x, v.y, v.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      position(i, axis) = is_massless ? components[axis] - origin[axis] : 0.0;
      velocity(i, axis) = is_massless ? components[3 + axis] - origin[3 + axis] : 0.0;
    }
  }
  Kokkos::deep_copy(context.space, massless_.position, position);
  Kokkos::deep_copy(context.space, massless_.velocity, velocity);
  Kokkos::deep_copy(context.space, massless_.frame, frame);
  context.space.fence("apsis::integrators::wisdom_holman: the mirrors are freed on return");
}

void WisdomHolman::allocate_massless(ExecutionSpace const& space, std::size_t count) {
  auto const label = [&](char const* name) {
    return Kokkos::view_alloc(space, std::string("apsis::integrators::wisdom_holman::") + name);
  };
  massless_ = {VectorColumns<double>(label("position"), count),
               VectorColumns<double>(label("velocity"), count),
               Kokkos::View<int*, MemorySpace>(label("frame"), count)};
}

void WisdomHolman::exchange(ExecutionSpace const& space, SavedState& state) {
  auto masses = system_.masses();
  auto indices = system_.indices();
  bool has_massless = system_.program().is_recording;
  std::uint64_t count = masses.size();
  state.exchange("wisdom_holman/massive", count);
  state.exchange("wisdom_holman/has_massless", has_massless);
  state.exchange("wisdom_holman/G", G_);
  state.exchange("wisdom_holman/step_size", step_size_);
  masses.resize(count);
  indices.resize(count);
  Kokkos::DefaultHostExecutionSpace const host;
  auto const exchange_all = [&](std::string const& name, auto& numbers) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    state.exchange_replicated(
        host, "wisdom_holman/" + name,
        Kokkos::View<Number*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            numbers.data(), numbers.size()));
  };
  exchange_all("masses", masses);
  exchange_all("indices", indices);
  if (state.restores()) {
    system_ = PlanetarySystem(G_, options_.is_democratic, std::move(masses), std::move(indices));
    system_.program().is_recording = has_massless;
  }
  exchange_all("state", system_.state());
  if (!has_massless) return;
  if (state.restores()) allocate_massless(space, rows_);
  state.exchange(space, "wisdom_holman/position", massless_.position);
  state.exchange(space, "wisdom_holman/velocity", massless_.velocity);
  state.exchange(space, "wisdom_holman/frame", massless_.frame);
}

/// Writes bodies: for each its row, position and velocity.
struct WriteRows {
  Bodies<double> bodies;
  Kokkos::View<double const*, MemorySpace> numbers;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    double const* const body = numbers.data() + 7 * i;
    auto const row = static_cast<std::size_t>(body[0]);
    for (int axis = 0; axis < 3; ++axis) {
      bodies.position(row, axis) = body[1 + axis];
      bodies.velocity(row, axis) = body[4 + axis];
    }
  }
};

/// Writes the massive bodies of this rank.
void WisdomHolman::write_massive(ExecutionSpace const& space, Bodies<double> const& bodies) {
  numbers_.clear();
  for (auto const& body : system_.bodies()) {
    if (body.index < bodies.first || body.index >= bodies.first + bodies.size()) continue;
    auto const& x = body.position;
    auto const& v = body.velocity;
    auto const row = static_cast<double>(body.index - bodies.first);
    for (double const number : {row, x.x, x.y, x.z, v.x, v.y, v.z}) numbers_.push_back(number);
  }
  for_each_body(space, "apsis::integrators::wisdom_holman::write_massive", numbers_.size() / 7,
                WriteRows{bodies, on_device(numbers_)});
}

/// Executes the recorded program and clears it: `lasting` instructions for good, then the others
/// for what is written to the bodies, if there are `frames`.
void WisdomHolman::advance_massless(ExecutionSpace const& space, Bodies<double> const& bodies,
                                    std::size_t lasting, std::vector<double> const& frames) {
  auto& program = system_.program();
  auto const strengths = system_.strengths();
  MasslessKernel const kernel{massless_,
                              bodies,
                              !frames.empty(),
                              lasting,
                              program.size(),
                              program.source_count,
                              program.stride(),
                              on_device(program.numbers),
                              on_device(strengths),
                              on_device(frames)};
  for_each_body(space, "apsis::integrators::wisdom_holman::advance_massless",
                MasslessKernel::calls(bodies.size()), kernel);
  program.numbers.clear();
}

WisdomHolmanOptions wisdom_holman_options(Values const& values) {
  return {values.text("coordinates") == "democratic", static_cast<int>(values.integer("corrector")),
          values.text("kernel") == "lazy"};
}

std::vector<Problem> check_options(Values const& values) {
  std::vector<Problem> problems;
  auto const corrector = values.integer("corrector");
  if (corrector != 0 && (corrector < 3 || corrector % 2 == 0)) {
    problems.push_back({"corrector", "no such order", "correctors have odd orders",
                        "give 0, 3, 5, 7, 9, 11, 13, 15 or 17"});
  }
  if (values.text("coordinates") != "democratic") return problems;
  std::string const why = "democratic coordinates split the step in another way";
  if (corrector != 0) {
    problems.push_back({"corrector", "contradicts coordinates", why,
                        "set corrector to 0 or coordinates to 'jacobi'"});
  }
  if (values.text("kernel") == "lazy") {
    problems.push_back({"kernel", "contradicts coordinates", why,
                        "set kernel to 'standard' or coordinates to 'jacobi'"});
  }
  return problems;
}

}  // namespace

IntegratorEntry wisdom_holman_entry() {
  IntegratorEntry method{
      "wisdom_holman",
      "Wisdom & Holman 1991: Kepler orbits about a dominant body and kicks: order 2, symplectic",
      2,
      {choice("coordinates", {"jacobi", "democratic"},
              "jacobi: orbits about the centre of mass of the inner bodies; democratic: orbits "
              "about the dominant body, for orbits that cross")
           .with_default(std::string("jacobi")),
       integer("corrector",
               "order of the symplectic corrector, 0 (none) or 3, 5 ... 17; costs "
               "2 (order - 1) kicks and drifts per time_step")
           .at_least(0)
           .at_most(17)
           .with_default(std::int64_t{0}),
       choice("kernel", {"standard", "lazy"},
              "lazy: a second force evaluation per step removes an error term; for use with a "
              "corrector")
           .with_default(std::string("standard")),
       integer("substeps", "steps in each time_step; bodies are synchronised after the last one")
           .at_least(1)
           .at_most(100000)
           .with_default(std::int64_t{1})},
      [](Values const&) -> std::unique_ptr<Integrator<float>> {
        APSIS_EXPECT(false, "the scheme needs double precision");
      },
      [](Values const& values) {
        return std::make_unique<WisdomHolman>(wisdom_holman_options(values));
      },
      true,
      true,
      2};
  method.needs_double = true;
  method.needs_dominant_body = true;
  method.extra_forces.massless = false;
  method.check = check_options;
  method.check_masses = check_dominant_body;
  method.cite = {"WisdomHolman1991", "WisdomHernandez2015"};
  return method;
}

}  // namespace apsis::integrators
