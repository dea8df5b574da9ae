#include "common/types/growing_array.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "common/types/column.h"

namespace weir::types {
namespace {

TEST_CASE("a growing array keeps what was appended, however it grew", "[types][unit]") {
  GrowingArray<uint32_t> array;
  CHECK(array.empty());
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 1000; ++i) {
    if (i % 3 == 0) {
      array.Append(i);
      expected.push_back(i);
    } else if (i % 3 == 1) {
      array.Append(i, i % 7);
      expected.insert(expected.end(), i % 7, i);
    } else {
      uint32_t* values = array.Extend(2);
      values[0] = i;
      values[1] = i + 1;
      expected.insert(expected.end(), {i, i + 1});
    }
    REQUIRE(array.size() == expected.size());
    REQUIRE(array.back() == expected.back());
  }
  const Buffer buffer = array.Finish();
  REQUIRE(buffer.size() == expected.size() * sizeof(uint32_t));
  CHECK(std::vector<uint32_t>(buffer.As<uint32_t>(), buffer.As<uint32_t>() + expected.size()) ==
        expected);
}

TEST_CASE("a finished array is empty and its buffer stands by itself", "[types][unit]") {
  GrowingArray<int64_t> array;
  CHECK(array.Finish().empty());
  array.Reserve(4);
  array.Append(7);
  const Buffer first = array.Finish();
  CHECK(array.empty());
  array.Append(8);
  GrowingArray<int64_t> moved = std::move(array);
  CHECK(moved.size() == 1);
  CHECK(moved.back() == 8);
  CHECK(first.As<int64_t>()[0] == 7);
}

TEST_CASE("a column builder starts each column without the last one's bytes", "[types][unit]") {
  ColumnBuilder builder(kStringType);
  for (const char* text : {"a long text of the first column", "b", ""}) {
    builder.Reserve(1);
    builder.AppendString(text);
    builder.AppendNull();
    const ColumnPtr column = builder.Finish();
    REQUIRE(column->size() == 2);
    CHECK(column->String(0) == text);
    CHECK(column->IsNull(1));
    CHECK(column->offsets()[0] == 0);
  }
}

}  // namespace
}  // namespace weir::types
