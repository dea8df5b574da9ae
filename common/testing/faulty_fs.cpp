#include "common/testing/faulty_fs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/fs/path.h"

namespace weir::testing {

struct FaultyFs::Shared {
  mutable base::Mutex mutex;
  MemoryTree tree ABSL_GUARDED_BY(mutex);
  FaultPlan plan ABSL_GUARDED_BY(mutex);
  std::map<std::string, std::string> locks ABSL_GUARDED_BY(mutex);  // path -> holder
  uint64_t generation ABSL_GUARDED_BY(mutex) = 0;                   // raised when open files die
  int64_t now_us ABSL_GUARDED_BY(mutex) = 0;
};

namespace {

using Shared = FaultyFs::Shared;

absl::Status Dead(const std::string& path) {
  return absl::UnavailableError(absl::StrCat(path, ": its process is dead"));
}

absl::StatusOr<std::shared_ptr<Inode>> FindFile(const MemoryTree& tree, const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<Inode> inode, tree.Find(path));
  if (!inode->is_directory) return inode;
  return absl::FailedPreconditionError(absl::StrCat(path, ": Is a directory"));
}

// What every open file is made of.
struct OpenFile {
  std::shared_ptr<Shared> shared;
  std::shared_ptr<Inode> inode;
  std::string path;
  uint64_t generation;
};

class FaultyWritable final : public fs::WritableFile {
 public:
  explicit FaultyWritable(OpenFile open) : open_(std::move(open)) {}

  absl::Status Append(StringView bytes) override {
    const base::MutexLock lock(open_.shared->mutex);
    if (closed_) return absl::FailedPreconditionError(absl::StrCat(open_.path, ": is closed"));
    if (open_.generation != open_.shared->generation) return Dead(open_.path);
    const std::optional<Fault> fault = open_.shared->plan.OnAppend(open_.path);
    std::string written(bytes);
    if (fault == Fault::kShortWrite) written.resize(written.size() / 2);
    if (fault == Fault::kFlippedBit && !written.empty()) {
      char& middle = written[written.size() / 2];
      middle = static_cast<char>(middle ^ 0x10);
    } else if (fault.has_value() && fault != Fault::kShortWrite) {
      return open_.shared->plan.Error(*fault, "append to", open_.path);
    }
    open_.inode->bytes += written;
    open_.inode->mtime_us = ++open_.shared->now_us;
    if (fault != Fault::kShortWrite) return absl::OkStatus();
    return open_.shared->plan.Error(*fault, "append to", open_.path);
  }

  absl::Status Sync() override {
    const base::MutexLock lock(open_.shared->mutex);
    if (closed_) return absl::FailedPreconditionError(absl::StrCat(open_.path, ": is closed"));
    if (open_.generation != open_.shared->generation) return Dead(open_.path);
    WEIR_RETURN_IF_ERROR(open_.shared->plan.OnOperation("sync", open_.path));
    open_.inode->durable_bytes = open_.inode->bytes;
    return absl::OkStatus();
  }

  absl::Status Close() override {
    if (std::exchange(closed_, true)) return absl::OkStatus();
    const base::MutexLock lock(open_.shared->mutex);
    if (open_.generation != open_.shared->generation) return Dead(open_.path);
    return open_.shared->plan.OnOperation("close", open_.path);
  }

 private:
  const OpenFile open_;
  bool closed_ = false;
};

class FaultyReader final : public fs::SequentialFile, public fs::RandomFile {
 public:
  explicit FaultyReader(OpenFile open) : open_(std::move(open)) {}

  absl::StatusOr<size_t> Read(char* into, size_t size) override {
    WEIR_ASSIGN_OR_RETURN(const size_t read, ReadAt(position_, into, size));
    position_ += read;
    return read;
  }

  absl::StatusOr<size_t> ReadAt(uint64_t offset, char* into, size_t size) const override {
    const base::MutexLock lock(open_.shared->mutex);
    if (open_.generation != open_.shared->generation) return Dead(open_.path);
    WEIR_RETURN_IF_ERROR(open_.shared->plan.OnOperation("read", open_.path));
    const std::string& bytes = open_.inode->bytes;
    if (offset >= bytes.size()) return size_t{0};
    const size_t count = std::min<size_t>(size, bytes.size() - offset);
    bytes.copy(into, count, offset);
    return count;
  }

