#include "common/config/option_kinds.h"

#include <algorithm>
#include <cmath>

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "common/config/names.h"

namespace weir::config {

namespace {

constexpr size_t kListedWordsMax = 20;

std::string Quoted(const Node& node) {
  const std::string name = node.Name();
  return name.empty() ? "the file" : absl::StrCat("'", name, "'");
}

constexpr char kScalarHelp[] = "write one value, such as `key: value`";

void ReportStructure(const Node& node, StringView wanted, StringView help,
                     Diagnostics* diagnostics) {
  diagnostics->Add(
      ErrorAt(node, codes::kWrongStructure,
              absl::StrCat(Quoted(node), " needs ", wanted, ", found ", DescribeFound(node)))
          .Help(node.IsNull() ? "write a value; the text null in quotes: \"null\""
                              : std::string(help)));
}

// "write a duration, at least 10ms".
std::string WriteA(StringView wanted) {
  return absl::StrCat("write a ", wanted);
}

// Reports what a parser of values.h refused.
void ReportValue(const Node& node, StringView type, std::string help, const absl::Status& status,
                 Diagnostics* diagnostics) {
  const bool is_range = status.code() == absl::StatusCode::kOutOfRange;
  Diagnostic diagnostic =
      ErrorAt(node, is_range ? codes::kOutOfRange : codes::kBadValue,
              absl::StrCat("bad ", type, " ", DescribeFound(node), " for ", Quoted(node)));
  diagnostics->Add(diagnostic.Label(std::string(status.message())).Help(std::move(help)));
}

// Whether a value is a scalar that says something.
bool HasValue(const Node& node, StringView wanted, StringView example, Diagnostics* diagnostics) {
  if (node.IsScalar() && !node.IsNull()) return true;
  ReportStructure(node, absl::StrCat(wanted, " such as ", example), kScalarHelp, diagnostics);
  return false;
}

template <class T>
struct Bounds {
  T min;
  T max;
};

template <class T, class FormatValue>
bool IsInRange(const Node& node, const T& value, const Bounds<T>& bounds, FormatValue format,
               StringView wanted, Diagnostics* diagnostics) {
  const auto& [min, max] = bounds;
  if (value >= min && value <= max) return true;
  const std::string bound =
      value < min ? absl::StrCat("at least ", format(min)) : absl::StrCat("at most ", format(max));
  diagnostics->Add(
      ErrorAt(node, codes::kOutOfRange,
              absl::StrCat(Quoted(node), " must be ", bound, ", found ", DescribeFound(node)))
          .Help(WriteA(wanted)));
  return false;
}

// "duration, at least 10ms", or with both bounds "whole number, 1 to 128".
std::string TypeWithRange(StringView type, const std::string& min, const std::string& max) {
  if (!min.empty() && !max.empty()) return absl::StrCat(type, ", ", min, " to ", max);
  if (!min.empty()) return absl::StrCat(type, ", at least ", min);
  if (!max.empty()) return absl::StrCat(type, ", at most ", max);
  return std::string(type);
}

template <class T>
std::string WithWords(std::string type_text, const OptionWords<T>& words) {
  for (const auto& [word, value] : words) absl::StrAppend(&type_text, " or `", word, "`");
  return type_text;
}

template <class T>
const T* FindWord(const OptionWords<T>& words, StringView text) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [text](const auto& word) { return text == word.first; });
  return found == words.end() ? nullptr : &found->second;
}

template <class T>
const std::string* FindWordFor(const OptionWords<T>& words, const T& value) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&value](const auto& word) { return value == word.second; });
  return found == words.end() ? nullptr : &found->first;
}

std::string FormatInt(int64_t value) {
  return absl::StrCat(value);
}

std::string Folded(StringView word) {
  std::string folded(word);
  std::replace(folded.begin(), folded.end(), '-', '_');
  return folded;
}

}  // namespace

bool ExpectScalar(const Node& node, StringView wanted, Diagnostics* diagnostics) {
  if (node.IsScalar() && !node.IsNull()) return true;
  ReportStructure(node, wanted, kScalarHelp, diagnostics);
  return false;
}

