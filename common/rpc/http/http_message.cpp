#include "common/rpc/http/http_message.h"

#include <utility>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>

#include "common/base/status_macros.h"

namespace weir::rpc {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

absl::StatusOr<std::string> PercentDecode(StringView text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      const bool is_whole = i + 2 < text.size();
      const int high = is_whole ? HexDigit(text[i + 1]) : -1;
      const int low = is_whole ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return absl::InvalidArgumentError("a % in the address is not followed by two hex digits");
      }
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return absl::InvalidArgumentError("the address has a NUL");
    decoded += c;
  }
  return decoded;
}

}  // namespace

absl::StatusOr<HttpRequest> ParseHttpTarget(StringView target) {
  if (target.size() > kHttpTargetBytesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("the address is longer than ", kHttpTargetBytesMax, " bytes"));
  }
  HttpRequest request;
  const std::pair<StringView, StringView> parts = absl::StrSplit(target, absl::MaxSplits('?', 1));
  WEIR_ASSIGN_OR_RETURN(request.path, PercentDecode(parts.first));
  const std::vector<StringView> pairs = absl::StrSplit(parts.second, '&', absl::SkipEmpty());
  for (const StringView pair : pairs) {
    const std::pair<StringView, StringView> both = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    WEIR_ASSIGN_OR_RETURN(std::string name, PercentDecode(both.first));
    WEIR_ASSIGN_OR_RETURN(request.query[name], PercentDecode(both.second));
  }
  return request;
}

std::string PercentEncode(StringView text) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
                          c == '.' || c == '_' || c == '~';
    if (is_plain) {
      encoded += c;
    } else {
      absl::StrAppendFormat(&encoded, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace weir::rpc
