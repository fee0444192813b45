// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/snapshot.hpp>

#include <hdf5.h>
#include <memory>
#include <stdexcept>
#include <utility>

/// Wrapper of the part of HDF5 that snapshots need. Only src/io includes the header of HDF5.
namespace apsis::formats::hdf5 {

/// A failed call of the library; what() is the library's reason in one line.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The innermost error on the error stack of the library. Clears the stack.
std::string last_error();

/// Throws a Failure for a negative result.
template <class Result>
Result checked(Result result) {
  if (result < 0) throw Failure(last_error());
  return result;
}

/// Suppresses the error output of the library during its lifetime.
class Silence {
 public:
  Silence() {
    checked(H5Eget_auto2(H5E_DEFAULT, &print_, &client_data_));
    checked(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
  }
  Silence(Silence const&) = delete;
  Silence& operator=(Silence const&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, client_data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* client_data_ = nullptr;
};

/// Prevents the library from loading filter plugins that a file names, during its lifetime.
class WithoutPlugins {
 public:
  WithoutPlugins() {
    checked(H5PLget_loading_state(&before_));
    checked(H5PLset_loading_state(0));
  }
  WithoutPlugins(WithoutPlugins const&) = delete;
  WithoutPlugins& operator=(WithoutPlugins const&) = delete;
  ~WithoutPlugins() { H5PLset_loading_state(before_); }

 private:
  unsigned before_ = 0;
};

/// Exclusive and silent use of the library. Held by all code that calls it in this process.
struct Session {
  std::lock_guard<std::mutex> const lock{hdf5_mutex()};
  Silence const silence;
};

/// Owner of an identifier of the library, with the call that releases it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws a Failure for an invalid identifier.
  Handle(hid_t id, Close release) : id_(checked(id)), close_(release) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  operator hid_t() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  void close() { checked(close_(std::exchange(id_, H5I_INVALID_HID))); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

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
