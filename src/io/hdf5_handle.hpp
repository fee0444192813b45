// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

/// The little of HDF5 that snapshots need. The only room that sees its header.
namespace apsis::io::hdf5 {

/// A call that did not work; what() is the library's own reason in one line.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The library is not thread-safe: whoever uses it holds one of these. It prints nothing, and it
/// loads no filters from a file's word.
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// The innermost reason on the library's stack of errors, which is emptied.
std::string last_error();

/// Throws a Failure for a negative result.
template <class Result>
Result checked(Result result) {
  if (result < 0) throw Failure(last_error());
  return result;
}

/// An identifier of the library with the call that releases it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws a Failure for an identifier that is none.
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
  /// Releases it, and throws a Failure if that does not work.
  void close() { checked(close_(std::exchange(id_, H5I_INVALID_HID))); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

}  // namespace apsis::io::hdf5