 private:
  const OpenFile open_;
  uint64_t position_ = 0;
};

class FaultyLock final : public fs::FileLock {
 public:
  FaultyLock(std::shared_ptr<Shared> shared, std::string path, uint64_t generation)
      : shared_(std::move(shared)), path_(std::move(path)), generation_(generation) {}
  ~FaultyLock() override {
    const base::MutexLock lock(shared_->mutex);
    if (generation_ == shared_->generation) shared_->locks.erase(path_);
  }

 private:
  const std::shared_ptr<Shared> shared_;
  const std::string path_;
  const uint64_t generation_;
};

absl::StatusOr<OpenFile> Open(const std::shared_ptr<Shared>& shared, const std::string& path) {
  const base::MutexLock lock(shared->mutex);
  WEIR_RETURN_IF_ERROR(shared->plan.OnOperation("open", path));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<Inode> inode, FindFile(shared->tree, path));
  return OpenFile{shared, std::move(inode), path, shared->generation};
}

}  // namespace

FaultyFs::FaultyFs() : shared_(std::make_shared<Shared>()) {
}
FaultyFs::~FaultyFs() = default;

absl::StatusOr<std::unique_ptr<fs::WritableFile>> FaultyFs::Create(const std::string& path) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("create", path));
  auto inode = std::make_shared<Inode>();
  inode->mtime_us = ++shared_->now_us;
  WEIR_RETURN_IF_ERROR(shared_->tree.Add(path, inode));
  return std::make_unique<FaultyWritable>(
      OpenFile{shared_, std::move(inode), path, shared_->generation});
}

absl::StatusOr<std::unique_ptr<fs::WritableFile>> FaultyFs::OpenAppend(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(OpenFile open, Open(shared_, path));
  return std::make_unique<FaultyWritable>(std::move(open));
}

absl::StatusOr<std::unique_ptr<fs::SequentialFile>> FaultyFs::OpenSequential(
    const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(OpenFile open, Open(shared_, path));
  return std::make_unique<FaultyReader>(std::move(open));
}

absl::StatusOr<std::unique_ptr<fs::RandomFile>> FaultyFs::OpenRandom(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(OpenFile open, Open(shared_, path));
  return std::make_unique<FaultyReader>(std::move(open));
}

absl::Status FaultyFs::Rename(const std::string& from, const std::string& to) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("rename", absl::StrCat(from, " to ", to)));
  return shared_->tree.Rename(from, to);
}

absl::Status FaultyFs::Link(const std::string& from, const std::string& to) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("link", absl::StrCat(from, " to ", to)));
  WEIR_ASSIGN_OR_RETURN(std::shared_ptr<Inode> inode, FindFile(shared_->tree, from));
  return shared_->tree.Add(to, std::move(inode));
}

absl::Status FaultyFs::Remove(const std::string& path) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("remove", path));
  return shared_->tree.Remove(path);
}

absl::Status FaultyFs::RemoveTree(const std::string& path) {
  const absl::StatusOr<fs::FileStat> stat = Stat(path);
  if (absl::IsNotFound(stat.status())) return absl::OkStatus();
  WEIR_RETURN_IF_ERROR(stat.status());
  if (stat->is_directory) {
    WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, List(path));
    for (const fs::DirectoryEntry& entry : entries) {
      WEIR_RETURN_IF_ERROR(RemoveTree(fs::JoinPath(path, entry.name)));
    }
  }
  return Remove(path);
}

absl::StatusOr<std::vector<fs::DirectoryEntry>> FaultyFs::List(const std::string& path) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("list", path));
  WEIR_ASSIGN_OR_RETURN(const std::shared_ptr<Inode> directory, shared_->tree.Find(path));
  if (!directory->is_directory) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Not a directory"));
  }
  std::vector<fs::DirectoryEntry> entries;
  for (const auto& [name, inode] : directory->entries) {
    entries.push_back({name, inode->is_directory});
  }
  return entries;
}

