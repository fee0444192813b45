// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/thread_binding.hpp>
#include <apsis/driver/snapshots.hpp>

namespace apsis::driver {

template <class Real>
Snapshots<Real>::~Snapshots() = default;

template <class Real>
void Snapshots<Real>::write(ExecutionSpace const&, Bodies<Real> const&, forces::Solver<Real>&,
                            Column<double> const&, bool, std::uint64_t) {
  ++count_;
}

template <class Real>
void Snapshots<Real>::settle() {}

template class Snapshots<float>;
template class Snapshots<double>;

}  // namespace apsis::driver
