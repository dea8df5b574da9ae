// Snapshot streams in memory, for tests of what is kept over a restart.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"
#include "common/state/snapshot_stream.h"

namespace weir::operators {

// All bytes end up in the handle.
class MemoryOutput final : public state::SnapshotOutput {
 public:
  absl::Status Write(StringView bytes) override {
    bytes_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  uint64_t Position() const override { return bytes_.size(); }
  absl::StatusOr<state::StreamHandle> Finish() override {
    const uint64_t size = bytes_.size();
    return state::StreamHandle{"", std::move(bytes_), size};
  }

 private:
  std::string bytes_;
};

// Reads bytes it owns.
class MemoryInput final : public state::SnapshotInput {
 public:
  explicit MemoryInput(std::string bytes) : bytes_(std::move(bytes)) {}

  uint64_t Size() const override { return bytes_.size(); }
  absl::Status Seek(uint64_t offset) override {
    if (offset > bytes_.size()) return absl::OutOfRangeError("beyond the stream");
    offset_ = offset;
    return absl::OkStatus();
  }
  absl::Status Read(uint64_t size, std::string* bytes) override {
    if (bytes_.size() - offset_ < size) return absl::DataLossError("the stream is too short");
    *bytes = bytes_.substr(offset_, size);
    offset_ += size;
    return absl::OkStatus();
  }

 private:
  const std::string bytes_;
  uint64_t offset_ = 0;
};

// Opens handles that carry their bytes.
class MemoryInputs final : public state::SnapshotInputFactory {
 public:
  absl::StatusOr<std::unique_ptr<state::SnapshotInput>> Open(
      const state::StreamHandle& handle) const override {
    WEIR_CHECK(handle.IsInline());
    return std::make_unique<MemoryInput>(handle.inline_bytes);
  }
};

}  // namespace weir::operators
