#include "common/config/names.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

namespace weir::config {

namespace {

constexpr size_t kSuggestedDistanceMax = 2;
// A shorter common prefix says nothing.
constexpr size_t kSuggestedPrefixMin = 3;

std::string Folded(StringView name) {
  std::string folded = absl::AsciiStrToLower(name);
  std::replace(folded.begin(), folded.end(), '-', '_');
  return folded;
}

size_t CommonPrefix(StringView a, StringView b) {
  size_t length = 0;
  while (length < a.size() && length < b.size() && a[length] == b[length]) ++length;
  return length;
}

}  // namespace

size_t EditDistance(StringView a, StringView b, size_t limit) {
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  // Rows of the optimal string alignment: two back, one back, current.
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> previous(b.size() + 1);
  std::vector<size_t> current(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    size_t smallest = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replace, previous[j] + 1, current[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) current[j] = std::min(current[j], before[j - 2] + 1);
      smallest = std::min(smallest, current[j]);
    }
    if (smallest > limit) return limit + 1;
    before.swap(previous);
    previous.swap(current);
  }
  return std::min(previous[b.size()], limit + 1);
}

std::string NearestName(StringView name, absl::Span<const std::string> candidates) {
  const std::string wanted = Folded(name);
  std::string nearest;
  size_t nearest_distance = kSuggestedDistanceMax + 1;
  std::string alike;
  size_t alike_prefix = 0;
  for (const std::string& candidate : candidates) {
    const std::string folded = Folded(candidate);
    const size_t shorter = std::min(wanted.size(), folded.size());
    const size_t distance = EditDistance(wanted, folded, kSuggestedDistanceMax);
    // Two edits turn any two letters into any other: at least one letter must stay.
    if (distance < shorter && distance < nearest_distance) {
      nearest_distance = distance;
      nearest = candidate;
    }
    const size_t prefix = CommonPrefix(wanted, folded);
    const bool is_alike = prefix >= kSuggestedPrefixMin && 2 * prefix >= shorter;
    if (is_alike && prefix > alike_prefix) {
      alike_prefix = prefix;
      alike = candidate;
    }
  }
  return nearest_distance <= kSuggestedDistanceMax ? nearest : alike;
}

std::string DidYouMean(StringView name, absl::Span<const std::string> candidates) {
  const std::string nearest = NearestName(name, candidates);
  return nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?");
}

std::string DidYouMeanOurs(StringView word, absl::Span<const ForeignName> names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [word](const ForeignName& name) { return word == name.theirs; });
  return found == names.end() ? "" : absl::StrCat("did you mean '", found->ours, "'?");
}

std::string JoinNames(absl::Span<const std::string> names, size_t limit) {
  std::string joined;
  for (size_t i = 0; i < std::min(limit, names.size()); ++i) {
    absl::StrAppend(&joined, i > 0 ? ", " : "", names[i]);
  }
  if (names.size() > limit) absl::StrAppend(&joined, " and ", names.size() - limit, " more");
  return joined;
}

}  // namespace weir::config
