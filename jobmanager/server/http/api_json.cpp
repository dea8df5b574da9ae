#include "jobmanager/server/http/api_json.h"

#include <algorithm>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <nlohmann/json.hpp>

#include "common/config/diagnostic_text.h"
#include "common/graph/parallelism_range.h"

namespace weir::server {
namespace {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 (in a path, in a row that was quoted) must not spoil an answer.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "2026-01-02T03:04:05.678Z"; null: never.
Json TimeJson(absl::Time time) {
  if (time == absl::InfinitePast() || time == absl::InfiniteFuture()) return nullptr;
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", time, absl::UTCTimeZone());
}

Json IdJson(CheckpointId id) {
  if (id == kNoCheckpoint) return nullptr;
  return ToInt(id);
}

Json SummaryJson(const dispatcher::JobSummary& job) {
  const auto count = [&job](auto value) -> Json {
    if (!job.has_counts) return nullptr;
    return value;
  };
  Json last = nullptr;
  if (job.completed != kNoCheckpoint) {
    last = {{"id", ToInt(job.completed)},
            {"completed_at", TimeJson(job.completed_at)},
            {"duration_ms", absl::ToDoubleMilliseconds(job.completed_in)}};
  }
  return {{"id", job.id.ToString()},
          {"name", job.name},
          {"state", std::string(job::ToString(job.state))},
          {"waits_for", job.waits_for},
          {"parallelism", job.parallelism},
          {"tasks",
           {{"total", job.tasks},
            {"running", job.tasks_running},
            {"finished", job.tasks_finished},
            {"failed", job.tasks_failed}}},
          {"submitted_at", TimeJson(job.submitted_at)},
          {"started_at", TimeJson(job.started_at)},
          {"ended_at", TimeJson(job.ended_at)},
          {"restarts", job.restarts},
          {"checkpoints",
           {{"completed", count(job.checkpoints_completed)},
            {"failed", count(job.checkpoints_failed)},
            {"restored", IdJson(job.restored)},
            {"last", std::move(last)}}},
          {"rows",
           {{"read", count(job.rows_read)},
            {"written", count(job.rows_written)},
            {"late", count(job.rows_late)},
            {"skipped", count(job.rows_skipped)}}},
          {"cause", job.cause}};
}

Json StepJson(const dispatcher::StepDetail& step) {
  return {{"id", step.id},
          {"label", step.label},
          {"parallelism", step.parallelism},
          {"rows_in", step.counts.rows_in},
          {"rows_out", step.counts.rows_out},
          {"rows_late", step.counts.rows_late},
          {"rows_partially_late", step.counts.rows_partially_late},
          {"rows_skipped", step.counts.rows_skipped},
          {"deletes_dropped", step.counts.deletes_dropped}};
}

Json SubtaskJson(const dispatcher::SubtaskDetail& subtask) {
  return {{"vertex", subtask.vertex},
          {"subtask", subtask.subtask},
          {"state", subtask.state},
          {"attempt", subtask.attempt.ToString()},
          {"taskmanager", subtask.taskmanager},
          {"host", subtask.host}};
}

Json FailureJson(const dispatcher::FailureDetail& failure) {
  return {{"at", TimeJson(failure.at)}, {"vertex", failure.vertex},
          {"subtask", failure.subtask}, {"taskmanager", failure.taskmanager},
          {"host", failure.host},       {"message", failure.message}};
}

const char* StatusText(checkpoint::CheckpointStatus status) {
  switch (status) {
    case checkpoint::CheckpointStatus::kInProgress:
      return "IN_PROGRESS";
    case checkpoint::CheckpointStatus::kCompleted:
      return "COMPLETED";
    case checkpoint::CheckpointStatus::kFailed:
      return "FAILED";
  }
  return "";
}

Json CheckpointJson(const checkpoint::CheckpointStats& stats) {
  return {{"id", ToInt(stats.id)},
          {"status", StatusText(stats.status)},
          {"triggered_at", TimeJson(stats.triggered_at)},
          {"duration_ms", absl::ToDoubleMilliseconds(stats.duration)},
          {"state_bytes", stats.state_bytes},
          {"alignment_bytes", stats.alignment_bytes},
          {"acknowledged", stats.acknowledged},
          {"required", stats.required},
          {"cause", stats.cause},
          {"location", stats.location}};
}

template <class Items, class ToJson>
Json ListJson(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

Json TaskManagerJson(const dispatcher::TaskManagerDetail& detail) {
  return {{"id", detail.facts.id.ToString()},
          {"host", detail.facts.host},
          {"data_address", detail.facts.data_address},
          {"http_address", detail.facts.http_address},
          {"pid", detail.facts.pid},
          {"version", detail.facts.build_version},
          {"slots", detail.facts.slots},
          {"slots_free", detail.slots_free},
          {"registered_at", TimeJson(detail.registered_at)},
          {"heard_at", TimeJson(detail.heard_at)},
          {"resident_bytes", detail.resident_bytes}};
}

// Reads the members of a submission.
class SubmitReader {
 public:
  explicit SubmitReader(const Json& json) : json_(json) {}

  std::string TextOf(const char* name, bool is_required) {
    const auto it = json_.find(name);
    if (it == json_.end()) {
      if (is_required) Fail(absl::StrCat("member '", name, "' is missing"));
      return "";
    }
    if (!it->is_string()) {
      Fail(absl::StrCat("member '", name, "' must be a text"));
      return "";
    }
    return it->get<std::string>();
  }

  absl::optional<int64_t> IntegerOf(const char* name) {
    const auto it = json_.find(name);
    if (it == json_.end() || it->is_null()) return absl::nullopt;
    if (!it->is_number_integer()) {
      Fail(absl::StrCat("member '", name, "' must be a whole number"));
      return absl::nullopt;
    }
    return it->get<int64_t>();
  }

  absl::optional<int64_t> ParallelismOf(const char* name) {
    const absl::optional<int64_t> value = IntegerOf(name);
    if (!value.has_value()) return absl::nullopt;
    const absl::Status checked =
        graph::CheckParallelism(absl::StrCat("member '", name, "'"), *value);
    if (!checked.ok()) Fail(std::string(checked.message()));
    return value;
  }

  std::map<std::string, std::string> TextsOf(const char* name) {
    std::map<std::string, std::string> texts;
    const auto it = json_.find(name);
    if (it == json_.end()) return texts;
    if (!it->is_object()) Fail(absl::StrCat("member '", name, "' must be an object of texts"));
    for (const auto& [key, value] : it->items()) {
      if (value.is_string()) {
        texts[key] = value.get<std::string>();
      } else {
        Fail(absl::StrCat("member '", name, "' must be an object of texts"));
      }
    }
    return texts;
  }

  void RefuseOthers(const std::vector<std::string>& known) {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        Fail(absl::StrCat("member '", key, "' is unknown; there are ", absl::StrJoin(known, ", ")));
      }
    }
  }

