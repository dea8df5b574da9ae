#include "common/types/json/json_encoder.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "common/types/value_text.h"

namespace weir::types {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

// Per byte what follows the backslash: 0 for bytes that stand for themselves, 'u' for \u00XX.
constexpr std::array<char, 256> MakeEscapes() {
  std::array<char, 256> escapes{};
  for (size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\b'] = 'b';
  escapes['\f'] = 'f';
  escapes['\n'] = 'n';
  escapes['\r'] = 'r';
  escapes['\t'] = 't';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}
constexpr std::array<char, 256> kEscapes = MakeEscapes();

class JsonEncoder final : public RowEncoder {
 public:
  JsonEncoder(SchemaPtr schema, WithOp with_op)
      : schema_(std::move(schema)),
        with_op_(with_op),
        column_count_(schema_->size() - (with_op == WithOp::kYes ? 1 : 0)) {
    for (size_t i = 0; i < schema_->size(); ++i) {
      WEIR_CHECK(!schema_->field(i).type.IsArray());
      std::string prefix = i == 0 ? "{" : ",";
      AppendJsonString(schema_->field(i).name, &prefix);
      prefix.push_back(':');
      prefixes_.push_back(std::move(prefix));
    }
  }

  void AppendHeader(std::string*) const override {}

  void Append(const RecordBatch& batch, std::string* out) const override {
    WEIR_CHECK(batch.columns().size() == column_count_);
    for (const uint32_t row : batch.rows()) {
      for (size_t i = 0; i < column_count_; ++i) {
        out->append(prefixes_[i]);
        AppendValue(batch.column(i), row, out);
      }
      if (with_op_ == WithOp::kYes) {
        out->append(prefixes_.back());
        AppendJsonString(ChangeKindName(batch.change(row)), out);
      }
      out->append(prefixes_.empty() ? "{}\n" : "}\n");
    }
  }

 private:
  static void AppendValue(const Column& column, uint32_t row, std::string* out) {
    if (column.IsNull(row)) {
      out->append("null");
      return;
    }
    switch (column.type().kind) {
      case TypeKind::kString:
        return AppendJsonString(column.String(row), out);
      case TypeKind::kTimestamp:
      case TypeKind::kDate:
        return AppendQuotedValue(column, row, out);
      case TypeKind::kDouble:
        if (!std::isfinite(column.Values<double>()[row])) {
          return AppendQuotedValue(column, row, out);
        }
        return AppendValueText(column, row, out);
      default:
        return AppendValueText(column, row, out);
    }
  }

  static void AppendQuotedValue(const Column& column, uint32_t row, std::string* out) {
    out->push_back('"');
    AppendValueText(column, row, out);
    out->push_back('"');
  }

  const SchemaPtr schema_;
  const WithOp with_op_;
  const size_t column_count_;
  std::vector<std::string> prefixes_;  // per field what stands before its value
};

}  // namespace

void AppendJsonString(StringView text, std::string* out) {
  out->push_back('"');
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const uint8_t byte = static_cast<uint8_t>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 0) [[likely]] {
      continue;
    }
    out->append(text.data() + copied, i - copied);
    copied = i + 1;
    out->push_back('\\');
    out->push_back(escape);
    if (escape != 'u') continue;
    out->append("00");
    out->push_back(kHexDigits[byte >> 4]);
    out->push_back(kHexDigits[byte & 0xF]);
  }
  out->append(text.data() + copied, text.size() - copied);
  out->push_back('"');
}

std::unique_ptr<RowEncoder> MakeJsonEncoder(SchemaPtr schema, WithOp with_op) {
  return std::make_unique<JsonEncoder>(std::move(schema), with_op);
}

}  // namespace weir::types
