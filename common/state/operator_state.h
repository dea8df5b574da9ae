// OperatorState: named lists of byte strings that belong to a subtask, not to a key: positions of a
// source, open transactions of a sink. Small, so a snapshot is a deep copy made at once.
// The bytes are described in docs/formats/operator_state.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/state/handles.h"
#include "common/state/snapshot_stream.h"

namespace weir::state {

// Largest element of a list state: a restore allocates no more for one.
inline constexpr uint32_t kListElementBytesMax = 64u << 20;

// One named list. The elements are the operator's own bytes.
struct ListState {
  ListMode mode = ListMode::kSplitEven;
  std::vector<std::string> elements;

  bool operator==(const ListState&) const = default;
};

// All lists of a subtask at one cut. Immutable; written on any thread.
class OperatorSnapshot {
 public:
  explicit OperatorSnapshot(std::map<std::string, ListState> lists) : lists_(std::move(lists)) {}

  // Writes everything and finishes the stream. Without a list nothing is written: the handle has no
  // lists and a stream of size 0. The stream's error; INVALID_ARGUMENT: an element above the limit.
  absl::StatusOr<OperatorStateHandle> Write(SnapshotOutput& output) const;

  const std::map<std::string, ListState>& lists() const { return lists_; }

 private:
  const std::map<std::string, ListState> lists_;
};

// Life:   made for one attempt; lists stay where they are.
// Thread: confined to the task; OperatorSnapshot is what leaves it.
class OperatorState {
 public:
  // The list of that name, made if there is none; after Restore() it holds what was restored.
  // ALREADY_EXISTS: the name has another mode. INVALID_ARGUMENT: empty name.
  absl::StatusOr<ListState*> Register(const std::string& name, ListMode mode);

  OperatorSnapshot Snapshot() const { return OperatorSnapshot(lists_); }

  // Appends the handles' elements to the lists of their names, in the order given. May come before
  // or after Register(). Which elements a subtask gets was decided when the handles were dealt out.
  // FAILED_PRECONDITION: a list's stored mode is not the registered one.
  // DATA_LOSS: names stream, list and element.
  absl::Status Restore(const std::vector<OperatorStateHandle>& handles,
                       const SnapshotInputFactory& inputs);

  // Restored lists that no one has registered: state that would be dropped silently.
  std::vector<std::string> UnregisteredLists() const;

 private:
  absl::Status RestoreElements(const OperatorStateHandle& handle,
                               const SnapshotInputFactory& inputs);
  absl::Status OtherMode(const std::string& name) const;

  std::map<std::string, ListState> lists_;
  std::map<std::string, ListMode> registered_;
};

}  // namespace weir::state
