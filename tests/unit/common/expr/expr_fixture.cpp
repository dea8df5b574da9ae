#include "tests/unit/common/expr/expr_fixture.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "common/base/check.h"
#include "common/types/datetime.h"

namespace weir::expr {
namespace {

using types::Column;
using types::TypeKind;

// Fields that tests write are well formed.
void AppendField(const types::DataType& type, const std::string& text,
                 types::ColumnBuilder* builder) {
  if (text.empty()) {
    builder->AppendNull();
    return;
  }
  int64_t number = 0;
  double real = 0;
  switch (type.kind) {
    case TypeKind::kBool:
      builder->Append<uint8_t>(text == "true" ? 1 : 0);
      return;
    case TypeKind::kInt32:
      WEIR_CHECK(absl::SimpleAtoi(text, &number));
      builder->Append(static_cast<int32_t>(number));
      return;
    case TypeKind::kInt64:
      WEIR_CHECK(absl::SimpleAtoi(text, &number));
      builder->Append(number);
      return;
    case TypeKind::kDouble:
      WEIR_CHECK(absl::SimpleAtod(text, &real));
      builder->Append(real);
      return;
    case TypeKind::kTimestamp:
      builder->Append(*types::ParseTimestamp(text));
      return;
    case TypeKind::kDate:
      builder->Append(*types::ParseDate(text));
      return;
    case TypeKind::kDecimal:
      builder->Append(*types::ParseDecimal(text, type.precision, type.scale));
      return;
    default:
      builder->AppendString(text == "''" ? "" : text);
  }
}

std::string PrintArray(const Column& column, size_t row) {
  std::string text = "[";
  const uint32_t begin = column.offsets()[row];
  for (uint32_t k = begin; k < column.offsets()[row + 1]; ++k) {
    if (k > begin) text += ",";
    text += PrintValue(column.child(), k);
  }
  return text + "]";
}

BindScope TestScope() {
  return {*TestSchema(), "events"};
}

std::string PrintBindError(const BindErrors& errors) {
  return absl::StrCat("bind: ", errors.front().code.id, " ", errors.front().message);
}

}  // namespace

const types::SchemaPtr& TestSchema() {
  static const types::SchemaPtr schema = std::make_shared<const types::Schema>(
      std::vector<types::Field>{{"b", types::kBoolType},
                                {"i", types::kInt32Type},
                                {"l", types::kInt64Type},
                                {"d", types::kDoubleType},
                                {"s", types::kStringType},
                                {"ts", types::kTimestampType},
                                {"dt", types::kDateType},
                                {"m", types::DecimalType(12, 2)},
                                {"n", types::DecimalType(38, 10)},
                                {"ni", types::kInt32Type, false},
                                {"userId", types::kInt64Type}});
  return schema;
}

std::string PrintValue(const Column& column, size_t row) {
  if (column.IsNull(row)) return "NULL";
  switch (column.type().kind) {
    case TypeKind::kBool:
      return column.Values<uint8_t>()[row] != 0 ? "true" : "false";
    case TypeKind::kInt32:
      return absl::StrCat(column.Values<int32_t>()[row]);
    case TypeKind::kInt64:
      return absl::StrCat(column.Values<int64_t>()[row]);
    case TypeKind::kDouble:
      return absl::StrCat(column.Values<double>()[row]);
    case TypeKind::kString:
      return std::string(column.String(row));
    case TypeKind::kTimestamp:
      return types::FormatTimestamp(column.Values<int64_t>()[row]);
    case TypeKind::kDate:
      return types::FormatDate(column.Values<int32_t>()[row]);
    case TypeKind::kDecimal:
      return types::FormatDecimal(column.Values<types::Int128>()[row], column.type().scale);
    case TypeKind::kArray:
      return PrintArray(column, row);
    case TypeKind::kNull:
      break;
  }
  return "?";
}

types::BatchPtr MakeBatch(const std::vector<std::string>& rows) {
  types::BatchBuilder builder(TestSchema());
  for (const std::string& row : rows) {
    const std::vector<std::string> fields = absl::StrSplit(row, '|');
    WEIR_CHECK(fields.size() == TestSchema()->size());
    for (size_t i = 0; i < fields.size(); ++i) {
      AppendField(TestSchema()->field(i).type, fields[i], &builder.column(i));
    }
    builder.EndRow();
  }
  return builder.Finish();
}

std::string Eval(StringView text) {
  static const types::BatchPtr batch = MakeBatch({"||||||||||"});
  return EvalRows(text, batch).front();
}

std::vector<std::string> EvalRows(StringView text, const types::BatchPtr& batch) {
  BindErrors errors;
  const BoundExprPtr expr = BindExpression(text, TestScope(), &errors);
  if (expr == nullptr) return {PrintBindError(errors)};
  EvalErrors eval_errors;
  const auto column = Evaluate(*expr, *batch, batch->rows(), &eval_errors);
  WEIR_CHECK(column.ok());
  WEIR_CHECK((*column)->size() == batch->size());
  std::vector<std::string> values;
  for (size_t i = 0; i < batch->size(); ++i) {
    const uint32_t row = batch->rows()[i];
    if (!eval_errors.Failed(row)) {
      values.push_back(PrintValue(**column, i));
      continue;
    }
    WEIR_CHECK((*column)->IsNull(i));
    values.push_back(row == eval_errors.first_row()
                         ? absl::StrCat("error: ", eval_errors.first_message())
                         : "error");
  }
  return values;
}

std::string TypeOf(StringView text) {
  BindErrors errors;
  const BoundExprPtr expr = BindExpression(text, TestScope(), &errors);
  return expr == nullptr ? PrintBindError(errors) : expr->type().ToString();
}

BindErrors BindErrorsOf(StringView text) {
  BindErrors errors;
  const BoundExprPtr expr = BindExpression(text, TestScope(), &errors);
  WEIR_CHECK((expr == nullptr) == !errors.empty());
  return errors;
}

std::string BindErrorOf(StringView text) {
  const BindErrors errors = BindErrorsOf(text);
  if (errors.empty()) return "";
  const BindError& error = errors.front();
  return absl::StrCat(error.code.id, "@", error.range.offset, "+", error.range.length, " ",
                      error.message);
}

}  // namespace weir::expr
