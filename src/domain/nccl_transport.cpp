// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#if !APSIS_HAS_NCCL

namespace apsis::domain {

std::unique_ptr<Transport> nccl_transport(Communicator const& /*with*/) {
  return nullptr;
}

}  // namespace apsis::domain

#else

#include "probe.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_HIP)
#include <rccl/rccl.h>
#else
#include <nccl.h>
#endif

namespace apsis::domain {

namespace {

void expect_done(ncclResult_t result) {
  if (result == ncclSuccess) return;
  throw Error(ExitStatus::internal,
              Problem{"GPUs", "cannot send bodies to each other", ncclGetErrorString(result),
                      "set NCCL_DEBUG=WARN to see why"});
}

auto stream_of(ExecutionSpace const& space) {
#if defined(KOKKOS_ENABLE_HIP)
  return space.hip_stream();
#else
  return space.cuda_stream();
#endif
}

class NcclTransport final : public Transport {
 public:
  NcclTransport(Communicator const& with, ncclComm_t all)
      : Transport(with.rank(), with.size()), all_(all) {}
  /// What moved has come, or nobody wants it any more. To destroy it instead would wait for the
  /// others, who may wait for this process.
  ~NcclTransport() override { ncclCommAbort(all_); }

  std::string name() const override {
    int version = 0;
    ncclGetVersion(&version);
#if defined(KOKKOS_ENABLE_HIP)
    std::string const library = "RCCL ";
#else
    std::string const library = "NCCL ";
#endif
    return library + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& give,
               std::vector<Incoming> const& take) override {
    auto const stream = stream_of(space);
    expect_done(ncclGroupStart());
    // A group that was begun is ended, whatever failed in it; what is under way has not failed.
    auto result = ncclSuccess;
    auto const note = [&](ncclResult_t of_one) {
      if (result == ncclSuccess && of_one != ncclInProgress) result = of_one;
    };
    for (auto const& message : give) {
      if (message.bytes.empty()) continue;
      note(ncclSend(message.bytes.data(), message.bytes.size(), ncclInt8,
                    static_cast<int>(message.to), all_, stream));
    }
    for (auto const& message : take) {
      if (message.bytes.empty()) continue;
      note(ncclRecv(message.bytes.data(), message.bytes.size(), ncclInt8,
                    static_cast<int>(message.from), all_, stream));
    }
    note(ncclGroupEnd());
    auto failure = ncclSuccess;
    note(ncclCommGetAsyncError(all_, &failure));
    note(failure);
    expect_done(result);
  }

  ncclComm_t all_;
};

/// Where all meet, if the first could arrange it. (nvcc 13.0 crashes on vectors of structs that
/// have no name but a typedef's.)
struct Meeting {
  ncclResult_t result;
  ncclUniqueId id;
};

/// NCCL wants one for each process.
bool each_has_a_device(Communicator const& with) {
  auto const own = host_name() + " " + device_address() + '\0';
  auto const all = with.gather(std::as_bytes(std::span(own)));
  std::string_view rest(reinterpret_cast<char const*>(all.data()), all.size());
  std::set<std::string_view> devices;
  while (!rest.empty()) {
    auto const end = rest.find('\0');
    if (!devices.insert(rest.substr(0, end)).second) return false;
    rest.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

std::unique_ptr<Transport> nccl_transport(Communicator const& with) {
  if (with.size() == 1 || !each_has_a_device(with)) return nullptr;
  std::vector<Meeting> at(with.rank() == 0 ? 1 : 0);
  if (with.rank() == 0) at.front().result = ncclGetUniqueId(&at.front().id);
  at = gathered(with, at);
  if (at.front().result != ncclSuccess) return nullptr;
  ncclComm_t all = nullptr;
  bool const begun = ncclCommInitRank(&all, static_cast<int>(with.size()), at.front().id,
                                      static_cast<int>(with.rank())) == ncclSuccess;
  std::unique_ptr<Transport> by_nccl;
  if (begun) by_nccl = std::make_unique<NcclTransport>(with, all);
  bool const works = all_say(with, begun) && all_say(with, brings_what_is_given(*by_nccl, with));
  return works ? std::move(by_nccl) : nullptr;
}

}  // namespace apsis::domain

#endif
