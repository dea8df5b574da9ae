// What must hold: every column type is read back from its own text, and nothing else is a type.
#include "common/types/data_type.h"

#include <catch2/catch.hpp>

namespace weir::types {
namespace {

TEST_CASE("Types survive their text", "[types][unit]") {
  for (const DataType& type :
       {kBoolType, kInt32Type, kInt64Type, kDoubleType, kStringType, kTimestampType, kDateType,
        DecimalType(12, 2), DecimalType(38, 38), DecimalType(1, 0)}) {
    CAPTURE(type.ToString());
    CHECK(ParseDataType(type.ToString()) == type);
  }
  CHECK(ArrayType(kStringType).ToString() == "array<string>");
  CHECK(ArrayType(DecimalType(5, 1)).ElementType() == DecimalType(5, 1));
}

TEST_CASE("PostgreSQL's names mean the same types", "[types][unit]") {
  CHECK(ParseDataType("BIGINT") == kInt64Type);
  CHECK(ParseDataType("int8") == kInt64Type);  // eight bytes
  CHECK(ParseDataType(" double precision ") == kDoubleType);
  CHECK(ParseDataType("numeric(10, 3)") == DecimalType(10, 3));
  CHECK(ParseDataType("decimal(7)") == DecimalType(7, 0));
}

TEST_CASE("What is no column type is refused", "[types][unit]") {
  for (const char* text :
       {"", "int7", "decimal(0,0)", "decimal(39,0)", "decimal(3,4)", "decimal(3,", "decimal(a,b)",
        "array<string>", "null", "decimal(-1,0)"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseDataType(text).has_value());
  }
}

}  // namespace
}  // namespace weir::types
