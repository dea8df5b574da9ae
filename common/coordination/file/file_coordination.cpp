#include "common/coordination/file/file_coordination.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/coordination/damage.h"
#include "common/fs/path.h"

namespace weir::coordination {

FileCoordination::FileCoordination(std::unique_ptr<fs::FileLock> lock,
                                   std::unique_ptr<RecordLog> log)
    : lock_(std::move(lock)), log_(std::move(log)) {
}

absl::StatusOr<std::unique_ptr<FileCoordination>> FileCoordination::Open(fs::FileSystem& files,
                                                                         const std::string& dir,
                                                                         const std::string& holder,
                                                                         uint64_t seed,
                                                                         StringView way_out) {
  WEIR_RETURN_IF_ERROR(files.MakeDirs(dir));
  absl::StatusOr<std::unique_ptr<fs::FileLock>> lock =
      files.Lock(fs::JoinPath(dir, "lock"), holder);
  if (absl::IsFailedPrecondition(lock.status())) {
    return absl::FailedPreconditionError(absl::StrCat(lock.status().message(), "; ", way_out));
  }
  WEIR_RETURN_IF_ERROR(lock.status());
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<RecordLog> log,
                        RecordLog::Lead(files, fs::JoinPath(dir, "log"), seed,
                                        EncodeChanges({LeaderBegins{holder}})));
  auto made =
      std::unique_ptr<FileCoordination>(new FileCoordination(*std::move(lock), std::move(log)));
  const base::MutexLock held(made->mutex_);
  WEIR_RETURN_IF_ERROR(LogWithWaysOut(made->Replay(), dir));
  return made;
}

absl::Status FileCoordination::Replay() {
  WEIR_ASSIGN_OR_RETURN(const std::vector<RecordLog::Record> records, log_->Read());
  for (const RecordLog::Record& record : records) {
    const absl::StatusOr<std::vector<Change>> changes = DecodeChanges(record.payload);
    if (!changes.ok()) {
      return absl::Status(changes.status().code(),
                          absl::StrCat(record.path, ": ", changes.status().message()));
    }
    for (const Change& change : *changes) state_.Apply(change);
  }
  records_since_snapshot_ = records.size();
  MaybeSnapshot();
  return absl::OkStatus();
}

bool FileCoordination::Leads() const {
  const base::MutexLock lock(mutex_);
  return log_->leads();
}

CoordinationState FileCoordination::State() const {
  const base::MutexLock lock(mutex_);
  return state_;
}

absl::Status FileCoordination::Update(
    const std::function<std::vector<Change>(const CoordinationState& state)>& decide) {
  const base::MutexLock lock(mutex_);
  const std::vector<Change> changes = decide(state_);
  if (changes.empty()) return absl::OkStatus();
  WEIR_RETURN_IF_ERROR(log_->Append(RecordLog::Kind::kChange, EncodeChanges(changes)));
  for (const Change& change : changes) state_.Apply(change);
  ++records_since_snapshot_;
  MaybeSnapshot();
  return absl::OkStatus();
}

// A snapshot that fails costs nothing but a longer log; if leadership is lost by it, the next
// change says so.
void FileCoordination::MaybeSnapshot() {
  if (records_since_snapshot_ < kRecordsPerSnapshot) return;
  const absl::Status written =
      log_->Append(RecordLog::Kind::kSnapshot, EncodeChanges(state_.All()));
  if (!written.ok()) return;
  records_since_snapshot_ = 0;
  log_->Compact(log_->newest());
}

}  // namespace weir::coordination
