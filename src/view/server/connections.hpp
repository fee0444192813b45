// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "admission.hpp"
#include "limits.hpp"
#include "view/server/server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/fields.hpp>
#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace apsis::view {

class Session;
class Viewer;

/// Open connections and settings of a server. Used by the server's thread only.
struct Connections {
  Endpoint endpoint;
  Limits limits;
  bool control = false;
  bool stop = false;
  std::string frame_ancestors = "'none'";  ///< source list of the Content-Security-Policy
  bool closing = false;
  std::set<Session*> sessions;  ///< connections that are not viewers (yet)
  std::set<Viewer*> viewers;
  std::function<void()>
      changed;  ///< called after a connection was opened or closed, or a viewer became ready

  std::size_t count() const { return sessions.size() + viewers.size(); }
};

/// Sets the security headers of every response: the page loads its own files only, no page but the
/// frame ancestors may embed it, none may read it, and nothing is cached.
inline void set_security_headers(boost::beast::http::fields& fields,
                                 std::string const& frame_ancestors) {
  using boost::beast::http::field;
  fields.set("Content-Security-Policy",
             "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; media-src blob:; "
             "base-uri 'none'; form-action 'none'; frame-ancestors " +
                 frame_ancestors);
  fields.set("X-Content-Type-Options", "nosniff");
  fields.set("Referrer-Policy", "no-referrer");
  fields.set("Cross-Origin-Resource-Policy", "same-origin");
  fields.set(field::cache_control, "no-store");
}

/// Closes a listening socket in each child process that fork() makes without a new program: the
/// child has no thread that answers, and would keep the port. Accepted connections stay open there
/// until the child ends. Destroy this object before the socket is closed.
class ClosedInForks {
 public:
  explicit ClosedInForks(int socket);
  ~ClosedInForks();
  ClosedInForks(ClosedInForks const&) = delete;
  ClosedInForks& operator=(ClosedInForks const&) = delete;

 private:
  int socket_;
};

/// Makes the acceptor listen at the address of the options; throws the errors of Server.
Endpoint listen(boost::asio::ip::tcp::acceptor& acceptor, ServerOptions const& options);

/// Returns the URL of the page.
std::string url_of(Endpoint const& endpoint);

/// Closes the socket in child processes, so that they do not hold the port or a connection.
void close_in_children(int socket);

}  // namespace apsis::view
