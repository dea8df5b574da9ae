#include "common/checkpoint/state_assignment.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/state/key_group.h"

namespace weir::checkpoint {
namespace {

using KeyedHandles = std::vector<state::KeyedStateHandle>;
using ListHandles = std::vector<state::OperatorStateHandle>;

// One named list as one old subtask wrote it.
struct ListPart {
  const state::OperatorStateHandle* handle;
  const state::ListSlice* slice;
  uint32_t old_subtask;
};
// By name, in old subtask order, then handle order.
using ListParts = std::map<std::string, std::vector<ListPart>>;

// Gathers the lists of one new subtask: slices of one stream become one handle.
class ListCollector {
 public:
  void Add(const std::string& name, const ListPart& part, size_t first, size_t count) {
    if (count == 0) return;
    auto [place, is_new] = places_.emplace(part.handle, handles_.size());
    if (is_new) handles_.push_back({.lists = {}, .stream = part.handle->stream});
    state::ListSlice& slice = handles_[place->second].lists[name];
    slice.mode = part.slice->mode;
    const auto begin = part.slice->offsets.begin() + static_cast<std::ptrdiff_t>(first);
    slice.offsets.insert(slice.offsets.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  void AddAll(const std::string& name, const ListPart& part) {
    Add(name, part, 0, part.slice->offsets.size());
  }
  ListHandles Take() { return std::move(handles_); }

 private:
  ListHandles handles_;
  std::map<const state::OperatorStateHandle*, size_t> places_;
};

// Deals the elements of `parts` out in contiguous runs, from subtask `start` on. Returns where the
// next list starts: the first subtask that got no extra element.
uint32_t SplitEven(const std::string& name, const std::vector<ListPart>& parts, uint32_t start,
                   std::vector<ListCollector>& out) {
  const uint32_t parallelism = static_cast<uint32_t>(out.size());
  size_t total = 0;
  for (const ListPart& part : parts) total += part.slice->offsets.size();
  const size_t base = total / parallelism;
  const size_t extra = total % parallelism;
  size_t part = 0;
  size_t taken_of_part = 0;
  for (uint32_t i = 0; i < parallelism; ++i) {
    size_t wanted = base + (i < extra ? 1 : 0);
    while (wanted > 0) {
      WEIR_CHECK(part < parts.size());
      const size_t left = parts[part].slice->offsets.size() - taken_of_part;
      const size_t count = std::min(wanted, left);
      out[(start + i) % parallelism].Add(name, parts[part], taken_of_part, count);
      wanted -= count;
      taken_of_part += count;
      if (taken_of_part < parts[part].slice->offsets.size()) continue;
      ++part;
      taken_of_part = 0;
    }
  }
  return static_cast<uint32_t>((start + extra) % parallelism);
}

ListParts GatherLists(const OperatorSnapshot& old, ListHandles state::OperatorSubtaskState::*kind) {
  ListParts lists;
  for (uint32_t i = 0; i < old.subtasks.size(); ++i) {
    for (const state::OperatorStateHandle& handle : old.subtasks[i].state.*kind) {
      for (const auto& [name, slice] : handle.lists) lists[name].push_back({&handle, &slice, i});
    }
  }
  return lists;
}

absl::Status AssignLists(const OperatorSnapshot& old,
                         ListHandles state::OperatorSubtaskState::*kind,
                         std::vector<SubtaskRestore>& restores) {
  std::vector<ListCollector> out(restores.size());
  const bool same_parallelism = restores.size() == old.subtasks.size();
  uint32_t start = 0;
  for (const auto& [name, parts] : GatherLists(old, kind)) {
    const state::ListMode mode = parts.front().slice->mode;
    for (const ListPart& part : parts) {
      if (part.slice->mode == mode) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          "operator ", old.uid, ": its subtasks do not agree how list ", name, " is dealt out"));
    }
    switch (mode) {
      case state::ListMode::kSplitEven:
        if (same_parallelism) {
          for (const ListPart& part : parts) out[part.old_subtask].AddAll(name, part);
        } else {
          start = SplitEven(name, parts, start, out);
        }
        break;
      case state::ListMode::kUnion:
        for (ListCollector& collector : out) {
          for (const ListPart& part : parts) collector.AddAll(name, part);
        }
        break;
      case state::ListMode::kBroadcast:
        for (size_t i = 0; i < out.size(); ++i) out[i].AddAll(name, parts[i % parts.size()]);
        break;
    }
  }
  for (size_t i = 0; i < out.size(); ++i) restores[i].state.*kind = out[i].Take();
  return absl::OkStatus();
}

void AssignKeyed(const OperatorSnapshot& old, KeyedHandles state::OperatorSubtaskState::*kind,
                 std::vector<SubtaskRestore>& restores) {
  const uint32_t parallelism = static_cast<uint32_t>(restores.size());
  for (uint32_t i = 0; i < parallelism; ++i) {
    const state::KeyGroupRange range = state::RangeOfSubtask(i, parallelism, old.max_parallelism);
    for (const SubtaskSnapshot& subtask : old.subtasks) {
      for (const state::KeyedStateHandle& handle : subtask.state.*kind) {
        const state::KeyGroupRange both = handle.range.Intersection(range);
        if (both.IsEmpty()) continue;
        const auto first = handle.offsets.begin() + (both.first - handle.range.first);
        (restores[i].state.*kind).push_back({both, {first, first + both.Size()}, handle.stream});
      }
    }
  }
}

bool HasState(const OperatorSnapshot& old) {
  return std::any_of(old.subtasks.begin(), old.subtasks.end(),
                     [](const SubtaskSnapshot& subtask) { return !subtask.state.IsEmpty(); });
}

absl::Status CheckMatch(const OperatorSnapshot& old, const NewOperator& wanted) {
  if (old.max_parallelism != wanted.max_parallelism) {
    return absl::FailedPreconditionError(absl::StrCat(
        "Max parallelism mismatch: the checkpoint's operator ", old.uid, " has max_parallelism ",
        old.max_parallelism, ", the job's ", wanted.max_parallelism,
        "; it never changes: set it to ", old.max_parallelism));
  }
  if (old.signature != wanted.signature && HasState(old)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "operator ", old.uid, ": its state was written as [", old.signature,
        "] and would be read as [", wanted.signature,
        "]; undo the change, or start the job anew, with an empty output directory for "
        "each file sink (a local run also with another --state-dir)"));
  }
  return absl::OkStatus();
}

