// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "admission.hpp"
#include <apsis/view/server.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <string>

namespace apsis::view {

/// Makes the acceptor listen where the options say; errors as Server says.
Entrance listen(boost::asio::ip::tcp::acceptor& acceptor, ServerOptions const& options);

/// Where a browser finds it.
std::string url_of(Entrance const& entrance);

/// What this process starts later does not keep the port or a viewer.
void close_in_children(int socket);

}  // namespace apsis::view
