// What must hold: what is written is read back, and no read goes beyond the end, whatever a length
// claims.
#include "common/io/byte_cursor.h"

#include <string>

#include <catch2/catch.hpp>

namespace weir::io {
namespace {

std::string Sample() {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.Fixed(int64_t{-2});
  writer.Sized("hello");
  writer.Fixed(uint8_t{7});
  return bytes;
}

TEST_CASE("Written values are read back in order", "[io][unit]") {
  const std::string bytes = Sample();
  ByteReader reader(bytes);
  int64_t number = 0;
  StringView text;
  uint8_t small = 0;
  REQUIRE(reader.Fixed(&number).ok());
  REQUIRE(reader.Sized(&text).ok());
  REQUIRE(reader.Fixed(&small).ok());
  CHECK(number == -2);
  CHECK(text == "hello");
  CHECK(small == 7);
  CHECK(reader.remaining() == 0);
}

TEST_CASE("A cut at any byte is an error and leaves the reader where it was", "[io][unit]") {
  const std::string bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    ByteReader reader(StringView(bytes).substr(0, size));
    int64_t number = 0;
    StringView text;
    uint8_t small = 0;
    absl::Status status = reader.Fixed(&number);
    if (status.ok()) status = reader.Sized(&text);
    const size_t before = reader.remaining();
    if (status.ok()) status = reader.Fixed(&small);
    CHECK(absl::IsDataLoss(status));
    CHECK(reader.remaining() <= before);
  }
}

TEST_CASE("A length beyond the end is refused", "[io][unit]") {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.Fixed(UINT32_MAX);
  writer.Bytes("abc");
  ByteReader reader(bytes);
  StringView text;
  CHECK(absl::IsDataLoss(reader.Sized(&text)));
  CHECK(reader.remaining() == bytes.size());
  CHECK(absl::IsDataLoss(reader.Bytes(8, &text)));
}

}  // namespace
}  // namespace weir::io
