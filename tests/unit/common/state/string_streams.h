// Snapshot streams over strings: what is written can be looked at, damaged and read back.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "common/state/snapshot_stream.h"

namespace weir::state {

// Keeps the bytes; its handle holds them inline, so that a test can change them there.
class StringOutput final : public SnapshotOutput {
 public:
  absl::Status Write(StringView bytes) override {
    if (bytes_.size() + bytes.size() > bytes_max_) return absl::ResourceExhaustedError("disk full");
    bytes_.append(bytes.data(), bytes.size());
    ++write_count_;
    return absl::OkStatus();
  }
  uint64_t Position() const override { return bytes_.size(); }
  absl::StatusOr<StreamHandle> Finish() override {
    return StreamHandle{.path = "", .inline_bytes = bytes_, .size = bytes_.size()};
  }

  void LimitTo(size_t bytes_max) { bytes_max_ = bytes_max; }
  size_t write_count() const { return write_count_; }

 private:
  std::string bytes_;
  size_t bytes_max_ = SIZE_MAX;
  size_t write_count_ = 0;
};

// Reads a handle's inline bytes, whatever size the handle claims.
class StringInput final : public SnapshotInput {
 public:
  explicit StringInput(std::string bytes) : bytes_(std::move(bytes)) {}

  uint64_t Size() const override { return bytes_.size(); }
  absl::Status Seek(uint64_t offset) override {
    if (offset > bytes_.size()) return absl::OutOfRangeError("beyond the end");
    position_ = offset;
    return absl::OkStatus();
  }
  absl::Status Read(uint64_t size, std::string* bytes) override {
    if (size > bytes_.size() - position_) return absl::DataLossError("truncated");
    *bytes = bytes_.substr(position_, size);
    position_ += size;
    return absl::OkStatus();
  }

 private:
  const std::string bytes_;
  uint64_t position_ = 0;
};

// Counts what is opened.
class StringInputs final : public SnapshotInputFactory {
 public:
  absl::StatusOr<std::unique_ptr<SnapshotInput>> Open(const StreamHandle& handle) const override {
    ++open_count_;
    return std::make_unique<StringInput>(handle.inline_bytes);
  }
  int open_count() const { return open_count_; }

 private:
  mutable int open_count_ = 0;
};

}  // namespace weir::state
