#include "taskmanager/connectors/part_names.h"

#include <catch2/catch.hpp>

#include "taskmanager/connectors/pending_part.h"

namespace weir::connectors {

TEST_CASE("Part names are made and recognised", "[connectors][unit]") {
  CHECK(TemporaryPartName(3, 12, 0) == ".part-3-12.0");
  CHECK(FinalPartName(3, 12, CheckpointId{45}) == "part-3-12-c45");
  CHECK(IsTemporaryPartName(".part-3-12.0"));
  CHECK(CheckpointOfFinalPart("part-3-12-c45") == CheckpointId{45});
  CHECK(CheckpointOfFinalPart("part-0-0-c9223372036854775807") == CheckpointId{INT64_MAX});
}

TEST_CASE("Other files are not taken for parts", "[connectors][unit]") {
  for (const char* name : {"", "part-1-2-c3.json", "part-1-2", "part-1-c3", "part--1-2-c3",
                           "part-1-2-c", "part-01-2-c3", "part-1-2-c-3", "Part-1-2-c3",
                           ".part-1-2-c3", "part-1-2-c9223372036854775808", "apart-1-2-c3"}) {
    CAPTURE(name);
    CHECK_FALSE(CheckpointOfFinalPart(name));
  }
  for (const char* name : {"", "part-1-2.3", ".part-1-2", ".part-1-2.", ".part-1-2.3.tmp",
                           ".part-1-2.03", ".part-a-2.3", ".weir-owner"}) {
    CAPTURE(name);
    CHECK_FALSE(IsTemporaryPartName(name));
  }
}

TEST_CASE("A pending part is stored and read back", "[connectors][unit]") {
  const PendingPart part{
      .subtask = 2, .number = 1ull << 40, .attempt = 3, .checkpoint = CheckpointId{9}, .bytes = 77};
  const std::string bytes = EncodePendingPart(part);
  REQUIRE(DecodePendingPart(bytes).ok());
  CHECK(*DecodePendingPart(bytes) == part);
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(DecodePendingPart(bytes.substr(0, size)).ok());
  }
  CHECK(*DecodePartNumber(EncodePartNumber(12345)) == 12345);
  CHECK_FALSE(DecodePartNumber("").ok());
}

}  // namespace weir::connectors