absl::Status FaultyFs::MakeDirs(const std::string& path) {
  if (path == "/") return absl::OkStatus();
  const std::string parent = fs::DirectoryOf(path);
  WEIR_RETURN_IF_ERROR(MakeDirs(parent));
  {
    const base::MutexLock lock(shared_->mutex);
    if (const auto found = shared_->tree.Find(path); found.ok()) {
      if ((*found)->is_directory) return absl::OkStatus();
      return absl::FailedPreconditionError(absl::StrCat(path, ": Not a directory"));
    }
    WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("make directory", path));
    auto inode = std::make_shared<Inode>();
    inode->is_directory = true;
    WEIR_RETURN_IF_ERROR(shared_->tree.Add(path, std::move(inode)));
  }
  return SyncDir(parent);
}

absl::Status FaultyFs::SyncDir(const std::string& path) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("sync directory", path));
  return shared_->tree.SyncDir(path);
}

absl::StatusOr<fs::FileStat> FaultyFs::Stat(const std::string& path) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("look up", path));
  WEIR_ASSIGN_OR_RETURN(const std::shared_ptr<Inode> inode, shared_->tree.Find(path));
  return fs::FileStat{inode->bytes.size(), inode->mtime_us, inode->is_directory};
}

absl::StatusOr<std::unique_ptr<fs::FileLock>> FaultyFs::Lock(const std::string& path,
                                                             StringView holder) {
  const base::MutexLock lock(shared_->mutex);
  WEIR_RETURN_IF_ERROR(shared_->plan.OnOperation("lock", path));
  const auto [held, taken] = shared_->locks.emplace(path, std::string(holder));
  if (!taken) {
    return absl::FailedPreconditionError(absl::StrCat(path, " is locked by ", held->second));
  }
  absl::StatusOr<std::shared_ptr<Inode>> inode = shared_->tree.Find(path);
  if (!inode.ok()) {
    inode = std::make_shared<Inode>();
    const absl::Status added = shared_->tree.Add(path, *inode);
    if (!added.ok()) shared_->locks.erase(path);
    WEIR_RETURN_IF_ERROR(added);
  }
  (*inode)->bytes = absl::StrCat(holder, "\n");
  return std::make_unique<FaultyLock>(shared_, path, shared_->generation);
}

void FaultyFs::FailAt(uint64_t site, Fault fault) {
  const base::MutexLock lock(shared_->mutex);
  shared_->plan.Reset();
  shared_->plan.FailAt(site, fault);
}

void FaultyFs::ClearFaults() {
  const base::MutexLock lock(shared_->mutex);
  shared_->plan.Reset();
}

bool FaultyFs::has_fired() const {
  const base::MutexLock lock(shared_->mutex);
  return shared_->plan.has_fired();
}

std::string FaultyFs::fired_at() const {
  const base::MutexLock lock(shared_->mutex);
  return shared_->plan.fired_at();
}

uint64_t FaultyFs::operation_count() const {
  const base::MutexLock lock(shared_->mutex);
  return shared_->plan.operation_count();
}

void FaultyFs::Crash(uint64_t changes_kept) {
  KillProcess();
  const base::MutexLock lock(shared_->mutex);
  shared_->tree.Crash(changes_kept);
}

uint64_t FaultyFs::unsynced_change_count() const {
  const base::MutexLock lock(shared_->mutex);
  return shared_->tree.unsynced_change_count();
}

void FaultyFs::KillProcess() {
  const base::MutexLock lock(shared_->mutex);
  ++shared_->generation;
  shared_->locks.clear();
  shared_->plan.Reset();
}

void FaultyFs::FlipBit(const std::string& path, uint64_t offset) {
  const base::MutexLock lock(shared_->mutex);
  const auto inode = FindFile(shared_->tree, path);
  WEIR_CHECK(inode.ok());
  WEIR_CHECK(offset < (*inode)->bytes.size());
  char& damaged = (*inode)->bytes[offset];
  damaged = static_cast<char>(damaged ^ 1);
  (*inode)->durable_bytes = (*inode)->bytes;
}

void FaultyFs::Truncate(const std::string& path, uint64_t size) {
  const base::MutexLock lock(shared_->mutex);
  const auto inode = FindFile(shared_->tree, path);
  WEIR_CHECK(inode.ok());
  WEIR_CHECK(size <= (*inode)->bytes.size());
  (*inode)->bytes.resize(size);
  (*inode)->durable_bytes = (*inode)->bytes;
}

}  // namespace weir::testing
