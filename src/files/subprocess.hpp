// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

/// APSIS_SANITIZED is defined if a sanitizer checks memory (GCC and Clang report this differently).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define APSIS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define APSIS_SANITIZED 1
#endif
#endif

namespace apsis::files {

/// One end of a pipe between two processes of one program. Both ends call pass() for the same
/// variables in the same order: one end sends the values, the other receives them.
class Pipe {
 public:
  /// `longest`: maximum size of a received string or list [bytes].
  Pipe(int descriptor, bool sends, std::uint64_t longest)
      : descriptor_(descriptor), sends_(sends), longest_(longest) {}

  /// Sends or receives a value. Returns false if the other end is closed or sends too much.
  template <class T>
  bool pass(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return pass_bytes(&value, sizeof(T));
  }
  bool pass(std::string& text) {
    return pass_length(text, 1) && pass_bytes(text.data(), text.size());
  }
  template <class T>
  bool pass(std::vector<T>& list) {
    if (!pass_length(list, sizeof(T))) return false;
    if constexpr (std::is_trivially_copyable_v<T>) {
      return pass_bytes(list.data(), list.size() * sizeof(T));
    } else {
      return std::all_of(list.begin(), list.end(), [this](T& value) { return pass(value); });
    }
  }

 private:
  bool pass_bytes(void* bytes, std::size_t count);
  template <class List>
  bool pass_length(List& list, std::size_t element_bytes) {
    std::uint64_t length = list.size();
    if (!pass(length) || (!sends_ && length > longest_ / element_bytes)) return false;
    if (!sends_) list.resize(length);
    return true;
  }

  int descriptor_;
  bool sends_;
  std::uint64_t longest_;
};

struct SubprocessLimits {
  std::uint64_t bytes;    ///< memory in addition to that of this process [bytes]
  unsigned seconds;       ///< wall time [s]
  std::uint64_t longest;  ///< maximum size of a returned string or list [bytes]
};

/// Runs `work` in a subprocess, so that a crash in a library that reads untrusted files cannot harm
/// this process. `transfer` is then called in both processes and passes the same variables: it
/// sends the results from the subprocess and receives them here. Returns an empty string on
/// success, otherwise the reason of the failure. Throws an internal error if a system limit (open
/// files, processes, memory) prevents the subprocess from starting or finishing. `work` may use
/// malloc and libraries without threads.
std::string run_in_subprocess(std::function<void()> const& work,
                              std::function<bool(Pipe&)> const& transfer,
                              SubprocessLimits const& limits);

}  // namespace apsis::files
