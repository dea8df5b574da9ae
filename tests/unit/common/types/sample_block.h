// A batch with every type in it, the same in every run: what tests/golden/block_v1.bin holds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/types/record_batch.h"

namespace weir::types {

inline SchemaPtr SampleBlockSchema() {
  return std::make_shared<const Schema>(std::vector<Field>{{"b", kBoolType},
                                                           {"i", kInt32Type},
                                                           {"l", kInt64Type, false},
                                                           {"d", kDoubleType},
                                                           {"s", kStringType},
                                                           {"t", kTimestampType},
                                                           {"day", kDateType},
                                                           {"m", DecimalType(20, 2)},
                                                           {"words", ArrayType(kStringType)},
                                                           {"counts", ArrayType(kInt64Type)}});
}

inline BatchPtr SampleBlockBatch() {
  BatchBuilder rows(SampleBlockSchema());
  for (int64_t n = -2; n <= 2; ++n) {
    const bool is_null = n == 1;
    rows.column(0).Append(static_cast<uint8_t>(n & 1));
    is_null ? rows.column(1).AppendNull() : rows.column(1).Append(static_cast<int32_t>(n * 7));
    rows.column(2).Append(n * 1'000'000'007);
    rows.column(3).Append(static_cast<double>(n) / 4);
    is_null ? rows.column(4).AppendNull()
            : rows.column(4).AppendString(std::string(static_cast<size_t>(n + 2), 'x'));
    rows.column(5).Append(n * 86'400'000'000);
    rows.column(6).Append(static_cast<int32_t>(11'000 + n));
    rows.column(7).Append(Int128{n} * INT64_MAX);
    for (int64_t i = 0; i < n; ++i) rows.column(8).child().AppendString(i == 0 ? "" : "word");
    is_null ? rows.column(8).AppendNull() : rows.column(8).AppendArray();
    rows.column(9).child().Append(n);
    rows.column(9).AppendArray();
    rows.EndRow(static_cast<ChangeKind>((n + 2) % 4), n * 1000);
  }
  return rows.Finish();
}

}  // namespace weir::types
