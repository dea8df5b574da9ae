#include "taskmanager/connectors/split.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"

namespace weir::connectors {
namespace {

constexpr uint8_t kSplitVersion = 1;

}  // namespace

std::string EncodeSplit(const Split& split) {
  std::string bytes;
  io::ByteWriter writer(bytes);
  writer.Fixed(kSplitVersion);
  writer.Fixed(split.index);
  writer.Fixed(split.total);
  writer.Fixed(split.position);
  writer.Fixed(static_cast<uint8_t>(split.is_finished ? 1 : 0));
  writer.Fixed(split.event_time_max);
  writer.Sized(split.detail);
  return bytes;
}

absl::StatusOr<Split> DecodeSplit(StringView bytes) {
  io::ByteReader reader(bytes);
  uint8_t version = 0;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&version));
  if (version != kSplitVersion) {
    return absl::DataLossError(absl::StrCat("a source split of version ", version,
                                            "; this program reads ", kSplitVersion));
  }
  Split split;
  uint8_t finished = 0;
  StringView detail;
  WEIR_RETURN_IF_ERROR(reader.Fixed(&split.index));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&split.total));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&split.position));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&finished));
  WEIR_RETURN_IF_ERROR(reader.Fixed(&split.event_time_max));
  WEIR_RETURN_IF_ERROR(reader.Sized(&detail));
  if (reader.remaining() != 0 || finished > 1 || split.index >= split.total || split.position < 0) {
    return absl::DataLossError("a stored source split does not make sense");
  }
  split.is_finished = finished == 1;
  split.detail = std::string(detail);
  return split;
}

std::vector<Split> DealSplits(std::vector<Split> all, uint32_t subtask, uint32_t parallelism) {
  WEIR_CHECK(subtask < parallelism);
  const uint32_t total = static_cast<uint32_t>(all.size());
  const uint32_t base = total / parallelism;
  const uint32_t longer = total % parallelism;  // the first runs have one more
  const uint32_t begin = subtask * base + std::min(subtask, longer);
  const uint32_t count = base + (subtask < longer ? 1 : 0);
  std::vector<Split> own;
  for (uint32_t i = begin; i < begin + count; ++i) {
    Split& split = own.emplace_back(std::move(all[i]));
    split.index = i;
    split.total = total;
  }
  return own;
}

}  // namespace weir::connectors
