#include "common/checkpoint/file_streams.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/fs/path.h"
#include "common/io/hash.h"

namespace weir::checkpoint {
namespace {

// Bytes read ahead of what was asked for.
constexpr uint64_t kReadBufferBytes = uint64_t{64} << 10;

constexpr char kTrailerMagic[] = "WEIRSTAT";

// The last bytes of a file.
struct FileTrailer {
  char magic[8] = {};
  uint64_t identity = 0;
};
static_assert(sizeof(FileTrailer) == kFileTrailerBytes, "stored as it lies in memory");

// A name is random and never used again; 0 stands for a file without a trailer.
uint64_t IdentityOfName(const std::string& name) {
  return std::max<uint64_t>(1, io::Xxh3(name));
}

std::string EncodeTrailer(uint64_t identity) {
  FileTrailer trailer;
  std::memcpy(trailer.magic, kTrailerMagic, sizeof(trailer.magic));
  trailer.identity = identity;
  return {reinterpret_cast<const char*>(&trailer), sizeof(trailer)};
}

// Life:      destroying it unfinished deletes its file.
// Invariant: without a file all bytes are in buffer_.
class FileSnapshotOutput final : public state::SnapshotOutput {
 public:
  explicit FileSnapshotOutput(std::shared_ptr<StreamPlace> place) : place_(std::move(place)) {}
  ~FileSnapshotOutput() override { Abandon(); }

  absl::Status Write(StringView bytes) override;
  uint64_t Position() const override { return position_; }
  absl::StatusOr<state::StreamHandle> Finish() override;

 private:
  bool TakeInlineBudget();
  absl::Status CreateFile();
  absl::Status Flush();
  absl::Status WriteNow(StringView bytes);
  absl::Status MakeDurable();
  void Abandon();
  std::string Path() const { return fs::JoinPath(place_->directory, name_); }

  const std::shared_ptr<StreamPlace> place_;
  std::string buffer_;
  std::unique_ptr<fs::WritableFile> file_;
  std::string name_;  // set while a file exists that Finish() has not handed over
  uint64_t position_ = 0;
  bool finished_ = false;
  absl::Status failure_;  // the first one: every later call repeats it
};

absl::Status FileSnapshotOutput::CreateFile() {
  absl::Status last;
  for (int attempt = 0; attempt < kCreateAttemptsMax; ++attempt) {
    std::string name = place_->names.Next();
    absl::StatusOr<std::unique_ptr<fs::WritableFile>> file =
        place_->file_system.Create(fs::JoinPath(place_->directory, name));
    if (file.ok()) {
      file_ = *std::move(file);
      name_ = std::move(name);
      return absl::OkStatus();
    }
    last = file.status();
  }
  return absl::Status(last.code(),
                      absl::StrCat("no state file could be made in ", kCreateAttemptsMax,
                                   " attempts; the last: ", last.message()));
}

absl::Status FileSnapshotOutput::WriteNow(StringView bytes) {
  if (file_ == nullptr) WEIR_RETURN_IF_ERROR(CreateFile());
  return file_->Append(bytes);
}

absl::Status FileSnapshotOutput::Flush() {
  if (buffer_.empty()) return absl::OkStatus();
  WEIR_RETURN_IF_ERROR(WriteNow(buffer_));
  buffer_.clear();
  return absl::OkStatus();
}

absl::Status FileSnapshotOutput::Write(StringView bytes) {
  if (finished_) return absl::FailedPreconditionError("write to a finished snapshot stream");
  if (!failure_.ok()) return failure_;
  const uint64_t buffer_max = place_->options.write_buffer;
  if (buffer_.size() + bytes.size() > buffer_max) failure_ = Flush();
  if (failure_.ok() && bytes.size() >= buffer_max) {
    failure_ = WriteNow(bytes);
  } else if (failure_.ok()) {
    buffer_.append(bytes.data(), bytes.size());
  }
  if (failure_.ok()) position_ += bytes.size();
  return failure_;
}

bool FileSnapshotOutput::TakeInlineBudget() {
  if (file_ != nullptr || position_ > place_->options.inline_threshold) return false;
  const uint64_t before = place_->inline_bytes.fetch_add(position_, std::memory_order_relaxed);
  return before + position_ <= kInlineBytesPerCheckpointMax;
}

absl::Status FileSnapshotOutput::MakeDurable() {
  WEIR_RETURN_IF_ERROR(Flush());
  WEIR_RETURN_IF_ERROR(file_->Append(EncodeTrailer(IdentityOfName(name_))));
  WEIR_RETURN_IF_ERROR(file_->Sync());
  WEIR_RETURN_IF_ERROR(file_->Close());
  WEIR_ASSIGN_OR_RETURN(const fs::FileStat stat, place_->file_system.Stat(Path()));
  const uint64_t written = position_ + kFileTrailerBytes;
  if (stat.size != written) {
    return absl::DataLossError(
        absl::StrCat(Path(), ": ", stat.size, " bytes, but ", written, " were written"));
  }
  return place_->file_system.SyncDir(place_->directory);
}

absl::StatusOr<state::StreamHandle> FileSnapshotOutput::Finish() {
  if (finished_) return absl::FailedPreconditionError("a snapshot stream is finished twice");
  finished_ = true;
  if (failure_.ok() && (position_ == 0 || TakeInlineBudget())) {
    WEIR_CHECK(buffer_.size() == position_);
    return state::StreamHandle{.path = {}, .inline_bytes = std::move(buffer_), .size = position_};
  }
  if (failure_.ok()) failure_ = MakeDurable();
  if (!failure_.ok()) {
    Abandon();
    return failure_;
  }
  const uint64_t identity = IdentityOfName(name_);
  return state::StreamHandle{.path = std::exchange(name_, {}),
                             .inline_bytes = {},
                             .size = position_ + kFileTrailerBytes,
                             .identity = identity};
}

void FileSnapshotOutput::Abandon() {
  if (name_.empty()) return;
  file_.reset();
  // What stays behind is an orphan, which the next start removes with its checkpoint.
  (void)place_->file_system.Remove(Path());
  name_.clear();
}

class InlineSnapshotInput final : public state::SnapshotInput {
 public:
  explicit InlineSnapshotInput(std::string bytes) : bytes_(std::move(bytes)) {}

