// KeyedRestore: reads the key groups of one handle that a backend owns into its tables. Every size
// is checked against what is left before it is believed, every block against its checksum before it
// is read. Internal to the backend.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/io/byte_cursor.h"
#include "common/state/keyed_backend.h"
#include "common/state/keyed_format.h"

namespace weir::state {

// Entries of a run on their way into a table.
struct RestoredRows {
  types::KeyBatch keys;
  std::vector<const char*> values;
  std::vector<StringView> blobs;  // as many per row as the layout has; null data: none

  void Clear();
};

// Life:   one handle of one restore; `backend` and `handle` outlive it.
// Thread: the backend's.
class KeyedRestore {
 public:
  KeyedRestore(KeyedBackend& backend, const KeyedStateHandle& handle);

  // As KeyedBackend::Restore().
  absl::Status Run(const SnapshotInputFactory& inputs);

 private:
  absl::Status ReadHeader();
  absl::Status MatchStates(const KeyedHeader& header);
  absl::Status ReadGroup(uint32_t group, uint64_t offset);
  absl::Status ReadBlock(uint32_t group, uint32_t index, uint64_t bytes_left, bool* is_last);
  absl::Status ApplyBlock(uint32_t group);
  absl::Status ApplyRun(uint32_t group, const RunHead& run, io::ByteReader& in);
  absl::Status ApplyRows(uint32_t group, StateTable& table);
  // Context for what was found wrong.
  std::string StreamName() const;
  absl::Status InBlock(const absl::Status& status, uint32_t group, uint32_t index) const;

  KeyedBackend& backend_;
  const KeyedStateHandle& handle_;
  std::unique_ptr<SnapshotInput> input_;
  std::vector<KeyedBackend::State*> states_;  // by stored id
  std::string block_;
  RestoredRows rows_;
  types::PodVector<std::byte*> slots_;
  types::PodVector<uint8_t> inserted_;
};

}  // namespace weir::state
