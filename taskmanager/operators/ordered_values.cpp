#include "taskmanager/operators/ordered_values.h"

#include <functional>
#include <string>

#include <absl/container/btree_set.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::operators {
namespace {

struct Less {
  using is_transparent = void;
  bool operator()(StringView a, StringView b) const { return a < b; }
};

// The first string above all that begin with `prefix`; empty: there is none.
std::string AfterPrefix(StringView prefix) {
  std::string bound(prefix.data(), prefix.size());
  while (!bound.empty() && static_cast<uint8_t>(bound.back()) == 0xff) bound.pop_back();
  if (!bound.empty()) bound.back() = static_cast<char>(static_cast<uint8_t>(bound.back()) + 1);
  return bound;
}

}  // namespace

struct OrderedValues::Set {
  absl::btree_set<std::string, Less> entries;
};

OrderedValues::OrderedValues() : set_(std::make_unique<Set>()) {
}
OrderedValues::~OrderedValues() = default;

void OrderedValues::Insert(StringView key, StringView value) {
  const bool is_new = set_->entries.insert(absl::StrCat(key, value)).second;
  WEIR_CHECK(is_new);
}

void OrderedValues::Erase(StringView key, StringView value) {
  const size_t erased = set_->entries.erase(absl::StrCat(key, value));
  WEIR_CHECK(erased == 1);
}

size_t OrderedValues::size() const {
  return set_->entries.size();
}

absl::optional<StringView> OrderedValues::Least(StringView key) const {
  const auto found = set_->entries.lower_bound(key);
  if (found == set_->entries.end() || !absl::StartsWith(*found, key)) return absl::nullopt;
  return StringView(*found).substr(key.size());
}

absl::optional<StringView> OrderedValues::Greatest(StringView key) const {
  const std::string bound = AfterPrefix(key);
  auto found = bound.empty() ? set_->entries.end() : set_->entries.lower_bound(bound);
  if (found == set_->entries.begin()) return absl::nullopt;
  --found;
  if (!absl::StartsWith(*found, key)) return absl::nullopt;
  return StringView(*found).substr(key.size());
}

}  // namespace weir::operators
