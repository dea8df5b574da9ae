// What expression tests share: a schema with a column of every type, batches of it, and evaluation
// of a text to printed values.
#pragma once

#include <string>
#include <vector>

#include "common/expr/binder.h"
#include "common/expr/evaluator.h"

namespace weir::expr {

// b bool, i int32, l int64, d double, s string, ts timestamp, dt date, m decimal(12,2),
// n decimal(38,10), ni int32 not null, "userId" int64.
const types::SchemaPtr& TestSchema();

// A value as the tests write it: "NULL", "true", "12", "1.5", "abc", "2026-01-01T00:00:00Z", and
// arrays as "[a,b]".
std::string PrintValue(const types::Column& column, size_t row);

// Rows of text, one field per column of TestSchema(), by "|"; an empty field is NULL.
types::BatchPtr MakeBatch(const std::vector<std::string>& rows);

// The value of an expression without columns: "NULL", "true", ..., "error: <message>" of a row, or
// "bind: <code> <message>".
std::string Eval(StringView text);
// Over each row of a batch.
std::vector<std::string> EvalRows(StringView text, const types::BatchPtr& batch);

// Its type: "decimal(12,2)"; or "bind: <code> <message>".
std::string TypeOf(StringView text);

// "E0203@8+4 unknown column 'pric' in expression": the first error; "" if there is none.
std::string BindErrorOf(StringView text);
BindErrors BindErrorsOf(StringView text);

}  // namespace weir::expr
