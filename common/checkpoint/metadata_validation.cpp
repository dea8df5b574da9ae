// ValidateMetadata() and ValidateSubtaskState(): check everything a reader of checkpoint metadata
// relies on.

#include <set>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "common/base/status_macros.h"
#include "common/checkpoint/file_streams.h"
#include "common/checkpoint/metadata_codec.h"
#include "common/checkpoint/subtask_codec.h"
#include "common/state/key_group.h"

namespace weir::checkpoint {
namespace {

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::DataLossError(absl::StrCat(parts...));
}

absl::Status CheckPath(const std::string& path) {
  for (const StringView part : absl::StrSplit(path, '/')) {
    if (part == "..") return Wrong("path \"", path, "\" leaves its directory");
  }
  if (path.find('\0') != std::string::npos) return Wrong("a path holds a zero byte");
  return absl::OkStatus();
}

absl::Status CheckStream(const state::StreamHandle& stream) {
  if (!stream.IsInline() && !stream.inline_bytes.empty()) {
    return Wrong("stream ", stream.path, " has a file and inline bytes");
  }
  if (stream.IsInline() && stream.size != stream.inline_bytes.size()) {
    return Wrong("an inline stream of ", stream.inline_bytes.size(), " bytes claims ", stream.size);
  }
  if (stream.identity != 0 && (stream.IsInline() || stream.size < kFileTrailerBytes)) {
    return Wrong("a stream of ", stream.size, " bytes claims to end with a trailer");
  }
  return CheckPath(stream.path);
}

enum class EmptyAtZero : uint8_t { kNo, kYes };

// `empty_at_zero`: offset 0 stands for nothing stored, anywhere among the others.
absl::Status CheckOffsets(const std::vector<uint64_t>& offsets, uint64_t stream_size,
                          EmptyAtZero empty_at_zero) {
  uint64_t previous = 0;
  for (const uint64_t offset : offsets) {
    if (offset == 0 && empty_at_zero == EmptyAtZero::kYes) continue;
    if (offset > stream_size) {
      return Wrong("offset ", offset, " in a stream of ", stream_size, " bytes");
    }
    if (offset < previous) return Wrong("offset ", offset, " after offset ", previous);
    previous = offset;
  }
  return absl::OkStatus();
}

absl::Status CheckKeyed(const state::KeyedStateHandle& handle, uint32_t max_parallelism) {
  if (handle.range.IsEmpty() || handle.range.last >= max_parallelism) {
    return Wrong("key groups ", handle.range.first, "..", handle.range.last, " of ",
                 max_parallelism);
  }
  if (handle.offsets.size() != handle.range.Size()) {
    return Wrong(handle.offsets.size(), " offsets for ", handle.range.Size(), " key groups");
  }
  WEIR_RETURN_IF_ERROR(CheckStream(handle.stream));
  return CheckOffsets(handle.offsets, handle.stream.size, EmptyAtZero::kYes);
}

absl::Status CheckListed(const state::OperatorStateHandle& handle) {
  WEIR_RETURN_IF_ERROR(CheckStream(handle.stream));
  for (const auto& [name, slice] : handle.lists) {
    if (slice.mode > state::ListMode::kBroadcast) {
      return Wrong("list ", name, " has mode ", static_cast<int>(slice.mode));
    }
    WEIR_RETURN_IF_ERROR(CheckOffsets(slice.offsets, handle.stream.size, EmptyAtZero::kNo));
  }
  return absl::OkStatus();
}

absl::Status CheckOperator(const OperatorSnapshot& snapshot) {
  if (snapshot.uid.empty()) return Wrong("an operator without uid");
  if (snapshot.id != OperatorIdOfUid(snapshot.uid)) {
    return Wrong("operator ", snapshot.uid, " has id ", snapshot.id.ToString(),
                 ", which is not that of its uid");
  }
  const uint32_t max_parallelism = snapshot.max_parallelism;
  if (max_parallelism == 0 || max_parallelism > state::kMaxParallelismMax) {
    return Wrong("operator ", snapshot.uid, " has max_parallelism ", max_parallelism);
  }
  if (snapshot.subtasks.empty() || snapshot.subtasks.size() > max_parallelism) {
    return Wrong("operator ", snapshot.uid, " has ", snapshot.subtasks.size(),
                 " subtasks of at most ", max_parallelism);
  }
  for (size_t i = 0; i < snapshot.subtasks.size(); ++i) {
    const absl::Status status = ValidateSubtaskState(snapshot.subtasks[i].state, max_parallelism);
    if (!status.ok()) {
      return Wrong("operator ", snapshot.uid, " subtask ", i, ": ", status.message());
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateSubtaskState(const state::OperatorSubtaskState& state,
                                  uint32_t max_parallelism) {
  for (const auto* keyed : {&state.keyed_managed, &state.keyed_raw}) {
    for (const auto& handle : *keyed) WEIR_RETURN_IF_ERROR(CheckKeyed(handle, max_parallelism));
  }
  for (const auto* listed : {&state.operator_managed, &state.operator_raw}) {
    for (const auto& handle : *listed) WEIR_RETURN_IF_ERROR(CheckListed(handle));
  }
  return absl::OkStatus();
}

absl::Status ValidateMetadata(const CheckpointMetadata& metadata) {
  if (metadata.id <= kNoCheckpoint) return Wrong("checkpoint id ", ToInt(metadata.id));
  if (metadata.kind > CheckpointKind::kFinal) {
    return Wrong("checkpoint kind ", static_cast<int>(metadata.kind));
  }
  if (metadata.max_parallelism == 0 || metadata.max_parallelism > state::kMaxParallelismMax) {
    return Wrong("max_parallelism ", metadata.max_parallelism, "; it lies between 1 and ",
                 state::kMaxParallelismMax);
  }
  const std::string* previous = nullptr;
  for (const OperatorSnapshot& snapshot : metadata.operators) {
    WEIR_RETURN_IF_ERROR(CheckOperator(snapshot));
    if (previous != nullptr && *previous >= snapshot.uid) {
      return Wrong("operator ", snapshot.uid, " follows ", *previous);
    }
    previous = &snapshot.uid;
  }
  std::set<StringView> hooks;
  for (const MasterHookState& hook : metadata.master_hooks) {
    if (!hooks.insert(hook.name).second) return Wrong("master hook ", hook.name, " twice");
  }
  return absl::OkStatus();
}

}  // namespace weir::checkpoint
