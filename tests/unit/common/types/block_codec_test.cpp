// What must hold: a block gives back the batch's selected rows, and no damaged block gives a batch.
#include "common/types/block_codec.h"

#include <cstdlib>
#include <cstring>

#include <absl/strings/numbers.h>
#include <catch2/catch.hpp>

#include "common/base/random.h"
#include "common/io/hash.h"
#include "tests/unit/common/state/golden_file.h"
#include "tests/unit/common/types/sample_block.h"

namespace weir::types {
namespace {

uint64_t TestSeed() {
  const char* text = std::getenv("WEIR_TEST_SEED");
  uint64_t seed = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &seed)) return seed;
  return base::EntropySeed();
}

SchemaPtr TestSchema() {
  return std::make_shared<const Schema>(std::vector<Field>{{"b", kBoolType},
                                                           {"i", kInt32Type},
                                                           {"l", kInt64Type},
                                                           {"d", kDoubleType},
                                                           {"s", kStringType},
                                                           {"t", kTimestampType},
                                                           {"m", DecimalType(20, 2)},
                                                           {"a", ArrayType(kStringType)}});
}

void AppendRow(base::Random* random, BatchBuilder* rows) {
  const int64_t n = static_cast<int64_t>(random->Next());
  const auto null = [&] { return random->OneIn(4); };
  null() ? rows->column(0).AppendNull() : rows->column(0).Append(static_cast<uint8_t>(n & 1));
  null() ? rows->column(1).AppendNull() : rows->column(1).Append(static_cast<int32_t>(n));
  rows->column(2).Append(n);
  null() ? rows->column(3).AppendNull() : rows->column(3).Append(static_cast<double>(n));
  null() ? rows->column(4).AppendNull()
         : rows->column(4).AppendString(std::string(random->Below(20), 'x'));
  rows->column(5).Append(n);
  rows->column(6).Append(Int128{n} * 3);
  for (uint64_t i = random->Below(4); i > 0; --i) {
    rows->column(7).child().AppendString(i % 2 == 0 ? "even" : "");
  }
  null() ? rows->column(7).AppendNull() : rows->column(7).AppendArray();
  rows->EndRow(static_cast<ChangeKind>(random->Below(4)), n / 2);
}

BatchPtr RandomBatch(base::Random* random, size_t rows) {
  BatchBuilder builder(TestSchema());
  for (size_t i = 0; i < rows; ++i) AppendRow(random, &builder);
  return builder.Finish();
}

bool SameValue(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  if (a.IsNull(row_a) != b.IsNull(row_b)) return false;
  if (a.IsNull(row_a)) return true;
  switch (FixedWidth(a.type().kind)) {
    case 1:
      return a.Values<uint8_t>()[row_a] == b.Values<uint8_t>()[row_b];
    case 4:
      return a.Values<int32_t>()[row_a] == b.Values<int32_t>()[row_b];
    case 8:
      return a.Values<int64_t>()[row_a] == b.Values<int64_t>()[row_b];
    case 16:
      return a.Values<Int128>()[row_a] == b.Values<Int128>()[row_b];
    default:
      break;
  }
  if (!a.type().IsArray()) return a.String(row_a) == b.String(row_b);
  const uint32_t size = a.offsets()[row_a + 1] - a.offsets()[row_a];
  if (size != b.offsets()[row_b + 1] - b.offsets()[row_b]) return false;
  for (uint32_t i = 0; i < size; ++i) {
    if (!SameValue(a.child(), a.offsets()[row_a] + i, b.child(), b.offsets()[row_b] + i)) {
      return false;
    }
  }
  return true;
}

void CheckSameRows(const RecordBatch& written, const RecordBatch& read) {
  REQUIRE(read.size() == written.size());
  REQUIRE_FALSE(read.HasSelection());
  CHECK(read.HasEventTimes() == written.HasEventTimes());
  size_t at = 0;
  for (const uint32_t row : written.rows()) {
    CHECK(read.change(at) == written.change(row));
    if (written.HasEventTimes()) CHECK(read.event_times()[at] == written.event_times()[row]);
    for (size_t i = 0; i < written.columns().size(); ++i) {
      CAPTURE(row, i);
      CHECK(SameValue(written.column(i), row, read.column(i), at));
    }
    ++at;
  }
}

std::vector<char> Characters(const std::string& bytes) {
  return std::vector<char>(bytes.begin(), bytes.end());
}

absl::StatusOr<BatchPtr> Decode(const std::string& bytes, const SchemaPtr& schema) {
  return DecodeBlock(Buffer::Of(Characters(bytes)), schema);
}

}  // namespace

TEST_CASE("A block gives back every type, nulls, changes and event times", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  for (const size_t rows : {size_t{1}, size_t{2}, size_t{17}, kBatchRowsMax}) {
    const BatchPtr batch = RandomBatch(&random, rows);
    const auto read = Decode(EncodeBlock(*batch), batch->schema_ptr());
    INFO(read.status().ToString());
    REQUIRE(read.ok());
    CheckSameRows(*batch, **read);
  }
}

TEST_CASE("A block holds the selected rows only", "[types][unit]") {
  base::Random random(7);
  const BatchPtr batch = RandomBatch(&random, 40);
  const BatchPtr selected = RecordBatch::Select(*batch, {0, 3, 17, 39});
  const auto read = Decode(EncodeBlock(*selected), batch->schema_ptr());
  REQUIRE(read.ok());
  CheckSameRows(*selected, **read);
  const auto none = Decode(EncodeBlock(*RecordBatch::Select(*batch, {})), batch->schema_ptr());
  REQUIRE(none.ok());
  CHECK((*none)->size() == 0);
}

