// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/executable/web_client.hpp"
#include "support/served.hpp"
#include "view/server/requests.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace apsis;
using namespace apsis::testing;

namespace {

/// Returns the whole answer to a request.
std::string answer_to(view::Server const& server, std::string const& bytes) {
  Connection connection(port_of(server));
  connection.send(bytes);
  return connection.take_all().value_or("no end");
}

std::string status_of(std::string const& answer) {
  return answer.substr(0, answer.find("\r\n"));
}

std::string get(view::Server const& server, std::string const& target,
                std::string const& more = "") {
  return answer_to(server, request("GET", target, port_of(server), more + "Connection: close\r\n"));
}

std::string page() {
  auto const bytes = view::page_file("/")->bytes;
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("only named pages may show the page in a frame, and only with a token") {
  view::ServerOptions options;
  options.frame_ancestors = {"http://localhost:8888", "https://hub.example.org"};
  CHECK_THROWS_AS(view::Server{options}, Error);
  options.token = view::new_token();
  view::Server const server(options);
  auto const answer = get(server, "/?token=" + options.token);
  CHECK(status_of(answer) == "HTTP/1.1 200 OK");
  CHECK(contains(answer, "frame-ancestors http://localhost:8888 https://hub.example.org\r\n"));
  CHECK(status_of(get(server, "/")) == "HTTP/1.1 403 Forbidden");
  CHECK(status_of(get(server, "/main.js")) == "HTTP/1.1 200 OK");
  CHECK(status_of(get(server, "/stream")) == "HTTP/1.1 403 Forbidden");
  options.frame_ancestors = {"http://localhost:8888; script-src *"};
  CHECK_THROWS_AS(view::Server{options}, Error);
}

TEST_CASE("the page is served from the executable, with headers that isolate it") {
  view::Server const server(view::ServerOptions{});
  for (std::string const target : {"/", "/index.html", "/?something"}) {
    CAPTURE(target);
    auto const answer = get(server, target);
    CHECK(status_of(answer) == "HTTP/1.1 200 OK");
    CHECK(contains(answer, "Content-Type: text/html; charset=utf-8\r\n"));
    CHECK(contains(answer, "Content-Length: " + std::to_string(page().size()) + "\r\n"));
    CHECK(answer.substr(answer.find("\r\n\r\n") + 4) == page());
    CHECK(answer.find("Set-Cookie") == std::string::npos);
  }
  for (auto const& answer :
       {get(server, "/"), get(server, "/nowhere"), get(server, "/stream"),
        get(server, "/", "Origin: http://evil.org\r\n"), answer_to(server, "nonsense\r\n\r\n"),
        WebViewer(port_of(server)).answer()}) {
    CAPTURE(answer);
    CHECK(contains(answer,
                   "Content-Security-Policy: default-src 'self'; connect-src 'self'; "
                   "img-src 'self' data: blob:; media-src blob:; "));
    CHECK(contains(answer, "frame-ancestors 'none'\r\n"));
    CHECK(contains(answer, "X-Content-Type-Options: nosniff\r\n"));
    CHECK(contains(answer, "Referrer-Policy: no-referrer\r\n"));
    CHECK(contains(answer, "Cache-Control: no-store\r\n"));
    CHECK(contains(answer, "Cross-Origin-Resource-Policy: same-origin\r\n"));
  }
}

TEST_CASE("one connection gets several files; HEAD gets the header only") {
  view::Server const server(view::ServerOptions{}, brief());
  auto const port = port_of(server);
  Connection connection(port);
  for (int i = 0; i < 3; ++i) {
    connection.send(request("GET", "/", port));
    CHECK(status_of(connection.take_until("\r\n\r\n")) == "HTTP/1.1 200 OK");
    CHECK(connection.take(page().size()) == page());
    connection.send(request("HEAD", "/", port));
    auto const head = connection.take_until("\r\n\r\n");
    CHECK(contains(head, "Content-Length: " + std::to_string(page().size()) + "\r\n"));
  }
  CHECK(connection.take_all() == "");  // idle for long enough
}

TEST_CASE("requests for anything but the page are refused") {
  view::Server const server(view::ServerOptions{});
  auto const port = port_of(server);
  auto const authority = "127.0.0.1:" + std::to_string(port);
  std::string const host = "Host: " + authority + "\r\n", end = "\r\n";
  struct Case {
    std::string bytes;
    char const* status;
  };
  for (auto const& [bytes, status] : std::vector<Case>{
           {"GET /nowhere HTTP/1.1\r\n" + host + end, "404 Not Found"},
           {"GET /../etc/passwd HTTP/1.1\r\n" + host + end, "404 Not Found"},
           {"GET //index.html HTTP/1.1\r\n" + host + end, "404 Not Found"},
           {"GET /index.html%00 HTTP/1.1\r\n" + host + end, "404 Not Found"},
           {"POST / HTTP/1.1\r\n" + host + end, "405 Method Not Allowed"},
           {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc",
            "405 Method Not Allowed"},
           {"GET / HTTP/1.1\r\n" + host + "Content-Length: 3\r\n\r\nabc", "405 Method Not Allowed"},
           {"PUT / HTTP/1.1\r\n" + host + end, "405 Method Not Allowed"},
           {"OPTIONS / HTTP/1.1\r\n" + host + end, "405 Method Not Allowed"},
           {"POST /stream HTTP/1.1\r\n" + host + end, "405 Method Not Allowed"},
           {"GET /stream HTTP/1.1\r\n" + host + end, "426 Upgrade Required"},
           {"GET / HTTP/1.1\r\n\r\n", "403 Forbidden"},
           {"GET / HTTP/1.0\r\n\r\n", "403 Forbidden"},
           {"GET / HTTP/1.1\r\nHost: evil.org\r\n\r\n", "403 Forbidden"},
           {"GET /nowhere HTTP/1.1\r\nHost: evil.org\r\n\r\n", "403 Forbidden"},
           {"POST / HTTP/1.1\r\nHost: evil.org\r\n\r\n", "403 Forbidden"},
           {"GET / HTTP/1.1\r\n" + host + "Origin: http://evil.org\r\n\r\n", "403 Forbidden"},
           {"GET / HTTP/1.1\r\n" + host + "Origin: null\r\n\r\n", "403 Forbidden"},
           {"GET / HTTP/1.1\r\n" + host + "Host: evil.org\r\n\r\n", "400 Bad Request"},
           {"GET http://" + authority + "/ HTTP/1.1\r\n" + host + end, "400 Bad Request"},
           {"GET / HTTP/2.0\r\n" + host + end, "400 Bad Request"},
           {"GET /\r\n\r\n", "400 Bad Request"},
           {std::string("\0\xff\x16\x03\x01\r\n\r\n", 9), "400 Bad Request"},
           {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(8192, 'x') + "\r\n\r\n",
            "431 Request Header Fields Too Large"},
           {"GET /" + std::string(1 << 20, 'x') + " HTTP/1.1\r\n",
            "431 Request Header Fields Too Large"}}) {
    CAPTURE(bytes.substr(0, 100));
    CHECK(status_of(answer_to(server, bytes)) == std::string("HTTP/1.1 ") + status);
  }
  CHECK(status_of(get(server, "/", "X: " + std::string(8000, 'x') + "\r\n")) == "HTTP/1.1 200 OK");
}

TEST_CASE("pages of other origins cannot watch") {
  view::Server const server(view::ServerOptions{});
  auto const port = port_of(server);
  CHECK(contains(WebViewer(port).answer(), "101 Switching Protocols"));
  auto const same_origin = "Origin: http://127.0.0.1:" + std::to_string(port) + "\r\n";
  CHECK(contains(WebViewer(port, "/stream", same_origin).answer(), "101 Switching Protocols"));
  CHECK(contains(WebViewer(port, "/stream", "Origin: http://evil.org\r\n").answer(),
                 "403 Forbidden"));
  CHECK(contains(WebViewer(port, "/other").answer(), "404 Not Found"));
}

TEST_CASE("with a token every request needs it, and the page's own requests get it as a cookie") {
  view::ServerOptions options;
  options.token = view::new_token();
  view::Server const server(options);
  auto const port = port_of(server);
  CHECK(server.url() == "http://127.0.0.1:" + std::to_string(port) + "/?token=" + options.token);
  auto const answer = get(server, "/?token=" + options.token);
  CHECK(status_of(answer) == "HTTP/1.1 200 OK");
  auto const cookie = "apsis_" + std::to_string(port) + "=" + options.token;
  CHECK(contains(answer, "Set-Cookie: " + cookie + "; Path=/; HttpOnly; SameSite=Strict\r\n"));
  CHECK(status_of(get(server, "/index.html", "Cookie: " + cookie + "\r\n")) == "HTTP/1.1 200 OK");
  for (auto const& refused : {get(server, "/"), get(server, "/index.html"), get(server, "/?token="),
                              get(server, "/?token=" + view::new_token()), WebViewer(port).answer(),
                              WebViewer(port, "/stream?token=" + view::new_token()).answer()}) {
    CHECK(status_of(refused) == "HTTP/1.1 403 Forbidden");
    CHECK(refused.find(options.token) == std::string::npos);
    CHECK(refused.find("Set-Cookie") == std::string::npos);
  }
  for (auto const& accepted : {WebViewer(port, "/stream?token=" + options.token).answer(),
                               WebViewer(port, "/stream", "Cookie: " + cookie + "\r\n").answer()}) {
    CHECK(contains(accepted, "101 Switching Protocols"));
  }
}

TEST_CASE("a request that never ends is closed after the time limit, also if bytes arrive slowly") {
  view::Server const server(view::ServerOptions{}, brief());
  for (bool const drop_by_drop : {false, true}) {
    Connection connection(port_of(server));
    connection.send("GET / HTTP/1.1\r\n");
    int drops = 0;  // 500 of them take ten times as long as the limit of a request
    for (; drop_by_drop && drops < 500 && connection.send("X"); ++drops) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(drops < 500);
    CHECK(connection.take_all() == "");
  }
}

TEST_CASE("connections beyond the limit wait until another one ends") {
  auto limits = brief();
  limits.connections = 4;
  view::Server const server(view::ServerOptions{}, limits);
  std::vector<Connection> idle;
  for (int i = 0; i < 10; ++i) idle.emplace_back(port_of(server));
  auto const seconds = seconds_of([&] { CHECK(status_of(get(server, "/")) == "HTTP/1.1 200 OK"); });
  CHECK(seconds > 0.5);  // four idle connections at a time were closed first, twice
}

TEST_CASE("errors of a server that cannot start say why") {
  auto const refused = [](ExitStatus status, view::ServerOptions const& options) {
    try {
      view::Server const server(options);
    } catch (Error const& error) {
      CHECK(error.status() == status);
      return std::string(error.what());
    }
    return std::string("it was not refused");
  };
  view::Server const first(view::ServerOptions{});
  view::ServerOptions options;
  options.port = port_of(first);
  CHECK(refused(ExitStatus::input_output, options) ==
        "view at 127.0.0.1:" + std::to_string(options.port) +
            ": cannot be served (Address already in use); choose another port, or 0 for any free "
            "port");
  CHECK(
      refused(ExitStatus::input_output, {"192.0.2.1", 0, false, false, "token"}) ==
      "view at 192.0.2.1:0: cannot be served (Cannot assign requested address); choose an address "
      "and a port of this machine");
  CHECK(refused(ExitStatus::usage, {"0.0.0.0", 0, false, false, ""}) ==
        "view at 0.0.0.0: no token (other machines can reach this address); give a token, or "
        "use 127.0.0.1");
  CHECK(refused(ExitStatus::usage, {"localhost", 0, false, false, ""}) ==
        "view at localhost: not an IP address; give an IP address of this machine, such as "
        "127.0.0.1 or 0.0.0.0");
  CHECK(refused(ExitStatus::usage, {"127.0.0.1", 0, false, false, "a b"}) ==
        "view at 127.0.0.1: invalid token; use up to 128 letters, digits, '-' and '_'");
}
