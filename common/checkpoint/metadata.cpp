#include "common/checkpoint/metadata.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/io/hash.h"

namespace weir::checkpoint {

OperatorId OperatorIdOfUid(StringView uid) {
  return {io::Xxh3(absl::StrCat("operator/high/", uid)),
          io::Xxh3(absl::StrCat("operator/low/", uid))};
}

bool OperatorSnapshot::IsFinished() const {
  return !subtasks.empty() && std::all_of(subtasks.begin(), subtasks.end(),
                                          [](const SubtaskSnapshot& s) { return s.finished; });
}

void ForEachStream(const state::OperatorSubtaskState& state,
                   const std::function<void(const state::StreamHandle&)>& visit) {
  for (const auto* keyed : {&state.keyed_managed, &state.keyed_raw}) {
    for (const state::KeyedStateHandle& handle : *keyed) visit(handle.stream);
  }
  for (const auto* listed : {&state.operator_managed, &state.operator_raw}) {
    for (const state::OperatorStateHandle& handle : *listed) visit(handle.stream);
  }
}

uint64_t StateBytes(const state::OperatorSubtaskState& state) {
  uint64_t bytes = 0;
  ForEachStream(state, [&bytes](const state::StreamHandle& stream) { bytes += stream.size; });
  return bytes;
}

}  // namespace weir::checkpoint
