// What must hold: every address asks the question it names, every outcome has its status, every
// answer is JSON whatever bytes stand in names and messages.
#include "jobmanager/server/http/api_routes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace weir::server {
namespace {

using Json = nlohmann::json;

// A jobmanager with one job, which notes what it is asked.
class OneJob final : public dispatcher::JobApi {
 public:
  void Submit(dispatcher::SubmitRequest request, Done<dispatcher::SubmitAnswer> done) override {
    submitted = request;
    if (!refusal.ok()) return done(refusal);
    dispatcher::SubmitAnswer answer;
    if (request.source.text == "bad") {
      answer.diagnostics.Add(config::MakeDiagnostic(config::Severity::kError,
                                                    config::codes::kBadValue, {}, "/x", "no"));
    } else {
      answer = {.job = {1, 2}, .name = "n", .is_new = request.request_id != "again"};
    }
    done(std::move(answer));
  }
  std::vector<dispatcher::JobSummary> List(bool ended) const override {
    if (!ended) return {};
    return listed;
  }
  absl::StatusOr<dispatcher::JobDetail> Describe(StringView reference) const override {
    if (reference != "one") return NoJob(reference);
    dispatcher::JobDetail detail{.summary = Summary()};
    detail.failures.push_back({.vertex = "v", .message = "bytes \xff\xfe"});
    detail.steps.push_back({.id = "s"});
    detail.subtasks.push_back({.vertex = "v"});
    return detail;
  }
  void Cancel(StringView reference, Done<dispatcher::JobSummary> done) override {
    if (reference == "one") return done(Summary());
    done(absl::FailedPreconditionError("it has ended"));
  }
  absl::StatusOr<std::vector<checkpoint::CheckpointStats>> Checkpoints(
      StringView reference) const override {
    if (reference != "one" && reference != Summary().id.ToString()) return NoJob(reference);
    return checkpoints;
  }
  void TriggerCheckpoint(StringView reference, Done<CheckpointId> done) override {
    if (reference == "one") return done(CheckpointId{8});
    done(NoJob(reference));
  }
  void Logs(const dispatcher::LogQuery& query, Done<std::vector<rpc::LogLine>> done) override {
    logs = query;
    done(std::vector<rpc::LogLine>{{.level = 'W', .text = "line"}});
  }
  dispatcher::ClusterDetail Cluster() const override {
    dispatcher::ClusterDetail cluster;
    cluster.taskmanagers.push_back({.facts = {.slots = 4}, .slots_free = 3});
    return cluster;
  }
  bool IsReady(std::string* why) const override {
    *why = is_ready ? "" : "no leader";
    return is_ready;
  }

  static dispatcher::JobSummary Summary() {
    return {.id = {1, 2}, .name = "a\"\xff", .submitted_at = absl::FromUnixMicros(1'500'000)};
  }
  static absl::Status NoJob(StringView reference) {
    return absl::NotFoundError(absl::StrCat("no job ", reference));
  }