bool ExpectMap(const Node& node, StringView wanted, Diagnostics* diagnostics) {
  if (node.IsMap()) return true;
  ReportStructure(node, wanted, "write a map: lines of `key: value`, or {key: value}", diagnostics);
  return false;
}

bool ExpectSequence(const Node& node, StringView wanted, Diagnostics* diagnostics) {
  if (node.IsSequence()) return true;
  ReportStructure(node, wanted, "write a list: lines that begin with `- `, or [a, b]", diagnostics);
  return false;
}

bool ExpectId(const Node& key, Diagnostics* diagnostics) {
  const absl::Status status = CheckId(key.text());
  if (status.ok()) return true;
  diagnostics->Add(ErrorAt(key, codes::kBadId, absl::StrCat("bad id ", DescribeFound(key)))
                       .Label(std::string(status.message())));
  return false;
}

bool TextOption::Read(const Node& node, std::string* value, Diagnostics* diagnostics) const {
  if (!ExpectScalar(node, type_text, diagnostics)) return false;
  if (node.text().empty() && !may_be_empty) {
    diagnostics->Add(
        ErrorAt(node, codes::kBadValue, absl::StrCat(Quoted(node), " must not be empty")));
    return false;
  }
  *value = node.text();
  return true;
}

bool BoolOption::Read(const Node& node, bool* value, Diagnostics* diagnostics) const {
  if (!ExpectScalar(node, "true or false", diagnostics)) return false;
  const absl::StatusOr<bool> parsed = ParseBool(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "boolean", "write true or false", parsed.status(), diagnostics);
    return false;
  }
  *value = *parsed;
  return true;
}

bool IntegerOption::ReadWide(const Node& node, int64_t* value, Diagnostics* diagnostics) const {
  if (!HasValue(node, "a whole number", "10", diagnostics)) return false;
  if (const int64_t* word = FindWord(words, node.text())) {
    *value = *word;
    return true;
  }
  const absl::StatusOr<int64_t> parsed = ParseInt(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "number", WriteA(TypeText()), parsed.status(), diagnostics);
    return false;
  }
  if (!IsInRange(node, *parsed, Bounds<int64_t>{min, max}, FormatInt, TypeText(), diagnostics))
    return false;
  *value = *parsed;
  return true;
}

std::string IntegerOption::TypeText() const {
  using Limits = std::numeric_limits<int64_t>;
  return WithWords(TypeWithRange("whole number", min == Limits::min() ? "" : FormatInt(min),
                                 max == Limits::max() ? "" : FormatInt(max)),
                   words);
}

std::string IntegerOption::FormatWide(int64_t value) const {
  const std::string* const word = FindWordFor(words, value);
  return word != nullptr ? *word : FormatInt(value);
}

bool DoubleOption::Read(const Node& node, double* value, Diagnostics* diagnostics) const {
  if (!HasValue(node, "a number", "0.5", diagnostics)) return false;
  const absl::StatusOr<double> parsed = ParseDouble(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "number", WriteA(TypeText()), parsed.status(), diagnostics);
    return false;
  }
  if (!IsInRange(node, *parsed, Bounds<double>{min, max}, DoubleText, TypeText(), diagnostics))
    return false;
  *value = *parsed;
  return true;
}

std::string DoubleOption::TypeText() const {
  using Limits = std::numeric_limits<double>;
  return TypeWithRange("number", min == Limits::lowest() ? "" : DoubleText(min),
                       max == Limits::max() ? "" : DoubleText(max));
}

bool DurationOption::Read(const Node& node, absl::Duration* value, Diagnostics* diagnostics) const {
  if (!HasValue(node, "a duration", "30s", diagnostics)) return false;
  if (const absl::Duration* word = FindWord(words, node.text())) {
    *value = *word;
    return true;
  }
  const absl::StatusOr<absl::Duration> parsed = ParseDuration(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "duration", WriteA(TypeText()), parsed.status(), diagnostics);
    return false;
  }
  if (!IsInRange(node, *parsed, Bounds<absl::Duration>{min, max}, DurationText, TypeText(),
                 diagnostics))
    return false;
  *value = *parsed;
  return true;
}

