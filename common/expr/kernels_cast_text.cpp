// Kernels of casts from and to strings.
#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include "common/expr/kernels_cast.h"
#include "common/expr/strings.h"
#include "common/expr/text_values.h"
#include "common/types/datetime.h"

namespace weir::expr {
namespace {

using types::DataType;
using types::Int128;
using types::TypeKind;

std::string CastMessage(ParseOutcome outcome, const DataType& type, StringView text) {
  const std::string shown = absl::StrCat("\"", Excerpt(text), "\"");
  if (outcome == ParseOutcome::kOutOfRange) {
    return absl::StrCat("value ", shown, " is out of range for type ", type.ToString());
  }
  return absl::StrCat("invalid input for type ", type.ToString(), ": ", shown);
}

// parse(text, &out) -> ParseOutcome, for the rows that are not null.
template <class Out, class Parse>
void FromText(const KernelCall& call, Vector* result, Parse parse) {
  Out* out = call.NewValues<Out>(result);
  call.SetStrictValidity(result);
  for (size_t i = 0; i < call.size(); ++i) {
    out[i] = Out{};
    if (result->IsNull(i)) continue;
    const StringView text = call.args[0].At<StringView>(i);
    const ParseOutcome outcome = parse(text, &out[i]);
    if (outcome == ParseOutcome::kOk) continue;
    call.Fail(i, result, [&] { return CastMessage(outcome, result->type, text); });
  }
}

template <class Out>
ParseOutcome Unwrap(const absl::optional<Out>& value, Out* out) {
  if (!value) return ParseOutcome::kBadSyntax;
  *out = *value;
  return ParseOutcome::kOk;
}

void TextToBool(const KernelCall& call, Vector* result) {
  FromText<uint8_t>(call, result, &ParseBool);
}
void TextToInt32(const KernelCall& call, Vector* result) {
  FromText<int32_t>(call, result, &ParseInt32);
}
void TextToInt64(const KernelCall& call, Vector* result) {
  FromText<int64_t>(call, result, &ParseInt64);
}
void TextToDouble(const KernelCall& call, Vector* result) {
  FromText<double>(call, result, &ParseDouble);
}
void TextToDate(const KernelCall& call, Vector* result) {
  FromText<int32_t>(call, result, [](StringView text, int32_t* out) {
    return Unwrap(types::ParseDate(text), out);
  });
}
void TextToTimestamp(const KernelCall& call, Vector* result) {
  FromText<int64_t>(call, result, [](StringView text, int64_t* out) {
    return Unwrap(types::ParseTimestamp(text), out);
  });
}
void TextToDecimal(const KernelCall& call, Vector* result) {
  const DataType type = result->type;
  FromText<Int128>(call, result, [type](StringView text, Int128* out) {
    text = absl::StripAsciiWhitespace(text);
    const ParseOutcome outcome = Unwrap(types::ParseDecimal(text, type.precision, type.scale), out);
    if (outcome == ParseOutcome::kOk) return outcome;
    // Readable with more room, so only too large for this type.
    double value = 0;
    const bool is_number = text.find_first_of("nN") == StringView::npos &&
                           ParseDouble(text, &value) != ParseOutcome::kBadSyntax;
    return is_number ? ParseOutcome::kOutOfRange : ParseOutcome::kBadSyntax;
  });
}

// format(value, &text) appends the text of a value.
template <class In, class Format>
void ToText(const KernelCall& call, Vector* result, Format format) {
  StringView* out = call.NewValues<StringView>(result);
  call.SetStrictValidity(result);
  std::string text;
  for (size_t i = 0; i < call.size(); ++i) {
    text.clear();
    if (!result->IsNull(i)) format(call.args[0].At<In>(i), &text);
    out[i] = CopyString(text, &call.arena);
  }
}

void BoolToText(const KernelCall& call, Vector* result) {
  MapStrict<uint8_t, StringView>(
      call, result, [](uint8_t a) { return a != 0 ? StringView("true") : StringView("false"); });
}

template <class In>
void IntToText(const KernelCall& call, Vector* result) {
  ToText<In>(call, result, [](In value, std::string* text) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    text->append(digits.data(), static_cast<size_t>(end.ptr - digits.data()));
  });
}

void DoubleToText(const KernelCall& call, Vector* result) {
  ToText<double>(call, result, [](double value, std::string* text) { AppendDouble(value, text); });
}
void DecimalToText(const KernelCall& call, Vector* result) {
  const int scale = call.args[0].type.scale;
  ToText<Int128>(call, result, [scale](const Int128& value, std::string* text) {
    text->append(types::FormatDecimal(value, scale));
  });
}
void DateToText(const KernelCall& call, Vector* result) {
  ToText<int32_t>(call, result,
                  [](int32_t days, std::string* text) { types::AppendDate(days, text); });
}
void TimestampToText(const KernelCall& call, Vector* result) {
  ToText<int64_t>(call, result, [](int64_t micros, std::string* text) {
    types::AppendTimestampAsSql(micros, text);
  });
}

}  // namespace

Kernel CastFromTextKernel(TypeKind to) {
  switch (to) {
    case TypeKind::kBool:
      return &TextToBool;
    case TypeKind::kInt32:
      return &TextToInt32;
    case TypeKind::kInt64:
      return &TextToInt64;
    case TypeKind::kDouble:
      return &TextToDouble;
    case TypeKind::kDecimal:
      return &TextToDecimal;
    case TypeKind::kDate:
      return &TextToDate;
    case TypeKind::kTimestamp:
      return &TextToTimestamp;
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kArray:
      break;
  }
  return nullptr;
}

Kernel CastToTextKernel(TypeKind from) {
  switch (from) {
    case TypeKind::kBool:
      return &BoolToText;
    case TypeKind::kInt32:
      return &IntToText<int32_t>;
    case TypeKind::kInt64:
      return &IntToText<int64_t>;
    case TypeKind::kDouble:
      return &DoubleToText;
    case TypeKind::kDecimal:
      return &DecimalToText;
    case TypeKind::kDate:
      return &DateToText;
    case TypeKind::kTimestamp:
      return &TimestampToText;
    case TypeKind::kNull:
    case TypeKind::kString:
    case TypeKind::kArray:
      break;
  }
  return nullptr;
}

}  // namespace weir::expr
