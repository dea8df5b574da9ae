#include "common/state/memory_budget.h"

#include <absl/strings/str_cat.h>

namespace weir::state {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

}  // namespace

absl::Status MemoryBudget::Check() const {
  if (!IsExceeded()) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the state held by this taskmanager takes ", (used() + kMebibyte - 1) / kMebibyte,
      " MiB, of at most ", limit_ / kMebibyte,
      " MiB: give it more with taskmanager.memory.process or taskmanager.memory.state.fraction, or "
      "spread the job over more taskmanagers with a higher settings.parallelism"));
}

}  // namespace weir::state
