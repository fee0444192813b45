// SPDX-License-Identifier: Apache-2.0
#include "thread_binding.hpp"

#include "core/decimal.hpp"
#include <apsis/core/execution.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <sched.h>
#include <string_view>
#include <vector>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace apsis {

namespace {

bool is_number(std::string_view word, std::uint64_t least) {
  constexpr std::uint64_t most = 0x7fffffff;
  std::uint64_t value = 0;
  return read_decimal(word, value) == Numeral::good && value >= least && value <= most;
}

bool has_positive_numbers(std::string_view list) {
  return all_words(list, [](std::string_view word) { return is_number(word, 1); });
}

bool is_level(std::string_view value) {
  return is_number(trimmed(value), 0);
}

bool is_size(std::string_view value) {
  auto number = trimmed(value);
  constexpr std::string_view units = "bkmgBKMG";
  bool const has_unit = !number.empty() && units.find(number.back()) != units.npos;
  if (has_unit) number.remove_suffix(1);
  std::uint64_t bytes = 0;
  return read_decimal(trimmed(number), bytes) == Numeral::good && bytes > 0;
}

bool has_only(std::string_view list, std::initializer_list<std::string_view> words) {
  return all_words(list, [&](std::string_view word) {
    return std::find(words.begin(), words.end(), lower_case(word)) != words.end();
  });
}

bool is_flag(std::string_view value) {
  return has_only(value, {"true", "false", "1", "0"});
}

bool is_wait_policy(std::string_view value) {
  return has_only(value, {"active", "passive"});
}

bool is_binding(std::string_view value) {
  return has_only(value, {"true", "false", "primary", "master", "close", "spread"});
}

struct Variable {
  std::string_view name;
  bool (*accepts)(std::string_view value);
  char const* accepted;
};

constexpr std::array variables{
    Variable{"OMP_NUM_THREADS", has_positive_numbers, "a whole number from 1"},
    Variable{"OMP_THREAD_LIMIT", has_positive_numbers, "a whole number from 1"},
    Variable{"OMP_MAX_ACTIVE_LEVELS", is_level, "a whole number from 0"},
    Variable{"OMP_STACKSIZE", is_size, "a size such as 4M"},
    Variable{"OMP_DYNAMIC", is_flag, "'true' or 'false'"},
    Variable{"OMP_NESTED", is_flag, "'true' or 'false'"},
    Variable{"OMP_WAIT_POLICY", is_wait_policy, "'active' or 'passive'"},
    Variable{"OMP_PROC_BIND", is_binding, "'true', 'false', 'primary', 'close' or 'spread'"},
};

std::array<char const*, variables.size()> hidden{};  // values, by variable; null: not hidden
char placeholder[] = "APSIS_HIDDEN=";                // replaces a hidden variable

}  // namespace

#if defined(KOKKOS_ENABLE_OPENMP)

namespace {
bool bound = false;  ///< written before any thread calls unbind_this_thread()
cpu_set_t before_binding;
}  // namespace

ThreadBinding::ThreadBinding() {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  wanted_ = true;
  // The OpenMP runtime has read the environment already, so this does not change the binding. It
  // keeps Kokkos from printing its advice to set OMP_PROC_BIND.
  setenv("OMP_PROC_BIND", "false", 0);
}

void ThreadBinding::bind() const {
  cpu_set_t allowed;
  if (!wanted_ || sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  std::vector<int> processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) processors.push_back(cpu);
  }
  if (static_cast<int>(processors.size()) != host_threads()) return;
  before_binding = allowed;
  bound = true;
#pragma omp parallel
  {
    cpu_set_t single;
    CPU_ZERO(&single);
    CPU_SET(processors[static_cast<std::size_t>(omp_get_thread_num())], &single);
    sched_setaffinity(0, sizeof(single), &single);
  }
}

void unbind_this_thread() {
  if (bound) sched_setaffinity(0, sizeof(before_binding), &before_binding);
}

#else

ThreadBinding::ThreadBinding() = default;

void ThreadBinding::bind() const {}

void unbind_this_thread() {}

#endif

bool all_words(std::string_view list, std::function<bool(std::string_view)> const& is_good) {
  for (;;) {
    auto const end = std::min(list.find(','), list.size());
    if (!is_good(trimmed(list.substr(0, end)))) return false;
    if (end == list.size()) return true;
    list.remove_prefix(end + 1);
  }
}

std::vector<RefusedVariable> refused_openmp_variables() {
  std::vector<RefusedVariable> refused;
  for (std::size_t k = 0; k < variables.size(); ++k) {
    auto const& variable = variables[k];
    std::string const name(variable.name);
    char const* const value = hidden[k] != nullptr ? hidden[k] : std::getenv(name.c_str());
    if (value == nullptr || variable.accepts(value)) continue;
    refused.push_back({name, value, variable.accepted});
  }
  return refused;
}

void hide_refused_openmp_variables(char** environment) {
  for (; *environment != nullptr; ++environment) {
    std::string_view const entry = *environment;
    for (std::size_t k = 0; k < variables.size(); ++k) {
      auto const& name = variables[k].name;
      bool const is_this =
          entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
      if (!is_this || variables[k].accepts(entry.substr(name.size() + 1))) continue;
      hidden[k] = *environment + name.size() + 1;
      *environment = placeholder;
      break;
    }
  }
}

}  // namespace apsis
