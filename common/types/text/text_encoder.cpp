#include "common/types/text/text_encoder.h"

#include "common/types/value_text.h"

namespace weir::types {
namespace {

constexpr char kBetweenColumns = '\t';

class TextEncoder final : public RowEncoder {
 public:
  explicit TextEncoder(WithOp with_op) : with_op_(with_op) {}

  void AppendHeader(std::string*) const override {}

  void Append(const RecordBatch& batch, std::string* out) const override {
    for (const uint32_t row : batch.rows()) {
      for (size_t i = 0; i < batch.columns().size(); ++i) {
        if (i > 0) out->push_back(kBetweenColumns);
        AppendColumn(batch.column(i), row, out);
      }
      if (with_op_ == WithOp::kYes) {
        out->push_back(kBetweenColumns);
        const StringView name = ChangeKindName(batch.change(row));
        out->append(name.data(), name.size());
      }
      out->push_back('\n');
    }
  }

 private:
  static void AppendColumn(const Column& column, uint32_t row, std::string* out) {
    if (column.IsNull(row)) return;
    if (column.type().kind != TypeKind::kString) return AppendValueText(column, row, out);
    const StringView text = column.String(row);
    out->append(text.data(), text.size());
  }

  const WithOp with_op_;
};

}  // namespace

std::unique_ptr<RowEncoder> MakeTextEncoder(WithOp with_op) {
  return std::make_unique<TextEncoder>(with_op);
}

}  // namespace weir::types
