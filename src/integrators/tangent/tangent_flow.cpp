// SPDX-License-Identifier: Apache-2.0
#include "integrators/tangent_flow.hpp"

#include "core/philox.hpp"
#include "forces/with_softening.hpp"

#include <cmath>

namespace apsis::integrators {

void MegnoSum::add(double dt, double growth) {
  double const length = std::abs(dt);
  weighted_ += (elapsed_ + 0.5 * length) * growth;
  elapsed_ += length;
  growth_ += growth;
  double const value = 2.0 * weighted_ / elapsed_;
  sum_ += 0.5 * (last_ + value) * length;
  last_ = value;
}

Megno MegnoSum::value() const {
  if (elapsed_ == 0.0) return {};
  return {last_, sum_ / elapsed_, growth_ / elapsed_};
}

void MegnoSum::exchange(SavedState& state, std::string const& name) {
  state.exchange(name + "/elapsed", elapsed_);
  state.exchange(name + "/growth", growth_);
  state.exchange(name + "/weighted", weighted_);
  state.exchange(name + "/last", last_);
  state.exchange(name + "/sum", sum_);
}

void PairGradients::set(ExecutionSpace const& space, Bodies<double> const& bodies,
                        forces::Gravity const& gravity) {
  space.fence("apsis::integrators::PairGradients: the host reads the bodies");
  auto const on_host = [](auto const& column) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), column);
  };
  auto const mass = on_host(bodies.mass);
  auto const position = on_host(bodies.position);
  count_ = bodies.size();
  sources_.clear();
  for (std::size_t j = 0; j < count_; ++j) {
    if (mass(j) != 0.0) sources_.push_back(j);
  }
  pairs_.clear();
  forces::with_softening(gravity, [&](auto const& law) {
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t const j : sources_) {
        Vec3<double> const r{position(j, 0) - position(i, 0), position(j, 1) - position(i, 1),
                             position(j, 2) - position(i, 2)};
        auto const profile =
            law.profile(forces::Separation<double>{r.x, r.y, r.z, dot(r, r) + law.offset()});
        pairs_.push_back({r, gravity.G * mass(j) * profile.f, profile.g * profile.w});
      }
    }
  });
}

void PairGradients::apply(Displacements const& displacements, Displacements& accelerations) const {
  accelerations.assign(count_, {});
  auto const* pair = pairs_.data();
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t const j : sources_) {
      if (j != i) {
        auto const u = displacements[j] - displacements[i];
        double const rate = pair->stretch * dot(pair->r, u);
        accelerations[i] += pair->factor * (u + rate * pair->r);
      }
      ++pair;
    }
  }
}

TangentFlow::TangentFlow(std::size_t bodies, forces::Gravity const& gravity, std::uint64_t seed)
    : gravity_(gravity) {
  APSIS_EXPECT(bodies <= most_bodies, "too many bodies for a tangent vector");
  std::uint64_t block = 0;
  auto const component = [&] {
    auto const words = philox(block++, 0, seed);
    return 2.0 * unit_interval(words[0], words[1]) - 1.0;
  };
  auto const vector = [&] {
    double const x = component(), y = component(), z = component();
    return Vec3<double>{x, y, z};
  };
  for (std::size_t i = 0; i < bodies; ++i) {
    state_.position.push_back(vector());
    state_.velocity.push_back(vector());
  }
  state_.squared_length = squared_length();
}

void TangentFlow::drift(double dt) {
  for (std::size_t i = 0; i < state_.position.size(); ++i) {
    state_.position[i] += dt * state_.velocity[i];
  }
}

void TangentFlow::kick(ExecutionSpace const& space, Bodies<double> const& bodies, double dt) {
  gradients_.set(space, bodies, gravity_);
  gradients_.apply(state_.position, accelerations_);
  for (std::size_t i = 0; i < state_.velocity.size(); ++i) {
    state_.velocity[i] += dt * accelerations_[i];
  }
}

void TangentFlow::end_step(double dt) {
  double const squared = squared_length();
  state_.sum.add(dt, 0.5 * std::log(squared / state_.squared_length));
  state_.squared_length = squared;
  constexpr int most_doublings = 32;
  if (!std::isfinite(squared) || squared == 0.0) return;
  int const doublings = std::ilogb(squared) / 2;
  if (std::abs(doublings) < most_doublings) return;
  double const factor = std::ldexp(1.0, -doublings);  // exact
  for (auto* vectors : {&state_.position, &state_.velocity}) {
    for (auto& vector : *vectors) vector = factor * vector;
  }
  state_.squared_length = squared_length();
}

double TangentFlow::squared_length() const {
  double sum = 0.0;
  for (auto const* vectors : {&state_.position, &state_.velocity}) {
    for (auto const& vector : *vectors) sum += dot(vector, vector);
  }
  return sum;
}

void TangentFlow::State::exchange(ExecutionSpace const& space, SavedState& saved,
                                  std::string const& name) {
  Kokkos::View<double* [6], Kokkos::LayoutLeft, Kokkos::HostSpace> const rows(
      "apsis::integrators::tangent_flow::rows", position.size());
  auto const for_each_number = [&](auto const& act) {
    for (std::size_t i = 0; i < position.size(); ++i) {
      double* const numbers[6] = {&position[i].x, &position[i].y, &position[i].z,
                                  &velocity[i].x, &velocity[i].y, &velocity[i].z};
      for (int k = 0; k < 6; ++k) act(*numbers[k], rows(i, k));
    }
  };
  for_each_number([](double const& number, double& row) { row = number; });
  saved.exchange_replicated(space, name + "/vector", rows);
  for_each_number([](double& number, double const& row) { number = row; });
  saved.exchange(name + "/squared_length", squared_length);
  sum.exchange(saved, name);
}

}  // namespace apsis::integrators
