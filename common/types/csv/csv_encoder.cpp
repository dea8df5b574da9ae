#include "common/types/csv/csv_encoder.h"

#include <utility>

#include "common/types/csv/csv_record.h"
#include "common/types/value_text.h"

namespace weir::types {
namespace {

class CsvEncoder final : public RowEncoder {
 public:
  CsvEncoder(SchemaPtr schema, CsvEncodeOptions options, WithOp with_op)
      : schema_(std::move(schema)),
        options_(std::move(options)),
        with_op_(with_op),
        column_count_(schema_->size() - (with_op == WithOp::kYes ? 1 : 0)) {
    for (const Field& field : schema_->fields()) WEIR_CHECK(!field.type.IsArray());
  }

  void AppendHeader(std::string* out) const override {
    if (!options_.header) return;
    for (size_t i = 0; i < schema_->size(); ++i) {
      if (i > 0) out->push_back(options_.delimiter);
      AppendField(schema_->field(i).name, out);
    }
    out->push_back('\n');
  }

  void Append(const RecordBatch& batch, std::string* out) const override {
    WEIR_CHECK(batch.columns().size() == column_count_);
    for (const uint32_t row : batch.rows()) {
      for (size_t i = 0; i < column_count_; ++i) {
        if (i > 0) out->push_back(options_.delimiter);
        AppendColumn(batch.column(i), row, out);
      }
      if (with_op_ == WithOp::kYes) {
        if (column_count_ > 0) out->push_back(options_.delimiter);
        AppendField(ChangeKindName(batch.change(row)), out);
      }
      out->push_back('\n');
    }
  }

 private:
  void AppendColumn(const Column& column, uint32_t row, std::string* out) const {
    if (column.IsNull(row)) {
      out->append(options_.null_text);
      return;
    }
    if (column.type().kind == TypeKind::kString) return AppendField(column.String(row), out);
    const size_t begin = out->size();
    AppendValueText(column, row, out);
    // A number or date can hold the delimiter (";" never, "-" or "." may) or equal the null text.
    const StringView text(out->data() + begin, out->size() - begin);
    if (!NeedsQuotes(text)) return;
    const std::string copy(text);
    out->resize(begin);
    AppendQuoted(copy, out);
  }

  void AppendField(StringView text, std::string* out) const {
    if (NeedsQuotes(text)) return AppendQuoted(text, out);
    out->append(text.data(), text.size());
  }

  bool NeedsQuotes(StringView text) const {
    if (text == options_.null_text) return true;
    for (const char c : text) {
      if (c == options_.delimiter || c == kCsvQuote || c == '\n' || c == '\r') return true;
    }
    return false;
  }

  static void AppendQuoted(StringView text, std::string* out) {
    out->push_back(kCsvQuote);
    for (const char c : text) {
      if (c == kCsvQuote) out->push_back(kCsvQuote);
      out->push_back(c);
    }
    out->push_back(kCsvQuote);
  }

  const SchemaPtr schema_;
  const CsvEncodeOptions options_;
  const WithOp with_op_;
  const size_t column_count_;
};

}  // namespace

std::unique_ptr<RowEncoder> MakeCsvEncoder(SchemaPtr schema, CsvEncodeOptions options,
                                           WithOp with_op) {
  return std::make_unique<CsvEncoder>(std::move(schema), std::move(options), with_op);
}

}  // namespace weir::types
