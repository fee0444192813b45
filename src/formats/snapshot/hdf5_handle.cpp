// SPDX-License-Identifier: Apache-2.0
#include "hdf5_handle.hpp"

#include "files/subprocess.hpp"

#ifdef APSIS_SANITIZED
// The library leaks memory when it reads a damaged file.
extern "C" char const* __lsan_default_suppressions();
extern "C" char const* __lsan_default_suppressions() {
  return "leak:libhdf5\nleak:H5O_\nleak:H5S_";
}
#endif

namespace apsis::formats::hdf5 {

namespace {

herr_t store_innermost(unsigned number, H5E_error2_t const* error, void* text) {
  if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

Silence::Silence() {
  checked(H5Eget_auto2(H5E_DEFAULT, &print_, &client_data_));
  checked(H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr));
}

WithoutPlugins::WithoutPlugins() {
  checked(H5PLget_loading_state(&before_));
  checked(H5PLset_loading_state(0));
}

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, store_innermost, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "HDF5 reports no reason" : text;
}

}  // namespace apsis::formats::hdf5

namespace apsis::formats {

std::mutex& hdf5_mutex() {
  static std::mutex mutex;
  return mutex;
}

void disable_hdf5_cleanup() {
  H5dont_atexit();
}

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  hdf5::checked(H5get_libversion(&major, &minor, &release));
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace apsis::formats
