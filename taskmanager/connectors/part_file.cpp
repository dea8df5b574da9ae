#include "taskmanager/connectors/part_file.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/fs/path.h"

namespace weir::connectors {

PartFile::PartFile(fs::FileSystem& files, std::string directory,
                   std::unique_ptr<fs::WritableFile> file)
    : files_(files), directory_(std::move(directory)), file_(std::move(file)) {
}

absl::StatusOr<std::shared_ptr<PartFile>> PartFile::Create(fs::FileSystem& files,
                                                           const std::string& directory,
                                                           const std::string& name) {
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<fs::WritableFile> file,
                        files.Create(fs::JoinPath(directory, name)));
  return std::make_shared<PartFile>(files, directory, std::move(file));
}

absl::Status PartFile::Append(StringView bytes) {
  base::MutexLock lock(mutex_);
  WEIR_CHECK(!is_durable_);
  if (status_.ok()) status_ = file_->Append(bytes);
  if (status_.ok()) bytes_ += bytes.size();
  return status_;
}

absl::Status PartFile::MakeDurable() {
  base::MutexLock lock(mutex_);
  if (is_durable_ || !status_.ok()) return status_;
  status_ = SyncAndClose();
  is_durable_ = status_.ok();
  file_.reset();
  return status_;
}

absl::Status PartFile::SyncAndClose() {
  WEIR_RETURN_IF_ERROR(file_->Sync());
  WEIR_RETURN_IF_ERROR(file_->Close());
  return files_.SyncDir(directory_);
}

bool PartFile::IsDurable() const {
  base::MutexLock lock(mutex_);
  return is_durable_;
}

absl::Status PartFile::status() const {
  base::MutexLock lock(mutex_);
  return status_;
}

}  // namespace weir::connectors
