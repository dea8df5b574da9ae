#include "common/types/key_codec.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/io/byte_cursor.h"
#include "common/io/hash.h"

namespace weir::types {
namespace {

constexpr char kNullMark = 0;
constexpr char kValueMark = 1;

bool FitsFixed(const Schema& schema, const std::vector<size_t>& columns) {
  if (columns.size() != 1) return false;
  const Field& field = schema.field(columns[0]);
  if (field.nullable) return false;
  switch (field.type.kind) {
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
      return true;
    default:
      return false;
  }
}

// One bit pattern for all NaNs and one for both zeros: equal values must be one key.
double CanonicalDouble(double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  return value == 0 ? 0.0 : value;
}

void Append(PodVector<char>* out, const void* data, size_t size) {
  const char* bytes = static_cast<const char*>(data);
  out->insert(out->end(), bytes, bytes + size);
}

void AppendValue(const Column& column, size_t row, PodVector<char>* out) {
  out->push_back(kValueMark);
  switch (column.type().kind) {
    case TypeKind::kBool:
      return Append(out, column.Values<uint8_t>() + row, 1);
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return Append(out, column.Values<int32_t>() + row, 4);
    case TypeKind::kInt64:
    case TypeKind::kTimestamp:
      return Append(out, column.Values<int64_t>() + row, 8);
    case TypeKind::kDouble: {
      const double value = CanonicalDouble(column.Values<double>()[row]);
      return Append(out, &value, sizeof(value));
    }
    case TypeKind::kDecimal:
      return Append(out, column.Values<Int128>() + row, sizeof(Int128));
    case TypeKind::kString: {
      const StringView text = column.String(row);
      const uint32_t size = static_cast<uint32_t>(text.size());
      Append(out, &size, sizeof(size));
      return Append(out, text.data(), text.size());
    }
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  WEIR_CHECK(false);
}

template <class T>
absl::Status DecodeValue(io::ByteReader* reader, ColumnBuilder* builder) {
  T value{};
  WEIR_RETURN_IF_ERROR(reader->Fixed(&value));
  builder->Append(value);
  return absl::OkStatus();
}

absl::Status DecodeColumn(io::ByteReader* reader, ColumnBuilder* builder) {
  char mark = 0;
  WEIR_RETURN_IF_ERROR(reader->Fixed(&mark));
  if (mark == kNullMark) {
    builder->AppendNull();
    return absl::OkStatus();
  }
  if (mark != kValueMark) return absl::DataLossError("a key column with an unknown mark");
  switch (FixedWidth(builder->type().kind)) {
    case 1:
      return DecodeValue<uint8_t>(reader, builder);
    case 4:
      return DecodeValue<int32_t>(reader, builder);
    case 8:
      return DecodeValue<int64_t>(reader, builder);
    case 16:
      return DecodeValue<Int128>(reader, builder);
    default:
      break;
  }
  StringView text;
  WEIR_RETURN_IF_ERROR(reader->Sized(&text));
  builder->AppendString(text);
  return absl::OkStatus();
}

}  // namespace

uint32_t HashKeyBytes(StringView key) {
  return static_cast<uint32_t>(io::Xxh3(key));
}

KeyCodec::KeyCodec(SchemaPtr schema, std::vector<size_t> columns)
    : schema_(std::move(schema)), columns_(std::move(columns)) {
  for (const size_t column : columns_) {
    WEIR_CHECK(column < schema_->size());
    WEIR_CHECK(!schema_->field(column).type.IsArray());
  }
  is_fixed_ = FitsFixed(*schema_, columns_);
}

void KeyCodec::Encode(const RecordBatch& batch, KeyBatch* keys) const {
  keys->is_fixed = is_fixed_;
  keys->partition_hash.resize(batch.size());
  if (is_fixed_) {
    EncodeFixed(batch, keys);
  } else {
    EncodeBytes(batch, keys);
  }
}

void KeyCodec::EncodeFixed(const RecordBatch& batch, KeyBatch* keys) const {
  const Column& column = batch.column(columns_[0]);
  const absl::Span<const uint32_t> rows = batch.rows();
  keys->fixed.resize(rows.size());
  if (FixedWidth(column.type().kind) == 4) {
    const int32_t* values = column.Values<int32_t>();
    for (size_t i = 0; i < rows.size(); ++i) keys->fixed[i] = values[rows[i]];
  } else {
    const int64_t* values = column.Values<int64_t>();
    for (size_t i = 0; i < rows.size(); ++i) keys->fixed[i] = values[rows[i]];
  }
  if (column.type().kind == TypeKind::kInt32) {
    for (size_t i = 0; i < rows.size(); ++i) {
      keys->partition_hash[i] = HashInt32Key(static_cast<int32_t>(keys->fixed[i]));
    }
  } else if (column.type().kind == TypeKind::kInt64) {
    for (size_t i = 0; i < rows.size(); ++i) keys->partition_hash[i] = HashInt64Key(keys->fixed[i]);
  } else {
    for (size_t i = 0; i < rows.size(); ++i) keys->partition_hash[i] = HashKeyBytes(keys->Bytes(i));
  }
}

void KeyCodec::EncodeBytes(const RecordBatch& batch, KeyBatch* keys) const {
  const absl::Span<const uint32_t> rows = batch.rows();
  keys->bytes.clear();
  keys->offsets.resize(rows.size() + 1);
  keys->offsets[0] = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const size_t index : columns_) {
      const Column& column = batch.column(index);
      if (column.IsNull(rows[i])) {
        keys->bytes.push_back(kNullMark);
      } else {
        AppendValue(column, rows[i], &keys->bytes);
      }
    }
    keys->offsets[i + 1] = static_cast<uint32_t>(keys->bytes.size());
  }
  const bool single = columns_.size() == 1;
  for (size_t i = 0; i < rows.size(); ++i) {
    // A nullable integer column hashes its values like one that is not, so that a column may
    // become nullable without its keys changing groups.
    if (single && batch.column(columns_[0]).type().IsInteger() &&
        !batch.column(columns_[0]).IsNull(rows[i])) {
      const Column& column = batch.column(columns_[0]);
      keys->partition_hash[i] = column.type().kind == TypeKind::kInt32
                                    ? HashInt32Key(column.Values<int32_t>()[rows[i]])
                                    : HashInt64Key(column.Values<int64_t>()[rows[i]]);
    } else {
      keys->partition_hash[i] = HashKeyBytes(keys->Bytes(i));
    }
  }
}

absl::Status KeyCodec::Decode(StringView key, std::vector<ColumnBuilder>* builders) const {
  WEIR_CHECK(builders->size() == columns_.size());
  io::ByteReader reader(key);
  if (is_fixed_) {
    int64_t value = 0;
    WEIR_RETURN_IF_ERROR(reader.Fixed(&value));
    ColumnBuilder& builder = builders->front();
    if (FixedWidth(builder.type().kind) == 4) {
      builder.Append(static_cast<int32_t>(value));
    } else {
      builder.Append(value);
    }
  } else {
    for (ColumnBuilder& builder : *builders) WEIR_RETURN_IF_ERROR(DecodeColumn(&reader, &builder));
  }
  if (reader.remaining() != 0) {
    return absl::DataLossError(absl::StrCat(reader.remaining(), " bytes behind an encoded key"));
  }
  return absl::OkStatus();
}

}  // namespace weir::types
