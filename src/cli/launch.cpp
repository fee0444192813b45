// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "core/decimal.hpp"

#include <cstdlib>

namespace apsis::cli {

namespace {

/// Returns the number in an environment variable; 0 if it is not set or not a number.
std::uint64_t number_in(char const* variable) {
  std::uint64_t number = 0;
  auto const* const text = std::getenv(variable);
  return text != nullptr && read_decimal(text, number) == Numeral::good ? number : 0;
}

/// Returns the job step of this process. SLURM_NTASKS is also set in a batch script, which runs
/// once: its step has one task, or gives no number at all.
Launch job_step() {
  for (auto const* variable : {"SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS"}) {
    if (std::getenv(variable) != nullptr) return {number_in(variable), variable};
  }
  constexpr std::uint64_t first_reserved = 0xfffffff0;  // the steps "batch", "interactive", ...
  std::uint64_t step = first_reserved;
  for (auto const* variable : {"SLURM_STEP_ID", "SLURM_STEPID"}) {
    if (auto const* const text = std::getenv(variable)) read_decimal(text, step);
  }
  bool const is_step = step < first_reserved || number_in("SLURM_PROCID") > 0;
  return {is_step ? number_in("SLURM_NTASKS") : 0, "SLURM_NTASKS"};
}

}  // namespace

Launch launch() {
  // Open MPI; MPICH, Intel MPI and srun with PMI; MVAPICH. PMIx has no variable for the number of
  // ranks.
  for (auto const* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
    if (auto const number = number_in(variable); number > 0) return {number, variable};
  }
  if (auto step = job_step(); step.processes > 0) return step;
  // Ranks begin at 0, so any other rank proves that there are several.
  if (std::getenv("PMIX_RANK") != nullptr) return {number_in("PMIX_RANK") + 1, "PMIX_RANK"};
  return {};
}

}  // namespace apsis::cli
