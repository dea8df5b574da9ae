// Snapshot streams on files: small ones stay in the handle, larger ones become a file of their own.
// A file ends with a trailer that repeats the identity its handle records, so that a file which
// took another's place is not mistaken for it, though it is of the same size and intact.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/id_source.h"
#include "common/base/mutex.h"
#include "common/base/string_view.h"
#include "common/fs/file_system.h"
#include "common/state/snapshot_stream.h"

namespace weir::checkpoint {

// How often a file is tried to be made, each time under a fresh name.
inline constexpr int kCreateAttemptsMax = 10;
// Bytes that may stay in the handles of one checkpoint in one process; the rest goes to files.
inline constexpr uint64_t kInlineBytesPerCheckpointMax = uint64_t{8} << 20;
inline constexpr uint64_t kInlineThresholdDefault = 1024;
inline constexpr uint64_t kInlineThresholdMax = uint64_t{1} << 20;
inline constexpr uint64_t kWriteBufferMin = 4096;
static_assert(kInlineThresholdMax <= kInlineBytesPerCheckpointMax);
// Behind a file's bytes: a magic and the identity.
inline constexpr uint64_t kFileTrailerBytes = 16;

struct StreamOptions {
  // A stream of at most this many bytes that was never flushed stays in its handle.
  uint64_t inline_threshold = kInlineThresholdDefault;
  // Bytes gathered before they are written. 0: max(kWriteBufferMin, inline_threshold).
  uint64_t write_buffer = 0;
};
// INVALID_ARGUMENT: names the option, its value and the accepted range.
absl::StatusOr<StreamOptions> CheckStreamOptions(StreamOptions options);

// Names of files: random, so that no two attempts, processes or checkpoints choose the same.
// Thread: any.
class FileNames {
 public:
  explicit FileNames(uint64_t seed) : ids_(seed) {}
  // For example "3f2a1b9c-0d4e-4f6a-8b7c-9d0e1f2a3b4c".
  std::string Next();

 private:
  base::Mutex mutex_;
  base::IdSource ids_ ABSL_GUARDED_BY(mutex_);
};

// What all streams of one checkpoint share. Thread: any.
struct StreamPlace {
  StreamPlace(fs::FileSystem& files, FileNames& file_names, std::string place,
              StreamOptions stream_options)
      : file_system(files),
        names(file_names),
        directory(std::move(place)),
        options(stream_options) {}

  fs::FileSystem& file_system;
  FileNames& names;
  const std::string directory;
  const StreamOptions options;
  std::atomic<uint64_t> inline_bytes = 0;  // a budget: order against other memory is irrelevant
};

// Streams of one checkpoint being written. Thread: any.
class FileSnapshotOutputFactory final : public state::SnapshotOutputFactory {
 public:
  explicit FileSnapshotOutputFactory(std::shared_ptr<StreamPlace> place);
  absl::StatusOr<std::unique_ptr<state::SnapshotOutput>> Create() override;

 private:
  // Shared with the streams, which may outlive the factory.
  const std::shared_ptr<StreamPlace> place_;
};

// Streams of one checkpoint being read; Open() also refuses a file with DATA_LOSS if it is not the
// one that was written under the handle. Life: `file_system` outlives it. Thread: any.
class FileSnapshotInputFactory final : public state::SnapshotInputFactory {
 public:
  FileSnapshotInputFactory(fs::FileSystem& file_system, std::string directory);
  absl::StatusOr<std::unique_ptr<state::SnapshotInput>> Open(
      const state::StreamHandle& handle) const override;

 private:
  fs::FileSystem& file_system_;
  const std::string directory_;
};

// A stream whose bytes are in the handle.
absl::StatusOr<std::unique_ptr<state::SnapshotInput>> OpenInline(const state::StreamHandle& handle);

}  // namespace weir::checkpoint
