#include "common/types/row_encoder.h"

namespace weir::types {

StringView ChangeKindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kInsert:
      return "insert";
    case ChangeKind::kUpdateBefore:
      return "update_before";
    case ChangeKind::kUpdateAfter:
      return "update_after";
    case ChangeKind::kDelete:
      return "delete";
  }
  return "unknown";
}

}  // namespace weir::types
