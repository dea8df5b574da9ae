#include "common/coordination/damage.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::coordination {
namespace {

constexpr StringView kWaysOut =
    "restore the damaged files from a copy, or start the job anew, with an empty output directory "
    "for each file sink (a local run also with another --state-dir)";

}  // namespace

absl::Status WithWaysOut(const absl::Status& damage) {
  if (!absl::IsDataLoss(damage)) return damage;
  return absl::DataLossError(absl::StrCat(damage.message(), "; ", kWaysOut));
}

absl::Status LogWithWaysOut(const absl::Status& damage, const std::string& directory) {
  if (!absl::IsDataLoss(damage)) return damage;
  return absl::DataLossError(absl::StrCat(
      damage.message(),
      "; restore that file from a copy, or start with an empty directory instead of ", directory,
      ": what it knew of jobs is lost then, so give them again, with an empty output directory for "
      "each file sink"));
}

absl::Status NothingReadable(const std::vector<SkippedCheckpoint>& skipped) {
  WEIR_CHECK(!skipped.empty());
  std::string text = skipped.size() == 1 ? "the job's only checkpoint is damaged"
                                         : absl::StrCat("all ", skipped.size(),
                                                        " checkpoints of the job are damaged");
  for (const SkippedCheckpoint& one : skipped) {
    absl::StrAppend(&text, "; checkpoint ", ToInt(one.id), " in ", one.location, ": ",
                    one.cause.message());
  }
  return WithWaysOut(absl::DataLossError(text));
}

absl::Status DirectoryAway(const std::string& directory, size_t listed) {
  return absl::UnavailableError(absl::StrCat(
      "the checkpoint directory ", directory, " is not there; it should hold ", listed,
      listed == 1 ? " checkpoint" : " checkpoints",
      " of the job: mount its disk or put the directory back, then the job goes on by itself; or "
      "cancel the job"));
}

}  // namespace weir::coordination
