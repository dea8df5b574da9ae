// The stored forms of JobRecord and JobResult: StoredFrames around fixed fields.
// Bytes: docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/coordination/state_dir/state_directory.h"

namespace weir::coordination {

// Largest record; names and messages are cut to fit by their writers.
inline constexpr uint64_t kRecordBytesMax = 64 * 1024;
inline constexpr size_t kRecordTextBytesMax = 16 * 1024;
static_assert(2 * kRecordTextBytesMax < kRecordBytesMax);

// Texts longer than kRecordTextBytesMax are cut.
std::string EncodeJobRecord(const JobRecord& job);
std::string EncodeJobResult(const JobResult& result);

// `what` begins every message. DATA_LOSS: damaged. FAILED_PRECONDITION: a newer version.
absl::StatusOr<JobRecord> DecodeJobRecord(StringView bytes, StringView what);
absl::StatusOr<JobResult> DecodeJobResult(StringView bytes, StringView what);

}  // namespace weir::coordination