  uint64_t Size() const override { return bytes_.size(); }
  absl::Status Seek(uint64_t offset) override {
    if (offset > bytes_.size()) {
      return absl::OutOfRangeError(
          absl::StrCat("offset ", offset, " of ", bytes_.size(), " inline bytes"));
    }
    position_ = offset;
    return absl::OkStatus();
  }
  absl::Status Read(uint64_t size, std::string* bytes) override {
    if (size > bytes_.size() - position_) {
      return absl::DataLossError(absl::StrCat(size, " bytes wanted at ", position_, " of ",
                                              bytes_.size(), " inline bytes"));
    }
    bytes->assign(bytes_, position_, size);
    position_ += size;
    return absl::OkStatus();
  }

 private:
  const std::string bytes_;
  uint64_t position_ = 0;
};

// Invariant: buffer_ holds the file's bytes from buffer_offset_ on.
class FileSnapshotInput final : public state::SnapshotInput {
 public:
  FileSnapshotInput(std::string path, std::unique_ptr<fs::RandomFile> file, uint64_t size)
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}

  uint64_t Size() const override { return size_; }
  absl::Status Seek(uint64_t offset) override {
    if (offset > size_) {
      return absl::OutOfRangeError(
          absl::StrCat(path_, ": offset ", offset, " of ", size_, " bytes"));
    }
    position_ = offset;
    return absl::OkStatus();
  }
  absl::Status Read(uint64_t size, std::string* bytes) override;

 private:
  absl::Status ReadAt(uint64_t offset, char* into, size_t size) const;

  const std::string path_;
  const std::unique_ptr<fs::RandomFile> file_;
  const uint64_t size_;
  uint64_t position_ = 0;
  std::string buffer_;
  uint64_t buffer_offset_ = 0;
};

absl::Status FileSnapshotInput::ReadAt(uint64_t offset, char* into, size_t size) const {
  WEIR_ASSIGN_OR_RETURN(const size_t read, file_->ReadAt(offset, into, size));
  if (read == size) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path_, ": cut short at ", offset + read, " of ", size_, " bytes"));
}

