#include "common/coordination/file/record_log.h"

#include <algorithm>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/stored_frame.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::coordination {
namespace {

constexpr char kRecordMagic[] = "WEIRLOG1";
constexpr uint32_t kRecordVersion = 1;
constexpr size_t kNumberDigits = 19;
constexpr char kTemporaryPrefix[] = "tmp-";
// Leaders that start at the same moment; each round one of them gets the number.
constexpr int kLeadAttemptsMax = 100;

// 0: no record's name.
uint64_t NumberOfName(const std::string& name) {
  uint64_t number = 0;
  if (name.size() != kNumberDigits || !absl::SimpleAtoi(name, &number)) return 0;
  return number;
}

absl::Status LeadsNoMore(StringView why) {
  return absl::AbortedError(absl::StrCat("this process leads no more: ", why));
}

}  // namespace

RecordLog::RecordLog(fs::FileSystem& files, std::string dir, uint64_t seed)
    : files_(files),
      dir_(std::move(dir)),
      temporary_(fs::JoinPath(dir_, absl::StrFormat("%s%016x", kTemporaryPrefix, seed))) {
}

std::string RecordLog::PathOf(uint64_t number) const {
  return fs::JoinPath(dir_, absl::StrFormat("%0*d", int{kNumberDigits}, number));
}

absl::StatusOr<std::vector<uint64_t>> RecordLog::Numbers() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, files_.List(dir_));
  std::vector<uint64_t> numbers;
  for (const fs::DirectoryEntry& entry : entries) {
    const uint64_t number = NumberOfName(entry.name);
    if (number > 0) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

absl::StatusOr<std::unique_ptr<RecordLog>> RecordLog::Lead(fs::FileSystem& files, std::string dir,
                                                           uint64_t seed, StringView first) {
  WEIR_RETURN_IF_ERROR(files.MakeDirs(dir));
  auto log = std::unique_ptr<RecordLog>(new RecordLog(files, std::move(dir), seed));
  log->RemoveTemporaries();
  for (int attempt = 0; attempt < kLeadAttemptsMax; ++attempt) {
    WEIR_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, log->Numbers());
    log->newest_ = numbers.empty() ? 0 : numbers.back();
    log->leads_ = true;
    const absl::Status appended = log->Append(Kind::kChange, first);
    if (appended.ok()) {
      log->epoch_ = log->newest_;
      return log;
    }
    if (!absl::IsAborted(appended)) return appended;
  }
  return absl::UnavailableError(
      absl::StrCat("too many processes try to lead in ", log->dir_, " at the same time"));
}

// Of processes that died while they wrote. One that still lives finds its file gone and stops.
void RecordLog::RemoveTemporaries() {
  const absl::StatusOr<std::vector<fs::DirectoryEntry>> entries = files_.List(dir_);
  if (!entries.ok()) return;
  for (const fs::DirectoryEntry& entry : *entries) {
    if (!absl::StartsWith(entry.name, kTemporaryPrefix)) continue;
    (void)files_.Remove(fs::JoinPath(dir_, entry.name));  // the next leader tries again
  }
}

absl::StatusOr<RecordLog::Record> RecordLog::ReadRecord(uint64_t number) const {
  const std::string path = PathOf(number);
  absl::StatusOr<std::string> bytes = fs::ReadWholeFile(files_, path, kLogRecordBytesMax);
  if (absl::IsNotFound(bytes.status())) {
    return absl::DataLossError(absl::StrCat(path, ": the record is missing"));
  }
  WEIR_RETURN_IF_ERROR(bytes.status());
  WEIR_ASSIGN_OR_RETURN(const checkpoint::DecodedFrame frame,
                        checkpoint::DecodeFrame(kRecordMagic, kRecordVersion, *bytes, path));
  if (frame.payload.empty() || static_cast<uint8_t>(frame.payload.front()) > 1) {
    return absl::DataLossError(absl::StrCat(path, ": not a record of a known kind"));
  }
  return Record{static_cast<Kind>(frame.payload.front()), std::string(frame.payload.substr(1)),
                path};
}

