#include "taskmanager/operators/ordered_value.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "taskmanager/operators/ordered_values.h"
#include "tests/unit/taskmanager/operators/test_rows.h"

namespace weir::operators {
namespace {

std::string Encoded(const types::DataType& type, const Cell& cell) {
  const types::SchemaPtr schema = SchemaOf({{"v", type, true}});
  const types::BatchPtr batch = RowMaker(schema).Row({cell}).Finish();
  types::PodVector<char> bytes;
  AppendOrderedValue(batch->column(0), 0, &bytes);
  return std::string(bytes.begin(), bytes.end());
}

void CheckAscending(const types::DataType& type, const std::vector<Cell>& cells) {
  CAPTURE(type.ToString());
  for (size_t i = 0; i + 1 < cells.size(); ++i) {
    const std::string low = Encoded(type, cells[i]);
    const std::string high = Encoded(type, cells[i + 1]);
    CAPTURE(i);
    CHECK(OrderingPart(low, type) < OrderingPart(high, type));
  }
}

}  // namespace

TEST_CASE("Ordered values compare as the values do", "[operators][unit]") {
  const std::vector<Cell> numbers = {int64_t{INT32_MIN}, int64_t{-256},     int64_t{-1},
                                     int64_t{0},         int64_t{1},        int64_t{255},
                                     int64_t{256},       int64_t{INT32_MAX}};
  for (const types::DataType& type : {types::kInt32Type, types::kInt64Type, types::kDateType,
                                      types::kTimestampType, types::DecimalType(38, 2)}) {
    CheckAscending(type, numbers);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  CheckAscending(types::kDoubleType,
                 {-infinity, -1e300, -1.0, -1e-300, 0.0, 1e-300, 1.0, infinity, std::nan("")});
  CheckAscending(types::kBoolType, {int64_t{0}, int64_t{1}});
  CheckAscending(types::kStringType, {std::string(), std::string("\x01"), std::string("a"),
                                      std::string("a\x01"), std::string("ab"), std::string("b")});
}

TEST_CASE("Ordered values are decoded to what they were", "[operators][unit]") {
  const std::string number = Encoded(types::kInt64Type, int64_t{-42});
  int64_t value = 0;
  const FixedValue fixed = DecodeOrderedValue(number, types::kInt64Type);
  std::memcpy(&value, fixed.bytes, sizeof(value));
  CHECK(value == -42);
  double real = 0;
  const FixedValue bits = DecodeOrderedValue(Encoded(types::kDoubleType, -2.5), types::kDoubleType);
  std::memcpy(&real, bits.bytes, sizeof(real));
  CHECK(real == -2.5);
  types::Int128 wide = 0;
  const types::DataType decimal = types::DecimalType(38, 0);
  const FixedValue bytes = DecodeOrderedValue(Encoded(decimal, int64_t{-7}), decimal);
  std::memcpy(&wide, bytes.bytes, sizeof(wide));
  CHECK(wide == -7);
}

TEST_CASE("Both zeros are one ordered value, and all NaNs", "[operators][unit]") {
  CHECK(Encoded(types::kDoubleType, 0.0) == Encoded(types::kDoubleType, -0.0));
  CHECK(Encoded(types::kDoubleType, std::nan("")) == Encoded(types::kDoubleType, -std::nan("1")));
}

TEST_CASE("An ordered value is cut off the end of its key", "[operators][unit]") {
  for (const types::DataType& type : {types::kStringType, types::kInt64Type, types::kBoolType}) {
    const Cell cell = type == types::kStringType ? Cell(std::string("value")) : Cell(int64_t{1});
    const std::string key = "key" + Encoded(type, cell);
    CHECK(PrefixBeforeValue(key, type) == 3);
  }
}

TEST_CASE("OrderedValues finds each key's own extremes", "[operators][unit]") {
  OrderedValues values;
  // The last key has no string above all that begin with it.
  const std::string keys[] = {"a", "b", "\xff\xff"};
  for (const std::string& key : keys) {
    CHECK_FALSE(values.Least(key).has_value());
    CHECK_FALSE(values.Greatest(key).has_value());
  }
  for (const std::string& key : keys) {
    values.Insert(key, "5");
    values.Insert(key, "");
    values.Insert(key, "\xff\xff\xff");
  }
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(values.Least(key).value() == "");
    CHECK(values.Greatest(key).value() == "\xff\xff\xff");
    values.Erase(key, "");
    values.Erase(key, "\xff\xff\xff");
    CHECK(values.Least(key).value() == "5");
    CHECK(values.Greatest(key).value() == "5");
    values.Erase(key, "5");
    CHECK_FALSE(values.Least(key).has_value());
  }
  CHECK(values.size() == 0);
}

}  // namespace weir::operators
