#include "taskmanager/connectors/pending_part.h"

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/fs/path.h"
#include "common/io/byte_cursor.h"
#include "taskmanager/connectors/part_names.h"

namespace weir::connectors {
namespace {

constexpr uint8_t kPartVersion = 1;

absl::Status CheckSize(const std::string& path, uint64_t is, uint64_t expected) {
  if (is == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": has ", is, " bytes, but ", expected,
                                          " were written before the checkpoint"));
}

}  // namespace

std::string PendingPart::TemporaryName() const {
  return TemporaryPartName(subtask, number, attempt);
}

std::string PendingPart::FinalName() const {
  return FinalPartName(subtask, number, checkpoint);
}

std::string EncodePendingPart(const PendingPart& part) {
  std::string bytes;
  io::ByteWriter writer(bytes);
  writer.Fixed(kPartVersion);
  writer.Fixed(part.subtask);
  writer.Fixed(part.number);
  writer.Fixed(part.attempt);
  writer.Fixed(ToInt(part.checkpoint));
  writer.Fixed(part.bytes);
  return bytes;
}

absl::StatusOr<PendingPart> DecodePendingPart(StringView bytes) {
  io::ByteReader reader(bytes);
  uint8_t version = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&version));
  if (version != kPartVersion) {
    return absl::DataLossError(
        absl::StrCat("a pending part of version ", version, "; this program reads ", kPartVersion));
  }
  PendingPart part;
  int64_t checkpoint = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&part.subtask));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&part.number));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&part.attempt));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&checkpoint));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&part.bytes));
  if (reader.remaining() != 0 || checkpoint <= 0) {
    return absl::DataLossError("a stored pending part does not make sense");
  }
  part.checkpoint = CheckpointId{checkpoint};
  return part;
}

std::string EncodePartNumber(uint64_t number) {
  std::string bytes;
  io::ByteWriter(bytes).Fixed(number);
  return bytes;
}

absl::StatusOr<uint64_t> DecodePartNumber(StringView bytes) {
  io::ByteReader reader(bytes);
  uint64_t number = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&number));
  if (reader.remaining() != 0) return absl::DataLossError("bytes behind a part number");
  return number;
}

absl::Status CommitPart(fs::FileSystem& files, const std::string& directory,
                        const PendingPart& part) {
  const std::string temporary = fs::JoinPath(directory, part.TemporaryName());
  const std::string final_path = fs::JoinPath(directory, part.FinalName());
  const absl::StatusOr<fs::FileStat> stat = files.Stat(temporary);
  if (stat.ok()) {
    WEIR_RETURN_IF_ERROR(CheckSize(temporary, stat->size, part.bytes));
    absl::Status renamed = files.Rename(temporary, final_path);
    if (!absl::IsNotFound(renamed)) return renamed;  // else another attempt was faster
  } else if (!absl::IsNotFound(stat.status())) {
    return stat.status();
  }
  const absl::StatusOr<fs::FileStat> done = files.Stat(final_path);
  if (done.ok()) return CheckSize(final_path, done->size, part.bytes);
  if (!absl::IsNotFound(done.status())) return done.status();
  return absl::DataLossError(absl::StrCat(
      "output is lost: neither ", temporary, " nor ", final_path, " is there, but checkpoint ",
      ToInt(part.checkpoint),
      " says that rows were written to it. Put back what was removed from the directory, or start "
      "the job anew, with an empty output directory for each file sink (a local run also with "
      "another --state-dir)"));
}

}  // namespace weir::connectors
