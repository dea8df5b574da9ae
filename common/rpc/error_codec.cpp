#include "common/rpc/error_codec.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/cord.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/rpc/wire_values.h"

namespace weir::rpc {
namespace {

// Largest message of a Status that travels: a user's error can quote a whole row.
constexpr size_t kErrorBytesMax = 64 * 1024;

// Payloads are marks such as that of channel_lost.h: few and small. Others stay behind.
constexpr uint32_t kPayloadsMax = 8;
constexpr size_t kPayloadBytes = 256;

constexpr uint16_t kCodeMax = static_cast<uint16_t>(absl::StatusCode::kUnauthenticated);

// How KJ begins what it says of a name that it cannot look up, and names the resolver's reason.
constexpr StringView kLookupText = "DNS lookup failed.";
constexpr StringView kLookupReason = "gai_strerror(status) = ";

// What KJ names behind a text: "; variable = value", possibly several.
constexpr StringView kValuesMark = "; ";

StringView UpTo(StringView text, StringView mark) {
  return text.substr(0, std::min(text.find(mark), text.size()));
}

// Of "::bind(sockfd, &addr, size): Address already in use; address = ..." what the system says;
// another text as it is.
StringView SystemReason(StringView text) {
  const size_t bracket = text.find('(');
  const size_t behind = text.find("): ");
  if (bracket == 0 || bracket == StringView::npos || behind == StringView::npos) return text;
  const StringView call = text.substr(0, bracket);
  const bool is_call = std::all_of(call.begin(), call.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':';
  });
  return is_call ? UpTo(text.substr(behind + 3), kValuesMark) : text;
}

}  // namespace

void WriteError(const absl::Status& status, wire::Error::Builder out) {
  WEIR_CHECK(!status.ok());
  out.setCode(static_cast<uint16_t>(status.code()));
  out.setMessage(TextOf(std::string(status.message().substr(0, kErrorBytesMax))));
  std::vector<std::pair<std::string, std::string>> payloads;
  status.ForEachPayload([&payloads](StringView name, const absl::Cord& bytes) {
    if (payloads.size() == kPayloadsMax || name.size() > kPayloadBytes) return;
    if (bytes.size() > kPayloadBytes) return;
    payloads.emplace_back(name, bytes);
  });
  auto written = out.initPayloads(SizeOf(payloads));
  for (uint32_t i = 0; i < written.size(); ++i) {
    const auto& [name, bytes] = payloads[i];
    written[i].setName(TextOf(name));
    written[i].setBytes({reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()});
  }
}

absl::Status ReadError(wire::Error::Reader in) {
  const uint16_t code = in.getCode();
  const bool is_known = code > 0 && code <= kCodeMax;
  absl::Status status(is_known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown,
                      StringOf(in.getMessage()));
  const auto payloads = in.getPayloads();
  for (uint32_t i = 0; i < std::min(payloads.size(), kPayloadsMax); ++i) {
    const auto bytes = payloads[i].getBytes();
    status.SetPayload(StringOf(payloads[i].getName()),
                      absl::Cord(StringView(bytes.asChars().begin(), bytes.size())));
  }
  return status;
}

void WriteOutcome(const absl::Status& status, wire::Outcome::Builder out) {
  if (status.ok()) {
    out.setAccepted();
  } else {
    WriteError(status, out.initFailed());
  }
}

absl::Status ReadOutcome(wire::Outcome::Reader in) {
  switch (in.which()) {
    case wire::Outcome::ACCEPTED:
      return absl::OkStatus();
    case wire::Outcome::FAILED:
      return ReadError(in.getFailed());
  }
  return absl::UnknownError("an answer of an unknown kind");
}

std::string CauseOf(const kj::Exception& exception) {
  const kj::StringPtr description = exception.getDescription();
  const StringView text(description.begin(), description.size());
  if (!absl::StartsWith(text, kLookupText)) return std::string(SystemReason(text));
  const size_t reason = text.find(kLookupReason);
  if (reason == StringView::npos) return "no such host";
  return absl::StrCat("no such host: ",
                      UpTo(text.substr(reason + kLookupReason.size()), kValuesMark));
}

absl::Status FromException(const kj::Exception& exception, StringView what) {
  const kj::StringPtr text = exception.getDescription();
  const StringView description(text.begin(), text.size());
  const std::string message = absl::StrCat(what, ": ", CauseOf(exception));
  switch (exception.getType()) {
    case kj::Exception::Type::DISCONNECTED:
      return absl::UnavailableError(message);
    case kj::Exception::Type::OVERLOADED:
      if (absl::StrContains(description, kDeadlineText)) {
        return absl::DeadlineExceededError(message);
      }
      return absl::ResourceExhaustedError(message);
    case kj::Exception::Type::UNIMPLEMENTED:
      return absl::UnimplementedError(message);
    case kj::Exception::Type::FAILED:
      return absl::InternalError(message);
  }
  return absl::InternalError(message);
}

}  // namespace weir::rpc
