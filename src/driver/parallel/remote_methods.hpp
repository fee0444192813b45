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

/// The part of a follower rank in exchange(), show() and copy_to() of a simulation. These are
/// collective, but only the leader rank uses the result; here it is discarded.
void save_share(Simulation& simulation);
void show_share(Simulation& simulation);
void copy_share(Simulation& simulation, bool accelerations, bool potentials);

/// Tuple type of the arguments of a member function, or of a function after its first argument, a
/// simulation.
template <class Method>
struct ArgumentsOf;
template <class Result, class Class, class... Arguments>
struct ArgumentsOf<Result (Class::*)(Arguments...)> {
  using type = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class Result, class Class, class... Arguments>
struct ArgumentsOf<Result (Class::*)(Arguments...) const> {
  using type = std::tuple<std::remove_cvref_t<Arguments>...>;
};
template <class... Arguments>
struct ArgumentsOf<void (*)(Simulation&, Arguments...)> {
  using type = std::tuple<Arguments...>;
};

/// List of methods that can be called by their index. Arguments are trivially copyable and at most
/// 8 bytes long.
template <auto... methods>
struct RemoteMethods {
  /// Returns the index of a method in the list.
  template <auto method>
  static constexpr std::size_t index() {
    bool const is_same[]{std::is_same_v<Tag<method>, Tag<methods>>...};
    std::size_t position = 0;
    while (!is_same[position]) ++position;  // any other method does not compile
    return position;
  }

  /// Calls the method with this index. `arguments` are packed as by pack().
  static void call(std::size_t index, Simulation& simulation, void const* arguments) {
    constexpr std::array<void (*)(Simulation&, void const*), sizeof...(methods)> calls{
        &call_method<methods>...};
    calls.at(index)(simulation, arguments);
  }

  /// Packs the arguments of a method, 8 bytes each.
  template <auto method, std::size_t size, class... Values>
  static void pack(std::uint64_t (&packed)[size], Values const&... values) {
    typename ArgumentsOf<decltype(method)>::type const arguments(values...);
    static_assert(sizeof...(values) <= size);
    copy(arguments, reinterpret_cast<std::byte*>(packed));
  }

 private:
  template <auto method>
  struct Tag {};

  template <auto method>
  static void call_method(Simulation& simulation, void const* packed) {
    typename ArgumentsOf<decltype(method)>::type arguments{};
    read(arguments, static_cast<std::byte const*>(packed));
    std::apply(
        [&](auto const&... argument) {
          static_cast<void>(std::invoke(method, simulation, argument...));
        },
        arguments);
  }

  template <class... Argument>
  static void copy(std::tuple<Argument...> const& arguments, [[maybe_unused]] std::byte* packed) {
    static_assert(((std::is_trivially_copyable_v<Argument> && sizeof(Argument) <= 8) && ...));
    std::apply(
        [&](auto const&... argument) {
          ((std::memcpy(packed, &argument, sizeof argument), packed += sizeof(std::uint64_t)), ...);
        },
        arguments);
  }
  template <class... Argument>
  static void read(std::tuple<Argument...>& arguments, [[maybe_unused]] std::byte const* packed) {
    std::apply(
        [&](auto&... argument) {
          ((std::memcpy(&argument, packed, sizeof argument), packed += sizeof(std::uint64_t)), ...);
        },
        arguments);
  }
};

/// Collective methods of a simulation.
using SimulationMethods = RemoteMethods<
    &Simulation::advance, &Simulation::set_time_step, &Simulation::reverse_time, &Simulation::mark,
    &Simulation::roll_back, &Simulation::bodies, &Simulation::potential, &Simulation::measure,
    &Simulation::density_centre, &Simulation::closest_approach, &Simulation::pair_distances,
    &Simulation::farthest_body, &Simulation::force_errors, &Simulation::potential_errors,
    &Simulation::coarsest_passage, &Simulation::not_finite, &Simulation::not_finite_measurement,
    &Simulation::time_forces, &Simulation::time_measurements, &Simulation::identity, &save_share,
    &show_share, &copy_share>;

}  // namespace apsis::driver
