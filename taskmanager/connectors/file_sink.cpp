#include "taskmanager/connectors/file_sink.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "taskmanager/connectors/part_file.h"
#include "taskmanager/connectors/pending_part.h"
#include "taskmanager/connectors/sink_rows.h"

namespace weir::connectors {
namespace {

// A part that a barrier ended. `file` is null for one that a checkpoint brought back.
struct EndedPart {
  PendingPart part;
  std::shared_ptr<PartFile> file;  // shared with async parts of checkpoints
};

struct FileSinkState final : operators::OperatorState {
  explicit FileSinkState(operators::SubtaskContext& subtask_context) : context(subtask_context) {}

  operators::SubtaskContext& context;
  state::ListState* pending_list = nullptr;
  state::ListState* numbers_list = nullptr;

  std::vector<EndedPart> ended;    // not committed, in the order of their barriers
  std::shared_ptr<PartFile> open;  // null until the first row behind a barrier
  uint64_t next_number = 0;        // of the open part, or of the next one
  std::string buffer;              // rows of the open part that are not yet in its file
};

class FileSink final : public operators::Operator {
 public:
  FileSink(graph::FileSinkOptions options, graph::SinkChangelog changelog,
           std::unique_ptr<types::RowEncoder> encoder)
      : directory_(std::move(options.path)), changelog_(changelog), encoder_(std::move(encoder)) {}

  absl::StatusOr<std::unique_ptr<operators::OperatorState>> NewState(
      operators::SubtaskContext& context) const override {
    auto state = std::make_unique<FileSinkState>(context);
    WEIR_ASSIGN_OR_RETURN(state->pending_list,
                          context.lists.Register(kPendingPartsList, state::ListMode::kSplitEven));
    WEIR_ASSIGN_OR_RETURN(state->numbers_list,
                          context.lists.Register(kPartNumbersList, state::ListMode::kUnion));
    return state;
  }

  absl::Status Open(operators::OperatorState& operator_state) const override {
    FileSinkState& state = static_cast<FileSinkState&>(operator_state);
    WEIR_RETURN_IF_ERROR(state.context.files.MakeDirs(directory_));
    for (const std::string& bytes : state.numbers_list->elements) {
      WEIR_ASSIGN_OR_RETURN(const uint64_t number, DecodePartNumber(bytes));
      state.next_number = std::max(state.next_number, number);
    }
    for (const std::string& bytes : state.pending_list->elements) {
      WEIR_ASSIGN_OR_RETURN(PendingPart part, DecodePendingPart(bytes));
      state.ended.push_back({part, nullptr});
    }
    // The checkpoint that holds them is complete, whatever became of its notification.
    return CommitUpTo(CheckpointId{INT64_MAX}, state);
  }

  absl::StatusOr<operators::Verdict> OnBatch(const types::BatchPtr& batch,
                                             operators::OperatorState& operator_state,
                                             operators::BatchSink&) const override {
    FileSinkState& state = static_cast<FileSinkState&>(operator_state);
    WEIR_RETURN_IF_ERROR(CheckEndedParts(state));
    const types::BatchPtr rows = RowsToWrite(batch, changelog_, state.context.metrics);
    if (rows->size() == 0) return operators::Verdict::kDone;
    if (state.open == nullptr) WEIR_RETURN_IF_ERROR(OpenPart(state));
    encoder_->Append(*rows, &state.buffer);
    if (state.buffer.size() >= kPartBufferBytes) WEIR_RETURN_IF_ERROR(Flush(state));
    operators::OperatorMetrics::Add(state.context.metrics.rows_out,
                                    static_cast<int64_t>(rows->size()));
    return operators::Verdict::kDone;
  }

