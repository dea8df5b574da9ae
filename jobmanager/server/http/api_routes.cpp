#include "jobmanager/server/http/api_routes.h"

#include <algorithm>
#include <utility>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "common/base/status_macros.h"
#include "common/metrics/metric_text.h"
#include "jobmanager/server/http/api_json.h"
#include "jobmanager/server/http/job_manager_metrics.h"

namespace weir::server {
namespace {

using rpc::HttpRequest;
using rpc::HttpRespond;
using rpc::HttpResponse;

// Most lines of one answer about logs.
constexpr size_t kLogLinesMax = 10'000;

HttpResponse ErrorResponse(const absl::Status& status) {
  return {.status = HttpStatusOf(status), .body = ErrorJson(status)};
}

HttpResponse NoSuchAddress(const HttpRequest& request) {
  return ErrorResponse(absl::NotFoundError(
      absl::StrCat("there is no ", request.method, " ", request.path, "; see docs/api.md")));
}

// Refuses a parameter that is not one of `known`: a mistyped one must not be taken for none.
absl::Status CheckQuery(const HttpRequest& request, const std::vector<std::string>& known) {
  for (const auto& [name, value] : request.query) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        request.path, " has no parameter '", name, "'; ",
        known.empty() ? "it has none" : absl::StrCat("it has ", absl::StrJoin(known, ", "))));
  }
  return absl::OkStatus();
}

// Whether ended jobs are asked for, too.
absl::StatusOr<bool> AsksForAll(const HttpRequest& request) {
  WEIR_RETURN_IF_ERROR(CheckQuery(request, {"all"}));
  const auto all = request.query.find("all");
  if (all == request.query.end() || all->second == "false") return false;
  if (all->second == "true") return true;
  return absl::InvalidArgumentError(absl::StrCat("'all=", all->second, "': it is true or false"));
}

HttpResponse TextResponse(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text)};
}

// For `done` of the api: answers with what `to_json` makes of the result.
template <class T, class ToJson>
dispatcher::JobApi::Done<T> Answer(HttpRespond respond, int status, ToJson to_json) {
  return [respond = std::move(respond), status, to_json](absl::StatusOr<T> result) mutable {
    if (!result.ok()) return respond(ErrorResponse(result.status()));
    respond({.status = status, .body = to_json(*result)});
  };
}

}  // namespace

int HttpStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kCancelled:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

HttpResponse ApiRoutes::Health(const HttpRequest& request) const {
  if (request.path == "/livez") return TextResponse(200, "alive\n");
  std::string why;
  if (api_.IsReady(&why)) return TextResponse(200, "ready\n");
  return TextResponse(503, absl::StrCat("not ready: ", why, "\n"));
}

std::vector<std::string> ApiRoutes::MethodsOf(StringView path) {
  if (path == "/livez" || path == "/readyz" || path == "/metrics") return {"GET"};
  if (!absl::ConsumePrefix(&path, "/v1/")) return {};
  const Parts parts = absl::StrSplit(path, '/');
  const bool is_of_jobs = parts.front() == "jobs";
  switch (parts.size()) {
    case 1:
      if (is_of_jobs) return {"GET", "POST"};
      return parts.front() == "cluster" || parts.front() == "logs" ? Parts{"GET"} : Parts{};
    case 2:
      return is_of_jobs ? Parts{"GET"} : Parts{};
    case 3:
      if (is_of_jobs && parts[2] == "checkpoints") return {"GET", "POST"};
      return is_of_jobs && parts[2] == "cancel" ? Parts{"POST"} : Parts{};
    default:
      return {};
  }
}

void ApiRoutes::Handle(HttpRequest request, HttpRespond respond) {
  if (request.method == "HEAD") request.method = "GET";
  if (request.method == "GET" && (request.path == "/livez" || request.path == "/readyz")) {
    return respond(Health(request));
  }
  if (request.method == "GET" && request.path == "/metrics") {
    return respond({.content_type = metrics::kMetricContentType,
                    .body = metrics::RenderMetrics(JobManagerMetrics(api_))});
  }
  StringView path = request.path;
  if (!absl::ConsumePrefix(&path, "/v1/")) return respond(NoSuchAddress(request));
  const Parts parts = absl::StrSplit(path, '/');
  HandleV1(parts, request, std::move(respond));
}

