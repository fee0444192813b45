// SPDX-License-Identifier: Apache-2.0
#include "fault_plan.hpp"

#include "power_loss.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace apsis::faults {

namespace {

Count local_count;

bool equals(char const* a, char const* b) {
  return std::strcmp(a, b) == 0;
}

__attribute__((constructor)) void begin() {
  read_plan();
}

}  // namespace

Plan plan;
Count* count = &local_count;
std::atomic_flag stopping = ATOMIC_FLAG_INIT;

char const* setting(char const* name) {
  char const* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void read_plan() {
  plan = Plan{};
  plan.under = setting("APSIS_FAULT_UNDER");
  plan.only = setting("APSIS_FAULT_ONLY");
  if (auto const* call = setting("APSIS_FAULT_CALL")) plan.call = std::atol(call);
  if (auto const* byte = setting("APSIS_FAULT_BYTE")) plan.byte = std::atol(byte);
  if (auto const* stops = setting("APSIS_FAULT_STOPS")) {
    char* rest = nullptr;
    plan.first_stop = std::strtol(stops, &rest, 10);
    plan.last_stop = std::strtol(rest, nullptr, 10);
  }
  plan.every_byte = setting("APSIS_FAULT_EVERY") != nullptr;
  char const* kind = setting("APSIS_FAULT");
  if (kind == nullptr) return;
  plan.kind = equals(kind, "kill")     ? Kind::kill
              : equals(kind, "power")  ? Kind::power
              : equals(kind, "eio")    ? Kind::eio
              : equals(kind, "enospc") ? Kind::enospc
              : equals(kind, "full")   ? Kind::full
              : equals(kind, "short")  ? Kind::cut_short
              : equals(kind, "intr")   ? Kind::interrupt
                                       : Kind::none;
}

[[noreturn]] void die() {
  ++count->faults;
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

bool stops_at(long place) {
  return place >= plan.first_stop && place <= plan.last_stop;
}

void stop() {
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
}

Verdict judge_call(int properties) {
  pass_place([] {});
  long const call = ++count->calls;
  bool const is_this_call = plan.kind != Kind::none && call == plan.call;
  bool const is_after_call = plan.kind == Kind::full && plan.call > 0 && call >= plan.call;
  if (!is_this_call && !is_after_call) return Verdict::pass;
  int code = 0;
  switch (plan.kind) {
    case Kind::none:
      return Verdict::pass;
    case Kind::power:
      lose_power();
      die();
    case Kind::kill:
      die();
    case Kind::eio:
      code = EIO;
      break;
    case Kind::enospc:
    case Kind::full:
      if ((properties & needs_space) == 0) return Verdict::pass;
      code = ENOSPC;
      break;
    case Kind::cut_short:
      if ((properties & moves_bytes) == 0) return Verdict::pass;
      ++count->faults;
      return Verdict::half;
    case Kind::interrupt:
      if ((properties & interruptible) == 0) return Verdict::pass;
      code = EINTR;
      break;
  }
  ++count->faults;
  if ((properties & changes_content) != 0 && code != EINTR) ++count->file_faults;
  errno = code;
  return Verdict::fail;
}

}  // namespace apsis::faults
