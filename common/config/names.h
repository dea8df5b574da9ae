// "Did you mean": the name that a mistyped one was probably meant to be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/types/span.h>

#include "common/base/string_view.h"

namespace weir::config {

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; `limit` + 1 for more.
size_t EditDistance(StringView a, StringView b, size_t limit);

// A candidate at distance <= 2, else one that shares a long prefix; "" if none is near. Case and
// the difference of - and _ do not count.
std::string NearestName(StringView name, absl::Span<const std::string> candidates);

// "did you mean 'interval'?", or "" if none is near.
std::string DidYouMean(StringView name, absl::Span<const std::string> candidates);

// What other systems call a thing, and its name here.
struct ForeignName {
  StringView theirs;
  StringView ours;
};
// "did you mean 'double'?", or "" for a word that is none of theirs.
std::string DidYouMeanOurs(StringView word, absl::Span<const ForeignName> names);

// "a, b, c", cut after `limit` names with the number left out.
std::string JoinNames(absl::Span<const std::string> names, size_t limit);

}  // namespace weir::config
