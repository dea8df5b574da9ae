// What must hold: a Status arrives as it was sent, whatever the peer makes of it, and an exception
// becomes the code that says what to do.
#include "common/rpc/error_codec.h"

#include <string>

#include <absl/strings/cord.h>
#include <capnp/message.h>
#include <catch2/catch.hpp>

#include "common/rpc/channel_lost.h"

namespace weir::rpc {
namespace {

absl::Status Travel(const absl::Status& status) {
  capnp::MallocMessageBuilder message;
  auto outcome = message.initRoot<wire::Outcome>();
  WriteOutcome(status, outcome);
  return ReadOutcome(outcome.asReader());
}

kj::Exception Thrown(kj::Exception::Type type, const char* text) {
  return {type, "file.cpp", 1, kj::heapString(text)};
}

TEST_CASE("A Status of every code travels", "[rpc][unit]") {
  CHECK(Travel(absl::OkStatus()).ok());
  for (int code = 1; code <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "line 3: 'ä'");
    CHECK(Travel(status) == status);
  }
}

TEST_CASE("The marks of a Status travel with it", "[rpc][unit]") {
  const absl::Status marked = MarkChannelLost(absl::UnavailableError("gone"));
  CHECK(Travel(marked) == marked);
  CHECK(IsChannelLost(Travel(marked)));
}

TEST_CASE("A payload that is too large stays behind", "[rpc][unit]") {
  absl::Status status = absl::InternalError("x");
  status.SetPayload("small", absl::Cord(std::string(256, 's')));
  status.SetPayload("large", absl::Cord(std::string(257, 'l')));
  const absl::Status arrived = Travel(status);
  CHECK(arrived.GetPayload("small") == absl::Cord(std::string(256, 's')));
  CHECK_FALSE(arrived.GetPayload("large").has_value());
}

TEST_CASE("A message longer than the limit is cut", "[rpc][unit]") {
  const absl::Status at(absl::StatusCode::kInternal, std::string(64 * 1024, 'm'));
  CHECK(Travel(at) == at);
  const absl::Status beyond(absl::StatusCode::kInternal, std::string(64 * 1024 + 1, 'm'));
  CHECK(Travel(beyond) == at);
}

TEST_CASE("An error of an unknown code is still an error", "[rpc][unit]") {
  capnp::MallocMessageBuilder message;
  auto error = message.initRoot<wire::Error>();
  for (const int code : {0, 17, 65535}) {
    error.setCode(static_cast<uint16_t>(code));
    CHECK(absl::IsUnknown(ReadError(error.asReader())));
  }
}

TEST_CASE("An exception becomes the code that says what to do", "[rpc][unit]") {
  using Type = kj::Exception::Type;
  const absl::Status gone = FromException(Thrown(Type::DISCONNECTED, "reset"), "worker-7");
  CHECK(gone == absl::UnavailableError("worker-7: reset"));
  CHECK(absl::IsResourceExhausted(FromException(Thrown(Type::OVERLOADED, "busy"), "w")));
  CHECK(absl::IsDeadlineExceeded(FromException(Thrown(Type::OVERLOADED, kDeadlineText), "w")));
  CHECK(absl::IsUnimplemented(FromException(Thrown(Type::UNIMPLEMENTED, "no"), "w")));
  CHECK(absl::IsInternal(FromException(Thrown(Type::FAILED, "bug"), "w")));
}

TEST_CASE("What KJ adds for its own developers does not reach people", "[rpc][unit]") {
  using Type = kj::Exception::Type;
  const auto cause = [](const char* text) { return CauseOf(Thrown(Type::FAILED, text)); };
  CHECK(cause("DNS lookup failed.; params.host = no.host; params.service = ; "
              "gai_strerror(status) = Name or service not known") ==
        "no such host: Name or service not known");
  CHECK(cause("DNS lookup failed.") == "no such host");
  CHECK(cause("::bind(sockfd, &addr.generic, addrlen): Address already in use; toString() = 1:2") ==
        "Address already in use");
  CHECK(cause("connect(): Connection refused") == "Connection refused");
  // What a peer or a bug says is kept whole.
  for (const char* const whole : {"", "(x): y; z", "remote exception: f(x): y; z = 1",
                                  "expected a == b; a = 1", "Peer disconnected."}) {
    CHECK(cause(whole) == whole);
  }
}

}  // namespace
}  // namespace weir::rpc
