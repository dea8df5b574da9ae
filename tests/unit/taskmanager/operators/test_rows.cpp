#include "tests/unit/taskmanager/operators/test_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::operators {
namespace {

using types::ChangeKind;
using types::TypeKind;

void AppendCell(const Cell& cell, types::ColumnBuilder* builder) {
  if (std::holds_alternative<Null>(cell)) return builder->AppendNull();
  switch (builder->type().kind) {
    case TypeKind::kBool:
      return builder->Append(static_cast<uint8_t>(std::get<int64_t>(cell)));
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return builder->Append(static_cast<int32_t>(std::get<int64_t>(cell)));
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
      return builder->Append(std::get<int64_t>(cell));
    case TypeKind::kDouble:
      return builder->Append(std::get<double>(cell));
    case TypeKind::kDecimal:
      return builder->Append(static_cast<types::Int128>(std::get<int64_t>(cell)));
    default:
      return builder->AppendString(std::get<std::string>(cell));
  }
}

const char* KindText(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kInsert:
      return "+I ";
    case ChangeKind::kUpdateBefore:
      return "-U ";
    case ChangeKind::kUpdateAfter:
      return "+U ";
    case ChangeKind::kDelete:
      return "-D ";
  }
  return "?";
}

}  // namespace

types::SchemaPtr SchemaOf(std::vector<types::Field> fields) {
  return std::make_shared<const types::Schema>(std::move(fields));
}

void RowMaker::Append(const Cells& cells) {
  WEIR_CHECK(cells.size() == builder_.schema()->size());
  for (size_t i = 0; i < cells.size(); ++i) AppendCell(cells[i], &builder_.column(i));
}

RowMaker& RowMaker::Row(const Cells& cells, ChangeKind change) {
  Append(cells);
  builder_.EndRow(change);
  return *this;
}

RowMaker& RowMaker::RowAt(EventTimeUs time, const Cells& cells) {
  Append(cells);
  builder_.EndRow(ChangeKind::kInsert, time);
  return *this;
}

Cell CellAt(const types::Column& column, size_t row) {
  if (column.IsNull(row)) return Null();
  switch (column.type().kind) {
    case TypeKind::kBool:
      return int64_t{column.Values<uint8_t>()[row]};
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return int64_t{column.Values<int32_t>()[row]};
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
      return column.Values<int64_t>()[row];
    case TypeKind::kDouble:
      return column.Values<double>()[row];
    case TypeKind::kDecimal: {
      types::Int128 value = 0;
      std::memcpy(&value, column.Values<types::Int128>() + row, sizeof(value));
      return types::FormatDecimal(value, column.type().scale);
    }
    default: {
      const StringView text = column.String(row);
      return std::string(text.data(), text.size());
    }
  }
}

std::string CellText(const Cell& cell, const types::DataType& type) {
  if (std::holds_alternative<Null>(cell)) return "null";
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return type.kind == TypeKind::kString ? absl::StrCat("'", *text, "'") : *text;
  }
  if (const auto* number = std::get_if<double>(&cell)) return absl::StrCat(*number);
  const int64_t value = std::get<int64_t>(cell);
  return type.kind == TypeKind::kDecimal ? types::FormatDecimal(value, type.scale)
                                         : absl::StrCat(value);
}

std::string CellsText(const Cells& cells, const types::Schema& schema) {
  std::string text;
  for (size_t i = 0; i < cells.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", CellText(cells[i], schema.field(i).type));
  }
  return text;
}

std::vector<std::string> RowTexts(const std::vector<types::BatchPtr>& batches) {
  std::vector<std::string> texts;
  for (const types::BatchPtr& batch : batches) {
    for (const uint32_t row : batch->rows()) {
      Cells cells;
      for (const types::ColumnPtr& column : batch->columns()) cells.push_back(CellAt(*column, row));
      texts.push_back(
          absl::StrCat(KindText(batch->change(row)), CellsText(cells, batch->schema())));
    }
  }
  return texts;
}

std::vector<std::string> SortedTexts(const std::vector<types::BatchPtr>& batches) {
  std::vector<std::string> texts = RowTexts(batches);
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace weir::operators