void ApiRoutes::HandleV1(const Parts& parts, const HttpRequest& request, HttpRespond respond) {
  const bool is_get = request.method == "GET";
  if (parts.front() == "jobs") {
    if (parts.size() > 1) return HandleJob(parts, request, std::move(respond));
    if (is_get) return List(request, std::move(respond));
  }
  if (parts.size() == 1 && is_get && parts.front() == "logs") {
    return Logs(request, std::move(respond));
  }
  const absl::Status query = CheckQuery(request, {});
  if (!query.ok()) return respond(ErrorResponse(query));
  if (parts == Parts{"jobs"} && request.method == "POST") {
    return Submit(request, std::move(respond));
  }
  if (parts == Parts{"cluster"} && is_get) {
    return respond({.body = ClusterJson(api_.Cluster())});
  }
  respond(NoSuchAddress(request));
}

void ApiRoutes::HandleJob(const Parts& parts, const HttpRequest& request, HttpRespond respond) {
  const std::string& reference = parts[1];
  const std::string action =
      absl::StrCat(request.method, parts.size() == 2 ? "" : " ", parts.size() == 3 ? parts[2] : "");
  if (parts.size() > 3) return respond(NoSuchAddress(request));
  const absl::Status query = CheckQuery(request, {});
  if (!query.ok()) return respond(ErrorResponse(query));
  if (action == "GET") {
    const absl::StatusOr<dispatcher::JobDetail> job = api_.Describe(reference);
    if (!job.ok()) return respond(ErrorResponse(job.status()));
    return respond({.body = JobDetailJson(*job)});
  }
  if (action == "GET checkpoints") {
    const auto checkpoints = api_.Checkpoints(reference);
    if (!checkpoints.ok()) return respond(ErrorResponse(checkpoints.status()));
    return respond({.body = CheckpointListJson(*checkpoints)});
  }
  if (action == "POST cancel") {
    return api_.Cancel(reference,
                       Answer<dispatcher::JobSummary>(std::move(respond), 202, &JobJson));
  }
  if (action == "POST checkpoints") {
    return api_.TriggerCheckpoint(reference,
                                  Answer<CheckpointId>(std::move(respond), 200, &CheckpointIdJson));
  }
  respond(NoSuchAddress(request));
}

void ApiRoutes::List(const HttpRequest& request, HttpRespond respond) {
  const absl::StatusOr<bool> all = AsksForAll(request);
  if (!all.ok()) return respond(ErrorResponse(all.status()));
  respond({.body = JobListJson(api_.List(*all))});
}

void ApiRoutes::Submit(const HttpRequest& request, HttpRespond respond) {
  absl::StatusOr<dispatcher::SubmitRequest> submission = ParseSubmitRequest(request.body);
  if (!submission.ok()) return respond(ErrorResponse(submission.status()));
  api_.Submit(*std::move(submission), [respond = std::move(respond)](
                                          absl::StatusOr<dispatcher::SubmitAnswer> answer) mutable {
    if (!answer.ok()) return respond(ErrorResponse(answer.status()));
    const int status = answer->job.IsNil() ? 400 : answer->is_new ? 201 : 200;
    respond({.status = status, .body = SubmitAnswerJson(*answer)});
  });
}

void ApiRoutes::Logs(const HttpRequest& request, HttpRespond respond) {
  const absl::Status known = CheckQuery(request, {"job", "taskmanager", "lines"});
  if (!known.ok()) return respond(ErrorResponse(known));
  dispatcher::LogQuery query;
  for (const auto& [name, value] : request.query) {
    if (name == "job") {
      query.job = value;
    } else if (name == "taskmanager") {
      query.taskmanager = value;
    } else if (!absl::SimpleAtoi(value, &query.lines_max) || query.lines_max > kLogLinesMax) {
      return respond(ErrorResponse(absl::InvalidArgumentError(
          absl::StrCat("'", name, "=", value, "': it is a whole number, at most ", kLogLinesMax))));
    }
  }
  api_.Logs(query, Answer<std::vector<rpc::LogLine>>(std::move(respond), 200, &LogJson));
}

}  // namespace weir::server
