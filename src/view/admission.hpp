// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace apsis::view {

/// What a server is reached by.
struct Entrance {
  std::string address;  ///< as a URL has it: an IPv6 address in brackets
  std::uint16_t port;
  bool loopback;
  std::string token;  ///< none is asked for if it is empty
};

/// What a request says of itself; empty where it says nothing.
struct Arrival {
  std::string_view host, origin, target, cookie;
};

/// The part of a request's target that names a file.
std::string_view path_of(std::string_view target);

/// Whether the Host is one by which a browser finds a loopback server, at any port, since a tunnel
/// from another machine may begin at any: a page elsewhere whose name was made to lead here (DNS
/// rebinding) has its own. Beyond loopback a machine has names that it does not know, and the token
/// decides.
bool host_fits(Entrance const& entrance, std::string_view host);

/// Whether the Origin, if there is one, is the page that the Host served, be it through a proxy
/// that speaks TLS.
bool origin_fits(std::string_view origin, std::string_view host);

/// Whether the request's query (?token=...) or the cookie that the page's own requests carry has
/// the token. In a time that does not depend on what is wrong with it.
bool token_fits(Entrance const& entrance, std::string_view target, std::string_view cookie);

/// The cookie's name: browsers do not keep those of two ports apart.
std::string cookie_name(Entrance const& entrance);

bool admitted(Entrance const& entrance, Arrival const& arrival);

}  // namespace apsis::view
