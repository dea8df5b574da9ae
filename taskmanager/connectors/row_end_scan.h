// RowEndScan: where a row ends that is too long to be kept, from bytes that come in pieces.
#pragma once

#include <cstddef>

#include "common/base/string_view.h"
#include "common/graph/format.h"
#include "common/types/csv/csv_record.h"
#include "common/types/text/line_scan.h"

namespace weir::connectors {

// Thread: confined to one thread.
class RowEndScan {
 public:
  explicit RowEndScan(const graph::FormatSpec& format)
      : is_csv_(format.kind == graph::FormatKind::kCsv), records_(format.delimiter) {}

  // `bytes` are the row's first ones, or follow those taken before. How many of them belong to the
  // row, with its line end; npos: all, and it goes on.
  size_t Take(StringView bytes) {
    if (is_csv_) return records_.Take(bytes);
    const size_t end = types::FindLineFeed(bytes, 0);
    return end == StringView::npos ? end : end + 1;
  }

 private:
  const bool is_csv_;
  types::CsvRecordScan records_;
};

}  // namespace weir::connectors
