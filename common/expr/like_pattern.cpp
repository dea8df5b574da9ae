#include "common/expr/like_pattern.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include "common/expr/strings.h"

namespace weir::expr {

absl::optional<LikePattern> LikePattern::Compile(StringView pattern, StringView escape,
                                                 LetterCase letter_case) {
  LikePattern compiled;
  compiled.ignores_case_ = letter_case == LetterCase::kInsensitive;
  const auto add_byte = [&compiled](char c) {
    const char byte =
        compiled.ignores_case_ ? absl::ascii_tolower(static_cast<unsigned char>(c)) : c;
    compiled.elements_.push_back({Kind::kByte, byte});
  };
  size_t at = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (!escape.empty() && absl::StartsWith(pattern.substr(at), escape)) {
      at += escape.size();
      if (at == pattern.size()) return absl::nullopt;
      for (size_t left = CharacterBytes(pattern, at); left > 0; --left) add_byte(pattern[at++]);
      continue;
    }
    ++at;
    if (c == '%') {
      const bool repeats =
          !compiled.elements_.empty() && compiled.elements_.back().kind == Kind::kAnyRun;
      if (!repeats) compiled.elements_.push_back({Kind::kAnyRun, '\0'});
    } else if (c == '_') {
      compiled.elements_.push_back({Kind::kAnyCharacter, '\0'});
    } else {
      add_byte(c);
    }
  }
  compiled.FindShape();
  return compiled;
}

void LikePattern::FindShape() {
  if (ignores_case_) return;
  const bool starts_open = !elements_.empty() && elements_.front().kind == Kind::kAnyRun;
  const bool ends_open = elements_.size() > 1 && elements_.back().kind == Kind::kAnyRun;
  for (size_t i = starts_open ? 1 : 0; i < elements_.size() - (ends_open ? 1 : 0); ++i) {
    if (elements_[i].kind != Kind::kByte) return;
    literal_.push_back(elements_[i].byte);
  }
  if (starts_open) {
    shape_ = ends_open ? Shape::kContains : Shape::kSuffix;
  } else {
    shape_ = ends_open ? Shape::kPrefix : Shape::kExact;
  }
}

bool LikePattern::Matches(StringView text) const {
  switch (shape_) {
    case Shape::kExact:
      return text == literal_;
    case Shape::kPrefix:
      return absl::StartsWith(text, literal_);
    case Shape::kSuffix:
      return absl::EndsWith(text, literal_);
    case Shape::kContains:
      return absl::StrContains(text, literal_);
    case Shape::kGeneral:
      return MatchesGeneral(text);
  }
  return false;
}

// Goes through both; where they differ, the last % takes one character more. Earlier ones need not:
// what they left for the part between them was the first place it fits.
bool LikePattern::MatchesGeneral(StringView text) const {
  size_t at = 0;
  size_t element = 0;
  size_t run_element = elements_.size();  // behind the last % seen; size() = none
  bool seen_run = false;
  size_t run_at = 0;
  while (at < text.size()) {
    const Kind kind = element < elements_.size() ? elements_[element].kind : Kind::kByte;
    if (element < elements_.size() && kind == Kind::kAnyRun) {
      run_element = ++element;
      run_at = at;
      seen_run = true;
    } else if (element < elements_.size() && kind == Kind::kAnyCharacter) {
      at += CharacterBytes(text, at);
      ++element;
    } else if (element < elements_.size() && ByteMatches(elements_[element].byte, text[at])) {
      ++at;
      ++element;
    } else if (seen_run) {
      run_at += CharacterBytes(text, run_at);
      at = run_at;
      element = run_element;
    } else {
      return false;
    }
  }
  while (element < elements_.size() && elements_[element].kind == Kind::kAnyRun) ++element;
  return element == elements_.size();
}

bool LikePattern::ByteMatches(char pattern, char text) const {
  if (!ignores_case_) return pattern == text;
  return pattern == absl::ascii_tolower(static_cast<unsigned char>(text));
}

}  // namespace weir::expr
