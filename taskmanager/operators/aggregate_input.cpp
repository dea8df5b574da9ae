#include "taskmanager/operators/aggregate_input.h"

#include <numeric>

namespace weir::operators {

std::vector<size_t> KeyColumns(size_t key_count) {
  std::vector<size_t> columns(key_count);
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

state::StateSpec AccumulatorStateSpec(const AccumulatorLayout& layout, bool is_key_fixed) {
  state::StateSpec spec;
  spec.name = "aggregates";
  spec.kind = state::StateKind::kAggregating;
  spec.key = state::KeyFormat::Of(is_key_fixed);
  spec.value = layout.value();
  spec.signature = layout.signature();
  return spec;
}

void EncodeKeys(const types::KeyCodec& codec, const types::RecordBatch& batch,
                types::KeyBatch* keys) {
  if (!codec.columns().empty()) return codec.Encode(batch, keys);
  keys->is_fixed = false;
  keys->bytes.clear();
  keys->offsets.assign(batch.size() + 1, 0);
  keys->partition_hash.assign(batch.size(), types::HashKeyBytes(StringView()));
}

size_t FixedRowBytes(const types::Schema& schema) {
  size_t bytes = sizeof(types::ChangeKind);
  for (const types::Field& field : schema.fields()) {
    if (field.type.kind == types::TypeKind::kString) return 0;
    bytes += types::FixedWidth(field.type.kind);
  }
  return bytes;
}

absl::Status ReadSigns(const types::RecordBatch& batch, absl::Span<const uint32_t> rows,
                       Retraction retraction, types::PodVector<int8_t>* signs) {
  signs->clear();
  if (!batch.HasChanges()) return absl::OkStatus();
  bool any_deletion = false;
  signs->reserve(rows.size());
  for (const uint32_t row : rows) {
    const bool is_addition = types::IsAddition(batch.change(row));
    any_deletion |= !is_addition;
    signs->push_back(is_addition ? int8_t{1} : int8_t{-1});
  }
  if (!any_deletion) {
    signs->clear();
  } else if (retraction == Retraction::kNever) {
    return absl::InternalError("a deletion on an edge that was planned as append only");
  }
  return absl::OkStatus();
}

}  // namespace weir::operators
