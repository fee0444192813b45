// SPDX-License-Identifier: Apache-2.0
#include "hdf5_handle.hpp"

#include "files/subprocess.hpp"
#include "files/system_calls.hpp"

#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

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

std::string last_error() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, store_innermost, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "HDF5 reports no reason" : text;
}

namespace {

/// File object of the driver, as the library expects it.
struct File : H5FD_t {
  std::shared_ptr<Output> output;
  haddr_t end_of_addresses = 0;
  haddr_t end_of_file = 0;
};

File* file_of(H5FD_t* file) {
  return static_cast<File*>(file);
}
File const* file_of(H5FD_t const* file) {
  return static_cast<File const*>(file);
}

bool is_discarding(File const& file) {
  return file.output->error != 0 || file.output->descriptor < 0;
}

/// The property list holds a pointer to a shared pointer, which is copied with the list.
void* copy_output(void const* output) {
  return new std::shared_ptr<Output>(*static_cast<std::shared_ptr<Output> const*>(output));
}
herr_t free_output(void* output) {
  delete static_cast<std::shared_ptr<Output>*>(output);
  return 0;
}

H5FD_t* open(char const*, unsigned, hid_t access, haddr_t) {
  auto const* output = static_cast<std::shared_ptr<Output> const*>(H5Pget_driver_info(access));
  if (output == nullptr) return nullptr;
  auto* file = new File{};
  file->output = *output;
  struct stat about {};
  if (::fstat(file->output->descriptor, &about) == 0) {
    file->end_of_file = static_cast<haddr_t>(about.st_size);
  }
  return file;
}

herr_t close(H5FD_t* file) {
  delete file_of(file);
  return 0;
}

herr_t query(H5FD_t const*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_eoa(H5FD_t const* file, H5FD_mem_t) {
  return file_of(file)->end_of_addresses;
}
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  file_of(file)->end_of_addresses = address;
  return 0;
}
haddr_t get_eof(H5FD_t const* file, H5FD_mem_t) {
  return file_of(file)->end_of_file;
}

herr_t read(H5FD_t* opaque, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  File& file = *file_of(opaque);
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0 && !is_discarding(file)) {
    auto const count = ::pread(file.output->descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) file.output->error = errno;
    if (count <= 0) break;
    bytes += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  std::memset(bytes, 0, size);  // zeros beyond the end of the file
  return 0;
}

herr_t write(H5FD_t* opaque, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
             void const* buffer) {
  File& file = *file_of(opaque);
  file.end_of_file = std::max(file.end_of_file, address + size);
  auto const* bytes = static_cast<char const*>(buffer);
  while (size > 0 && !is_discarding(file)) {
    auto const count = ::pwrite(file.output->descriptor, bytes, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      file.output->error = count < 0 ? errno : EIO;
      break;
    }
    bytes += count;
    address += static_cast<haddr_t>(count);
    size -= static_cast<std::size_t>(count);
  }
  return 0;
}

herr_t truncate(H5FD_t* opaque, hid_t, hbool_t) {
  File& file = *file_of(opaque);
  if (file.end_of_file == file.end_of_addresses) return 0;
  file.end_of_file = file.end_of_addresses;
  auto const end = static_cast<off_t>(file.end_of_addresses);
  if (!is_discarding(file) &&
      files::uninterrupted([&] { return ::ftruncate(file.output->descriptor, end); }) != 0) {
    file.output->error = errno;
  }
  return 0;
}

hid_t driver() {
  static hid_t const id = [] {
    H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED);
#endif
    driver.name = "apsis_output";
    driver.maxaddr = HADDR_MAX / 2;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(std::shared_ptr<Output>);
    driver.fapl_copy = copy_output;
    driver.fapl_free = free_output;
    driver.open = open;
    driver.close = close;
    driver.query = query;
    driver.get_eoa = get_eoa;
    driver.set_eoa = set_eoa;
    driver.get_eof = get_eof;
    driver.read = read;
    driver.write = write;
    driver.truncate = truncate;
    return H5FDregister(&driver);
  }();
  return checked(id);
}

}  // namespace

Handle access_to(std::shared_ptr<Output> const& output) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  checked(H5Pset_driver(access, driver(), &output));
  return access;
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
