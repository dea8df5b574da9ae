#include "common/expr/kernels_string.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <absl/strings/ascii.h>

#include "common/expr/strings.h"

namespace weir::expr {
namespace {

// Converts ASCII letters; `changes` tells whether a byte would, `convert` does it.
template <class Changes, class Convert>
void MapLetters(const KernelCall& call, Vector* result, Changes changes, Convert convert) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    const StringView text = call.args[0].At<StringView>(i);
    out[i] = text;
    if (result->IsNull(i) || std::none_of(text.begin(), text.end(), changes)) continue;
    char* copy = call.NewString(i, text.size(), result);
    if (copy == nullptr) continue;
    std::transform(text.begin(), text.end(), copy, convert);
    out[i] = StringView(copy, text.size());
  }
}

unsigned char Byte(char c) {
  return static_cast<unsigned char>(c);
}

// The characters that a trim takes away.
class TrimSet {
 public:
  explicit TrimSet(StringView characters) : characters_(characters), ascii_(IsAscii(characters)) {
    for (const char c : characters) bytes_[Byte(c)] = true;
  }

  size_t LeftBytes(StringView text) const {
    size_t at = 0;
    while (at < text.size()) {
      const size_t bytes = ascii_ ? 1 : CharacterBytes(text, at);
      if (!Has(text.substr(at, bytes))) break;
      at += bytes;
    }
    return at;
  }

  // What is left when the right end is trimmed.
  size_t RightEnd(StringView text) const {
    size_t end = text.size();
    while (end > 0) {
      const size_t start = ascii_ ? end - 1 : LastCharacter(text.substr(0, end));
      if (!Has(text.substr(start, end - start))) break;
      end = start;
    }
    return end;
  }

 private:
  static size_t LastCharacter(StringView text) {
    for (size_t back = 2; back <= 4 && back <= text.size(); ++back) {
      if (CharacterBytes(text, text.size() - back) == back) return text.size() - back;
    }
    return text.size() - 1;
  }

  bool Has(StringView character) const {
    if (character.size() == 1) return bytes_[Byte(character[0])];
    return characters_.find(character) != StringView::npos;
  }

  StringView characters_;
  bool ascii_;
  std::array<bool, 256> bytes_{};
};

void Trim(const KernelCall& call, Vector* result, bool left, bool right) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  const bool has_set = call.args.size() > 1;
  StringView characters = has_set && call.size() > 0 ? call.args[1].At<StringView>(0) : " ";
  TrimSet set(characters);
  for (size_t i = 0; i < call.size(); ++i) {
    StringView text = call.args[0].At<StringView>(i);
    if (has_set && call.args[1].At<StringView>(i) != characters) {
      characters = call.args[1].At<StringView>(i);
      set = TrimSet(characters);
    }
    if (left) text.remove_prefix(set.LeftBytes(text));
    if (right) text = text.substr(0, set.RightEnd(text));
    out[i] = text;
  }
}

// The characters from `start` on, `count` of them.
StringView Substring(StringView text, int64_t start, int64_t count) {
  const int64_t end = start + count;
  const int64_t first = std::max<int64_t>(start, 1);
  if (end <= first) return text.substr(0, 0);
  const size_t skipped = static_cast<size_t>(first - 1);
  const size_t wanted = static_cast<size_t>(end - first);
  // A text has no more characters than bytes.
  if (skipped >= text.size()) return text.substr(text.size());
  if (IsAscii(text)) return text.substr(skipped, wanted);
  text.remove_prefix(BytesOfCharacters(text, skipped));
  return text.substr(0, BytesOfCharacters(text, wanted));
}

// n >= 1, counted from the left.
StringView PartFromLeft(StringView text, StringView delimiter, int64_t n) {
  for (; n > 1; --n) {
    const size_t found = text.find(delimiter);
    if (found == StringView::npos) return text.substr(0, 0);
    text.remove_prefix(found + delimiter.size());
  }
  return text.substr(0, text.find(delimiter));
}

StringView PartFromRight(StringView text, StringView delimiter, int64_t n) {
  for (; n > 1; --n) {
    const size_t found = text.rfind(delimiter);
    if (found == StringView::npos) return text.substr(0, 0);
    text = text.substr(0, found);
  }
  const size_t found = text.rfind(delimiter);
  return found == StringView::npos ? text : text.substr(found + delimiter.size());
}

