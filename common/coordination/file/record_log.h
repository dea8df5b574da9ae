// RecordLog: one durable sequence of records, written by one leader at a time.
//   <dir>/<19 digits>   a record, complete from its first moment: written and synced under another
//                       name, then given this one by link(2), which fails if the name is taken
// Bytes: docs/formats/coordination_log.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/fs/file_system.h"

namespace weir::coordination {

// Largest record: a snapshot of everything.
inline constexpr uint64_t kLogRecordBytesMax = uint64_t{256} << 20;

// How a new leader fences the one before: both append as the number after the newest they know of,
// and the name can be taken once. Whoever loses has led no more since then. A name that compaction
// freed could be taken again by a leader that slept, so after link a writer looks for higher ones.
//
// Life:      made by a leader; once an append is ABORTED every later one is.
// Thread:    one at a time; the calls block.
// Invariant: the newest record is never removed. Records from the newest snapshot on have no gap.
class RecordLog {
 public:
  enum class Kind : uint8_t { kChange = 0, kSnapshot = 1 };
  struct Record {
    Kind kind = Kind::kChange;
    std::string payload;
    std::string path;
  };

  // Makes the directory if missing, and appends `first` as this leader's: from then on no one who
  // led before can append. The sequence number of that record is epoch().
  // `seed`: for names of temporary files. Errors: file_system.h.
  static absl::StatusOr<std::unique_ptr<RecordLog>> Lead(fs::FileSystem& files, std::string dir,
                                                         uint64_t seed, StringView first);

  // Rises with every leader.
  uint64_t epoch() const { return epoch_; }
  uint64_t newest() const { return newest_; }
  // False once an append was ABORTED.
  bool leads() const { return leads_; }

  // Everything that counts: from the newest snapshot (or the beginning) to the newest record.
  // DATA_LOSS: a record is damaged or missing; names it.
  absl::StatusOr<std::vector<Record>> Read() const;

  // ABORTED: another leader has taken over, or whether the record was appended cannot be known:
  // this one must stop. Any other error: the record is certainly not there.
  absl::Status Append(Kind kind, StringView payload);

  // Removes what is before the newest snapshot, whose number is `snapshot`. A failing removal is
  // harmless and tried again with the next one.
  void Compact(uint64_t snapshot);

 private:
  RecordLog(fs::FileSystem& files, std::string dir, uint64_t seed);
  std::string PathOf(uint64_t number) const;
  absl::StatusOr<std::vector<uint64_t>> Numbers() const;
  absl::StatusOr<Record> ReadRecord(uint64_t number) const;
  absl::Status WriteTemporary(const std::string& path, Kind kind, StringView payload);
  absl::Status CheckNewest() const;
  absl::Status AppendAt(uint64_t number, Kind kind, StringView payload);
  void RemoveTemporaries();

  fs::FileSystem& files_;
  const std::string dir_;
  const std::string temporary_;  // the only one of this leader: it is used for one record at a time
  uint64_t epoch_ = 0;
  uint64_t newest_ = 0;
  bool leads_ = true;
};

}  // namespace weir::coordination
