// SPDX-License-Identifier: Apache-2.0
#include "integrators/entries.hpp"
#include "massless_orbits.hpp"
#include "planetary_system.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/integrators/step_watch.hpp>

#include <algorithm>
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
    first_ = bodies.first;
    system_ = {};
    massless_ = {};
    step_size_ = 0.0;
  }

  void start(Context const& context, Bodies<double> const& bodies,
             forces::Solver<double>& solver) override {
    prepare(context, bodies);
    G_ = solver.gravity().G;
    time_ = solver.time();
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
    write(context, bodies, 0.0, true);
  }

  /// The path of a step is half a drift, a kick and half a drift.
  bool step_in_parts(Context const& context, Bodies<double> const& bodies,
                     forces::Solver<double>& solver, double dt, StepWatch& watch,
                     double elapsed) override {
    int const parts = parts_of_path(context, bodies, dt, watch);
    if (parts == 1) return false;
    auto const time_of = [&](int k) { return (k - parts) * (dt / parts); };
    for (int k = 1; k <= parts; ++k) {
      if (2 * k == parts + 2) step(context, bodies, solver, dt, nullptr);
      write(context, bodies, 2 * k <= parts ? time_of(k + parts) : time_of(k), k == parts);
      watch.observe_part(context, bodies, forces::BodyRows::all(bodies.size()),
                         elapsed + time_of(k), dt, parts);
    }
    return true;
  }

  std::optional<UnresolvedPassage> unresolved_passage(Context const& context) const override;

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
    system_.set_findings(&findings_, step_size_, time_ + 0.5 * dt);
    system_.drift(0.5 * dt);
    if (options_.is_lazy) {
      system_.kick_lazily(dt);
    } else {
      system_.kick(dt);
    }
    system_.drift(0.5 * dt);
    system_.set_findings(nullptr, 0.0, 0.0);
    time_ += dt;
    return kicks;
  }

  /// Writes the bodies at the end of the last step + `shift` [time], `corrected` by the inverse
  /// corrector; does not affect later steps.
  void write(Context const& context, Bodies<double> const& bodies, double shift, bool corrected) {
    std::size_t const lasting = system_.program().size();
    saved_state_ = system_.state();
    system_.drift(shift);
    if (corrected) corrector_.undo(system_, step_size_);
    system_.finish_drift();
    write_massive(context, bodies);
    if (system_.program().is_recording) {
      advance_massless(context, bodies, lasting, system_.frames());
    }
    system_.state() = saved_state_;
  }

  int parts_of_path(Context const& context, Bodies<double> const& bodies, double dt,
                    StepWatch const& watch) const;
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
  PlanetaryFindings findings_;
  MasslessFindings massless_findings_;
  double time_ = 0.0;                 ///< at the end of the last step [time]
  std::size_t rows_ = 0, first_ = 0;  ///< bodies of this rank, and the index of the first
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
  // Findings remain when the scheme starts anew.
  if (massless_findings_.massive.extent(0) == count) return;
  massless_findings_ = {VectorColumns<double>(label("passage"), count),
                        Column<double>(label("passed_body"), count)};
}

/// Returns a finding of a massless body of this rank: an encounter, or a pericentre.
struct FindingOfRow {
  MasslessFindings findings;
  Kokkos::View<double const*, MemorySpace> indices;  ///< of the sources
  std::size_t first;                                 ///< index of the first body of this rank
  double sign;                                       ///< -1 for pericentres

  KOKKOS_FUNCTION Passage operator()(std::size_t i) const {
    Passage passage;
    double const measure = sign * findings.passage(i, 0);
    if (!(measure > 0.0)) return passage;
    auto const source = static_cast<std::size_t>(findings.massive(i));
    passage.measure = measure;
    passage.distance = findings.passage(i, 1);
    passage.time = findings.passage(i, 2);
    passage.body = first + i;
    passage.massive = static_cast<std::uint64_t>(indices(source));
    return passage;
  }
};

/// The coarsest encounter of massless bodies, then of massive ones, then pericentres.
std::optional<UnresolvedPassage> WisdomHolman::unresolved_passage(Context const& context) const {
  std::vector<double> indices;
  for (auto const index : system_.indices()) indices.push_back(static_cast<double>(index));
  auto const coarsest = [&](bool is_encounter) {
    return fixed_order_sum<Passage>(
        context, "apsis::integrators::wisdom_holman::unresolved_passage",
        massless_findings_.massive.extent(0),
        FindingOfRow{massless_findings_, on_device(indices), first_, is_encounter ? 1.0 : -1.0});
  };
  for (bool const is_encounter : {true, false}) {
    auto const massless = coarsest(is_encounter);
    if (massless.is_known()) return UnresolvedPassage{massless, is_encounter, true};
    auto const& massive = is_encounter ? findings_.encounter : findings_.pericentre;
    if (massive.is_known()) return UnresolvedPassage{massive, is_encounter, false};
  }
  return std::nullopt;
}

/// State of the dominant body, as a sum over the bodies of all ranks.
struct StarState {
  Vec3<double> position{}, velocity{};

  KOKKOS_FUNCTION StarState& operator+=(StarState const& other) {
    position += other.position;
    velocity += other.velocity;
    return *this;
  }
};