  absl::Status refusal;
  std::vector<dispatcher::JobSummary> listed{Summary()};
  std::vector<checkpoint::CheckpointStats> checkpoints{{.id = CheckpointId{7}}};
  bool is_ready = true;
  std::optional<dispatcher::SubmitRequest> submitted;
  std::optional<dispatcher::LogQuery> logs;
};

struct Asked {
  int status = 0;
  std::string content_type;
  std::string body;
  Json json;
};

Asked Ask(OneJob& api, const std::string& method, const std::string& target,
          const std::string& body = "") {
  absl::StatusOr<rpc::HttpRequest> request = rpc::ParseHttpTarget(target);
  REQUIRE(request.ok());
  request->method = method;
  request->body = body;
  std::optional<rpc::HttpResponse> answer;
  ApiRoutes(api).Handle(*std::move(request),
                        [&answer](rpc::HttpResponse response) { answer = std::move(response); });
  REQUIRE(answer.has_value());
  Asked asked{answer->status, answer->content_type, answer->body, nullptr};
  if (answer->content_type == "application/json") {
    INFO(answer->body);
    asked.json = Json::parse(answer->body, nullptr, false);
    REQUIRE_FALSE(asked.json.is_discarded());
  }
  return asked;
}

TEST_CASE("every question of the HTTP interface has its address", "[server][unit]") {
  OneJob api;
  CHECK(Ask(api, "GET", "/v1/jobs").json == Json({{"jobs", Json::array()}}));
  const Json job = Ask(api, "GET", "/v1/jobs?all=true").json["jobs"][0];
  CHECK(job["id"] == "00000000000000010000000000000002");
  CHECK(job["submitted_at"] == "1970-01-01T00:00:01.500Z");
  CHECK(job["started_at"].is_null());
  CHECK(job["checkpoints"]["last"].is_null());
  const Json detail = Ask(api, "GET", "/v1/jobs/one").json;
  CHECK(detail["failures"][0]["vertex"] == "v");
  CHECK(detail["steps"][0]["id"] == "s");
  CHECK(Ask(api, "POST", "/v1/jobs/one/cancel").status == 202);
  CHECK(Ask(api, "GET", "/v1/jobs/one/checkpoints").json["checkpoints"][0]["id"] == 7);
  CHECK(Ask(api, "POST", "/v1/jobs/one/checkpoints").json["checkpoint"]["id"] == 8);
  CHECK(Ask(api, "GET", "/v1/cluster").json["taskmanagers"][0]["slots_free"] == 3);
  CHECK(Ask(api, "GET", "/v1/logs?taskmanager=ab&lines=5").json["lines"][0]["level"] == "W");
  CHECK(api.logs->taskmanager == "ab");
  CHECK(api.logs->lines_max == 5);
  CHECK(Ask(api, "GET", "/v1/logs?lines=1000000").status == 400);
  CHECK(Ask(api, "GET", "/v1/nothing").status == 404);
  CHECK(Ask(api, "DELETE", "/v1/jobs").status == 404);
  CHECK(Ask(api, "GET", "/").status == 404);
}

TEST_CASE("a path takes the methods it is said to have, and no others", "[server][unit]") {
  OneJob api;
  for (const std::string path :
       {"/livez", "/readyz", "/metrics", "/v1/jobs", "/v1/jobs/one", "/v1/jobs/one/cancel",
        "/v1/jobs/one/checkpoints", "/v1/logs", "/v1/cluster", "/", "/v1", "/v1/", "/v1/nothing",
        "/v1/logs/x", "/v1/jobs/one/x", "/v1/jobs/one/cancel/x"}) {
    const std::vector<std::string> known = ApiRoutes::MethodsOf(path);
    for (const std::string method : {"GET", "POST", "DELETE"}) {
      CAPTURE(path, method);
      const bool is_known = std::find(known.begin(), known.end(), method) != known.end();
      CHECK((Ask(api, method, path).status != 404) == is_known);
    }
  }
}

TEST_CASE("a parameter that an address does not have is refused", "[server][unit]") {
  OneJob api;
  const Asked typo = Ask(api, "GET", "/v1/jobs?al=true");
  CHECK(typo.status == 400);
  CHECK(typo.json["error"]["message"] == "/v1/jobs has no parameter 'al'; it has all");
  CHECK(Ask(api, "GET", "/v1/jobs?all=yes").status == 400);
  CHECK(Ask(api, "GET", "/v1/jobs?all=false").json == Json({{"jobs", Json::array()}}));
  CHECK(Ask(api, "GET", "/v1/logs?line=5").json["error"]["message"] ==
        "/v1/logs has no parameter 'line'; it has job, taskmanager, lines");
  CHECK(Ask(api, "GET", "/v1/jobs/one?x=1").json["error"]["message"] ==
        "/v1/jobs/one has no parameter 'x'; it has none");
  CHECK(Ask(api, "POST", "/v1/jobs/one/cancel?x=1").status == 400);
  CHECK(Ask(api, "POST", "/v1/jobs?parallelism=2", R"({"descriptor":"d"})").status == 400);
  CHECK_FALSE(api.submitted.has_value());
  CHECK(Ask(api, "GET", "/v1/cluster?x").status == 400);
}

TEST_CASE("a submission is checked before anyone plans it", "[server][unit]") {
  OneJob api;
  for (const char* const bad :
       {"", "[]", "{", "{}", R"({"descriptor":1})", R"({"descriptor":"d","x":1})",
        R"({"descriptor":"d","variables":{"a":1}})", R"({"descriptor":"d","parallelism":"2"})"}) {
    CAPTURE(bad);
    const Asked asked = Ask(api, "POST", "/v1/jobs", bad);
    CHECK(asked.status == 400);
    CHECK(asked.json["error"]["code"] == "INVALID_ARGUMENT");
  }
  CHECK_FALSE(api.submitted.has_value());
  const Asked taken =
      Ask(api, "POST", "/v1/jobs", R"({"descriptor":"d","variables":{"A":"1"},"parallelism":2})");
  CHECK(taken.status == 201);
  CHECK(taken.json["job"]["name"] == "n");
  CHECK(api.submitted->source.variables.at("A") == "1");
  CHECK(api.submitted->source.parallelism == 2);
  CHECK(Ask(api, "POST", "/v1/jobs", R"({"descriptor":"d","request_id":"again"})").status == 200);
  const Asked refused = Ask(api, "POST", "/v1/jobs", R"({"descriptor":"bad"})");
  CHECK(refused.status == 400);
  CHECK(refused.json["diagnostics"][0]["code"] == "E0105");
}

TEST_CASE("a parallelism out of range is refused by name, with the range", "[server][unit]") {
  OneJob api;
  for (const std::string member : {"parallelism", "max_parallelism"}) {
    for (const std::string value : {"0", "-1", "32769", "4294967297"}) {
      CAPTURE(member, value);
      const Asked asked =
          Ask(api, "POST", "/v1/jobs", R"({"descriptor":"d",")" + member + "\":" + value + "}");
      CHECK(asked.status == 400);
      CHECK(asked.json["error"]["code"] == "INVALID_ARGUMENT");
      CHECK(asked.json["error"]["message"] ==
            "member '" + member + "' is " + value + "; it must be a whole number from 1 to 32768");
    }
  }
  CHECK_FALSE(api.submitted.has_value());
  CHECK(
      Ask(api, "POST", "/v1/jobs", R"({"descriptor":"d","parallelism":1,"max_parallelism":32768})")
          .status == 201);
}

