#include "common/rpc/facts_codec.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/rpc/protocol.h"
#include "common/rpc/wire_values.h"

namespace weir::rpc {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// What a line costs in a message besides its text.
constexpr size_t kLineBytes = 32;

enum class Presence : uint8_t { kRequired, kOptional };

absl::StatusOr<std::string> ReadName(capnp::Text::Reader in, StringView what, Presence presence) {
  if (in.size() > kNameBytesMax) return Wrong(what, " of ", in.size(), " bytes");
  if (in.size() == 0 && presence == Presence::kRequired) return Wrong(what, " is missing");
  return StringOf(in);
}

void WriteCounts(const OperatorCounts& counts, wire::OperatorCounts::Builder out) {
  out.setNode(counts.node);
  out.setRowsIn(counts.rows_in);
  out.setRowsOut(counts.rows_out);
  out.setRowsLate(counts.rows_late);
  out.setRowsPartiallyLate(counts.rows_partially_late);
  out.setRowsSkipped(counts.rows_skipped);
  out.setDeletesDropped(counts.deletes_dropped);
}

absl::StatusOr<OperatorCounts> ReadCounts(wire::OperatorCounts::Reader in) {
  const OperatorCounts counts{.node = in.getNode(),
                              .rows_in = in.getRowsIn(),
                              .rows_out = in.getRowsOut(),
                              .rows_late = in.getRowsLate(),
                              .rows_partially_late = in.getRowsPartiallyLate(),
                              .rows_skipped = in.getRowsSkipped(),
                              .deletes_dropped = in.getDeletesDropped()};
  for (const int64_t count :
       {counts.rows_in, counts.rows_out, counts.rows_late, counts.rows_partially_late,
        counts.rows_skipped, counts.deletes_dropped}) {
    if (count < 0) return Wrong("operator ", counts.node, " counts ", count, " rows");
  }
  return counts;
}

}  // namespace

void WriteFacts(const TaskManagerFacts& facts, wire::Facts::Builder out) {
  WriteId(facts.id, out.initId());
  out.setHost(TextOf(facts.host));
  out.setDataAddress(TextOf(facts.data_address));
  out.setHttpAddress(TextOf(facts.http_address));
  out.setSlots(facts.slots);
  out.setPid(facts.pid);
  out.setBuild(TextOf(facts.build_version));
}

absl::StatusOr<TaskManagerFacts> ReadFacts(wire::Facts::Reader in) {
  TaskManagerFacts facts;
  facts.id = ReadId<TaskManagerId>(in.getId());
  if (facts.id.IsNil()) return Wrong("a taskmanager without id");
  WEIR_ASSIGN_OR_RETURN(facts.host, ReadName(in.getHost(), "host", Presence::kRequired));
  WEIR_ASSIGN_OR_RETURN(facts.data_address,
                        ReadName(in.getDataAddress(), "data address", Presence::kRequired));
  WEIR_ASSIGN_OR_RETURN(facts.http_address,
                        ReadName(in.getHttpAddress(), "HTTP address", Presence::kOptional));
  facts.slots = in.getSlots();
  if (facts.slots == 0 || facts.slots > kSlotsMax) {
    return Wrong(facts.slots, " slots; between 1 and ", kSlotsMax, " are possible");
  }
  facts.pid = in.getPid();
  if (facts.pid <= 0) return Wrong("process id ", facts.pid);
  WEIR_ASSIGN_OR_RETURN(facts.build_version,
                        ReadName(in.getBuild(), "build version", Presence::kRequired));
  return facts;
}

void WriteReport(const TaskManagerReport& report, wire::Report::Builder out) {
  out.setResidentBytes(report.resident_bytes);
  auto tasks = out.initTasks(SizeOf(report.tasks));
  for (uint32_t i = 0; i < tasks.size(); ++i) {
    const TaskCounts& from = report.tasks[i];
    WriteId(from.job, tasks[i].initJob());
    WriteId(from.attempt, tasks[i].initAttempt());
    auto operators = tasks[i].initOperators(SizeOf(from.operators));
    for (uint32_t k = 0; k < operators.size(); ++k) WriteCounts(from.operators[k], operators[k]);
  }
}

absl::StatusOr<TaskManagerReport> ReadReport(wire::Report::Reader in) {
  TaskManagerReport report;
  report.resident_bytes = in.getResidentBytes();
  report.tasks.reserve(in.getTasks().size());
  for (const auto task : in.getTasks()) {
    TaskCounts& read = report.tasks.emplace_back();
    read.job = ReadId<JobId>(task.getJob());
    read.attempt = ReadId<AttemptId>(task.getAttempt());
    if (read.job.IsNil() || read.attempt.IsNil()) return Wrong("counts of no task");
    read.operators.reserve(task.getOperators().size());
    for (const auto counts : task.getOperators()) {
      WEIR_ASSIGN_OR_RETURN(read.operators.emplace_back(), ReadCounts(counts));
    }
  }
  return report;
}

void WriteLogRequest(const LogRequest& request, wire::LogRequest::Builder out) {
  out.setContains(TextOf(request.contains));
  out.setLinesMax(request.lines_max);
}

absl::StatusOr<LogRequest> ReadLogRequest(wire::LogRequest::Reader in) {
  LogRequest request;
  WEIR_ASSIGN_OR_RETURN(request.contains,
                        ReadName(in.getContains(), "a text to look for", Presence::kOptional));
  request.lines_max = in.getLinesMax();
  if (request.lines_max == 0 || request.lines_max > kLogLinesMax) {
    return Wrong(request.lines_max, " lines of a log; between 1 and ", kLogLinesMax,
                 " are possible");
  }
  return request;
}

std::vector<LogLine> FittingLines(std::vector<LogLine> lines) {
  size_t bytes = 0;
  size_t first = lines.size();
  while (first > 0) {
    bytes += lines[first - 1].text.size() + kLineBytes;
    if (bytes > kPayloadBytesMax) break;
    --first;
  }
  lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  return lines;
}

void WriteLogLines(const std::vector<LogLine>& lines, capnp::List<wire::LogLine>::Builder out) {
  for (uint32_t i = 0; i < out.size(); ++i) {
    out[i].setAtUs(absl::ToUnixMicros(lines[i].at));
    out[i].setLevel(static_cast<uint8_t>(lines[i].level));
    out[i].setText(TextOf(lines[i].text));
  }
}

absl::StatusOr<std::vector<LogLine>> ReadLogLines(capnp::List<wire::LogLine>::Reader in) {
  if (in.size() > kLogLinesMax) return Wrong(in.size(), " lines of a log");
  std::vector<LogLine> lines;
  lines.reserve(in.size());
  for (const auto line : in) {
    const char level = static_cast<char>(line.getLevel());
    if (level != 'I' && level != 'W' && level != 'E') {
      return Wrong("a log line of level ", uint32_t{line.getLevel()});
    }
    lines.push_back({.at = absl::FromUnixMicros(line.getAtUs()),
                     .level = level,
                     .text = StringOf(line.getText())});
  }
  return lines;
}

}  // namespace weir::rpc
