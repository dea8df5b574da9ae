// CsvEncoder: rows become csv records (RFC 4180, lines end with LF), as CsvDecoder reads them.
// A field is quoted if it holds a delimiter, a quote, a line end, or if it would read as NULL.
#pragma once

#include <memory>
#include <string>

#include "common/types/row_encoder.h"
#include "common/types/schema.h"

namespace weir::types {

struct CsvEncodeOptions {
  char delimiter = ',';
  std::string null_text;  // stands for NULL
  bool header = false;    // whether AppendHeader() writes the columns' names
};

// `schema` is of what is written: with WithOp::kYes its last field is the change kind's column,
// which batches do not have.
// REQUIRES: no field is an array.
std::unique_ptr<RowEncoder> MakeCsvEncoder(SchemaPtr schema, CsvEncodeOptions options,
                                           WithOp with_op);

}  // namespace weir::types
