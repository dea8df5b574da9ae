// JsonEncoder: rows become JSON lines, as JsonDecoder reads them.
// Decimals are written exactly, doubles so that they read back the same ("NaN" and infinities as
// strings), timestamps as "2001-01-01T00:00:00Z", dates as "2001-01-01".
#pragma once

#include <memory>
#include <string>

#include "common/base/string_view.h"
#include "common/types/row_encoder.h"
#include "common/types/schema.h"

namespace weir::types {

// `schema` is of what is written: with WithOp::kYes its last field is the change kind's column,
// which batches do not have.
// REQUIRES: no field is an array.
std::unique_ptr<RowEncoder> MakeJsonEncoder(SchemaPtr schema, WithOp with_op);

// Appends `text` as a JSON string with its quotes. REQUIRES: UTF-8.
void AppendJsonString(StringView text, std::string* out);

}  // namespace weir::types
