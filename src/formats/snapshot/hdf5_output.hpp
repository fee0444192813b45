// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hdf5_handle.hpp"

#include <memory>

namespace apsis::formats::hdf5 {

/// Output of the library: an open file that belongs to the caller. Failed reads and writes are
/// hidden from the library, because it cannot close a file after one: it would keep the space on
/// the disk and try again when the program ends. After a failure, further output is discarded, and
/// the caller checks `error` at the end.
struct Output {
  int descriptor = -1;  ///< -1: all output is discarded
  int error = 0;        ///< errno of the first call that failed
};

/// File access property for H5Fcreate and H5Fopen, which then ignore the file name.
Handle access_to(std::shared_ptr<Output> const& output);

}  // namespace apsis::formats::hdf5
