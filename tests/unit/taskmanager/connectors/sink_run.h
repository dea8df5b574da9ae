// A file sink's subtask from Open() on, with its async parts under the test's control.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/types/json/json_encoder.h"
#include "taskmanager/connectors/file_sink.h"
#include "taskmanager/connectors/part_names.h"
#include "tests/unit/taskmanager/connectors/connector_harness.h"

namespace weir::connectors {

inline constexpr char kSinkDirectory[] = "/out";

inline types::SchemaPtr ValueSchema() {
  return std::make_shared<const types::Schema>(std::vector<types::Field>{{"v", types::kInt64Type}});
}

inline types::BatchPtr Values(const std::vector<int64_t>& values) {
  types::BatchBuilder builder(ValueSchema());
  for (const int64_t value : values) {
    builder.column(0).Append(value);
    builder.EndRow();
  }
  return builder.Finish();
}

inline std::unique_ptr<operators::Operator> JsonFileSink() {
  return MakeFileSink({.path = kSinkDirectory}, graph::SinkChangelog::kAppend,
                      types::MakeJsonEncoder(ValueSchema(), types::WithOp::kNo));
}

// A sink has nothing behind it.
class NoOutput final : public operators::BatchSink {
 public:
  void Emit(types::BatchPtr) override { FAIL("a sink emits nothing"); }
};

// Life: one attempt; a restored one gets the lists of a checkpoint.
class SinkRun {
 public:
  SinkRun(const operators::Operator& sink, const SubtaskPlace& place, const base::Clock& clock,
          fs::FileSystem& files, const Lists& restored = {})
      : sink_(sink), subtask_(place, clock, files) {
    auto state = sink_.NewState(subtask_.context());
    REQUIRE(state.ok());
    state_ = *std::move(state);
    RestoreLists(restored, &subtask_.lists());
    opened_ = sink_.Open(*state_);
  }

  const absl::Status& opened() const { return opened_; }
  absl::Status Write(const std::vector<int64_t>& values) { return WriteBatch(Values(values)); }
  absl::Status WriteBatch(const types::BatchPtr& batch) {
    return sink_.OnBatch(batch, *state_, no_output_).status();
  }
  // The sync part; async parts wait in parts().
  absl::StatusOr<Lists> Snapshot(int64_t id) {
    const absl::Status taken =
        sink_.Snapshot({.id = CheckpointId{id}, .options = {}, .async_parts = &parts_}, *state_);
    if (!taken.ok()) return taken;
    return subtask_.lists().Snapshot().lists();
  }
  // Runs and forgets the async parts; the first error.
  absl::Status RunParts() {
    absl::Status status;
    for (auto& part : parts_) status.Update(part());
    parts_.clear();
    return status;
  }
  // Both parts, as for a checkpoint that is acknowledged.
  Lists Checkpoint(int64_t id) {
    auto lists = Snapshot(id);
    INFO(lists.status().ToString());
    REQUIRE(lists.ok());
    REQUIRE(RunParts().ok());
    return *lists;
  }
  absl::Status Notify(int64_t id) { return sink_.NotifyComplete(CheckpointId{id}, *state_); }
  absl::Status NotifyAborted(int64_t id) { return sink_.NotifyAborted(CheckpointId{id}, *state_); }

  std::vector<absl::AnyInvocable<absl::Status()>>& parts() { return parts_; }
  operators::OperatorMetrics& metrics() { return subtask_.metrics(); }

 private:
  const operators::Operator& sink_;
  Subtask subtask_;
  std::unique_ptr<operators::OperatorState> state_;
  NoOutput no_output_;
  std::vector<absl::AnyInvocable<absl::Status()>> parts_;
  absl::Status opened_;
};

// Names in the sink's directory, but for the note of the last start.
inline std::vector<std::string> NamesIn(fs::FileSystem& files,
                                        const std::string& directory = kSinkDirectory) {
  std::vector<std::string> names;
  const auto entries = files.List(directory);
  REQUIRE(entries.ok());
  for (const fs::DirectoryEntry& entry : *entries) {
    if (entry.name != kStartFileName) names.push_back(entry.name);
  }
  return names;
}

// The lines of all committed parts, sorted.
inline std::vector<std::string> CommittedLines(fs::FileSystem& files) {
  std::vector<std::string> lines;
  for (const std::string& name : NamesIn(files)) {
    if (name.rfind("part-", 0) != 0) continue;
    const std::string bytes = ReadFile(files, std::string(kSinkDirectory) + "/" + name);
    for (const StringView line : absl::StrSplit(bytes, '\n', absl::SkipEmpty())) {
      lines.emplace_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

inline std::vector<std::string> Lines(const std::vector<int64_t>& values) {
  std::vector<std::string> lines;
  for (const int64_t value : values) lines.push_back("{\"v\":" + std::to_string(value) + "}");
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace weir::connectors
