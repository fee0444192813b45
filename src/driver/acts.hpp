// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>

/// Remote calls on the simulations of all ranks: the leader rank sends the index of a method and
/// its arguments, and each follower rank calls the method on its own simulation.
namespace apsis::driver {

/// The part of a follower rank in collective operations whose result only the leader rank writes or
/// shows. Each calls the method of the same name and discards its output.
void save_share(Simulation& of);
void show_share(Simulation& of);
void copy_share(Simulation& of, bool accelerations, bool potentials);

template <class Act>
struct ArgumentsOf;
template <class Result, class Of, class... Arguments>
struct ArgumentsOf<Result (Of::*)(Arguments...)> {
  using type = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Of, class... Arguments>
struct ArgumentsOf<Result (Of::*)(Arguments...) const> {
  using type = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class... Arguments>
struct ArgumentsOf<void (*)(Simulation&, Arguments...)> {
  using type = std::tuple<Arguments...>;
};

template <auto... acts>
struct Acts {
  /// Returns the index of a method in the list.
  template <auto act>
  static constexpr std::size_t number() {
    bool const is[]{std::is_same_v<One<act>, One<acts>>...};
    std::size_t place = 0;
    while (!is[place]) ++place;  // one that is not among them does not compile
    return place;
  }

  /// Calls the method with this index. `arguments` are packed as by pack().
  static void act(std::size_t number, Simulation& of, void const* arguments) {
    constexpr std::array<void (*)(Simulation&, void const*), sizeof...(acts)> all{&one<acts>...};
    all.at(number)(of, arguments);
  }

  template <auto act, std::size_t size, class... Given>
  static void keep(std::uint64_t (&to)[size], Given const&... given) {
    typename ArgumentsOf<decltype(act)>::type const arguments(given...);
    static_assert(sizeof...(given) <= size);
    copy(arguments, reinterpret_cast<std::byte*>(to));
  }

 private:
  template <auto act>
  struct One {};

  template <auto act>
  static void one(Simulation& of, void const* from) {
    typename ArgumentsOf<decltype(act)>::type arguments{};
    read(arguments, static_cast<std::byte const*>(from));
    std::apply([&](auto const&... each) { static_cast<void>(std::invoke(act, of, each...)); },
               arguments);
  }

  template <class... Each>
  static void copy(std::tuple<Each...> const& from, [[maybe_unused]] std::byte* to) {
    static_assert(((std::is_trivially_copyable_v<Each> && sizeof(Each) <= 8) && ...));
    std::apply(
        [&](auto const&... each) {
          ((std::memcpy(to, &each, sizeof each), to += sizeof(std::uint64_t)), ...);
        },
        from);
  }
  template <class... Each>
  static void read(std::tuple<Each...>& to, [[maybe_unused]] std::byte const* from) {
    std::apply(
        [&](auto&... each) {
          ((std::memcpy(&each, from, sizeof each), from += sizeof(std::uint64_t)), ...);
        },
        to);
  }
};

using SharedActs =
    Acts<&Simulation::advance, &Simulation::set_time_step, &Simulation::turn_back,
         &Simulation::mark, &Simulation::go_back, &Simulation::bodies, &Simulation::potential,
         &Simulation::measure, &Simulation::density_centre, &Simulation::closest_approach,
         &Simulation::pair_distances, &Simulation::farthest_body, &Simulation::force_errors,
         &Simulation::potential_errors, &Simulation::coarsest_passage, &Simulation::not_finite,
         &Simulation::not_finite_measurement, &Simulation::time_forces,
         &Simulation::time_measurements, &Simulation::identity, &save_share, &show_share,
         &copy_share>;

}  // namespace apsis::driver
