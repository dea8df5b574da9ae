// What must hold: requests arrive as they were sent, whatever is in them; what is malformed, too
// large or could come from a foreign web page is refused without the handler; a peer that does not
// answer costs a bounded time.
#include <memory>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>
#include <kj/async.h>

#include "common/rpc/http/http_client.h"
#include "common/rpc/http/http_server.h"
#include "tests/unit/common/rpc/http/raw_exchange.h"
#include "tests/unit/common/rpc/scarce_descriptors.h"

namespace weir::rpc {
namespace {

// Answers with what it was asked.
void Echo(HttpRequest request, HttpRespond respond) {
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) text += " " + name + "=" + value;
  respond({.status = 201, .content_type = "text/plain", .body = text + "\n" + request.body});
}

HttpEndpoint EndpointOf(const HttpServer& server) {
  const absl::StatusOr<HttpEndpoint> endpoint = ParseHttpUrl("http://" + server.address());
  REQUIRE(endpoint.ok());
  return *endpoint;
}

TEST_CASE("HTTP carries method, path, query and body unchanged", "[rpc][unit]") {
  ControlLoop loop;
  const auto server = HttpServer::Listen(loop, "127.0.0.1", 0, Echo);
  REQUIRE(server.ok());
  const std::string name = "a/b c%\xc3\xa9";
  const std::string target = "/v1/" + PercentEncode(name) + "?q=" + PercentEncode("1&2=3") + "&r";
  const std::string body(1'000'000, 'x');
  const absl::StatusOr<HttpResponse> answer =
      CallHttp(loop, EndpointOf(**server), "POST", target, body, absl::Seconds(20));
  REQUIRE(answer.ok());
  CHECK(answer->status == 201);
  CHECK(answer->content_type == "text/plain");
  CHECK(answer->body == "POST /v1/" + name + " q=1&2=3 r=\n" + body);
}

TEST_CASE("HTTP answers may come later, and several at a time", "[rpc][unit]") {
  ControlLoop loop;
  const auto server =
      HttpServer::Listen(loop, "127.0.0.1", 0, [](HttpRequest request, HttpRespond respond) {
        if (request.path == "/never") return;  // destroyed uncalled
        respond({.body = "{}"});
      });
  REQUIRE(server.ok());
  const HttpEndpoint endpoint = EndpointOf(**server);
  for (int i = 0; i < 3; ++i) {
    const auto answer = CallHttp(loop, endpoint, "GET", "/", "", absl::Seconds(20));
    REQUIRE(answer.ok());
    CHECK(answer->status == 200);
  }
  const auto broken = CallHttp(loop, endpoint, "GET", "/never", "", absl::Seconds(20));
  REQUIRE(broken.ok());
  CHECK(broken->status == 500);
}

TEST_CASE("HTTP refuses what a handler must not see", "[rpc][unit]") {
  ControlLoop loop;
  int handled = 0;
  const auto server =
      HttpServer::Listen(loop, "127.0.0.1", 0, [&handled](HttpRequest, HttpRespond respond) {
        ++handled;
        respond({});
      });
  REQUIRE(server.ok());
  const auto ask = [&](const std::string& text) {
    return testing::RawExchange(loop, EndpointOf(**server), text);
  };
  CHECK_THAT(ask("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: "
                 "2\r\n\r\n{}"),
             Catch::StartsWith("HTTP/1.1 415"));
  CHECK_THAT(ask("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
                 "content-length: 999999999999\r\n\r\n"),
             Catch::StartsWith("HTTP/1.1 413"));
  CHECK_THAT(ask("GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n"), Catch::StartsWith("HTTP/1.1 400"));
  CHECK_THAT(ask("GET /%00 HTTP/1.1\r\nhost: x\r\n\r\n"), Catch::StartsWith("HTTP/1.1 400"));
  CHECK_THAT(ask("GET /" + std::string(kHttpTargetBytesMax, 'a') + " HTTP/1.1\r\nhost: x\r\n\r\n"),
             Catch::StartsWith("HTTP/1.1 400"));
  CHECK_THAT(ask("\x16\x03\x01 no http at all\r\n\r\n"),
             Catch::StartsWith("HTTP/1.1 4") || Catch::StartsWith("HTTP/1.1 5"));
  const std::string malformed =
      ask("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
          "transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n");
  CHECK_THAT(malformed, Catch::StartsWith("HTTP/1.1 400") &&
                            Catch::Contains(R"({"error":{"code":"INVALID_ARGUMENT","message":)") &&
                            !Catch::Contains("kj/"));
  CHECK(handled == 0);
  CHECK_THAT(ask("GET / HTTP/1.1\r\nhost: x\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200"));
  CHECK(handled == 1);
}

TEST_CASE("HTTP answers for paths and methods that there are not before it asks for JSON",
          "[rpc][unit]") {
  ControlLoop loop;
  HttpServerOptions options;
  options.methods_of = [](const std::string& path) {
    return path == "/a" ? std::vector<std::string>{"GET", "POST"} : std::vector<std::string>{};
  };
  const auto server = HttpServer::Listen(loop, "127.0.0.1", 0, Echo, options);
  REQUIRE(server.ok());
  const auto ask = [&](const std::string& line, const std::string& header = "") {
    return testing::RawExchange(
        loop, EndpointOf(**server),
        line + " HTTP/1.1\r\nhost: x\r\n" + header + "content-length: 2\r\n\r\n{}");
  };
  CHECK_THAT(ask("DELETE /a"), Catch::StartsWith("HTTP/1.1 405 Method Not Allowed") &&
                                   Catch::Contains("Allow: GET, POST, HEAD\r\n") &&
                                   Catch::Contains("/a takes GET, POST, HEAD, but not DELETE"));
  CHECK_THAT(ask("PUT /a", "content-type: application/json\r\n"),
             Catch::StartsWith("HTTP/1.1 405"));
  CHECK_THAT(ask("DELETE /b"), Catch::StartsWith("HTTP/1.1 404") &&
                                   Catch::Contains("there is no /b") && !Catch::Contains("Allow"));
  CHECK_THAT(ask("POST /a"), Catch::StartsWith("HTTP/1.1 415"));
  CHECK_THAT(ask("POST /a", "content-type: application/json\r\n"),
             Catch::StartsWith("HTTP/1.1 201"));
  CHECK_THAT(ask("GET /a?q"), Catch::StartsWith("HTTP/1.1 201"));
}

TEST_CASE("HTTP says what keeps it from an answer", "[rpc][unit]") {
  ControlLoop loop;
  std::vector<HttpRespond> kept;
  const auto server = HttpServer::Listen(
      loop, "127.0.0.1", 0,
      [&kept](HttpRequest, HttpRespond respond) { kept.push_back(std::move(respond)); });
  REQUIRE(server.ok());
  const HttpEndpoint endpoint = EndpointOf(**server);
  const auto late = CallHttp(loop, endpoint, "GET", "/", "", absl::Milliseconds(20));
  CHECK(absl::IsDeadlineExceeded(late.status()));
  const auto used = HttpServer::Listen(loop, "127.0.0.1", endpoint.port, Echo);
  CHECK(absl::IsFailedPrecondition(used.status()));
  CHECK_THAT(std::string(used.status().message()),
             Catch::Contains("the port is in use; stop the process") && !Catch::Contains("::bind"));
  kept.clear();
}

TEST_CASE("HTTP to a port where nobody listens is UNAVAILABLE", "[rpc][unit]") {
  ControlLoop loop;
  HttpEndpoint endpoint;
  {
    const auto server = HttpServer::Listen(loop, "127.0.0.1", 0, Echo);
    REQUIRE(server.ok());
    endpoint = EndpointOf(**server);
  }
  const auto answer = CallHttp(loop, endpoint, "GET", "/", "", absl::Seconds(20));
  CHECK(answer.status() ==
        absl::UnavailableError(
            absl::StrCat("no answer from 127.0.0.1:", endpoint.port, ": Connection refused")));
}

TEST_CASE("HTTP to a host that does not exist says so in plain words", "[rpc][unit]") {
  ControlLoop loop;
  // A name with an empty part is refused before anybody is asked.
  const auto answer =
      CallHttp(loop, {.host = "no..host", .port = 1}, "GET", "/", "", absl::Seconds(20));
  CHECK(absl::IsUnavailable(answer.status()));
  CHECK_THAT(std::string(answer.status().message()),
             Catch::StartsWith("no answer from no..host:1: no such host") &&
                 !Catch::Contains("gai_strerror") && !Catch::Contains("params"));
}

TEST_CASE("a connection ends with its answer when the peer asks for it", "[rpc][unit]") {
  ControlLoop loop;
  const auto server = HttpServer::Listen(loop, "127.0.0.1", 0, Echo);
  REQUIRE(server.ok());
  // A server that lets it wait for another request ends it after 5 s: then this comes first.
  bool is_late = false;
  loop.RunAfter(absl::Seconds(4), [&is_late] { is_late = true; });
  for (const char* const closing :
       {"GET / HTTP/1.1\r\nhost: x\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\nhost: x\r\nconnection: TE, Close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
    CAPTURE(closing);
    testing::RawConnection connection(loop, EndpointOf(**server));
    connection.Write(closing);
    CHECK_THAT(connection.ReadToEnd(),
               Catch::StartsWith("HTTP/1.1 201") && Catch::Contains("onnection: close"));
    CHECK(!is_late);
  }
  testing::RawConnection kept(loop, EndpointOf(**server));
  for (int i = 0; i < 2; ++i) {
    kept.Write("GET /HTTP/1.0 HTTP/1.1\r\nhost: x\r\n\r\n");
    CHECK_THAT(kept.Read(),
               Catch::StartsWith("HTTP/1.1 201") && !Catch::Contains("onnection: close"));
  }
}

TEST_CASE("a body that does not arrive is not waited for", "[rpc][unit]") {
  ControlLoop loop;
  int handled = 0;
  const auto server =
      HttpServer::Listen(loop, "127.0.0.1", 0, [&handled](HttpRequest, HttpRespond) { ++handled; },
                         {.body_timeout = absl::Milliseconds(20)});
  REQUIRE(server.ok());
  for (const char* const sent :
       {"content-length: 100\r\n\r\n{", "transfer-encoding: chunked\r\n\r\n5\r\n{"}) {
    CAPTURE(sent);
    const std::string head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n";
    CHECK_THAT(testing::RawExchange(loop, EndpointOf(**server), head + sent),
               Catch::StartsWith("HTTP/1.1 408"));
  }
  CHECK(handled == 0);
}

TEST_CASE("half requests do not keep others from an answer", "[rpc][unit]") {
  ControlLoop loop;
  std::vector<HttpRespond> kept;
  const auto server = HttpServer::Listen(loop, "127.0.0.1", 0,
                                         [&](HttpRequest request, HttpRespond respond) {
                                           if (request.path == "/later") {
                                             kept.push_back(std::move(respond));
                                             loop.Stop();
                                           } else {
                                             respond({.body = "{}"});
                                           }
                                         },
                                         {.connections_max = 3});
  REQUIRE(server.ok());
  const HttpEndpoint endpoint = EndpointOf(**server);
  testing::RawConnection answered_later(loop, endpoint);
  answered_later.Write("GET /later HTTP/1.1\r\nhost: x\r\n\r\n");
  if (kept.empty()) loop.Run();
  std::vector<std::unique_ptr<testing::RawConnection>> halves;
  for (int i = 0; i < 6; ++i) {
    halves.push_back(std::make_unique<testing::RawConnection>(loop, endpoint));
    halves.back()->Write(
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
        "content-length: 100\r\n\r\n{");
  }
  const auto answer = CallHttp(loop, endpoint, "GET", "/", "", absl::Seconds(20));
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(halves.front()->Read().empty());
  REQUIRE(kept.size() == 1);
  kept.front()({.body = "{}"});
  CHECK_THAT(answered_later.Read(), Catch::StartsWith("HTTP/1.1 200"));
}

TEST_CASE("an HTTP server that ran out of descriptors answers again", "[rpc][unit]") {
  ControlLoop loop;
  int handled = 0;
  const auto server =
      HttpServer::Listen(loop, "127.0.0.1", 0, [&](HttpRequest, HttpRespond respond) {
        respond({});
        ++handled;
        loop.Stop();
      });
  REQUIRE(server.ok());
  testing::LoopbackClients clients(EndpointOf(**server).port, 2);
  const std::string request = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
  for (const size_t i : {size_t{0}, size_t{1}}) {
    REQUIRE(write(clients.fd(i), request.data(), request.size()) ==
            static_cast<ssize_t>(request.size()));
  }
  const base::TimerId limit = loop.RunAfter(absl::Seconds(30), [&loop] { loop.Stop(); });
  {
    testing::ScarceDescriptors scarce(/*left=*/1);
    loop.Run();
    loop.io().waitScope.poll();  // the next accepting fails
    CHECK(handled == 1);
  }
  loop.Run();
  CHECK(handled == 2);
  loop.Cancel(limit);
}

TEST_CASE("an address of a jobmanager is checked", "[rpc][unit]") {
  CHECK(ParseHttpUrl("http://a:1/")->port == 1);
  CHECK(ParseHttpUrl("http://a/")->port == 8081);
  CHECK(ParseHttpUrl("a:9")->host == "a");
  for (const char* const bad : {"https://a", "ftp://a", "http://", "http://a:0", "http://a:70000",
                                "http://a:b", "http://a/b", "http:///b", "http://a:1?x", ""}) {
    CAPTURE(bad);
    CHECK(absl::IsInvalidArgument(ParseHttpUrl(bad).status()));
  }
  const absl::Status path = ParseHttpUrl("http://127.0.0.1:18081/foo").status();
  CHECK(path.message() ==
        "'http://127.0.0.1:18081/foo' has '/foo' behind host and port; an address looks like "
        "http://127.0.0.1:8081");
  const absl::Status user = ParseHttpUrl("http://me:secret@host:1").status();
  CHECK(absl::IsInvalidArgument(user));
  CHECK_THAT(std::string(user.message()),
             Catch::Contains("names a user") && !Catch::Contains("secret"));
}

}  // namespace
}  // namespace weir::rpc
