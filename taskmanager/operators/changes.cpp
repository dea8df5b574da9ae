#include "taskmanager/operators/changes.h"

#include <cstring>
#include <utility>

namespace weir::operators {
namespace {

using types::ChangeKind;

template <class T>
types::Buffer Gather(const types::Buffer& values, absl::Span<const uint32_t> rows) {
  if (values.empty()) return types::Buffer();
  types::PodVector<T> gathered(rows.size());
  const T* source = values.As<T>();
  for (size_t i = 0; i < rows.size(); ++i) gathered[i] = source[rows[i]];
  return types::Buffer::Of(std::move(gathered));
}

}  // namespace

types::Buffer ChangesOfKept(const types::RecordBatch& batch, absl::Span<const uint32_t> kept) {
  if (!batch.HasChanges()) return types::Buffer();
  types::PodVector<uint8_t> changes(batch.physical_rows());
  std::memcpy(changes.data(), batch.changes().data(), changes.size());
  const absl::Span<const uint32_t> rows = batch.rows();
  size_t next = 0;
  for (size_t i = 0; i < rows.size() && next < kept.size(); ++i) {
    if (rows[i] != kept[next]) continue;
    const ChangeKind kind = batch.change(rows[i]);
    if (kind == ChangeKind::kUpdateBefore) {
      const bool is_pair = i + 1 < rows.size() &&
                           batch.change(rows[i + 1]) == ChangeKind::kUpdateAfter &&
                           next + 1 < kept.size() && kept[next + 1] == rows[i + 1];
      if (!is_pair) changes[rows[i]] = static_cast<uint8_t>(ChangeKind::kDelete);
    } else if (kind == ChangeKind::kUpdateAfter) {
      const bool is_pair = i > 0 && batch.change(rows[i - 1]) == ChangeKind::kUpdateBefore &&
                           next > 0 && kept[next - 1] == rows[i - 1];
      if (!is_pair) changes[rows[i]] = static_cast<uint8_t>(ChangeKind::kInsert);
    }
    ++next;
  }
  return types::Buffer::Of(std::move(changes));
}

types::Buffer GatherChanges(const types::Buffer& changes, absl::Span<const uint32_t> rows) {
  return Gather<uint8_t>(changes, rows);
}

types::Buffer GatherEventTimes(const types::Buffer& event_times, absl::Span<const uint32_t> rows) {
  return Gather<EventTimeUs>(event_times, rows);
}

}  // namespace weir::operators