StringView SplitPart(StringView text, StringView delimiter, int64_t n) {
  if (delimiter.empty()) return n == 1 || n == -1 ? text : text.substr(0, 0);
  return n > 0 ? PartFromLeft(text, delimiter, n) : PartFromRight(text, delimiter, -n);
}

size_t CountOf(StringView text, StringView part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != StringView::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

char* Append(StringView text, char* to) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

void ReplaceAll(StringView text, StringView from, StringView to, char* out) {
  size_t at = 0;
  for (size_t found = text.find(from); found != StringView::npos; found = text.find(from, at)) {
    out = Append(text.substr(at, found - at), out);
    out = Append(to, out);
    at = found + from.size();
  }
  Append(text.substr(at), out);
}

}  // namespace

void LowerKernel(const KernelCall& call, Vector* result) {
  MapLetters(
      call, result, [](char c) { return absl::ascii_isupper(Byte(c)); },
      [](char c) { return absl::ascii_tolower(Byte(c)); });
}

void UpperKernel(const KernelCall& call, Vector* result) {
  MapLetters(
      call, result, [](char c) { return absl::ascii_islower(Byte(c)); },
      [](char c) { return absl::ascii_toupper(Byte(c)); });
}

void LengthKernel(const KernelCall& call, Vector* result) {
  MapStrict<StringView, int32_t>(
      call, result, [](StringView text) { return static_cast<int32_t>(CharacterCount(text)); });
}

void ConcatKernel(const KernelCall& call, Vector* result) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    const StringView a = call.args[0].At<StringView>(i);
    const StringView b = call.args[1].At<StringView>(i);
    out[i] = a;
    if (b.empty() || result->IsNull(i)) continue;
    char* joined = call.NewString(i, a.size() + b.size(), result);
    if (joined == nullptr) continue;
    Append(b, Append(a, joined));
    out[i] = StringView(joined, a.size() + b.size());
  }
}

void ReplaceKernel(const KernelCall& call, Vector* result) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    const StringView text = call.args[0].At<StringView>(i);
    const StringView from = call.args[1].At<StringView>(i);
    const StringView to = call.args[2].At<StringView>(i);
    out[i] = text;
    if (result->IsNull(i) || from.empty()) continue;
    const size_t count = CountOf(text, from);
    if (count == 0) continue;
    const size_t bytes = text.size() - count * from.size() + count * to.size();
    char* replaced = call.NewString(i, bytes, result);
    if (replaced == nullptr) continue;
    ReplaceAll(text, from, to, replaced);
    out[i] = StringView(replaced, bytes);
  }
}

void TrimKernel(const KernelCall& call, Vector* result) {
  Trim(call, result, true, true);
}
void LeftTrimKernel(const KernelCall& call, Vector* result) {
  Trim(call, result, true, false);
}
void RightTrimKernel(const KernelCall& call, Vector* result) {
  Trim(call, result, false, true);
}

void SubstringKernel(const KernelCall& call, Vector* result) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  const bool has_count = call.args.size() > 2;
  for (size_t i = 0; i < call.size(); ++i) {
    const int64_t count = has_count ? call.args[2].At<int32_t>(i) : INT32_MAX + int64_t{1};
    const StringView text = call.args[0].At<StringView>(i);
    out[i] = text.substr(0, 0);
    if (result->IsNull(i)) continue;
    if (count < 0) {
      call.Fail(i, result, [] { return StringView("negative substring length"); });
      continue;
    }
    // Without a count all the rest is meant, however far before the text it starts.
    const int64_t start = call.args[1].At<int32_t>(i);
    out[i] = Substring(text, has_count ? start : std::max<int64_t>(start, 1), count);
  }
}

void SplitPartKernel(const KernelCall& call, Vector* result) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    const StringView text = call.args[0].At<StringView>(i);
    const int32_t n = call.args[2].At<int32_t>(i);
    out[i] = text.substr(0, 0);
    if (result->IsNull(i)) continue;
    if (n == 0) {
      call.Fail(i, result, [] { return StringView("field position 0 of split_part"); });
      continue;
    }
    out[i] = SplitPart(text, call.args[1].At<StringView>(i), n);
  }
}

}  // namespace weir::expr
