// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace apsis::view {

struct Endpoint {
  std::string address;  ///< as in a URL: an IPv6 address in brackets
  std::uint16_t port;
  bool loopback;
  std::string token;    ///< empty: none is required
  bool framed = false;  ///< other pages may show the page in a frame
};

/// Headers of a request that decide about admission; empty if absent.
struct RequestHeaders {
  std::string_view host, origin, target, cookie;
};

/// Returns the path of a request's target, without the query.
std::string_view path_of(std::string_view target);

/// Whether the Host is a name by which a browser reaches a loopback server. Any port is accepted,
/// because a tunnel from another machine may start at any port. A foreign page with a name that
/// resolves to this machine (DNS rebinding) sends its own Host and is refused. A server beyond
/// loopback cannot know all names of its machine; there the token decides.
bool host_fits(Endpoint const& endpoint, std::string_view host);

/// Whether the Origin, if present, is the page that the Host served, possibly through a TLS proxy.
bool origin_fits(std::string_view origin, std::string_view host);

/// Whether the token is in the request's query (?token=...) or in the cookie that the page's own
/// requests carry. Takes constant time, whatever is wrong with the token.
bool token_fits(Endpoint const& endpoint, std::string_view target, std::string_view cookie);

/// Returns the cookie's name, which contains the port: browsers share cookies between ports.
std::string cookie_name(Endpoint const& endpoint);

/// Whether a request may be answered. In a frame of another site a browser sends no cookie with
/// requests for scripts and styles. They are the same in every executable, so a framed endpoint
/// requires no token for them.
bool is_admitted(Endpoint const& endpoint, RequestHeaders const& headers);

struct PageFile {
  std::string_view content_type;
  std::span<unsigned char const> bytes;
};

/// Returns the file of the page at a path such as "/" or "/page.js"; null if there is none.
PageFile const* page_file(std::string_view path);

}  // namespace apsis::view
