// JobEnd: how a job, or this process's part in it, comes to an end.
#pragma once

#include <cstdint>

#include "common/base/string_view.h"

namespace weir::coordination {

enum class JobEnd : uint8_t {
  kFinished = 0,
  kCanceled = 1,
  kFailed = 2,
  kSuspended = 3,  // this process stops; the job can go on elsewhere or later
};
// For example "FINISHED".
StringView ToString(JobEnd end);

// The job will never run again.
constexpr bool IsTerminal(JobEnd end) {
  return end != JobEnd::kSuspended;
}

}  // namespace weir::coordination
