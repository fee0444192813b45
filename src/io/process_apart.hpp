// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace apsis::io {

/// One end of a pipe between two processes of one program.
class Pipe {
 public:
  explicit Pipe(int descriptor) : descriptor_(descriptor) {}

  /// False if the other end is gone.
  bool send_bytes(void const* bytes, std::size_t count);
  /// False if not all of it came.
  bool receive_bytes(void* bytes, std::size_t count);

  template <class T>
  bool send(T const& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return send_bytes(&value, sizeof(T));
  }
  template <class T>
  bool receive(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return receive_bytes(&value, sizeof(T));
  }
  bool send(std::string const& text) {
    return send(std::uint64_t{text.size()}) && send_bytes(text.data(), text.size());
  }
  /// False also for a text that is longer than that.
  bool receive(std::string& text, std::uint64_t longest);
  template <class T>
  bool send(std::vector<T> const& values) {
    return send_bytes(values.data(), values.size() * sizeof(T));
  }
  /// Fills the vector as it is.
  template <class T>
  bool receive(std::vector<T>& values) {
    return receive_bytes(values.data(), values.size() * sizeof(T));
  }

 private:
  int descriptor_;
};

/// Does something in a process of its own, for libraries that read what strangers wrote: nothing
/// that goes wrong there reaches this process. `work` sends what it finds, as far as `take`
/// receives it; both return whether they came to their end. Returns why they did not, or nothing.
/// `work` may use malloc and libraries without threads, `bytes` more memory than this process has
/// and so many seconds.
std::string in_process_apart(std::function<bool(Pipe&)> const& work,
                             std::function<bool(Pipe&)> const& take, std::uint64_t bytes,
                             unsigned seconds);

}  // namespace apsis::io
