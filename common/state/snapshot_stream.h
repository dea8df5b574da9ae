// Snapshot streams: what state writes its snapshots to and reads them from.
// Declared here because state decides what is written; common/checkpoint implements them on
// checkpoint storage (thresholds, file names, durability).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/state/handles.h"

namespace weir::state {

// One stream being written. Destroying it without Finish() removes what was written.
// Thread: confined to one thread at a time.
class SnapshotOutput {
 public:
  virtual ~SnapshotOutput() = default;
  // Appends. The storage's error (UNAVAILABLE, RESOURCE_EXHAUSTED for a full disk, ...).
  virtual absl::Status Write(StringView bytes) = 0;
  // Bytes written so far.
  virtual uint64_t Position() const = 0;
  // Makes the bytes durable and hands them over. A stream nothing was written to gives a handle of
  // size 0 and leaves no file. Fails as Write() does, and then leaves no file.
  virtual absl::StatusOr<StreamHandle> Finish() = 0;
};

// Makes the streams of one checkpoint.
// Thread: any; streams may be open at the same time.
class SnapshotOutputFactory {
 public:
  virtual ~SnapshotOutputFactory() = default;
  virtual absl::StatusOr<std::unique_ptr<SnapshotOutput>> Create() = 0;
};

// Reads one handle's bytes sequentially from an offset.
class SnapshotInput {
 public:
  virtual ~SnapshotInput() = default;
  virtual uint64_t Size() const = 0;
  // OUT_OF_RANGE: beyond Size().
  virtual absl::Status Seek(uint64_t offset) = 0;
  // Reads exactly `size` bytes. DATA_LOSS: fewer are left.
  virtual absl::Status Read(uint64_t size, std::string* bytes) = 0;
};

// Opens handles of a restored checkpoint.
class SnapshotInputFactory {
 public:
  virtual ~SnapshotInputFactory() = default;
  // NOT_FOUND: the file is gone. DATA_LOSS: its size is not the handle's.
  virtual absl::StatusOr<std::unique_ptr<SnapshotInput>> Open(const StreamHandle& handle) const = 0;
};

}  // namespace weir::state
