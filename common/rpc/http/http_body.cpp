#include "common/rpc/http/http_body.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/rpc/http/http_message.h"

namespace weir::rpc {
namespace {

using Body = absl::StatusOr<std::string>;

// What is made ready for the next read: large bodies come in few pieces, small ones cost little.
constexpr size_t kPieceBytesMin = size_t{4} << 10;
constexpr size_t kPieceBytesMax = size_t{256} << 10;

absl::Status TooLarge() {
  return absl::ResourceExhaustedError(
      absl::StrCat("the body is larger than ", kHttpBodyBytesMax, " bytes"));
}

kj::Promise<Body> ReadRest(kj::AsyncInputStream& body, std::string text) {
  const size_t before = text.size();
  const size_t piece = std::clamp(before, kPieceBytesMin, kPieceBytesMax);
  auto grown = kj::heap<std::string>(std::move(text));
  grown->resize(before + piece);
  char* const to = grown->data() + before;
  return body.tryRead(to, 1, piece)
      .then([&body, before, grown = kj::mv(grown)](size_t size) mutable -> kj::Promise<Body> {
        grown->resize(before + size);
        if (grown->size() > kHttpBodyBytesMax) return Body(TooLarge());
        if (size == 0) return Body(std::move(*grown));
        return ReadRest(body, std::move(*grown));
      });
}

}  // namespace

kj::Promise<absl::StatusOr<std::string>> ReadHttpBody(kj::AsyncInputStream& body, kj::Timer& timer,
                                                      absl::Duration timeout) {
  if (body.tryGetLength().orDefault(0) > kHttpBodyBytesMax) return Body(TooLarge());
  kj::Promise<Body> late = timer.afterDelay(absl::ToInt64Microseconds(timeout) * kj::MICROSECONDS)
                               .then([timeout]() -> Body {
                                 return absl::DeadlineExceededError(absl::StrCat(
                                     "the body has not arrived within ",
                                     absl::FormatDuration(timeout), "; send it again"));
                               });
  return ReadRest(body, std::string()).exclusiveJoin(kj::mv(late));
}

}  // namespace weir::rpc
