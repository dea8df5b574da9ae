// What the jobmanager's answers look like as JSON (docs/api.md). No decisions live here.
#pragma once

#include <string>
#include <vector>

#include "jobmanager/dispatcher/job_api.h"

namespace weir::server {

// Each returns one JSON object.
std::string JobListJson(const std::vector<dispatcher::JobSummary>& jobs);
std::string JobJson(const dispatcher::JobSummary& job);
std::string JobDetailJson(const dispatcher::JobDetail& job);
std::string SubmitAnswerJson(const dispatcher::SubmitAnswer& answer);
std::string CheckpointListJson(const std::vector<checkpoint::CheckpointStats>& checkpoints);
std::string CheckpointIdJson(CheckpointId id);
std::string LogJson(const std::vector<rpc::LogLine>& lines);
std::string ClusterJson(const dispatcher::ClusterDetail& cluster);
std::string ErrorJson(const absl::Status& status);

// INVALID_ARGUMENT: not JSON, a member is missing, unknown or of another type; names it.
absl::StatusOr<dispatcher::SubmitRequest> ParseSubmitRequest(StringView json);

}  // namespace weir::server
