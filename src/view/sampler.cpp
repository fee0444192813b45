// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/row.hpp>
#include <apsis/view/sampler.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

namespace apsis::view {

namespace {

using Index = Kokkos::IndexType<std::size_t>;

/// Frames between two looks at the box.
constexpr unsigned box_lasts = 8;
/// Bodies that are looked at for it.
constexpr std::size_t probes = 4096;

/// Body (j stride) mod count is point j: a stride near the golden section of `count` that shares no
/// divisor with it visits every body once, and spreads the first ones evenly among all.
std::size_t golden_stride(std::size_t count) {
  auto stride = std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(count) * 0.6180339887498949));
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

/// A coordinate within the box, or what says that it is outside.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place_in(double x, double low, double per_length) {
  double const place = (x - low) * per_length;
  bool const inside = place >= 0.0 && place < 65535.0;
  return inside ? static_cast<std::uint64_t>(place) : 65535u;
}

using Probe = Kokkos::View<double* [4], Kokkos::LayoutLeft, PinnedSpace>;

/// Places and squared speeds of the first points.
template <class Real>
void look(ExecutionSpace const& space, Bodies<Real> const& bodies, std::size_t stride,
          std::size_t count, Probe const& probe) {
  auto const position = bodies.position, velocity = bodies.velocity;
  std::size_t const all = bodies.size();
  Kokkos::parallel_for(
      "apsis::view::probe", Kokkos::RangePolicy<ExecutionSpace, Index>(space, 0, count),
      KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = j * stride % all;
        auto const x = row(position, i), v = row(velocity, i);
        probe(j, 0) = x.x;
        probe(j, 1) = x.y;
        probe(j, 2) = x.z;
        probe(j, 3) = dot(v, v);
      });
  space.fence("apsis::view::probe: the host reads it");
}

double median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void Sampler::begin_anew() {
  frames_ = 0;
  species_ = {};
}

template <class Real>
void Sampler::find_box(Context const& context, Bodies<Real> const& bodies) {
  std::size_t const all = bodies.size(), count = std::min(all, probes);
  std::size_t const stride = golden_stride(all);
  if (probe_.extent(0) < count) {
    probe_ = decltype(probe_)(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::probe"),
                              probes);
  }
  auto const probe = probe_;
  look(context.space, bodies, stride, count, probe);
  std::vector<double> values(count);
  double centre[3];
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t j = 0; j < count; ++j) {
      values[j] = std::isfinite(probe(j, axis)) ? probe(j, axis) : 0.0;
    }
    centre[axis] = median(values);
    frame_.centre[static_cast<std::size_t>(axis)] = static_cast<float>(centre[axis]);
  }
  double square = 0.0;
  for (std::size_t j = 0; j < count; ++j) {
    values[j] = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      values[j] = std::max(values[j], std::abs(probe(j, axis) - centre[axis]));
    }
    square += probe(j, 3);
  }
  std::sort(values.begin(), values.end());
  // Few fly far, and the others would share what is left of the sixteen bits.
  constexpr std::size_t few = 256;
  double const most = values.back();
  double const usual = count <= few ? most : values[count * 29 / 30];
  double const half = 1.05 * std::min(most, 16.0 * usual);
  bool const drawable = half > 0.0 && half < 1e37;
  frame_.half = drawable ? static_cast<float>(half) : 1.0F;
  if (frames_ == 0) {
    double const speed = std::sqrt(square / static_cast<double>(count));
    frame_.speed = speed > 0.0 && speed < 1e37 ? static_cast<float>(speed) : 1.0F;
  }
}

std::shared_ptr<Sampler::Points> Sampler::free_points(std::size_t count) {
  for (auto& points : pool_) {
    if (points.use_count() > 1) continue;
    std::atomic_thread_fence(std::memory_order_acquire);  // whoever read it has done so
    if (points->extent(0) < count) {
      *points =
          Points(Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::points"), count);
    }
    return points;
  }
  pool_.push_back(std::make_shared<Points>(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::view::points"), count));
  return pool_.back();
}

template <class Real>
Frame Sampler::take(Context const& context, Bodies<Real> const& bodies,
                    std::vector<std::uint8_t> const& species, std::uint32_t most) {
  std::size_t const all = bodies.size(), count = std::min<std::size_t>(all, most);
  if (count == 0) return {};
  if (frames_ % box_lasts == 0) find_box(context, bodies);
  // They do not change in a run: only those of another snapshot are copied.
  if (species_.extent(0) != species.size() || species_of_ != species.data()) {
    species_of_ = species.data();
    species_ = Column<std::uint8_t>(
        Kokkos::view_alloc(context.space, Kokkos::WithoutInitializing, "apsis::view::species"),
        species.size());
    Kokkos::deep_copy(
        context.space, species_,
        Kokkos::View<std::uint8_t const*, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>(species.data(), species.size()));
  }
  ++frames_;
  auto const memory = free_points(count);
  auto const points = *memory;
  auto const position = bodies.position, velocity = bodies.velocity;
  auto const kind = species_;
  bool const has_kind = kind.extent(0) == all;
  std::size_t const stride = golden_stride(all);
  double const half = frame_.half, per_length = 65536.0 / (2.0 * half);
  Vec3<double> const low{frame_.centre[0] - half, frame_.centre[1] - half, frame_.centre[2] - half};
  double const per_speed = 64.0 / frame_.speed;
  Kokkos::parallel_for(
      "apsis::view::points", Kokkos::RangePolicy<ExecutionSpace, Index>(context.space, 0, count),
      KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = j * stride % all;
        auto const at = row(position, i), v = row(velocity, i);
        auto const x = place_in(at.x, low.x, per_length);
        auto const y = place_in(at.y, low.y, per_length);
        auto const z = place_in(at.z, low.z, per_length);
        bool const inside = x < 65535u && y < 65535u && z < 65535u;
        double const speed = Kokkos::sqrt(dot(v, v)) * per_speed;
        auto const colour = static_cast<std::uint64_t>(speed < 255.0 ? speed : 255.0);
        auto const of = static_cast<std::uint64_t>(has_kind ? kind(i) : 0);
        points(j) = (inside ? x | y << 16 | z << 32 : 0xFFFFFFFFFFFFu) | colour << 48 | of << 56;
      });
  context.space.fence("apsis::view::points: a viewer reads them");
  auto frame = frame_;
  frame.bodies = all;
  frame.points = {reinterpret_cast<Point const*>(points.data()), count};
  frame.memory = memory;
  return frame;
}

template Frame Sampler::take(Context const&, Bodies<float> const&, std::vector<std::uint8_t> const&,
                             std::uint32_t);
template Frame Sampler::take(Context const&, Bodies<double> const&,
                             std::vector<std::uint8_t> const&, std::uint32_t);

}  // namespace apsis::view
