// What a taskmanager says of itself, to and from Cap'n Proto.
#pragma once

#include <cstdint>
#include <vector>

#include <absl/status/statusor.h>

#include "common/rpc/task_manager_facts.h"
#include "schemas/rpc/job_manager.capnp.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::rpc {

// Longest name a taskmanager gives for a host, an address or its build.
inline constexpr size_t kNameBytesMax = 256;

// Errors of every Read function: INVALID_ARGUMENT names the field and its value.

void WriteFacts(const TaskManagerFacts& facts, wire::Facts::Builder out);
absl::StatusOr<TaskManagerFacts> ReadFacts(wire::Facts::Reader in);

void WriteReport(const TaskManagerReport& report, wire::Report::Builder out);
absl::StatusOr<TaskManagerReport> ReadReport(wire::Report::Reader in);

void WriteLogRequest(const LogRequest& request, wire::LogRequest::Builder out);
absl::StatusOr<LogRequest> ReadLogRequest(wire::LogRequest::Reader in);

// Leaves out the oldest lines if all together are more than a message may hold.
std::vector<LogLine> FittingLines(std::vector<LogLine> lines);
void WriteLogLines(const std::vector<LogLine>& lines, capnp::List<wire::LogLine>::Builder out);
absl::StatusOr<std::vector<LogLine>> ReadLogLines(capnp::List<wire::LogLine>::Reader in);

}  // namespace weir::rpc
