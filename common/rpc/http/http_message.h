// HTTP requests and answers as plain values.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <absl/status/statusor.h>

#include "common/base/string_view.h"

namespace weir::rpc {

// Most bytes of one body, both ways: a descriptor may have 4 MiB, and JSON escapes may double it.
inline constexpr size_t kHttpBodyBytesMax = size_t{16} << 20;
// Most bytes of a request's path with its query.
inline constexpr size_t kHttpTargetBytesMax = size_t{8} << 10;

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/v1/jobs", percent-decoded
  std::map<std::string, std::string> query;
  std::string body;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;  // with 405: the methods that the path has, "GET, HEAD"
};

// The path and query of a request line. INVALID_ARGUMENT: too long, a bad escape, or a NUL.
absl::StatusOr<HttpRequest> ParseHttpTarget(StringView target);
// `text` for use as one part of a path or as a query value.
std::string PercentEncode(StringView text);

}  // namespace weir::rpc
