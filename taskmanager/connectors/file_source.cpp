#include "taskmanager/connectors/file_source.h"

#include <algorithm>
#include <string>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/types/optional.h>

#include "common/base/status_macros.h"
#include "common/types/row_decoder.h"
#include "common/types/text/line_scan.h"
#include "taskmanager/connectors/file_splits.h"
#include "taskmanager/connectors/format_factory.h"
#include "taskmanager/connectors/row_end_scan.h"
#include "taskmanager/connectors/row_window.h"

namespace weir::connectors {
namespace {

struct OpenedFile {
  std::string path;
  FileIdentity identity;
  std::unique_ptr<fs::RandomFile> bytes;
};

// A split's position is the offset of its next row, or 0 as long as its first row is not known.
class FileSplitReader final : public SplitReader {
 public:
  FileSplitReader(fs::FileSystem& files, OpenedFile file, graph::FormatSpec format,
                  std::unique_ptr<types::RowDecoder> decoder, types::SchemaPtr schema)
      : files_(files),
        path_(std::move(file.path)),
        identity_(file.identity),
        format_(std::move(format)),
        window_(path_, std::move(file.bytes), identity_.size),
        decoder_(std::move(decoder)),
        builder_(std::move(schema)) {}

  absl::Status Read(size_t rows_max, std::vector<Split>* splits, ReadRows* rows) override {
    const auto unfinished = std::find_if(splits->begin(), splits->end(),
                                         [](const Split& split) { return !split.is_finished; });
    WEIR_CHECK(unfinished != splits->end());
    const size_t index = static_cast<size_t>(unfinished - splits->begin());
    if (open_split_ != index) WEIR_RETURN_IF_ERROR(OpenSplit(index, *unfinished));
    rows->split = index;
    return ReadRange(rows_max, &*unfinished, rows);
  }

  std::string Place(int64_t row_place) const override {
    return absl::StrCat(path_, ": byte ", row_place);
  }

 private:
  absl::Status OpenSplit(size_t index, const Split& split) {
    WEIR_ASSIGN_OR_RETURN(range_, DecodeFileRange(split.detail));
    open_split_ = index;
    const uint64_t position = static_cast<uint64_t>(split.position);
    if (position > 0) {
      window_.Start(position);
    } else if (range_.begins_at_row) {
      window_.Start(range_.begin);
    } else {
      window_.Start(range_.begin - 1);
      is_in_row_ = true;
    }
    return absl::OkStatus();
  }

  absl::Status ReadRange(size_t rows_max, Split* split, ReadRows* rows) {
    while (is_in_row_ && window_.offset() < range_.end) {
      WEIR_RETURN_IF_ERROR(SkipRowBefore());
    }
    is_in_row_ = false;
    while (window_.offset() < range_.end) {
      // A checkpoint in the middle of a long row is of its beginning, where split->position stays.
      if (long_row_) return SkipLongRow();
      Decode(rows_max, rows);
      if (rows->batch != nullptr || rows->bad_rows > 0) break;
      if (output_.consumed > 0) continue;
      if (window_.IsFull()) {
        long_row_.emplace(format_);
        NoteLongRow(rows);
        break;
      }
      WEIR_RETURN_IF_ERROR(window_.Fill());
    }
    split->position = static_cast<int64_t>(window_.offset());
    if (window_.offset() < range_.end) return absl::OkStatus();
    long_row_.reset();
    split->is_finished = true;
    return CheckFileUnchanged();
  }

  // Passes over the row that starts in the range before.
  absl::Status SkipRowBefore() {
    if (window_.bytes().empty()) {
      if (window_.AtFileEnd()) return absl::OkStatus();
      WEIR_RETURN_IF_ERROR(window_.Fill());
    }
    const size_t end = types::FindLineFeed(window_.bytes(), 0);
    is_in_row_ = end == StringView::npos;
    window_.Drop(is_in_row_ ? window_.bytes().size() : end + 1);
    return absl::OkStatus();
  }

  void Decode(size_t rows_max, ReadRows* rows) {
    const uint64_t offset = window_.offset();
    types::DecodeInput input;
    input.bytes = window_.bytes();
    input.start_limit = static_cast<size_t>(range_.end - offset);
    input.rows_max = rows_max;
    // A last row that fills the window is too long, unless it has a line end.
    const bool is_end = window_.AtFileEnd() && !window_.IsFull();
    input.is_end = is_end ? types::IsEnd::kYes : types::IsEnd::kNo;
    decoder_->Decode(input, &builder_, &output_);
    rows->batch = builder_.Finish();
    rows->row_places.resize(output_.row_starts.size());
    for (size_t i = 0; i < output_.row_starts.size(); ++i) {
      rows->row_places[i] = static_cast<int64_t>(offset + output_.row_starts[i]);
    }
    if (output_.errors.count > 0) {
      rows->bad_rows = output_.errors.count;
      rows->bad_place = Place(static_cast<int64_t>(offset + output_.errors.first_at));
      rows->bad_cause = std::move(output_.errors.first_message);
    }
    window_.Drop(output_.consumed);
  }