  absl::Status Snapshot(const operators::SnapshotRequest& request,
                        operators::OperatorState& operator_state) const override {
    FileSinkState& state = static_cast<FileSinkState&>(operator_state);
    WEIR_CHECK(request.async_parts != nullptr);
    WEIR_RETURN_IF_ERROR(CheckEndedParts(state));
    if (state.open != nullptr) WEIR_RETURN_IF_ERROR(EndPart(request.id, state));
    // Also of earlier barriers: the async parts of an aborted checkpoint may never have run.
    for (const EndedPart& ended : state.ended) {
      if (ended.file == nullptr || ended.file->IsDurable()) continue;
      request.async_parts->emplace_back([file = ended.file] { return file->MakeDurable(); });
    }
    state.pending_list->elements.clear();
    for (const EndedPart& ended : state.ended) {
      state.pending_list->elements.push_back(EncodePendingPart(ended.part));
    }
    state.numbers_list->elements = {EncodePartNumber(state.next_number)};
    return absl::OkStatus();
  }

  absl::Status NotifyComplete(CheckpointId id,
                              operators::OperatorState& operator_state) const override {
    return CommitUpTo(id, static_cast<FileSinkState&>(operator_state));
  }

 private:
  // A part that could not be made durable will never commit, so its rows must come again: the task
  // fails and its last checkpoint is restored. A declined checkpoint alone would not bring them.
  static absl::Status CheckEndedParts(const FileSinkState& state) {
    for (const EndedPart& ended : state.ended) {
      if (ended.file != nullptr) WEIR_RETURN_IF_ERROR(ended.file->status());
    }
    return absl::OkStatus();
  }

  absl::Status OpenPart(FileSinkState& state) const {
    WEIR_ASSIGN_OR_RETURN(
        state.open, PartFile::Create(state.context.files, directory_, Part(state).TemporaryName()));
    state.buffer.clear();
    encoder_->AppendHeader(&state.buffer);
    return absl::OkStatus();
  }

  static PendingPart Part(const FileSinkState& state) {
    PendingPart part;
    part.subtask = state.context.subtask;
    part.number = state.next_number;
    part.attempt = state.context.attempt_number;
    return part;
  }

  static absl::Status Flush(FileSinkState& state) {
    WEIR_RETURN_IF_ERROR(state.open->Append(state.buffer));
    state.buffer.clear();
    return absl::OkStatus();
  }

  static absl::Status EndPart(CheckpointId id, FileSinkState& state) {
    WEIR_RETURN_IF_ERROR(Flush(state));
    PendingPart part = Part(state);
    part.checkpoint = id;
    part.bytes = state.open->bytes();
    state.ended.push_back({part, std::move(state.open)});
    state.open = nullptr;
    ++state.next_number;
    return absl::OkStatus();
  }

  absl::Status CommitUpTo(CheckpointId id, FileSinkState& state) const {
    const auto is_due = [id](const EndedPart& ended) { return ended.part.checkpoint <= id; };
    bool any = false;
    for (const EndedPart& ended : state.ended) {
      if (!is_due(ended)) continue;
      if (ended.file != nullptr && !ended.file->IsDurable()) {
        return absl::InternalError(absl::StrCat("checkpoint ", ToInt(id), " is complete, but ",
                                                ended.part.TemporaryName(),
                                                " of it was never made durable"));
      }
      WEIR_RETURN_IF_ERROR(CommitPart(state.context.files, directory_, ended.part));
      any = true;
    }
    if (!any) return absl::OkStatus();
    WEIR_RETURN_IF_ERROR(state.context.files.SyncDir(directory_));
    state.ended.erase(std::remove_if(state.ended.begin(), state.ended.end(), is_due),
                      state.ended.end());
    return absl::OkStatus();
  }

  const std::string directory_;
  const graph::SinkChangelog changelog_;
  const std::unique_ptr<types::RowEncoder> encoder_;
};

}  // namespace

std::unique_ptr<operators::Operator> MakeFileSink(graph::FileSinkOptions options,
                                                  graph::SinkChangelog changelog,
                                                  std::unique_ptr<types::RowEncoder> encoder) {
  return std::make_unique<FileSink>(std::move(options), changelog, std::move(encoder));
}

}  // namespace weir::connectors
