#include "common/expr/kernels_match.h"

#include <vector>

#include <absl/strings/str_cat.h>
#include <re2/re2.h>

#include "common/expr/strings.h"

namespace weir::expr {
namespace {

void MatchConstant(const KernelCall& call, Vector* result, const LikePattern& pattern,
                   bool negated) {
  MapStrict<StringView, uint8_t>(call, result, [&pattern, negated](StringView text) {
    return static_cast<uint8_t>(pattern.Matches(text) != negated ? 1 : 0);
  });
}

void MatchEach(const KernelCall& call, Vector* result, const LikeOptions& options, bool negated) {
  uint8_t* out = call.NewZeroes<uint8_t>(result);
  call.SetStrictValidity(result);
  absl::optional<LikePattern> pattern;
  absl::optional<StringView> compiled;  // the text that `pattern` was made of
  for (size_t i = 0; i < call.size(); ++i) {
    if (result->IsNull(i)) continue;
    const StringView text = call.args[1].At<StringView>(i);
    if (!compiled || *compiled != text) {
      pattern = LikePattern::Compile(text, options.escape, options.letter_case);
      compiled = text;
    }
    if (!pattern) {
      call.Fail(i, result, [] { return StringView("LIKE pattern ends with its escape"); });
      continue;
    }
    out[i] = pattern->Matches(call.args[0].At<StringView>(i)) != negated ? 1 : 0;
  }
}

void Match(const KernelCall& call, Vector* result, bool negated) {
  const auto& options = *static_cast<const LikeOptions*>(call.expr.prepared());
  if (options.pattern) {
    MatchConstant(call, result, *options.pattern, negated);
  } else {
    MatchEach(call, result, options, negated);
  }
}

// RE2 has its own string view type.
re2::StringPiece Piece(StringView text) {
  return re2::StringPiece(text.data(), text.size());
}

// Appends the matches of `text` to `items`.
void ExtractAll(const RE2& regexp, StringView text, std::vector<StringView>* items) {
  const int group = regexp.NumberOfCapturingGroups() > 0 ? 1 : 0;
  re2::StringPiece groups[2];
  size_t at = 0;
  while (at <= text.size()) {
    if (!regexp.Match(Piece(text), at, text.size(), RE2::UNANCHORED, groups, group + 1)) return;
    const StringView found(groups[group].data(), groups[group].size());
    items->push_back(found);
    const size_t begin = static_cast<size_t>(groups[0].data() - text.data());
    at = begin + groups[0].size();
    if (!groups[0].empty()) continue;
    at += at < text.size() ? CharacterBytes(text, at) : 1;
  }
}

}  // namespace

void LikeKernel(const KernelCall& call, Vector* result) {
  Match(call, result, false);
}

void NotLikeKernel(const KernelCall& call, Vector* result) {
  Match(call, result, true);
}

absl::StatusOr<std::shared_ptr<const void>> PrepareRegexp(StringView pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regexp = std::make_shared<const RE2>(Piece(pattern), options);
  if (!regexp->ok()) return absl::InvalidArgumentError(regexp->error());
  return std::shared_ptr<const void>(std::move(regexp));
}

void RegexpExtractAllKernel(const KernelCall& call, Vector* result) {
  const auto& regexp = *static_cast<const RE2*>(call.expr.prepared());
  ArrayValue* out = call.NewZeroes<ArrayValue>(result);
  call.SetStrictValidity(result);
  std::vector<StringView> items;
  for (size_t i = 0; i < call.size(); ++i) {
    if (result->IsNull(i)) continue;
    items.clear();
    ExtractAll(regexp, call.args[0].At<StringView>(i), &items);
    StringView* kept = call.arena.NewArray<StringView>(items.size());
    std::copy(items.begin(), items.end(), kept);
    out[i] = {kept, items.size()};
  }
}

}  // namespace weir::expr
