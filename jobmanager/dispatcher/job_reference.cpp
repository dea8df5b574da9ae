#include "jobmanager/dispatcher/job_reference.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "common/base/status_macros.h"

namespace weir::dispatcher {
namespace {

// Most candidates an error lists.
constexpr size_t kCandidatesShownMax = 10;

bool IsNewer(const NamedJob& a, const NamedJob& b) {
  if (a.has_ended != b.has_ended) return !a.has_ended;
  return a.submitted_at > b.submitted_at;
}

}  // namespace

absl::StatusOr<size_t> ResolveIdPrefix(const std::vector<std::string>& ids, StringView prefix,
                                       StringView thing) {
  const absl::Status none = absl::NotFoundError(absl::StrCat("no ", thing, " '", prefix, "'"));
  const bool is_id = prefix.size() >= kIdPrefixDigitsMin &&
                     std::all_of(prefix.begin(), prefix.end(), absl::ascii_isxdigit);
  if (!is_id) return none;
  const std::string digits = absl::AsciiStrToLower(prefix);
  std::vector<size_t> found;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (absl::StartsWith(ids[i], digits)) found.push_back(i);
  }
  if (found.empty()) return none;
  if (found.size() == 1) return found.front();
  std::vector<std::string> shown;
  for (const size_t i : found) {
    if (shown.size() < kCandidatesShownMax) shown.push_back(ids[i]);
  }
  return absl::InvalidArgumentError(absl::StrCat("'", prefix, "' begins the ids of ", found.size(),
                                                 " ", thing, "s: ", absl::StrJoin(shown, ", "),
                                                 found.size() > shown.size() ? ", ..." : ""));
}

absl::StatusOr<JobId> ResolveJob(const std::vector<NamedJob>& jobs, StringView reference) {
  const NamedJob* named = nullptr;
  std::vector<std::string> ids;
  for (const NamedJob& job : jobs) {
    ids.push_back(job.id.ToString());
    if (job.name == reference && (named == nullptr || IsNewer(job, *named))) named = &job;
  }
  if (named != nullptr) return named->id;
  WEIR_ASSIGN_OR_RETURN(const size_t index, ResolveIdPrefix(ids, reference, "job"));
  return jobs[index].id;
}

}  // namespace weir::dispatcher
