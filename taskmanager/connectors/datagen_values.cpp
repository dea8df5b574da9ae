#include "taskmanager/connectors/datagen_values.h"

#include <cmath>
#include <string>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/types/datetime.h"
#include "common/types/decimal.h"
#include "common/types/value_text.h"

namespace weir::connectors {
namespace {

using graph::GeneratorKind;
using graph::GeneratorSpec;
using types::Int128;
using types::PodVector;
using types::TypeKind;

constexpr uint64_t kColumnStep = 0x9FB21C651E98DF25ULL;
constexpr uint64_t kLetterStep = 0xD6E8FEB86659FD93ULL;
constexpr uint64_t kLetterCount = 26;
constexpr double kFractionUnit = 1.0 / 9007199254740992.0;  // 2^-53

// What all values of one column start from.
uint64_t ColumnSeed(int64_t seed, size_t column) {
  return base::MixBits(static_cast<uint64_t>(seed) + kColumnStep * (column + 1));
}

uint64_t BitsOf(uint64_t column_seed, int64_t row) {
  return base::MixBits(column_seed ^ base::MixBits(static_cast<uint64_t>(row)));
}

// Uniform in [min, max].
struct Range {
  int64_t min = 0;
  uint64_t size = 1;  // 0: all 2^64 values

  int64_t Pick(uint64_t bits) const {
    if (size == 0) return static_cast<int64_t>(bits);
    const unsigned __int128 product = static_cast<unsigned __int128>(bits) * size;
    return static_cast<int64_t>(static_cast<uint64_t>(min) + static_cast<uint64_t>(product >> 64));
  }
};

Range RangeOf(int64_t min, int64_t max) {
  WEIR_CHECK(min <= max);
  return {min, static_cast<uint64_t>(max) - static_cast<uint64_t>(min) + 1};
}

double FractionOf(uint64_t bits) {
  return static_cast<double>(bits >> 11) * kFractionUnit;
}

template <class T, class Make>
types::ColumnPtr FixedColumn(const types::DataType& type, absl::Span<const int64_t> rows,
                             const Make& make) {
  PodVector<T> values(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<T>(make(rows[i]));
  return types::Column::Fixed(type, rows.size(), types::Buffer::Of(std::move(values)), {});
}

// A column of `type` whose integers `make` gives.
template <class Make>
types::ColumnPtr IntegerColumn(const types::DataType& type, absl::Span<const int64_t> rows,
                               const Make& make) {
  switch (types::FixedWidth(type.kind)) {
    case sizeof(uint8_t):
      return FixedColumn<uint8_t>(type, rows, [&](int64_t row) { return make(row) & 1; });
    case sizeof(int32_t):
      return FixedColumn<int32_t>(type, rows, make);
    default:
      return FixedColumn<int64_t>(type, rows, make);
  }
}

types::ColumnPtr DoublesAs(const types::DataType& type, absl::Span<const int64_t> rows,
                           uint64_t column_seed, const GeneratorSpec& generator) {
  const auto make = [&](int64_t row) {
    return generator.min_double +
           (generator.max_double - generator.min_double) * FractionOf(BitsOf(column_seed, row));
  };
  if (type.kind == TypeKind::kDouble) return FixedColumn<double>(type, rows, make);
  const double scale = std::pow(10.0, type.scale);
  const Int128 limit = types::PowerOfTen(type.precision) - 1;
  return FixedColumn<Int128>(type, rows, [&](int64_t row) {
    const double scaled = std::round(make(row) * scale);
    if (!(std::fabs(scaled) < static_cast<double>(limit))) return scaled < 0 ? -limit : limit;
    return static_cast<Int128>(scaled);
  });
}

types::ColumnPtr RandomStrings(absl::Span<const int64_t> rows, uint64_t column_seed,
                               const GeneratorSpec& generator) {
  types::ColumnBuilder builder(types::kStringType);
  builder.Reserve(rows.size());
  std::string text;
  const Range keys = RangeOf(0, generator.distinct > 0 ? generator.distinct - 1 : 0);
  for (const int64_t row : rows) {
    uint64_t bits = BitsOf(column_seed, row);
    text.clear();
    if (generator.distinct > 0) {
      text.push_back('k');
      types::AppendInteger(keys.Pick(bits), &text);
    } else {
      for (int64_t i = 0; i < generator.length; ++i) {
        text.push_back(static_cast<char>('a' + bits % kLetterCount));
        bits = base::MixBits(bits + kLetterStep);
      }
    }
    builder.AppendString(text);
  }
  return builder.Finish();
}

types::ColumnPtr RandomColumn(const GeneratorSpec& generator, const types::DataType& type,
                              uint64_t column_seed, absl::Span<const int64_t> rows) {
  if (type.kind == TypeKind::kString) return RandomStrings(rows, column_seed, generator);
  if (type.kind == TypeKind::kDouble || type.kind == TypeKind::kDecimal) {
    return DoublesAs(type, rows, column_seed, generator);
  }
  const Range range =
      type.kind == TypeKind::kBool ? RangeOf(0, 1) : RangeOf(generator.min, generator.max);
  return IntegerColumn(type, rows,
                       [&](int64_t row) { return range.Pick(BitsOf(column_seed, row)); });
}

struct Limits {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

Limits LimitsOf(TypeKind kind) {
  switch (kind) {
    case TypeKind::kInt32:
      return {INT32_MIN, INT32_MAX};
    case TypeKind::kDate:
      return {types::kDateMin, types::kDateMax};
    case TypeKind::kTimestamp:
      return {types::kTimestampMin, types::kTimestampMax};
    default:
      return {};
  }
}

// Whether the sequence's value for `row` fits. Sequences are monotonic, so looking at a batch's
// first and last row is enough.
bool Fits(const GeneratorSpec& generator, const types::DataType& type, int64_t row) {
  int64_t distance = 0;
  int64_t value = 0;
  if (__builtin_mul_overflow(row, generator.step, &distance) ||
      __builtin_add_overflow(generator.start, distance, &value)) {
    return false;
  }
  if (type.kind == TypeKind::kDecimal) {
    const absl::optional<Int128> scaled = types::Rescale(value, 0, type.scale);
    return scaled && types::FitsPrecision(*scaled, type.precision);
  }
  const Limits limits = LimitsOf(type.kind);
  return value >= limits.min && value <= limits.max;
}

types::ColumnPtr SequenceColumn(const GeneratorSpec& generator, const types::DataType& type,
                                absl::Span<const int64_t> rows) {
  const auto make = [&](int64_t row) { return generator.start + row * generator.step; };
  switch (type.kind) {
    case TypeKind::kDouble:
      return FixedColumn<double>(type, rows, make);
    case TypeKind::kDecimal: {
      const Int128 unit = types::PowerOfTen(type.scale);
      return FixedColumn<Int128>(type, rows, [&](int64_t row) { return make(row) * unit; });
    }
    case TypeKind::kString: {
      types::ColumnBuilder builder(type);
      std::string text;
      for (const int64_t row : rows) {
        text.clear();
        types::AppendInteger(make(row), &text);
        builder.AppendString(text);
      }
      return builder.Finish();
    }
    default:
      return IntegerColumn(type, rows, make);
  }
}

}  // namespace

absl::StatusOr<types::ColumnPtr> GenerateColumn(const GeneratorSpec& generator,
                                                const types::Field& field, size_t column,
                                                int64_t seed,
                                                absl::Span<const int64_t> row_numbers) {
  if (generator.kind == GeneratorKind::kRandom) {
    return RandomColumn(generator, field.type, ColumnSeed(seed, column), row_numbers);
  }
  for (const int64_t row : {row_numbers.front(), row_numbers.back()}) {
    if (Fits(generator, field.type, row)) continue;
    return absl::OutOfRangeError(absl::StrCat("datagen: the sequence of column '", field.name,
                                              "' leaves ", field.type.ToString(),
                                              " at or before row ", row));
  }
  return SequenceColumn(generator, field.type, row_numbers);
}

}  // namespace weir::connectors