std::string DurationOption::TypeText() const {
  return WithWords(TypeWithRange("duration", min == absl::ZeroDuration() ? "" : DurationText(min),
                                 max == kDurationMax ? "" : DurationText(max)),
                   words);
}

std::string DurationOption::Format(absl::Duration value) const {
  const std::string* const word = FindWordFor(words, value);
  return word != nullptr ? *word : DurationText(value);
}

bool ByteSizeOption::Read(const Node& node, int64_t* value, Diagnostics* diagnostics) const {
  if (!HasValue(node, "a size", "64mb", diagnostics)) return false;
  if (const int64_t* word = FindWord(words, node.text())) {
    *value = *word;
    return true;
  }
  const absl::StatusOr<int64_t> parsed = ParseByteSize(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "size", WriteA(TypeText()), parsed.status(), diagnostics);
    return false;
  }
  if (!IsInRange(node, *parsed, Bounds<int64_t>{min, max}, ByteSizeText, TypeText(), diagnostics))
    return false;
  *value = *parsed;
  return true;
}

std::string ByteSizeOption::TypeText() const {
  const bool has_max = max != std::numeric_limits<int64_t>::max();
  return WithWords(
      TypeWithRange("size", min == 0 ? "" : ByteSizeText(min), has_max ? ByteSizeText(max) : ""),
      words);
}

std::string ByteSizeOption::Format(int64_t value) const {
  const std::string* const word = FindWordFor(words, value);
  return word != nullptr ? *word : ByteSizeText(value);
}

bool RateOption::Read(const Node& node, double* value, Diagnostics* diagnostics) const {
  if (!HasValue(node, "a rate", "2000/s", diagnostics)) return false;
  const absl::StatusOr<double> parsed = ParseRate(node.text());
  if (!parsed.ok()) {
    ReportValue(node, "rate", WriteA(TypeText()), parsed.status(), diagnostics);
    return false;
  }
  *value = *parsed;
  return true;
}

std::string RateOption::Format(double value) const {
  return std::isfinite(value) ? RateText(value) : "";
}

bool IdOption::Read(const Node& node, std::string* value, Diagnostics* diagnostics) const {
  if (!ExpectScalar(node, "an id", diagnostics)) return false;
  if (!ExpectId(node, diagnostics)) return false;
  *value = node.text();
  return true;
}

bool WordOption::ReadIndex(const Node& node, size_t* index, Diagnostics* diagnostics) const {
  const std::string wanted = absl::StrCat("one of: ", JoinNames(words, kListedWordsMax));
  if (!ExpectScalar(node, wanted, diagnostics)) return false;
  const std::string folded = Folded(node.text());
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const std::string& word) { return Folded(word) == folded; });
  if (found != words.end()) {
    *index = static_cast<size_t>(found - words.begin());
    return true;
  }
  const std::string nearest = DidYouMean(node.text(), words);
  Diagnostic diagnostic =
      ErrorAt(node, codes::kBadValue,
              absl::StrCat("unknown value ", DescribeFound(node), " for ", Quoted(node)));
  diagnostic.Advise(nearest.empty() ? wanted : absl::StrCat(nearest, " ", wanted));
  diagnostics->Add(std::move(diagnostic));
  return false;
}

std::string WordOption::TypeText() const {
  std::string text;
  for (const std::string& word : words)
    absl::StrAppend(&text, text.empty() ? "`" : ", `", word, "`");
  return text;
}

bool NodeOption::Read(const Node& node, const Node** value, Diagnostics* diagnostics) const {
  bool fits = true;
  if (shape == Shape::kScalar) fits = ExpectScalar(node, type_text, diagnostics);
  if (shape == Shape::kMap) fits = ExpectMap(node, type_text, diagnostics);
  if (shape == Shape::kSequence) fits = ExpectSequence(node, type_text, diagnostics);
  if (shape == Shape::kAny && node.IsNull()) {
    ReportStructure(node, type_text, "write it behind the `:`, or leave the key out", diagnostics);
    fits = false;
  }
  if (!fits) return false;
  *value = &node;
  return true;
}

}  // namespace weir::config
