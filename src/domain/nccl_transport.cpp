// SPDX-License-Identifier: Apache-2.0
#include "transports.hpp"

#if !APSIS_HAS_NCCL

namespace apsis::domain {

std::unique_ptr<Transport> nccl_transport(Communicator const& /*communicator*/) {
  return nullptr;
}

}  // namespace apsis::domain

#else

#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>

#include <set>
#include <span>
#include <utility>

#if defined(KOKKOS_ENABLE_HIP)
#include <rccl/rccl.h>
#else
#include <nccl.h>
#endif

namespace apsis::domain {

namespace {

/// Throws an error unless the result is success.
void expect_success(ncclResult_t result) {
  if (result == ncclSuccess) return;
  throw Error(ExitStatus::internal,
              Problem{"GPUs", "NCCL communication failed", ncclGetErrorString(result),
                      "set NCCL_DEBUG=WARN to see why"});
}

/// Stream of kernels on `space`. A template, since each type of space has only one of the members.
template <class Space>
auto stream_of(Space const& space) {
  if constexpr (on_hip) {
    return space.hip_stream();
  } else {
    return space.cuda_stream();
  }
}

/// Transport with NCCL or RCCL.
class NcclTransport final : public Transport {
 public:
  NcclTransport(Communicator const& communicator, ncclComm_t nccl)
      : Transport(communicator.rank(), communicator.size()), nccl_(nccl) {}
  /// Aborts the NCCL communicator: messages are complete or no longer needed. ncclCommDestroy()
  /// would wait for the other ranks, which may wait for this rank.
  ~NcclTransport() override { ncclCommAbort(nccl_); }

  std::string name() const override {
    int version = 0;
    ncclGetVersion(&version);
    std::string const library = on_hip ? "RCCL " : "NCCL ";
    return library + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

 private:
  void do_move(ExecutionSpace const& space, std::vector<Outgoing> const& outgoing,
               std::vector<Incoming> const& incoming) override {
    auto const stream = stream_of(space);
    expect_success(ncclGroupStart());
    // The group must be ended even after a failure in it. ncclInProgress is not a failure.
    auto result = ncclSuccess;
    auto const record = [&](ncclResult_t status) {
      if (result == ncclSuccess && status != ncclInProgress) result = status;
    };
    for (auto const& message : outgoing) {
      if (message.bytes.empty()) continue;
      record(ncclSend(message.bytes.data(), message.bytes.size(), ncclInt8,
                      static_cast<int>(message.destination), nccl_, stream));
    }
    for (auto const& message : incoming) {
      if (message.bytes.empty()) continue;
      record(ncclRecv(message.bytes.data(), message.bytes.size(), ncclInt8,
                      static_cast<int>(message.origin), nccl_, stream));
    }
    record(ncclGroupEnd());
    auto failure = ncclSuccess;
    record(ncclCommGetAsyncError(nccl_, &failure));
    record(failure);
    expect_success(result);
  }

  ncclComm_t nccl_;
};

/// NCCL id that rank 0 creates for all ranks, and the result of its creation. (nvcc 13.0 crashes on
/// vectors of structs that are named by a typedef only.)
struct SharedId {
  ncclResult_t result;
  ncclUniqueId id;
};

/// Whether each rank has its own device, which NCCL requires.
bool each_rank_has_own_device(Communicator const& communicator) {
  auto const device = host_name() + " " + device_address() + '\0';
  auto const names = communicator.gather(std::as_bytes(std::span(device)));
  std::string_view rest(reinterpret_cast<char const*>(names.data()), names.size());
  std::set<std::string_view> devices;
  while (!rest.empty()) {
    auto const end = rest.find('\0');
    if (!devices.insert(rest.substr(0, end)).second) return false;
    rest.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace

std::unique_ptr<Transport> nccl_transport(Communicator const& communicator) {
  if (communicator.size() == 1 || !each_rank_has_own_device(communicator)) return nullptr;
  std::vector<SharedId> shared(communicator.rank() == 0 ? 1 : 0);
  if (communicator.rank() == 0) shared.front().result = ncclGetUniqueId(&shared.front().id);
  shared = gather_values(communicator, shared);
  if (shared.front().result != ncclSuccess) return nullptr;
  ncclComm_t nccl = nullptr;
  bool const is_ready =
      ncclCommInitRank(&nccl, static_cast<int>(communicator.size()), shared.front().id,
                       static_cast<int>(communicator.rank())) == ncclSuccess;
  std::unique_ptr<Transport> transport;
  if (is_ready) transport = std::make_unique<NcclTransport>(communicator, nccl);
  bool const works =
      is_true_on_all_ranks(communicator, is_ready) &&
      is_true_on_all_ranks(communicator, delivers_messages(*transport, communicator));
  return works ? std::move(transport) : nullptr;
}

}  // namespace apsis::domain

#endif