absl::StatusOr<std::vector<RecordLog::Record>> RecordLog::Read() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<uint64_t> numbers, Numbers());
  std::vector<Record> records;
  for (uint64_t number = newest_; number > 0; --number) {
    if (!std::binary_search(numbers.begin(), numbers.end(), number)) {
      return absl::DataLossError(
          absl::StrCat(PathOf(number), ": the record is missing, and no snapshot stands for it"));
    }
    WEIR_ASSIGN_OR_RETURN(Record record, ReadRecord(number));
    const bool is_snapshot = record.kind == Kind::kSnapshot;
    records.push_back(std::move(record));
    if (is_snapshot) break;
  }
  std::reverse(records.begin(), records.end());
  return records;
}

absl::Status RecordLog::WriteTemporary(const std::string& path, Kind kind, StringView payload) {
  (void)files_.Remove(path);  // what a failed append left; Create() tells if it is still there
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::WritableFile> file, files_.Create(path));
  std::string body(1, static_cast<char>(kind));
  body.append(payload.data(), payload.size());
  WEIR_RETURN_IF_ERROR(file->Append(checkpoint::EncodeFrame(kRecordMagic, kRecordVersion, body)));
  WEIR_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

// Only this leader removes records, and never the newest. A record written into a log that took
// this one's place would be a gap there.
absl::Status RecordLog::CheckNewest() const {
  if (newest_ == 0) return absl::OkStatus();
  const absl::StatusOr<fs::FileStat> newest = files_.Stat(PathOf(newest_));
  if (absl::IsNotFound(newest.status()))
    return LeadsNoMore(absl::StrCat("its log ", dir_, " was removed or replaced"));
  return newest.status();
}

absl::Status RecordLog::AppendAt(uint64_t number, Kind kind, StringView payload) {
  WEIR_RETURN_IF_ERROR(CheckNewest());
  WEIR_RETURN_IF_ERROR(WriteTemporary(temporary_, kind, payload));
  // From here on an error leaves open whether the record is there: better to stop than to guess.
  const absl::Status linked = files_.Link(temporary_, PathOf(number));
  if (absl::IsAlreadyExists(linked)) return LeadsNoMore("another one has appended");
  if (!linked.ok()) return LeadsNoMore(linked.message());
  if (const absl::Status synced = files_.SyncDir(dir_); !synced.ok()) {
    return LeadsNoMore(synced.message());
  }
  const absl::StatusOr<std::vector<uint64_t>> numbers = Numbers();
  if (!numbers.ok()) return LeadsNoMore(numbers.status().message());
  if (numbers->empty() || numbers->back() != number) return LeadsNoMore("another one leads");
  const bool has_former =
      number == 1 || std::binary_search(numbers->begin(), numbers->end(), number - 1);
  if (!has_former) return LeadsNoMore(absl::StrCat("its log ", dir_, " was removed or replaced"));
  (void)files_.Remove(temporary_);  // the next append, or the next leader, removes it
  return absl::OkStatus();
}

absl::Status RecordLog::Append(Kind kind, StringView payload) {
  if (!leads_) return LeadsNoMore("an append before this one failed");
  WEIR_CHECK(payload.size() < kLogRecordBytesMax);
  const uint64_t number = newest_ + 1;
  absl::Status appended = AppendAt(number, kind, payload);
  if (appended.ok()) newest_ = number;
  if (absl::IsAborted(appended)) leads_ = false;
  return appended;
}

void RecordLog::Compact(uint64_t snapshot) {
  WEIR_CHECK(snapshot <= newest_);
  const absl::StatusOr<std::vector<uint64_t>> numbers = Numbers();
  if (!numbers.ok()) return;
  for (const uint64_t number : *numbers) {
    if (number < snapshot) (void)files_.Remove(PathOf(number));
  }
}

}  // namespace weir::coordination
