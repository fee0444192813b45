// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The selected fault, the counters of calls, and the decision about each call.
namespace apsis::faults {

enum class Kind { none, kill, power, eio, enospc, full, cut_short, interrupt };

struct Plan {
  Kind kind = Kind::none;
  long call = 0;
  long byte = -1;
  long first_stop = -1, last_stop = -2;
  bool every_byte = false;
  char const* under = nullptr;
  char const* only = nullptr;
};

/// Counters in shared memory, which the server reads also after the process was killed.
struct Count {
  std::atomic<long> calls{0};
  std::atomic<long> bytes{0};
  std::atomic<long> places{0};  ///< places where a process can be stopped
  std::atomic<long> faults{0};
  std::atomic<long> file_faults{0};  ///< faults after which a file may be incomplete
};

extern Plan plan;
extern Count* count;  ///< local to the process; a server replaces it

/// Value of an environment variable; null if it is unset or empty.
char const* setting(char const* name);
/// Reads the plan from the environment.
void read_plan();

/// Kills the process and counts the fault.
[[noreturn]] void die();

/// Fate of a call.
enum class Verdict { pass, fail, half };
/// Properties of calls: those that need disk space, transfer bytes, can be interrupted by a signal,
/// or decide about the content of a file.
enum Property {
  other = 0,
  needs_space = 1,
  moves_bytes = 2,
  interruptible = 4,
  changes_content = 8
};

/// Whether a stop is requested at a place.
bool stops_at(long place);
/// Stops this thread: a signal to the process could be delivered later, to another thread.
void stop();
extern std::atomic_flag stopping;  ///< whether a thread is at a place

/// Counts a place. If a stop is requested there, calls `prepare` and stops. One thread at a time:
/// one SIGCONT ends all stops, so a second thread that stops meanwhile would go unnoticed.
template <class Prepare>
void pass_place(Prepare const& prepare) {
  if (plan.first_stop < 0) {
    ++count->places;
    return;
  }
  while (stopping.test_and_set(std::memory_order_acquire)) syscall(SYS_sched_yield);
  if (stops_at(count->places++)) {
    prepare();
    stop();
  }
  stopping.clear(std::memory_order_release);
}

/// Counts a call and decides about its fault; sets errno if it fails.
Verdict judge_call(int properties);

}  // namespace apsis::faults
