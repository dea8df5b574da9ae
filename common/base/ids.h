// Ids: typed names of things, so that no id is ever a bare integer.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <utility>

#include <absl/strings/str_format.h>
#include <absl/types/optional.h>

#include "common/base/string_view.h"

namespace weir::base {

// A 128-bit random name. `Tag` keeps ids of different things apart.
template <class Tag>
struct Id128 {
  uint64_t high = 0;
  uint64_t low = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler makes of it compares with 0
  auto operator<=>(const Id128&) const = default;
  bool IsNil() const { return high == 0 && low == 0; }

  // 32 lower-case hexadecimal digits.
  std::string ToString() const { return absl::StrFormat("%016x%016x", high, low); }
  // The first 8 digits, for people.
  std::string ToShortString() const { return absl::StrFormat("%08x", high >> 32); }

  template <typename H>
  friend H AbslHashValue(H state, const Id128& id) {
    return H::combine(std::move(state), id.high, id.low);
  }
};

// Parses exactly 32 hexadecimal digits into the two halves; false if `text` is anything else.
bool ParseHex128(StringView text, uint64_t* high, uint64_t* low);

}  // namespace weir::base

namespace weir {

using JobId = base::Id128<struct JobTag>;
// One try at running a subtask.
using AttemptId = base::Id128<struct AttemptTag>;
// One life of a taskmanager process; nil: the process that asks.
using TaskManagerId = base::Id128<struct TaskManagerTag>;

// Names a checkpoint or savepoint within a job. First id 1; 0 means none; ids may have gaps.
enum class CheckpointId : int64_t {};
inline constexpr CheckpointId kNoCheckpoint{0};
constexpr int64_t ToInt(CheckpointId id) {
  return static_cast<int64_t>(id);
}

// Number of one parallel instance, 0-based.
enum class SubtaskIndex : uint32_t {};
constexpr uint32_t ToInt(SubtaskIndex index) {
  return static_cast<uint32_t>(index);
}

// Event time: microseconds since 1970-01-01 UTC.
using EventTimeUs = int64_t;
// No watermark yet, and the watermark after the last row.
inline constexpr EventTimeUs kEventTimeMin = INT64_MIN;
inline constexpr EventTimeUs kEventTimeMax = INT64_MAX;

}  // namespace weir
