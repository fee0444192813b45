// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/snapshot.hpp>

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

/// While it lives the library prints no errors; then it does as before.
class Silence {
 public:
  Silence();
  Silence(Silence const&) = delete;
  Silence& operator=(Silence const&) = delete;
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, to_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* to_ = nullptr;
};

/// While it lives the library loads no filters on a file's word; then it does as before.
class WithoutPlugins {
 public:
  WithoutPlugins();
  WithoutPlugins(WithoutPlugins const&) = delete;
  WithoutPlugins& operator=(WithoutPlugins const&) = delete;
  ~WithoutPlugins() { H5PLset_loading_state(before_); }

 private:
  unsigned before_ = 0;
};

/// Whoever uses the library in this process holds one of these.
struct Session {
  std::lock_guard<std::mutex> const alone{hdf5_mutex()};
  Silence const silence;
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
