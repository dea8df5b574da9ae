#include "cli/cluster_client.h"

#include <utility>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::cli {
namespace {

// The status of an error answer: the code the jobmanager gives, else what the HTTP status says.
absl::Status ErrorOf(int http_status, const Json& json) {
  const Json& error = MemberOf(json, "error");
  const std::string code = TextOf(error, "code");
  std::string message = TextOf(error, "message");
  if (message.empty()) message = absl::StrCat("the jobmanager answers with HTTP ", http_status);
  for (int i = 1; i <= static_cast<int>(absl::StatusCode::kUnauthenticated); ++i) {
    const auto known = static_cast<absl::StatusCode>(i);
    if (absl::StatusCodeToString(known) == code) return absl::Status(known, message);
  }
  return http_status < 500 ? absl::InvalidArgumentError(message) : absl::InternalError(message);
}

}  // namespace

void AddClusterFlags(CLI::App& app, ClusterFlags& flags) {
  app.add_option("--jobmanager", flags.jobmanager, "Where the jobmanager answers.")
      ->type_name("URL")
      ->envname("WEIR_JOBMANAGER");
  app.add_option("--timeout", flags.timeout_s, "Seconds that one answer may take.")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86'400.0));
}

ClusterClient::ClusterClient(rpc::HttpEndpoint endpoint, absl::Duration timeout)
    : endpoint_(std::move(endpoint)), timeout_(timeout) {
}

absl::StatusOr<std::unique_ptr<ClusterClient>> ClusterClient::Connect(const ClusterFlags& flags) {
  WEIR_ASSIGN_OR_RETURN(rpc::HttpEndpoint endpoint, rpc::ParseHttpUrl(flags.jobmanager));
  auto client = std::unique_ptr<ClusterClient>(
      new ClusterClient(std::move(endpoint), absl::Seconds(flags.timeout_s)));
  for (const int signal : {SIGINT, SIGTERM}) {
    WEIR_RETURN_IF_ERROR(client->loop_.WatchSignal(signal, [made = client.get(), signal] {
      if (made->signal_ == 0) made->signal_ = signal;
      made->loop_.Stop();
    }));
  }
  return client;
}

absl::StatusOr<Json> ClusterClient::Call(const std::string& method, const std::string& target,
                                         const std::string& body, const char* member) {
  absl::StatusOr<rpc::HttpResponse> answer =
      rpc::CallHttp(loop_, endpoint_, method, target, body, timeout_);
  if (absl::IsUnavailable(answer.status())) {
    return absl::UnavailableError(
        absl::StrCat(answer.status().message(),
                     "; start weir-jobmanager, or name another address with --jobmanager"));
  }
  WEIR_RETURN_IF_ERROR(answer.status());
  const auto stranger = [this, status = answer->status] {
    return absl::InternalError(absl::StrCat(endpoint_.host, ":", endpoint_.port,
                                            " does not answer like a Weir jobmanager (HTTP ",
                                            status, ")"));
  };
  Json json = Json::parse(answer->body, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return stranger();
  // A refused descriptor is an answer like any other: its diagnostics tell more than a status.
  const bool is_refusal = json.contains("diagnostics");
  if (answer->status >= 400 && !is_refusal) return ErrorOf(answer->status, json);
  if (!is_refusal && !json.contains(member)) return stranger();
  return json;
}

absl::StatusOr<Json> ClusterClient::Get(const std::string& target, const char* member) {
  return Call("GET", target, "", member);
}

absl::StatusOr<Json> ClusterClient::Post(const std::string& target, const Json& body,
                                         const char* member) {
  return Call("POST", target, body.dump(-1, ' ', false, Json::error_handler_t::replace), member);
}

int ClusterClient::Pause(absl::Duration duration) {
  if (signal_ != 0) return signal_;
  const base::TimerId timer = loop_.RunAfter(duration, [this] { loop_.Stop(); });
  loop_.Run();
  loop_.Cancel(timer);
  return signal_;
}

std::string JobTarget(const std::string& reference) {
  return absl::StrCat("/v1/jobs/", rpc::PercentEncode(reference));
}

std::string JsonMembers(const Json& object) {
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  WEIR_CHECK(text.size() >= 2);
  return text.substr(1, text.size() - 2);
}

const Json& MemberOf(const Json& object, const char* name) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto it = object.find(name);
  return it == object.end() ? none : *it;
}

std::string TextOf(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  return member.is_string() ? member.get<std::string>() : std::string();
}

int64_t NumberOf(const Json& object, const char* name) {
  const Json& member = MemberOf(object, name);
  return member.is_number() ? member.get<int64_t>() : 0;
}

}  // namespace weir::cli
