// The string and regex functions.
#include <string>

#include "common/expr/function_defs.h"
#include "common/expr/kernels_match.h"
#include "common/expr/kernels_string.h"

namespace weir::expr {
namespace {

using types::kInt32Type;
using types::kStringType;
constexpr types::TypeKind kText = types::TypeKind::kString;
constexpr types::TypeKind kInt = types::TypeKind::kInt32;

// regexp_extract_all(text, pattern): the pattern is compiled once.
absl::Status PrepareExtractAll(CallSpec* spec, size_t* bad_arg) {
  *bad_arg = 1;
  const absl::optional<StringView> pattern = ConstantText(*spec->args[1]);
  if (!pattern) return absl::InvalidArgumentError("the pattern must be a constant string");
  absl::StatusOr<std::shared_ptr<const void>> regexp = PrepareRegexp(*pattern);
  if (!regexp.ok()) return regexp.status();
  spec->prepared = *std::move(regexp);
  spec->args.pop_back();
  return absl::OkStatus();
}

std::vector<Overload> Trims(Kernel kernel) {
  return {{{kText}, kStringType, kernel}, {{kText, kText}, kStringType, kernel}};
}

std::vector<Overload> Lengths() {
  return {{{kText}, kInt32Type, &LengthKernel}};
}

std::vector<Overload> Substrings() {
  return {{{kText, kInt}, kStringType, &SubstringKernel},
          {{kText, kInt, kInt}, kStringType, &SubstringKernel, Failing::kPossible}};
}

}  // namespace

std::vector<FunctionDef> StringFunctions() {
  return {
      {{"lower", "string", "lower(string) -> string", "ASCII letters in lower case"},
       {{{kText}, kStringType, &LowerKernel, Failing::kPossible}}},
      {{"upper", "string", "upper(string) -> string", "ASCII letters in upper case"},
       {{{kText}, kStringType, &UpperKernel, Failing::kPossible}}},
      {{"length", "string", "length(string) -> int32", "Number of characters"}, Lengths()},
      {{"char_length", "string", "char_length(string) -> int32", "Number of characters"},
       Lengths()},
      {{"character_length", "string", "character_length(string) -> int32", "Number of characters"},
       Lengths()},
      {{"btrim", "string", "btrim(string [, characters string]) -> string",
        "Without blanks, or any of the characters, at both ends"},
       Trims(&TrimKernel)},
      {{"ltrim", "string", "ltrim(string [, characters string]) -> string",
        "Without blanks, or any of the characters, at the start"},
       Trims(&LeftTrimKernel)},
      {{"rtrim", "string", "rtrim(string [, characters string]) -> string",
        "Without blanks, or any of the characters, at the end"},
       Trims(&RightTrimKernel)},
      {{"substr", "string", "substr(string, start int32 [, count int32]) -> string",
        "Characters from start (the first is 1) on, all or count of them"},
       Substrings()},
      {{"substring", "string",
        "substring(string from start int32 [for count int32]) -> string\n"
        "substring(string, start int32 [, count int32]) -> string",
        "Characters from start (the first is 1) on, all or count of them"},
       Substrings()},
      {{"split_part", "string", "split_part(string, delimiter string, n int32) -> string",
        "The n-th part between delimiters; counted from the end if n is negative"},
       {{{kText, kText, kInt}, kStringType, &SplitPartKernel, Failing::kPossible}}},
      {{"replace", "string", "replace(string, from string, to string) -> string",
        "Every occurrence of from replaced by to"},
       {{{kText, kText, kText}, kStringType, &ReplaceKernel, Failing::kPossible}}},
      {{"regexp_extract_all", "regex",
        "regexp_extract_all(string, pattern string) -> array<string>",
        "Every match of the RE2 pattern, or of each match its first group"},
       {{{kText, kText},
         types::ArrayType(kStringType),
         &RegexpExtractAllKernel,
         Failing::kNever,
         &PrepareExtractAll}}},
  };
}

}  // namespace weir::expr
