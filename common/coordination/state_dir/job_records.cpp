#include "common/coordination/state_dir/job_records.h"

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/checkpoint/stored_frame.h"
#include "common/io/byte_cursor.h"
#include "common/state/key_group.h"

namespace weir::coordination {
namespace {

constexpr char kJobMagic[] = "WEIRJOB1";
constexpr char kResultMagic[] = "WEIRRES1";
constexpr uint32_t kJobVersion = 1;
constexpr uint32_t kResultVersion = 1;

StringView Cut(const std::string& text) {
  return StringView(text).substr(0, kRecordTextBytesMax);
}

absl::Status ReadId(io::ByteReader& reader, JobId* id) {
  WEIR_RETURN_IF_ERROR(reader.Fixed(&id->high));
  return reader.Fixed(&id->low);
}

absl::Status ReadText(io::ByteReader& reader, std::string* text) {
  StringView view;
  WEIR_RETURN_IF_ERROR(reader.Sized(&view));
  *text = std::string(view);
  return absl::OkStatus();
}

absl::Status ReadJobFields(StringView payload, JobRecord* job) {
  io::ByteReader reader(payload);
  WEIR_RETURN_IF_ERROR(ReadId(reader, &job->id));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&job->max_parallelism));
  WEIR_RETURN_IF_ERROR(ReadText(reader, &job->name));
  const bool in_range =
      job->max_parallelism > 0 && job->max_parallelism <= state::kMaxParallelismMax;
  if (reader.remaining() != 0 || !in_range) return absl::DataLossError("its fields do not fit");
  return absl::OkStatus();
}

absl::Status ReadResultFields(StringView payload, JobResult* result) {
  io::ByteReader reader(payload);
  int64_t ended_at_us = 0;
  int64_t last_checkpoint = 0;
  WEIR_RETURN_IF_ERROR(ReadId(reader, &result->id));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&result->end));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&ended_at_us));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&last_checkpoint));
  WEIR_RETURN_IF_ERROR(ReadText(reader, &result->message));
  const bool in_range = result->end < JobEnd::kSuspended && last_checkpoint >= 0;
  if (reader.remaining() != 0 || !in_range) return absl::DataLossError("its fields do not fit");
  result->ended_at = absl::FromUnixMicros(ended_at_us);
  result->last_checkpoint = CheckpointId{last_checkpoint};
  return absl::OkStatus();
}

absl::Status Damaged(StringView what, const absl::Status& status) {
  return absl::DataLossError(absl::StrCat(what, ": ", status.message()));
}

}  // namespace

std::string EncodeJobRecord(const JobRecord& job) {
  std::string payload;
  io::ByteWriter writer(payload);
  writer.Fixed(job.id.high);
  writer.Fixed(job.id.low);
  writer.Fixed(job.max_parallelism);
  writer.Sized(Cut(job.name));
  return checkpoint::EncodeFrame(kJobMagic, kJobVersion, payload);
}

std::string EncodeJobResult(const JobResult& result) {
  std::string payload;
  io::ByteWriter writer(payload);
  writer.Fixed(result.id.high);
  writer.Fixed(result.id.low);
  writer.Fixed(result.end);
  writer.Fixed(absl::ToUnixMicros(result.ended_at));
  writer.Fixed(ToInt(result.last_checkpoint));
  writer.Sized(Cut(result.message));
  return checkpoint::EncodeFrame(kResultMagic, kResultVersion, payload);
}

absl::StatusOr<JobRecord> DecodeJobRecord(StringView bytes, StringView what) {
  WEIR_ASSIGN_OR_RETURN(const checkpoint::DecodedFrame frame,
                        checkpoint::DecodeFrame(kJobMagic, kJobVersion, bytes, what));
  JobRecord job;
  if (const absl::Status read = ReadJobFields(frame.payload, &job); !read.ok()) {
    return Damaged(what, read);
  }
  return job;
}

absl::StatusOr<JobResult> DecodeJobResult(StringView bytes, StringView what) {
  WEIR_ASSIGN_OR_RETURN(const checkpoint::DecodedFrame frame,
                        checkpoint::DecodeFrame(kResultMagic, kResultVersion, bytes, what));
  JobResult result;
  if (const absl::Status read = ReadResultFields(frame.payload, &result); !read.ok()) {
    return Damaged(what, read);
  }
  return result;
}

}  // namespace weir::coordination
