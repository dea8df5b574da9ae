// File splits: byte ranges of one file. A row belongs to the range in which it starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/fs/file_system.h"
#include "common/graph/format.h"
#include "taskmanager/connectors/file_identity.h"
#include "taskmanager/connectors/split.h"

namespace weir::connectors {

// Smallest range, and most ranges of one file: as many as there are key groups by default, so that
// any parallelism a small job may grow to finds work.
inline constexpr uint64_t kFileSplitBytesMin = 1u << 20;
inline constexpr uint64_t kFileSplitCountMax = 128;
// A csv file's ranges begin where records do, which only counting its quotes from the start can
// tell. It is done for at most this many bytes; what lies behind is one range.
inline constexpr uint64_t kCsvScanBytesMax = 1u << 30;

// What Split::detail holds for a file.
struct FileRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  // Whether a row starts at `begin`. Otherwise the first one starts behind the first line end at or
  // behind begin - 1.
  bool begins_at_row = false;
  FileIdentity identity;

  bool operator==(const FileRange&) const = default;
};

std::string EncodeFileRange(const FileRange& range);
// DATA_LOSS: not an encoded range.
absl::StatusOr<FileRange> DecodeFileRange(StringView bytes);

// Where rows begin: behind a byte order mark and behind a csv header.
struct FileStart {
  uint64_t offset = 0;
  absl::optional<std::vector<std::string>> csv_header;  // absent if the format has none
};

// INVALID_ARGUMENT: the csv header is malformed or does not end within kFileHeadBytes.
absl::StatusOr<FileStart> FindFileStart(const std::string& path, const FileHead& head,
                                        const graph::FormatSpec& format);

// All splits of a file, in order. An empty file has none.
absl::StatusOr<std::vector<Split>> MakeFileSplits(fs::FileSystem& files, const std::string& path,
                                                  const graph::FormatSpec& format);

}  // namespace weir::connectors
