#include "taskmanager/connectors/row_window.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/types/row_decoder.h"
#include "taskmanager/connectors/file_source.h"

namespace weir::connectors {

RowWindow::RowWindow(std::string path, std::unique_ptr<fs::RandomFile> file, uint64_t file_size)
    : path_(std::move(path)),
      file_(std::move(file)),
      file_size_(file_size),
      memory_(kFileReadBytes + types::kDecodePadding, '\0') {
}

void RowWindow::Start(uint64_t offset) {
  window_offset_ = offset;
  begin_ = end_ = 0;
  memory_[0] = '\0';
}

void RowWindow::Drop(size_t size) {
  WEIR_CHECK(size <= end_ - begin_);
  begin_ += size;
}

absl::Status RowWindow::Fill() {
  WEIR_CHECK(!AtFileEnd() && !IsFull());
  if (begin_ > 0) {
    std::memmove(memory_.data(), memory_.data() + begin_, end_ - begin_);
    window_offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  const uint64_t at = window_offset_ + end_;
  const size_t room = std::min(kFileReadBytes, types::kRowBytesMax + 1 - end_);
  const size_t wanted = static_cast<size_t>(std::min<uint64_t>(room, file_size_ - at));
  // Long rows double the memory, so that what they copy stays in proportion.
  if (memory_.size() < end_ + wanted + types::kDecodePadding) {
    memory_.resize(std::max(end_ + wanted + types::kDecodePadding, 2 * memory_.size()));
  }
  WEIR_ASSIGN_OR_RETURN(const size_t size, file_->ReadAt(at, memory_.data() + end_, wanted));
  if (size == 0) {
    return absl::DataLossError(absl::StrCat(path_, ": the file ends at byte ", at, " instead of ",
                                            file_size_, ": it was cut while it was read"));
  }
  end_ += size;
  std::memset(memory_.data() + end_, 0, types::kDecodePadding);
  return absl::OkStatus();
}

}  // namespace weir::connectors
