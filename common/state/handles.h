// Handles: where pieces of a snapshot lie. The jobmanager stores handles, never state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/state/key_group.h"

namespace weir::state {

// Bytes of one closed stream: in the handle itself, or in one file.
struct StreamHandle {
  // Empty: the bytes are `inline_bytes`. Otherwise the file's path: relative to the checkpoint's
  // directory for an exclusive file, absolute for a shared one.
  std::string path;
  std::string inline_bytes;
  uint64_t size = 0;      // bytes, of a file with its trailer
  uint64_t identity = 0;  // what a file's trailer repeats; 0: inline, or written without a trailer

  bool IsInline() const { return path.empty(); }
  bool operator==(const StreamHandle&) const = default;
};

// Keyed state of a range of key groups in one stream.
struct KeyedStateHandle {
  KeyGroupRange range;
  // One per group of `range`, in order; 0: the group has no entries (a stream begins with a
  // header).
  std::vector<uint64_t> offsets;
  StreamHandle stream;

  bool operator==(const KeyedStateHandle&) const = default;
};

// How list state is dealt out on restore.
enum class ListMode : uint8_t {
  kSplitEven = 0,  // every element to one subtask, in contiguous runs
  kUnion = 1,      // every element to every subtask
  kBroadcast = 2,  // new subtask i reads copy i mod reporters
};

// Elements of one named list in a stream: element i lies at offsets[i].
struct ListSlice {
  ListMode mode = ListMode::kSplitEven;
  std::vector<uint64_t> offsets;

  bool operator==(const ListSlice&) const = default;
};

// List states of one operator subtask in one stream.
struct OperatorStateHandle {
  std::map<std::string, ListSlice> lists;
  StreamHandle stream;

  bool operator==(const OperatorStateHandle&) const = default;
};

// All state of one operator's subtask in one checkpoint. No state is empty, not missing.
struct OperatorSubtaskState {
  std::vector<KeyedStateHandle> keyed_managed;
  std::vector<KeyedStateHandle> keyed_raw;
  std::vector<OperatorStateHandle> operator_managed;
  std::vector<OperatorStateHandle> operator_raw;

  bool operator==(const OperatorSubtaskState&) const = default;
  bool IsEmpty() const {
    return keyed_managed.empty() && keyed_raw.empty() && operator_managed.empty() &&
           operator_raw.empty();
  }
};

}  // namespace weir::state
