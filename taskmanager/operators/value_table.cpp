#include "taskmanager/operators/value_table.h"

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "taskmanager/operators/aggregate_input.h"
#include "taskmanager/operators/ordered_value.h"

namespace weir::operators {

state::StateSpec ValueStateSpec(const ValueUse& use, size_t index, Retraction retraction) {
  state::StateSpec spec;
  spec.name = absl::StrCat("values.", index);
  spec.kind = state::StateKind::kMap;
  spec.key = state::KeyFormat::Bytes();
  spec.value.bytes = retraction == Retraction::kPossible ? sizeof(int64_t) : 0;
  spec.signature = absl::StrCat(use.type.ToString(), spec.value.bytes > 0 ? ":count" : "");
  return spec;
}

absl::Status ValueTable::RebuildIndex(const state::StateTable& table) {
  if (retraction_ == Retraction::kNever || use_.extremes.empty()) return absl::OkStatus();
  return table.ForEach([this](uint32_t group, StringView entry, const std::byte* value) {
    const size_t prefix = PrefixBeforeValue(entry, use_.type);
    ordered_.Insert(entry.substr(0, prefix), OrderingPart(entry.substr(prefix), use_.type));
  });
}

void ValueTable::EncodeEntries(const types::Column& column, const types::KeyBatch& keys,
                               const AccumulatorLayout::RowSet& rows) {
  entries_.bytes.clear();
  entries_.offsets.clear();
  entries_.partition_hash.clear();
  row_of_entry_.clear();
  entries_.offsets.push_back(0);
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    if (column.IsNull(rows.rows[i])) continue;
    const StringView key = keys.Bytes(rows.positions[i]);
    entries_.bytes.insert(entries_.bytes.end(), key.begin(), key.end());
    AppendOrderedValue(column, rows.rows[i], &entries_.bytes);
    entries_.offsets.push_back(static_cast<uint32_t>(entries_.bytes.size()));
    entries_.partition_hash.push_back(keys.partition_hash[rows.positions[i]]);
    row_of_entry_.push_back(static_cast<uint32_t>(i));
  }
}

void ValueTable::BumpDistinct(Accumulator accumulator, int64_t by) const {
  for (const uint32_t offset : use_.distinct_offsets) {
    StoreAs(accumulator + offset, LoadAs<int64_t>(accumulator + offset) + by);
  }
}

void ValueTable::CountNew(const AccumulatorLayout::RowSet& rows) {
  for (size_t i = 0; i < row_of_entry_.size(); ++i) {
    if (inserted_[i] != 0) BumpDistinct(rows.accumulators[row_of_entry_[i]], 1);
  }
}

StringView ValueTable::ValueOf(StringView entry) const {
  const StringView value = entry.substr(PrefixBeforeValue(entry, use_.type));
  return OrderingPart(value, use_.type);
}

absl::Status ValueTable::CountSigned(const types::KeyBatch& keys,
                                     const AccumulatorLayout::RowSet& rows) {
  changed_.clear();
  for (size_t i = 0; i < row_of_entry_.size(); ++i) {
    const uint32_t row = row_of_entry_[i];
    const int64_t before = LoadAs<int64_t>(counts_[i]);
    const int64_t after = before + (rows.signs.empty() ? 1 : rows.signs[row]);
    if (after < 0) {
      return absl::FailedPreconditionError(kUnknownRowDeleted);
    }
    StoreAs(counts_[i], after);
    if ((before == 0) == (after == 0)) continue;
    changed_.push_back(static_cast<uint32_t>(i));
    BumpDistinct(rows.accumulators[row], after > before ? 1 : -1);
    if (use_.extremes.empty()) continue;
    const StringView key = keys.Bytes(rows.positions[row]);
    if (after > before) {
      ordered_.Insert(key, ValueOf(entries_.Bytes(i)));
    } else {
      ordered_.Erase(key, ValueOf(entries_.Bytes(i)));
    }
  }
  return absl::OkStatus();
}

void ValueTable::SetExtremes(const types::KeyBatch& keys, const AccumulatorLayout::RowSet& rows,
                             state::StateTable* accumulators) {
  const size_t width = types::FixedWidth(use_.type.kind);
  for (const uint32_t entry : changed_) {
    const uint32_t row = row_of_entry_[entry];
    const Accumulator accumulator = rows.accumulators[row];
    for (const ValueUse::Extreme& extreme : use_.extremes) {
      const StringView key = keys.Bytes(rows.positions[row]);
      const absl::optional<StringView> value =
          extreme.is_max ? ordered_.Greatest(key) : ordered_.Least(key);
      if (width > 0) {
        FixedValue fixed{};
        if (value.has_value()) fixed = DecodeOrderedValue(*value, use_.type);
        SetExtreme(accumulator + extreme.offset, value.has_value() ? fixed.bytes : nullptr, width);
      } else if (!value.has_value()) {
        accumulators->ClearBlob(accumulator, extreme.blob_field);
      } else if (!accumulators->HasBlob(accumulator, extreme.blob_field) ||
                 accumulators->GetBlob(accumulator, extreme.blob_field) != *value) {
        accumulators->SetBlob(accumulator, extreme.blob_field, *value);
      }
    }
  }
}

absl::Status ValueTable::EraseAbsent(state::StateTable* table) {
  // Counts first, for erasing moves entries; the same entry may come more than once.
  size_t absent = 0;
  for (const uint32_t entry : changed_) {
    if (LoadAs<int64_t>(counts_[entry]) == 0) changed_[absent++] = entry;
  }
  changed_.resize(absent);
  for (const uint32_t entry : changed_) {
    const auto key = state::TableKey::Of(entries_, entry, table->shape().max_parallelism);
    WEIR_RETURN_IF_ERROR(table->Erase(key).status());
  }
  return absl::OkStatus();
}

absl::Status ValueTable::Apply(const types::RecordBatch& batch, const types::KeyBatch& keys,
                               const AccumulatorLayout::RowSet& rows,
                               state::StateTable* accumulators, state::StateTable* table) {
  EncodeEntries(batch.column(use_.column), keys, rows);
  WEIR_RETURN_IF_ERROR(table->ProbeOrInsert(entries_, &counts_, &inserted_));
  if (retraction_ == Retraction::kNever) {
    CountNew(rows);
    return absl::OkStatus();
  }
  WEIR_RETURN_IF_ERROR(CountSigned(keys, rows));
  SetExtremes(keys, rows, accumulators);
  return EraseAbsent(table);
}

}  // namespace weir::operators