absl::Status CheckUnmatched(const CheckpointMetadata& metadata, const StateAssignment& assignment,
                            const RestoreOptions& options) {
  for (const OperatorSnapshot& old : metadata.operators) {
    if (assignment.contains(old.uid) || options.dropped_uids.contains(old.uid)) continue;
    if (!HasState(old)) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("checkpoint ", ToInt(metadata.id), " holds state of ", old.uid,
                     ", which the job does not have; bring the step back under this uid, or drop "
                     "its state"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StateAssignment> AssignState(const CheckpointMetadata& metadata,
                                            const std::vector<NewOperator>& operators,
                                            const RestoreOptions& options) {
  std::map<std::string, const OperatorSnapshot*> by_uid;
  for (const OperatorSnapshot& old : metadata.operators) by_uid.emplace(old.uid, &old);
  StateAssignment assignment;
  for (const NewOperator& wanted : operators) {
    if (wanted.parallelism == 0 || wanted.parallelism > wanted.max_parallelism) {
      return absl::InvalidArgumentError(
          absl::StrCat("operator ", wanted.uid, " has parallelism ", wanted.parallelism,
                       "; it lies between 1 and max_parallelism, ", wanted.max_parallelism));
    }
    std::vector<SubtaskRestore> restores(wanted.parallelism);
    const auto old = by_uid.find(wanted.uid);
    if (old != by_uid.end() && !options.dropped_uids.contains(wanted.uid)) {
      WEIR_RETURN_IF_ERROR(CheckMatch(*old->second, wanted));
      AssignKeyed(*old->second, &state::OperatorSubtaskState::keyed_managed, restores);
      AssignKeyed(*old->second, &state::OperatorSubtaskState::keyed_raw, restores);
      WEIR_RETURN_IF_ERROR(
          AssignLists(*old->second, &state::OperatorSubtaskState::operator_managed, restores));
      WEIR_RETURN_IF_ERROR(
          AssignLists(*old->second, &state::OperatorSubtaskState::operator_raw, restores));
      for (SubtaskRestore& restore : restores) restore.finished = old->second->IsFinished();
    }
    if (!assignment.emplace(wanted.uid, std::move(restores)).second) {
      return absl::InvalidArgumentError(absl::StrCat("operator ", wanted.uid, " is named twice"));
    }
  }
  WEIR_RETURN_IF_ERROR(CheckUnmatched(metadata, assignment, options));
  return assignment;
}

}  // namespace weir::checkpoint