struct StarOfRow {
  Bodies<double> bodies;
  std::size_t star;  ///< index among all bodies

  KOKKOS_FUNCTION StarState operator()(std::size_t i) const {
    if (bodies.first + i != star) return {};
    return {row(bodies.position, i), row(bodies.velocity, i)};
  }
};

/// Upper bound of the angle by which a body turns about the dominant body in a step. Below the
/// distance of contact no path is needed.
struct AngleOfBody {
  Bodies<double> bodies;
  StarState star;
  Column<double> radius;
  double star_radius, strength, G, dt;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    auto const r = row(bodies.position, i) - star.position;
    auto const v = row(bodies.velocity, i) - star.velocity;
    double const distance = Kokkos::sqrt(dot(r, r)), span = Kokkos::abs(dt);
    if (!(distance > 0.0)) return 0.0;
    double const own_radius = radius.extent(0) > 0 ? radius(i) : 0.0;
    if (own_radius < 0.0) return 0.0;
    double const mu = strength + G * bodies.mass(i);
    auto const h = cross(r, v);
    double const shape = 1.0 + dot(h, h) * (dot(v, v) - 2.0 * mu / distance) / (mu * mu);
    double const pericentre = dot(h, h) / (mu * (1.0 + Kokkos::sqrt(shape > 0.0 ? shape : 0.0)));
    double const contact = star_radius + own_radius;
    double nearest = pericentre > contact ? pericentre : contact;
    double const speed = Kokkos::sqrt(dot(v, v) + 2.0 * mu / nearest);
    double const bound = dt * dot(r, v) < 0.0 ? distance - speed * span : distance;
    if (bound > nearest) nearest = bound;
    return span * Kokkos::sqrt(2.0 * mu / nearest) / nearest;
  }
};

/// Number of parts of a step in whose cubic paths about the dominant body contacts are found: 1 or
/// even.
int WisdomHolman::parts_of_path(Context const& context, Bodies<double> const& bodies, double dt,
                                StepWatch const& watch) const {
  constexpr double largest_angle = 0.35, most_parts = 1024.0;
  if (!watch.request().paths()) return 1;
  auto const star = system_.indices().front();
  auto const star_state = fixed_order_sum<StarState>(
      context, "apsis::integrators::wisdom_holman::star", bodies.size(), StarOfRow{bodies, star});
  auto const& radius = watch.radius();
  double const star_radius = radius.extent(0) > star ? values_on_host(context, radius)[star] : 0.0;
  double const angle = largest<double>(
      context, "apsis::integrators::wisdom_holman::angle", bodies.size(),
      AngleOfBody{bodies, star_state, radius, star_radius, system_.strengths().front(), G_, dt});
  if (!(angle > largest_angle)) return 1;
  return 2 * static_cast<int>(std::ceil(std::min(0.5 * angle / largest_angle, 0.5 * most_parts)));
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
  // With the state its time and the findings, which most runs do not have.
  auto numbers = system_.state();
  std::size_t const size = numbers.size();
  auto const append = [&](Passage const& passage) {
    for (double const number :
         {passage.measure, passage.distance, passage.time, static_cast<double>(passage.body),
          static_cast<double>(passage.massive)}) {
      numbers.push_back(number);
    }
  };
  numbers.push_back(time_);
  append(findings_.encounter);
  append(findings_.pericentre);
  exchange_all("state", numbers);
  if (state.restores()) {
    auto const* number = numbers.data() + size;
    time_ = *number++;
    for (auto* const passage : {&findings_.encounter, &findings_.pericentre}) {
      *passage = {number[0], number[1], number[2], static_cast<std::uint64_t>(number[3]),
                  static_cast<std::uint64_t>(number[4])};
      number += 5;
    }
    numbers.resize(size);
    system_.state() = std::move(numbers);
  }
  if (!has_massless) return;
  if (state.restores()) allocate_massless(space, rows_);
  // With the positions the findings.
  Kokkos::View<double* [7], Kokkos::LayoutLeft, MemorySpace> const rows(
      Kokkos::view_alloc(space, "apsis::integrators::wisdom_holman::saved"), rows_);
  using Range = Kokkos::pair<std::size_t, std::size_t>;
  auto const position = Kokkos::subview(rows, Kokkos::ALL, Range(0, 3));
  auto const passage = Kokkos::subview(rows, Kokkos::ALL, Range(3, 6));
  auto const massive = Kokkos::subview(rows, Kokkos::ALL, 6);
  Kokkos::deep_copy(space, position, massless_.position);
  Kokkos::deep_copy(space, passage, massless_findings_.passage);
  Kokkos::deep_copy(space, massive, massless_findings_.massive);
  state.exchange(space, "wisdom_holman/position", rows);
  Kokkos::deep_copy(space, massless_.position, position);
  Kokkos::deep_copy(space, massless_findings_.passage, passage);
  Kokkos::deep_copy(space, massless_findings_.massive, massive);
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
  auto const encounter_ratios = system_.encounter_ratios();
  MasslessKernel const kernel{massless_,
                              massless_findings_,
                              bodies,
                              !frames.empty(),
                              lasting,
                              program.size(),
                              program.source_count,
                              program.stride(),
                              on_device(program.numbers),
                              on_device(strengths),
                              on_device(encounter_ratios),
                              step_size_ * step_size_,
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