  const absl::Status& status() const { return status_; }

 private:
  void Fail(const std::string& message) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(message);
  }

  const Json& json_;
  absl::Status status_;
};

}  // namespace

std::string JobListJson(const std::vector<dispatcher::JobSummary>& jobs) {
  return Text({{"jobs", ListJson(jobs, SummaryJson)}});
}

std::string JobJson(const dispatcher::JobSummary& job) {
  return Text({{"job", SummaryJson(job)}});
}

std::string JobDetailJson(const dispatcher::JobDetail& job) {
  return Text({{"job", SummaryJson(job.summary)},
               {"description", job.description},
               {"steps", ListJson(job.steps, StepJson)},
               {"subtasks", ListJson(job.subtasks, SubtaskJson)},
               {"failures", ListJson(job.failures, FailureJson)}});
}

std::string SubmitAnswerJson(const dispatcher::SubmitAnswer& answer) {
  Json json;
  if (answer.job.IsNil()) {
    json["error"] = {{"code", "INVALID_DESCRIPTOR"},
                     {"message", absl::StrCat("the descriptor has ",
                                              answer.diagnostics.error_count(), " errors")}};
  } else {
    json["job"] = {{"id", answer.job.ToString()}, {"name", answer.name}};
    json["new"] = answer.is_new;
  }
  json["diagnostics"] = Json::parse(config::RenderJson(answer.diagnostics), nullptr, false);
  return Text(json);
}

std::string CheckpointListJson(const std::vector<checkpoint::CheckpointStats>& checkpoints) {
  return Text({{"checkpoints", ListJson(checkpoints, CheckpointJson)}});
}

std::string CheckpointIdJson(CheckpointId id) {
  return Text({{"checkpoint", {{"id", ToInt(id)}}}});
}

std::string LogJson(const std::vector<rpc::LogLine>& lines) {
  return Text({{"lines", ListJson(lines, [](const rpc::LogLine& line) -> Json {
                  return {{"at", TimeJson(line.at)},
                          {"level", std::string(1, line.level)},
                          {"text", line.text}};
                })}});
}

std::string ClusterJson(const dispatcher::ClusterDetail& cluster) {
  return Text({{"version", cluster.version},
               {"epoch", absl::StrCat(cluster.epoch)},
               {"started_at", TimeJson(cluster.started_at)},
               {"taskmanagers", ListJson(cluster.taskmanagers, TaskManagerJson)}});
}

std::string ErrorJson(const absl::Status& status) {
  return Text({{"error",
                {{"code", absl::StatusCodeToString(status.code())},
                 {"message", std::string(status.message())}}}});
}

absl::StatusOr<dispatcher::SubmitRequest> ParseSubmitRequest(StringView text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return absl::InvalidArgumentError("the body is not a JSON object");
  }
  SubmitReader reader(json);
  dispatcher::SubmitRequest request;
  request.source.text = reader.TextOf("descriptor", /*is_required=*/true);
  request.source.file_name = reader.TextOf("file_name", /*is_required=*/false);
  if (request.source.file_name.empty()) request.source.file_name = "descriptor";
  request.source.variables = reader.TextsOf("variables");
  request.source.parallelism = reader.ParallelismOf("parallelism");
  request.source.max_parallelism = reader.ParallelismOf("max_parallelism");
  request.request_id = reader.TextOf("request_id", /*is_required=*/false);
  reader.RefuseOthers(
      {"descriptor", "file_name", "variables", "parallelism", "max_parallelism", "request_id"});
  if (!reader.status().ok()) return reader.status();
  if (request.request_id.size() > dispatcher::kRequestIdBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat("member 'request_id' is longer than ",
                                                   dispatcher::kRequestIdBytesMax, " bytes"));
  }
  return request;
}

}  // namespace weir::server
