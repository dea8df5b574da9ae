#include "common/testing/fault_plan.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::testing {
namespace {

bool ConcernsAppendsOnly(Fault fault) {
  return fault == Fault::kShortWrite || fault == Fault::kFlippedBit;
}

}  // namespace

void FaultPlan::FailAt(uint64_t site, Fault fault) {
  WEIR_CHECK(site > 0);
  site_ = site;
  fault_ = fault;
  has_fired_ = false;
}

void FaultPlan::Reset() {
  *this = FaultPlan();
}

bool FaultPlan::IsDue(StringView doing, const std::string& path) {
  ++operation_count_;
  if (site_ == 0 || has_fired_ || operation_count_ < site_) return false;
  const bool is_append = doing == "append to";
  if (ConcernsAppendsOnly(fault_) && !is_append) return false;
  has_fired_ = true;
  fired_at_ = absl::StrCat(doing, " ", path, " (site ", operation_count_, ")");
  power_is_cut_ = fault_ == Fault::kPowerCut;
  return true;
}

absl::Status FaultPlan::OnOperation(StringView doing, const std::string& path) {
  const bool due = IsDue(doing, path);
  if (power_is_cut_) return Error(Fault::kPowerCut, doing, path);
  return due ? Error(fault_, doing, path) : absl::OkStatus();
}

std::optional<Fault> FaultPlan::OnAppend(const std::string& path) {
  const bool due = IsDue("append to", path);
  if (power_is_cut_) return Fault::kPowerCut;
  if (due) return fault_;
  return std::nullopt;
}

absl::Status FaultPlan::Error(Fault fault, StringView doing, const std::string& path) const {
  const std::string what = absl::StrCat("cannot ", doing, " ", path, ": ");
  switch (fault) {
    case Fault::kFullDisk:
    case Fault::kShortWrite:
      return absl::ResourceExhaustedError(absl::StrCat(what, "No space left on device"));
    case Fault::kPowerCut:
      return absl::UnavailableError(absl::StrCat(what, "the machine is off"));
    case Fault::kIoError:
    case Fault::kFlippedBit:
      break;
  }
  return absl::DataLossError(absl::StrCat(what, "Input/output error"));
}

}  // namespace weir::testing
