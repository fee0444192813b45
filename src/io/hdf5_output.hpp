// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"

#include <memory>

namespace apsis::io::hdf5 {

/// Where the library writes: an open file that belongs to the caller. The library is never told of
/// a write or a read that failed, because it cannot close a file after one: it would keep its space
/// on the disk and try again when the program ends. It goes on into the void, and the caller asks
/// in the end.
struct Output {
  int descriptor = -1;  ///< -1: everything goes into the void
  int error = 0;        ///< errno of the first call that failed
};

/// File access for H5Fcreate and H5Fopen, whose name is then of no meaning.
Handle access_to(std::shared_ptr<Output> const& output);

}  // namespace apsis::io::hdf5