TEST_CASE("A block's strings are views into it", "[types][unit]") {
  base::Random random(8);
  const BatchPtr batch = RandomBatch(&random, 10);
  const std::string bytes = EncodeBlock(*batch);
  PodVector<Int128> memory(bytes.size() / sizeof(Int128));
  REQUIRE(memory.size() * sizeof(Int128) == bytes.size());
  std::memcpy(memory.data(), bytes.data(), bytes.size());
  const char* begin = reinterpret_cast<const char*>(memory.data());
  const auto read = DecodeBlock(Buffer::Of(std::move(memory)), batch->schema_ptr());
  REQUIRE(read.ok());
  const char* text = (*read)->column(4).string_bytes();
  CHECK(text > begin);
  CHECK(text < begin + bytes.size());
}

TEST_CASE("A block that lies anywhere in memory can be read", "[types][unit]") {
  base::Random random(9);
  const BatchPtr batch = RandomBatch(&random, 30);
  const std::string block = EncodeBlock(*batch);
  for (size_t shift = 1; shift < 16; ++shift) {
    auto memory = std::make_shared<std::string>(shift, ' ');
    memory->append(block);
    const auto read =
        DecodeBlock(Buffer(memory->data() + shift, block.size(), memory), batch->schema_ptr());
    REQUIRE(read.ok());
    CheckSameRows(*batch, **read);
  }
}

TEST_CASE("A block can stand behind other bytes of a string", "[types][unit]") {
  base::Random random(10);
  const BatchPtr batch = RandomBatch(&random, 5);
  std::string bytes = "abc";
  AppendBlock(*batch, &bytes);
  CHECK(bytes.substr(3) == EncodeBlock(*batch));
}

TEST_CASE("Any flipped bit of a block is found", "[types][unit]") {
  base::Random random(11);
  const BatchPtr batch = RandomBatch(&random, 3);
  const std::string good = EncodeBlock(*batch);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    CAPTURE(bit);
    CHECK(Decode(bad, batch->schema_ptr()).status().code() == absl::StatusCode::kDataLoss);
  }
}

// Damage that a checksum does not show, as a hostile peer could send it.
TEST_CASE("A block with a true checksum gives an error or a sound batch", "[types][unit]") {
  const uint64_t seed = TestSeed();
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  int refused = 0;
  for (int run = 0; run < 20'000; ++run) {
    CAPTURE(run);
    const BatchPtr batch = RandomBatch(&random, 1 + random.Below(4));
    std::string block = EncodeBlock(*batch);
    for (uint64_t changes = 1 + random.Below(3); changes > 0; --changes) {
      block[8 + random.Below(block.size() - 8)] = static_cast<char>(random.Below(256));
    }
    const uint64_t checksum = io::Xxh3(StringView(block).substr(8));
    std::memcpy(block.data(), &checksum, sizeof(checksum));
    const auto read = Decode(block, batch->schema_ptr());
    if (!read.ok()) {
      ++refused;
    } else {
      // Writing it again looks at every value.
      const auto again = Decode(EncodeBlock(**read), batch->schema_ptr());
      REQUIRE(again.ok());
      CHECK((*again)->size() == (*read)->size());
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("A cut block is found at every length", "[types][unit]") {
  base::Random random(12);
  const BatchPtr batch = RandomBatch(&random, 3);
  const std::string good = EncodeBlock(*batch);
  for (size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(Decode(good.substr(0, size), batch->schema_ptr()).status().code() ==
          absl::StatusCode::kDataLoss);
  }
}

TEST_CASE("A block of another schema or version is refused", "[types][unit]") {
  const auto one = std::make_shared<const Schema>(std::vector<Field>{{"a", kInt64Type}});
  const auto other = std::make_shared<const Schema>(std::vector<Field>{{"a", kTimestampType}});
  const auto two =
      std::make_shared<const Schema>(std::vector<Field>{{"a", kInt64Type}, {"b", kInt64Type}});
  BatchBuilder builder(one);
  builder.column(0).Append<int64_t>(1);
  builder.EndRow();
  const std::string block = EncodeBlock(*builder.Finish());
  CHECK(Decode(block, one).ok());
  CHECK(Decode(block, other).status().code() == absl::StatusCode::kFailedPrecondition);
  CHECK(Decode(block, two).status().code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("The golden block of version 1 is what is written and read", "[types][unit]") {
  const BatchPtr batch = SampleBlockBatch();
  const std::string written = EncodeBlock(*batch);
  const std::string golden = state::GoldenFile("block_v1.bin", written);
  CHECK((golden == written));
  const auto read = Decode(golden, SampleBlockSchema());
  INFO(read.status().ToString());
  REQUIRE(read.ok());
  CheckSameRows(*batch, **read);
}

TEST_CASE("A block's bytes never change", "[types][unit]") {
  const auto schema =
      std::make_shared<const Schema>(std::vector<Field>{{"a", kInt32Type}, {"s", kStringType}});
  BatchBuilder builder(schema);
  builder.column(0).Append<int32_t>(258);
  builder.column(1).AppendString("hi");
  builder.EndRow(ChangeKind::kDelete);
  const std::string block = EncodeBlock(*builder.Finish());
  REQUIRE(block.size() == 144);
  CHECK(block.substr(8, 24) == std::string("WBLK\1\0\1\0\1\0\0\0\2\0\0\0\x90\0\0\0\0\0\0\0", 24));
  CHECK(block.substr(32, 8) == std::string("\2\0\0\0\0\0\0\0", 8));
  CHECK(block[80] == 3);                                     // delete
  CHECK(block.substr(96, 4) == std::string("\2\1\0\0", 4));  // 258
  CHECK(block.substr(112, 8) == std::string("\0\0\0\0\2\0\0\0", 8));
  CHECK(block.substr(128, 2) == "hi");
}

}  // namespace weir::types