TEST_CASE("an outcome has the HTTP status that says what to do", "[server][unit]") {
  OneJob api;
  for (const auto& [status, http] :
       std::vector<std::pair<absl::Status, int>>{{absl::AlreadyExistsError("x"), 409},
                                                 {absl::UnavailableError("x"), 503},
                                                 {absl::ResourceExhaustedError("x"), 429},
                                                 {absl::InternalError("x"), 500}}) {
    api.refusal = status;
    CHECK(Ask(api, "POST", "/v1/jobs", R"({"descriptor":"d"})").status == http);
  }
  CHECK(Ask(api, "POST", "/v1/jobs/x/cancel").status == 409);
  CHECK(Ask(api, "GET", "/v1/jobs/x/checkpoints").status == 404);
  CHECK(Ask(api, "POST", "/v1/jobs/x/checkpoints").status == 404);
}

TEST_CASE("health and metrics are plain text", "[server][unit]") {
  OneJob api;
  CHECK(Ask(api, "GET", "/livez").status == 200);
  CHECK(Ask(api, "GET", "/readyz").status == 200);
  api.is_ready = false;
  CHECK(Ask(api, "GET", "/readyz").status == 503);
  CHECK_THAT(Ask(api, "GET", "/readyz").body, Catch::Contains("no leader"));
  CHECK_THAT(Ask(api, "GET", "/metrics").body, Catch::Contains("weir_jobmanager_slots_free 3"));
}

TEST_CASE("jobs are counted by state, those that have ended too", "[server][unit]") {
  OneJob api;
  api.listed.front().state = job::JobState::kRunning;
  for (const job::JobState state : {job::JobState::kFailed, job::JobState::kFailed}) {
    api.listed.push_back({.id = {1, 3}, .name = "ended", .state = state});
  }
  const std::string text = Ask(api, "GET", "/metrics").body;
  CHECK_THAT(text, Catch::Contains("weir_jobmanager_jobs{state=\"RUNNING\"} 1\n"));
  CHECK_THAT(text, Catch::Contains("weir_jobmanager_jobs{state=\"FAILED\"} 2\n"));
  CHECK_THAT(text, Catch::Contains("weir_jobmanager_jobs{state=\"CANCELED\"} 0\n"));
  CHECK_THAT(text, !Catch::Contains("job=\"ended\""));
}

TEST_CASE("a job's newest checkpoint is measured once there is one", "[server][unit]") {
  OneJob api;
  api.listed.front().name = "n";
  CHECK_THAT(Ask(api, "GET", "/metrics").body, !Catch::Contains("weir_job_last_checkpoint"));
  api.listed.front().completed = CheckpointId{7};
  api.listed.front().completed_at = absl::FromUnixMillis(2500);
  const std::string labels = "{job=\"n\",job_id=\"00000000000000010000000000000002\"} ";
  // One that a former jobmanager took: neither its duration nor its size is known.
  const std::string former = Ask(api, "GET", "/metrics").body;
  CHECK_THAT(former,
             Catch::Contains("weir_job_last_checkpoint_timestamp_seconds" + labels + "2.5\n"));
  CHECK_THAT(former, !Catch::Contains("weir_job_last_checkpoint_duration_seconds"));
  CHECK_THAT(former, !Catch::Contains("weir_job_last_checkpoint_state_bytes"));
  api.listed.front().completed_in = absl::Milliseconds(250);
  api.listed.front().completed_bytes = 42;
  const std::string text = Ask(api, "GET", "/metrics").body;
  CHECK_THAT(text,
             Catch::Contains("weir_job_last_checkpoint_duration_seconds" + labels + "0.25\n"));
  CHECK_THAT(text, Catch::Contains("weir_job_last_checkpoint_state_bytes" + labels + "42\n"));
}

}  // namespace
}  // namespace weir::server
