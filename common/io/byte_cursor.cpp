#include "common/io/byte_cursor.h"

#include <absl/strings/str_cat.h>

namespace weir::io {

absl::Status ByteReader::Truncated(size_t wanted) const {
  return absl::DataLossError(
      absl::StrCat("truncated: ", wanted, " bytes expected, ", rest_.size(), " left"));
}

}  // namespace weir::io
