// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/contains.hpp"
#include "support/files/hdf5_file.hpp"
#include "support/scratch.hpp"
#include <apsis/core/error.hpp>
#include <apsis/formats/snapshot.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace apsis::testing {

/// Returns the message of the error that an action throws; empty if it throws none.
template <class Action>
std::string complaint(Action const& action, ExitStatus status) {
  try {
    action();
    return "";
  } catch (Error const& error) {
    CHECK(error.status() == status);
    CHECK(error.problems().size() == 1);
    return error.what();
  }
}

inline std::string snapshot_refusal(std::filesystem::path const& path) {
  return complaint([&] { formats::read_snapshot(path); }, ExitStatus::bad_input);
}

/// Writes a file like those of GADGET-2: gas, dark matter with one mass for all, stars; single
/// precision.
inline void write_gadget(Hdf5File& file) {
  file.group("Header")
      .attribute<std::int32_t>("Header", "NumPart_ThisFile", {1, 2, 0, 0, 1, 0})
      .attribute<std::uint32_t>("Header", "NumPart_Total", {1, 2, 0, 0, 1, 0})
      .attribute<std::uint32_t>("Header", "NumPart_Total_HighWord", {0, 0, 0, 0, 0, 0})
      .attribute<double>("Header", "MassTable", {0, 0.25, 0, 0, 0, 0})
      .attribute<double>("Header", "Time", {0.75})
      .attribute<double>("Header", "Redshift", {0.0})
      .attribute<double>("Header", "BoxSize", {100.0})
      .attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {1});
  file.group("PartType0")
      .dataset<float>("PartType0/Coordinates", {1, 3}, {1, 2, 3})
      .dataset<float>("PartType0/Velocities", {1, 3}, {4, 5, 6})
      .dataset<float>("PartType0/Masses", {1}, {0.1F})
      .dataset<float>("PartType0/InternalEnergy", {1}, {9})
      .dataset<std::uint32_t>("PartType0/ParticleIDs", {1}, {4000000000U});
  file.group("PartType1")
      .dataset<float>("PartType1/Coordinates", {2, 3}, {10, 11, 12, 13, 14, 15})
      .dataset<float>("PartType1/Velocities", {2, 3}, {0, 0, 0, 0, 0, 1})
      .dataset<std::uint32_t>("PartType1/ParticleIDs", {2}, {7, 8});
  file.group("PartType4")
      .dataset<double>("PartType4/Coordinates", {1, 3}, {-1, -2, -3})
      .dataset<double>("PartType4/Velocities", {1, 3}, {0, 0, 0})
      .dataset<double>("PartType4/Masses", {1}, {0.5})
      .dataset<std::uint32_t>("PartType4/ParticleIDs", {1}, {9});
}

/// The error of reading a GADGET file with one change.
template <class Change>
std::string refusal_of_gadget(Scratch const& place, Change const& change) {
  {
    Hdf5File file(place / "foreign.hdf5");
    write_gadget(file);
    change(file);
  }
  auto const text = snapshot_refusal(place / "foreign.hdf5");
  CHECK(contains(text, "foreign.hdf5: "));
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

}  // namespace apsis::testing
