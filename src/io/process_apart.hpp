// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace apsis::io {

/// One end of a pipe between two processes of one program. Both walk over the same variables in the
/// same order: what one end passes is what the other passed.
class Pipe {
 public:
  /// `longest`: of a text or list that is received [bytes].
  Pipe(int descriptor, bool sends, std::uint64_t longest)
      : descriptor_(descriptor), sends_(sends), longest_(longest) {}

  /// False if the other end is gone or sends what is too long.
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
      return std::all_of(list.begin(), list.end(), [this](T& each) { return pass(each); });
    }
  }

 private:
  bool pass_bytes(void* bytes, std::size_t count);
  template <class List>
  bool pass_length(List& list, std::size_t bytes_each) {
    std::uint64_t length = list.size();
    if (!pass(length) || (!sends_ && length > longest_ / bytes_each)) return false;
    if (!sends_) list.resize(length);
    return true;
  }

  int descriptor_;
  bool sends_;
  std::uint64_t longest_;
};

/// What a process apart may take.
struct ApartLimits {
  std::uint64_t bytes;    ///< memory, more than this process has
  unsigned seconds;       ///< of the clock
  std::uint64_t longest;  ///< text or list that comes back [bytes]
};

/// Does `work` in a process of its own, for libraries that read what strangers wrote: nothing that
/// goes wrong there reaches this process. `found` then passes there what the work has left in
/// variables, and here into the same variables. Returns why that did not come to its end, or
/// nothing. Throws an internal error if a limit of the system (open files, processes, memory) lets
/// no such process be, or end its work. `work` may use malloc and libraries without threads.
std::string in_process_apart(std::function<void()> const& work,
                             std::function<bool(Pipe&)> const& found, ApartLimits const& limits);

}  // namespace apsis::io
