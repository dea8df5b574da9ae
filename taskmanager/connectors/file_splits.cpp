#include "taskmanager/connectors/file_splits.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"
#include "common/types/csv/csv_record.h"
#include "common/types/text/line_scan.h"

namespace weir::connectors {
namespace {

constexpr StringView kByteOrderMark("\xEF\xBB\xBF", 3);
constexpr size_t kScanBlockBytes = 1u << 20;

// Moves each nominal beginning of a range on to the record that starts at or behind it.
class CsvBoundaryScan {
 public:
  CsvBoundaryScan(std::vector<uint64_t> nominal, uint64_t start, char delimiter)
      : nominal_(std::move(nominal)), records_(delimiter), offset_(start) {}

  // `block` follows what was taken before.
  void Take(StringView block) {
    while (!block.empty() && !IsDone()) {
      const size_t end = records_.Take(block);
      const size_t taken = end == StringView::npos ? block.size() : end;
      offset_ += taken;
      block.remove_prefix(taken);
      if (end == StringView::npos || offset_ < nominal_[found_.size() + skipped_]) continue;
      NoteBoundary();
    }
  }
  bool IsDone() const { return found_.size() + skipped_ == nominal_.size(); }
  uint64_t offset() const { return offset_; }
  std::vector<uint64_t> TakeFound() { return std::move(found_); }

 private:
  // A record that is longer than a range is the beginning of one range only.
  void NoteBoundary() {
    found_.push_back(offset_);
    while (!IsDone() && nominal_[found_.size() + skipped_] <= offset_) ++skipped_;
  }

  const std::vector<uint64_t> nominal_;  // ascending
  types::CsvRecordScan records_;
  std::vector<uint64_t> found_;
  size_t skipped_ = 0;
  uint64_t offset_;
};

absl::StatusOr<std::vector<uint64_t>> CsvBeginnings(fs::FileSystem& files, const std::string& path,
                                                    std::vector<uint64_t> nominal, uint64_t start,
                                                    char delimiter) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::RandomFile> file, files.OpenRandom(path));
  CsvBoundaryScan scan(std::move(nominal), start, delimiter);
  std::string block(kScanBlockBytes, '\0');
  while (!scan.IsDone() && scan.offset() - start < kCsvScanBytesMax) {
    WEIR_ASSIGN_OR_RETURN(const size_t size,
                          file->ReadAt(scan.offset(), block.data(), block.size()));
    if (size == 0) break;
    scan.Take(StringView(block.data(), size));
  }
  return scan.TakeFound();
}

}  // namespace

std::string EncodeFileRange(const FileRange& range) {
  std::string bytes;
  io::ByteWriter writer(bytes);
  writer.Fixed(range.begin);
  writer.Fixed(range.end);
  writer.Fixed(static_cast<uint8_t>(range.begins_at_row ? 1 : 0));
  writer.Fixed(range.identity.size);
  writer.Fixed(range.identity.mtime_us);
  writer.Fixed(range.identity.head_hash);
  return bytes;
}

absl::StatusOr<FileRange> DecodeFileRange(StringView bytes) {
  io::ByteReader reader(bytes);
  FileRange range;
  uint8_t begins_at_row = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&range.begin));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&range.end));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&begins_at_row));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&range.identity.size));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&range.identity.mtime_us));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&range.identity.head_hash));
  if (reader.remaining() != 0 || begins_at_row > 1 || range.begin > range.end ||
      range.end > range.identity.size) {
    return absl::DataLossError("a stored file range does not make sense");
  }
  range.begins_at_row = begins_at_row == 1;
  return range;
}

absl::StatusOr<FileStart> FindFileStart(const std::string& path, const FileHead& head,
                                        const graph::FormatSpec& format) {
  FileStart start;
  if (absl::StartsWith(head.bytes, kByteOrderMark)) start.offset = kByteOrderMark.size();
  if (format.kind != graph::FormatKind::kCsv || !format.header) return start;
  start.csv_header.emplace();
  if (start.offset == head.identity.size) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": the file is empty, and `header: true` needs a first line that names the columns; "
        "write that line, or set `header: false`"));
  }
  size_t end = types::FindCsvRecordEnd(head.bytes, start.offset, format.delimiter);
  size_t next = end + 1;
  if (end == StringView::npos) {
    if (head.bytes.size() < head.identity.size) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": the csv header does not end within the first ", kFileHeadBytes, " bytes"));
    }
    end = next = head.bytes.size();
  }
  const StringView record =
      types::WithoutCarriageReturn(StringView(head.bytes).substr(start.offset, end - start.offset));
  absl::StatusOr<std::vector<std::string>> names = types::ParseCsvHeader(record, format.delimiter);
  if (!names.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", names.status().message()));
  }
  start.csv_header = *std::move(names);
  start.offset = next;
  return start;
}

absl::StatusOr<std::vector<Split>> MakeFileSplits(fs::FileSystem& files, const std::string& path,
                                                  const graph::FormatSpec& format) {
  WEIR_ASSIGN_OR_RETURN(const FileHead head, ReadFileHead(files, path));
  WEIR_ASSIGN_OR_RETURN(const FileStart start, FindFileStart(path, head, format));
  const uint64_t end = head.identity.size;
  if (start.offset >= end) return std::vector<Split>();
  const uint64_t bytes = end - start.offset;
  const uint64_t count = std::clamp<uint64_t>(bytes / kFileSplitBytesMin, 1, kFileSplitCountMax);
  std::vector<uint64_t> begins;
  for (uint64_t i = 1; i < count; ++i) begins.push_back(start.offset + bytes / count * i);
  const bool is_csv = format.kind == graph::FormatKind::kCsv;
  if (is_csv && !begins.empty()) {
    WEIR_ASSIGN_OR_RETURN(
        begins, CsvBeginnings(files, path, std::move(begins), start.offset, format.delimiter));
    while (!begins.empty() && begins.back() >= end) begins.pop_back();
  }
  begins.insert(begins.begin(), start.offset);
  std::vector<Split> splits;
  for (size_t i = 0; i < begins.size(); ++i) {
    FileRange range;
    range.begin = begins[i];
    range.end = i + 1 < begins.size() ? begins[i + 1] : end;
    range.begins_at_row = is_csv || i == 0;
    range.identity = head.identity;
    splits.emplace_back().detail = EncodeFileRange(range);
  }
  return splits;
}

}  // namespace weir::connectors