absl::Status FileSnapshotInput::Read(uint64_t size, std::string* bytes) {
  if (size > size_ - position_) {
    return absl::DataLossError(
        absl::StrCat(path_, ": ", size, " bytes wanted at ", position_, " of ", size_));
  }
  bytes->resize(size);
  if (size >= kReadBufferBytes) {
    WEIR_RETURN_IF_ERROR(ReadAt(position_, bytes->data(), size));
    position_ += size;
    return absl::OkStatus();
  }
  const bool buffered =
      position_ >= buffer_offset_ && position_ + size <= buffer_offset_ + buffer_.size();
  if (!buffered) {
    buffer_.resize(std::min(kReadBufferBytes, size_ - position_));
    buffer_offset_ = position_;
    const absl::Status status = ReadAt(position_, buffer_.data(), buffer_.size());
    if (!status.ok()) buffer_.clear();
    WEIR_RETURN_IF_ERROR(status);
  }
  bytes->assign(buffer_, position_ - buffer_offset_, size);
  position_ += size;
  return absl::OkStatus();
}

absl::Status CheckTrailer(const std::string& path, const fs::RandomFile& file,
                          const state::StreamHandle& handle) {
  std::string trailer(kFileTrailerBytes, '\0');
  WEIR_ASSIGN_OR_RETURN(const size_t read, file.ReadAt(handle.size - kFileTrailerBytes,
                                                       trailer.data(), trailer.size()));
  if (read == trailer.size() && trailer == EncodeTrailer(handle.identity)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": it is not the file its checkpoint recorded, though of the same size"));
}

}  // namespace

absl::StatusOr<StreamOptions> CheckStreamOptions(StreamOptions options) {
  if (options.inline_threshold > kInlineThresholdMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpointing.inline_threshold is ", options.inline_threshold,
                     " bytes; it must be at most ", kInlineThresholdMax));
  }
  if (options.write_buffer == 0) {
    options.write_buffer = std::max(kWriteBufferMin, options.inline_threshold);
  }
  if (options.write_buffer < options.inline_threshold) {
    return absl::InvalidArgumentError(
        absl::StrCat("checkpointing.write_buffer is ", options.write_buffer,
                     " bytes; it must be at least inline_threshold, ", options.inline_threshold));
  }
  return options;
}

std::string FileNames::Next() {
  std::string name;
  {
    const base::MutexLock lock(mutex_);
    name = ids_.Make<base::Id128<struct FileNameTag>>().ToString();
  }
  for (const size_t dash : {20u, 16u, 12u, 8u}) name.insert(dash, 1, '-');
  return name;
}

FileSnapshotOutputFactory::FileSnapshotOutputFactory(std::shared_ptr<StreamPlace> place)
    : place_(std::move(place)) {
}

absl::StatusOr<std::unique_ptr<state::SnapshotOutput>> FileSnapshotOutputFactory::Create() {
  return std::make_unique<FileSnapshotOutput>(place_);
}

FileSnapshotInputFactory::FileSnapshotInputFactory(fs::FileSystem& file_system,
                                                   std::string directory)
    : file_system_(file_system), directory_(std::move(directory)) {
}

absl::StatusOr<std::unique_ptr<state::SnapshotInput>> FileSnapshotInputFactory::Open(
    const state::StreamHandle& handle) const {
  if (handle.IsInline()) return OpenInline(handle);
  const std::string path = fs::JoinPath(directory_, handle.path);
  WEIR_ASSIGN_OR_RETURN(const fs::FileStat stat, file_system_.Stat(path));
  if (stat.size != handle.size) {
    return absl::DataLossError(
        absl::StrCat(path, ": ", stat.size, " bytes; its checkpoint recorded ", handle.size));
  }
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<fs::RandomFile> file, file_system_.OpenRandom(path));
  if (handle.identity == 0) {
    return std::make_unique<FileSnapshotInput>(path, std::move(file), handle.size);
  }
  if (handle.size < kFileTrailerBytes) {
    return absl::DataLossError(absl::StrCat(path, ": too short for a trailer"));
  }
  WEIR_RETURN_IF_ERROR(CheckTrailer(path, *file, handle));
  return std::make_unique<FileSnapshotInput>(path, std::move(file),
                                             handle.size - kFileTrailerBytes);
}

absl::StatusOr<std::unique_ptr<state::SnapshotInput>> OpenInline(
    const state::StreamHandle& handle) {
  if (handle.inline_bytes.size() != handle.size) {
    return absl::DataLossError(absl::StrCat("an inline stream of ", handle.inline_bytes.size(),
                                            " bytes claims ", handle.size));
  }
  return std::make_unique<InlineSnapshotInput>(handle.inline_bytes);
}

}  // namespace weir::checkpoint
