#include "common/types/row_slots.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/types/value_text.h"

namespace weir::types {

RowSlots::RowSlots(SchemaPtr schema, std::vector<ColumnSource> sources)
    : schema_(std::move(schema)),
      sources_(std::move(sources)),
      slots_(schema_->size()),
      defaults_(schema_->size()),
      was_missing_(schema_->size()) {
  WEIR_CHECK(sources_.size() == schema_->size());
  for (const Field& field : schema_->fields()) WEIR_CHECK(!field.type.IsArray());
}

absl::StatusOr<std::unique_ptr<RowSlots>> RowSlots::Make(SchemaPtr schema,
                                                         std::vector<ColumnSource> sources) {
  auto slots = std::make_unique<RowSlots>(std::move(schema), std::move(sources));
  for (size_t i = 0; i < slots->schema_->size(); ++i) {
    Slot& slot = slots->defaults_[i];
    slot.state = Slot::State::kNull;
    const absl::optional<std::string>& text = slots->sources_[i].default_text;
    if (!text) continue;
    const Field& field = slots->schema_->field(i);
    if (!ParseValueText(*text, field.type, &slot)) {
      return absl::InvalidArgumentError(absl::StrCat("default of column '", field.name, "': \"",
                                                     *text, "\" is not ",
                                                     DescribeType(field.type)));
    }
    slot.state = Slot::State::kValue;
  }
  return slots;
}

absl::optional<size_t> RowSlots::Complete() {
  absl::optional<size_t> violation;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].state == Slot::State::kValue) continue;
    const bool missing = slots_[i].state == Slot::State::kMissing;
    was_missing_[i] = missing;
    if (missing) slots_[i] = defaults_[i];
    if (slots_[i].state == Slot::State::kValue || schema_->field(i).nullable) continue;
    if (!violation) violation = i;
  }
  return violation;
}

std::string RowSlots::NullError(size_t column) const {
  return absl::StrCat("column '", schema_->field(column).name, "' is not null, but its value is ",
                      was_missing_[column] ? "missing" : "null");
}

void RowSlots::AppendTo(BatchBuilder* rows) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    ColumnBuilder& column = rows->column(i);
    if (slot.state != Slot::State::kValue) {
      column.AppendNull();
      continue;
    }
    switch (column.type().kind) {
      case TypeKind::kBool:
        column.Append(static_cast<uint8_t>(slot.integer));
        break;
      case TypeKind::kInt32:
      case TypeKind::kDate:
        column.Append(static_cast<int32_t>(slot.integer));
        break;
      case TypeKind::kInt64:
      case TypeKind::kTimestamp:
        column.Append(slot.integer);
        break;
      case TypeKind::kDouble:
        column.Append(slot.real);
        break;
      case TypeKind::kString:
        column.AppendString(slot.text);
        break;
      case TypeKind::kDecimal:
        column.Append(slot.decimal);
        break;
      case TypeKind::kNull:
      case TypeKind::kArray:
        WEIR_CHECK(false);
    }
  }
  rows->EndRow();
}

}  // namespace weir::types
