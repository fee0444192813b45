// SPDX-License-Identifier: Apache-2.0
#include "view/server/requests.hpp"
#include "view/server/server.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace apsis::view;

namespace {
Endpoint const loopback{"127.0.0.1", 8765, true, ""};
Endpoint const loopback_with_token{"127.0.0.1", 8765, true, "0123456789abcdef"};
Endpoint const remote{"192.0.2.7", 8765, false, "0123456789abcdef"};
}  // namespace

TEST_CASE("a page that may be framed needs its token, its scripts and styles do not") {
  Endpoint const framed{"127.0.0.1", 8765, true, "0123456789abcdef", true};
  std::string const host = "localhost:8765";
  CHECK(is_admitted(framed, {host, "", "/main.js", ""}));
  CHECK(is_admitted(framed, {host, "", "/style.css", ""}));
  CHECK(is_admitted(framed, {host, "", "/?token=0123456789abcdef", ""}));
  CHECK(is_admitted(framed, {host, "", "/stream?token=0123456789abcdef", ""}));
  for (std::string const target :
       {"/", "/index.html", "/stream", "/stream?main.js", "/?a=.js", "/?token=0"}) {
    CAPTURE(target);
    CHECK_FALSE(is_admitted(framed, {host, "", target, ""}));
  }
  CHECK_FALSE(is_admitted(framed, {host, "http://evil.org", "/main.js", ""}));
  CHECK_FALSE(is_admitted(framed, {"evil.org", "", "/main.js", ""}));
}

TEST_CASE("an origin is scheme, host and port alone") {
  for (auto const* origin : {"http://localhost:8888", "https://hub.example.org", "http://[::1]:80",
                             "http://127.0.0.1:1"}) {
    CAPTURE(origin);
    CHECK(is_origin(origin));
  }
  for (auto const* text :
       {"", "localhost:8888", "http://", "http://:80", "http://a b", "http://a/", "*", "'self'",
        "http://a:", "http://a:123456", "http://a;script-src *", "http://a,http://b", "http://*",
        "ftp://a", "http://a\r\nX: 1", "http://[::1", "http://user@a"}) {
    CAPTURE(text);
    CHECK_FALSE(is_origin(text));
  }
}

TEST_CASE(
    "a loopback server accepts loopback names at any port, because a tunnel may use another port") {
  for (auto const* host : {"127.0.0.1:8765", "localhost:8765", "LocalHost:8765", "[::1]:8765",
                           "localhost:9000", "127.0.0.1", "[::1]:80"}) {
    CAPTURE(host);
    CHECK(host_fits(loopback, host));
    CHECK(is_admitted(loopback, {host, "", "/", ""}));
    CHECK(is_admitted(loopback, {host, "http://" + std::string(host), "/", ""}));
  }
  CHECK(host_fits({"127.0.0.5", 8765, true, ""}, "127.0.0.5:8765"));
  CHECK(host_fits({"127.0.0.1", 80, true, ""}, "localhost"));
}

TEST_CASE("foreign host names and a missing Host are refused") {
  for (auto const* host :
       {"", "127.0.0.1:", "127.0.0.1:8765x", "127.0.0.1:8765876587658765", "127.0.0.1:8765 ",
        " 127.0.0.1:8765", "127.0.0.2:8765", "evil.org:8765", "localhost.evil.org:8765", "evil.org",
        "127.0.0.1.nip.io:8765", "localhost:8765.evil.org", "127.0.0.1:8765@evil.org",
        "evil@127.0.0.1:8765", "::1:8765", "2130706433:8765", "0.0.0.0:8765", "127.1:8765"}) {
    CAPTURE(host);
    CHECK_FALSE(host_fits(loopback, host));
    CHECK_FALSE(is_admitted(loopback, {host, "", "/", ""}));
    // A valid token does not compensate for a wrong Host.
    CHECK_FALSE(is_admitted(loopback_with_token, {host, "", "/?token=0123456789abcdef", ""}));
  }
}

TEST_CASE("requests of other origins are refused") {
  auto const* host = "localhost:8765";
  CHECK(origin_fits("", host));
  CHECK(origin_fits("http://localhost:8765", host));
  CHECK(origin_fits("https://localhost:8765", host));
  for (auto const* origin :
       {"null", "http://evil.org", "http://localhost", "http://localhost:8766", "localhost:8765",
        "ws://localhost:8765", "http://localhost:8765/", "http://127.0.0.1:8765",
        "http://localhost:8765.evil.org", "file://", "http://evil.org http://localhost:8765"}) {
    CAPTURE(origin);
    CHECK_FALSE(origin_fits(origin, host));
    CHECK_FALSE(is_admitted(loopback, {host, origin, "/stream", ""}));
  }
}

TEST_CASE("requests to a public address need the token") {
  auto const* host = "node17.cluster:8765";
  CHECK(is_admitted(remote, {host, "", "/?token=0123456789abcdef", ""}));
  CHECK(is_admitted(remote, {host, "", "/page.js?v=1&token=0123456789abcdef&w=2", ""}));
  CHECK(is_admitted(remote, {host, "", "/page.js", "apsis_8765=0123456789abcdef"}));
  CHECK(is_admitted(remote, {host, "", "/page.js", "a=b; apsis_8765=0123456789abcdef; c=d"}));
  CHECK(is_admitted(remote, {host, "", "/?token=stale", "apsis_8765=0123456789abcdef"}));
  CHECK_FALSE(is_admitted(remote, {"", "", "/?token=0123456789abcdef", ""}));
  for (auto const* target :
       {"/", "/?", "/?token", "/?token=", "/?token=0", "/?token=0123456789abcdeF",
        "/?token=0123456789abcde", "/?token=0123456789abcdef0", "/?token=0123456789abcdef ",
        "/?token=0123456789abcdef0123456789abcdef", "/?xtoken=0123456789abcdef",
        "/0123456789abcdef", "/&token=0123456789abcdef", "/?a?token=0123456789abcdef"}) {
    CAPTURE(target);
    CHECK_FALSE(is_admitted(remote, {host, "", target, ""}));
  }
  for (auto const* cookie : {"apsis_8765=", "apsis_8765=0", "apsis_8766=0123456789abcdef",
                             "0123456789abcdef", "apsis_87650=0123456789abcdef",
                             "xapsis_8765=0123456789abcdef", ";;;", "token=0123456789abcdef"}) {
    CAPTURE(cookie);
    CHECK_FALSE(is_admitted(remote, {host, "", "/", cookie}));
  }
  CHECK_FALSE(is_admitted(remote, {host, "http://evil.org", "/?token=0123456789abcdef", ""}));
}

TEST_CASE("a target is a path and a query") {
  CHECK(path_of("/") == "/");
  CHECK(path_of("/page.js?token=1?2") == "/page.js");
  CHECK(path_of("?") == "");
}

TEST_CASE("tokens are 32 hexadecimal digits and never repeat") {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) {
    auto const token = new_token();
    CHECK(token.size() == 32);
    CHECK(token.find_first_not_of("0123456789abcdef") == std::string::npos);
    tokens.insert(token);
  }
  CHECK(tokens.size() == 100);
}
