// RowWindow: the bytes of a file around the place where rows are being read, with the padding that
// decoders need.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/fs/file_system.h"
#include "common/types/record_batch.h"

namespace weir::connectors {

// Thread: confined to one thread.
class RowWindow {
 public:
  // `file_size`: bytes behind it are not looked at. `path`: for messages.
  RowWindow(std::string path, std::unique_ptr<fs::RandomFile> file, uint64_t file_size);

  // Goes on from `offset`; nothing is read yet.
  void Start(uint64_t offset);
  // The file's offset of bytes().
  uint64_t offset() const { return window_offset_ + begin_; }
  // What has been read and not been dropped; kDecodePadding more bytes can be read, the first zero.
  StringView bytes() const { return StringView(memory_.data() + begin_, end_ - begin_); }
  bool AtFileEnd() const { return window_offset_ + end_ == file_size_; }

  // REQUIRES: size <= bytes().size().
  void Drop(size_t size);
  // Whether bytes() are so many that a whole row of the greatest length, and its line feed, would
  // be in them.
  bool IsFull() const { return end_ - begin_ > types::kRowBytesMax; }
  // Reads more. REQUIRES: !AtFileEnd() and !IsFull().
  // DATA_LOSS: the file ends before file_size.
  absl::Status Fill();

 private:
  const std::string path_;
  const std::unique_ptr<fs::RandomFile> file_;
  const uint64_t file_size_;
  uint64_t window_offset_ = 0;  // of memory_[0] in the file
  size_t begin_ = 0;
  size_t end_ = 0;  // of the bytes read; padding follows
  std::string memory_;
};

}  // namespace weir::connectors
