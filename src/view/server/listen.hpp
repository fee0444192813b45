// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "admission.hpp"
#include "view/server/server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <string>

namespace apsis::view {

/// Makes the acceptor listen at the address of the options; throws the errors of Server.
Endpoint listen(boost::asio::ip::tcp::acceptor& acceptor, ServerOptions const& options);

/// Returns the URL of the page.
std::string url_of(Endpoint const& endpoint);

/// Closes the socket in child processes, so that they do not hold the port or a connection.
void close_in_children(int socket);

}  // namespace apsis::view