  void NoteLongRow(ReadRows* rows) const {
    rows->bad_rows = 1;
    rows->bad_place = Place(static_cast<int64_t>(window_.offset()));
    rows->bad_cause = absl::StrCat("a row is larger than ", types::kRowBytesMax,
                                   " bytes; is a line end or a closing quote missing?");
  }

  // Passes over a part of the row that was found too long, so that a call never takes long.
  absl::Status SkipLongRow() {
    if (window_.bytes().empty()) {
      if (!window_.AtFileEnd()) return window_.Fill();
      long_row_.reset();
      return absl::OkStatus();
    }
    const size_t end = long_row_->Take(window_.bytes());
    window_.Drop(end == StringView::npos ? window_.bytes().size() : end);
    if (end != StringView::npos) long_row_.reset();
    return absl::OkStatus();
  }

  absl::Status CheckFileUnchanged() const {
    WEIR_ASSIGN_OR_RETURN(const fs::FileStat stat, files_.Stat(path_));
    if (stat.size == identity_.size && stat.mtime_us == identity_.mtime_us) return absl::OkStatus();
    WEIR_ASSIGN_OR_RETURN(const FileHead now, ReadFileHead(files_, path_));
    return CheckUnchanged(path_, identity_, now, "the job began to read it");
  }

  fs::FileSystem& files_;
  const std::string path_;
  const FileIdentity identity_;
  const graph::FormatSpec format_;
  RowWindow window_;
  const std::unique_ptr<types::RowDecoder> decoder_;
  types::BatchBuilder builder_;
  types::DecodeOutput output_;
  absl::optional<size_t> open_split_;
  FileRange range_;                      // of the open split
  bool is_in_row_ = false;               // its first row is not found yet
  absl::optional<RowEndScan> long_row_;  // being passed over, because it is too long
};

class FileSource final : public SplitSource {
 public:
  FileSource(graph::FileSourceOptions options, graph::FormatSpec format, types::SchemaPtr schema)
      : options_(std::move(options)), format_(std::move(format)), schema_(std::move(schema)) {}

  absl::StatusOr<std::vector<Split>> MakeSplits(fs::FileSystem& files) const override {
    return MakeFileSplits(files, options_.path, format_);
  }

  absl::StatusOr<std::unique_ptr<SplitReader>> NewReader(
      fs::FileSystem& files, const std::vector<Split>& splits) const override {
    WEIR_ASSIGN_OR_RETURN(const FileHead head, ReadFileHead(files, options_.path));
    for (const Split& split : splits) {
      WEIR_ASSIGN_OR_RETURN(const FileRange range, DecodeFileRange(split.detail));
      WEIR_RETURN_IF_ERROR(
          CheckUnchanged(options_.path, range.identity, head, "the checkpoint that is restored"));
    }
    WEIR_ASSIGN_OR_RETURN(FileStart start, FindFileStart(options_.path, head, format_));
    absl::StatusOr<std::unique_ptr<types::RowDecoder>> decoder =
        MakeDecoder(format_, schema_, std::move(start.csv_header));
    if (!decoder.ok()) {
      return absl::Status(decoder.status().code(),
                          absl::StrCat(options_.path, ": ", decoder.status().message()));
    }
    WEIR_ASSIGN_OR_RETURN(std::unique_ptr<fs::RandomFile> file, files.OpenRandom(options_.path));
    OpenedFile opened{options_.path, head.identity, std::move(file)};
    return std::make_unique<FileSplitReader>(files, std::move(opened), format_, *std::move(decoder),
                                             schema_);
  }

 private:
  const graph::FileSourceOptions options_;
  const graph::FormatSpec format_;
  const types::SchemaPtr schema_;
};

}  // namespace

std::unique_ptr<SplitSource> MakeFileSource(graph::FileSourceOptions options,
                                            graph::FormatSpec format, types::SchemaPtr schema) {
  return std::make_unique<FileSource>(std::move(options), std::move(format), std::move(schema));
}

}  // namespace weir::connectors
