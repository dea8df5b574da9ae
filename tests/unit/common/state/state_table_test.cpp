// What must hold: a state table finds what was put into it, batch by batch, however it grows.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/counted_table.h"

namespace weir::state {
namespace {

TEST_CASE("a batch inserts what is new and finds what is there", "[state][unit]") {
  CountedTable sample;
  sample.Count({FixedKey(1), FixedKey(2), FixedKey(1)});
  CHECK(sample.inserted[0] == 1);
  CHECK(sample.inserted[1] == 1);
  CHECK(sample.inserted[2] == 0);
  CHECK(sample.values[0] == sample.values[2]);
  CHECK(sample.table.size() == 2);
  CHECK(ContentsOf(sample.table) == Contents{{FixedKey(1), 2}, {FixedKey(2), 1}});
}

TEST_CASE("all pointers of a batch are good though chunks grew and split meanwhile",
          "[state][unit]") {
  CountedTable sample;
  for (const int64_t count : {1, 100, 5000, 20'000}) {
    std::vector<std::string> keys;
    for (int64_t key = 0; key < count; ++key) keys.push_back(FixedKey(key));
    for (int64_t key = 0; key < count; ++key) keys.push_back(FixedKey(key));
    REQUIRE(
        sample.table.ProbeOrInsert(BatchOf(kInt64, keys), &sample.values, &sample.inserted).ok());
    bool is_right = true;
    for (size_t i = 0; i < keys.size(); ++i) {
      is_right &= sample.values[i] == *sample.table.Find(KeyOf(sample.shape, keys[i]));
    }
    CHECK(is_right);
    CHECK(sample.table.size() == static_cast<uint64_t>(count));
  }
}

TEST_CASE("rows pick from a batch", "[state][unit]") {
  CountedTable sample;
  const types::KeyBatch batch = BatchOf(kInt64, {FixedKey(5), FixedKey(6), FixedKey(7)});
  const std::vector<uint32_t> rows = {2, 0};
  REQUIRE(sample.table.ProbeOrInsert(batch, rows, &sample.values, &sample.inserted).ok());
  SetNumber(sample.values[0], 70);
  SetNumber(sample.values[1], 50);
  CHECK(ContentsOf(sample.table) == Contents{{FixedKey(5), 50}, {FixedKey(7), 70}});

  types::PodVector<const std::byte*> found;
  REQUIRE(sample.table.Probe(batch, &found).ok());
  CHECK(NumberAt(found[0]) == 50);
  CHECK(found[1] == nullptr);
  CHECK(NumberAt(found[2]) == 70);
}

TEST_CASE("a new value is zero even where an erased one lay", "[state][unit]") {
  CountedTable sample({24, {}});
  std::byte* value = *sample.table.FindOrInsert(KeyOf(sample.shape, FixedKey(1)));
  std::memset(value, 0xff, 24);
  REQUIRE(*sample.table.Erase(KeyOf(sample.shape, FixedKey(1))));
  value = *sample.table.FindOrInsert(KeyOf(sample.shape, FixedKey(1)));
  CHECK(std::count(value, value + 24, std::byte{0}) == 24);
}

TEST_CASE("a key outside the owned groups is an internal error that names both", "[state][unit]") {
  const std::shared_ptr<VersionedMemory> memory = std::make_shared<VersionedMemory>();
  TableShape shape = ShapeOf(kInt64, {8, {}}, 128);
  shape.range = {0, 63};
  StateTable table(memory, shape);
  types::PodVector<std::byte*> values;
  types::PodVector<uint8_t> inserted;
  const absl::Status status =
      table.ProbeOrInsert(BatchOf(kInt64, {FixedKey(0)}), &values, &inserted);  // group 94
  CHECK(status.code() == absl::StatusCode::kInternal);
  CHECK_THAT(std::string(status.message()), Catch::Contains("94") && Catch::Contains("0 to 63"));
  CHECK(table.Find({94, FixedKey(0)}).status().code() == absl::StatusCode::kInternal);
  CHECK(table.Erase({94, FixedKey(0)}).status().code() == absl::StatusCode::kInternal);
  CHECK(table.size() == 0);
}

TEST_CASE("erasing everything leaves no node behind", "[state][unit]") {
  CountedTable sample;
  const uint64_t bytes_empty = sample.table.ByteSize();
  sample.CountInts(0, 5000);
  CHECK(sample.table.ByteSize() > bytes_empty + 5000 * 16);
  bool is_right = true;
  for (int64_t key = 0; key < 5000; ++key) {
    is_right &= *sample.table.Erase(KeyOf(sample.shape, FixedKey(key)));
  }
  CHECK(is_right);
  CHECK_FALSE(*sample.table.Erase(KeyOf(sample.shape, FixedKey(1))));
  CHECK(sample.table.ByteSize() == bytes_empty);
}

TEST_CASE("inserting and erasing for long neither grows nor slows a table", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 1000);
  for (int64_t key = 1000; key < 50'000; ++key) {
    sample.Count({FixedKey(key)});
    REQUIRE(*sample.table.Erase(KeyOf(sample.shape, FixedKey(key - 1000))));
  }
  CHECK(sample.table.size() == 1000);
  CHECK(sample.table.ByteSize() < 200'000);
}

TEST_CASE("a chunk kept nearly full loses no key to erasing", "[state][unit]") {
  const uint64_t seed = TestSeed(9);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  CountedTable sample({8, {}}, kInt64, 1);
  const uint32_t count_max =
      sample.shape.layout->chunk_class(sample.shape.layout->full_class()).count_max;
  std::vector<std::string> keys;
  for (int step = 0; step < 30'000; ++step) {
    if (keys.size() < count_max - 1) {
      keys.push_back(FixedKey(static_cast<int64_t>(random.Next())));
      sample.Count({keys.back()});
      continue;
    }
    std::swap(keys[random.Below(keys.size())], keys.back());
    REQUIRE(*sample.table.Erase(KeyOf(sample.shape, keys.back())));
    keys.pop_back();
    if (step % 8 != 0) continue;
    types::PodVector<const std::byte*> found;
    REQUIRE(sample.table.Probe(BatchOf(kInt64, keys), &found).ok());
    REQUIRE(std::count(found.begin(), found.end(), nullptr) == 0);
  }
  CHECK(sample.table.ByteSize() < 10'000);
}

TEST_CASE("a cleared table gives back exactly what it took", "[state][unit]") {
  for (const KeyFormat format : {kInt64, KeyFormat::Bytes(16)}) {
    CountedTable sample({16, {8}}, format, 2);
    const size_t bytes_empty = sample.memory->bytes_in_use();
    for (int64_t key = 0; key < 7000; ++key) {
      const std::string text =
          format == kInt64 ? FixedKey(key) : std::string(30, 'k') + std::to_string(key);
      std::byte* value = *sample.table.FindOrInsert(KeyOf(sample.shape, text));
      if (key % 3 == 0) sample.table.SetBlob(value, 0, text);
    }
    sample.table.Clear();
    sample.memory->Reclaim(1'000'000);
    CHECK(sample.memory->bytes_in_use() == bytes_empty);
  }
}

TEST_CASE("what many small calls free does not wait for a large one", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 20'000);
  sample.table.Clear();
  for (int64_t key = 0; key < 100; ++key) sample.Count({FixedKey(0)});
  CHECK(sample.memory->bytes_in_use() < 10'000);
}

TEST_CASE("iterating over a changed table is an error", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 100);
  int visited = 0;
  const absl::Status erased = sample.table.ForEach([&](uint32_t, StringView key, const std::byte*) {
    ++visited;
    const std::string copy(key.data(), key.size());
    REQUIRE(*sample.table.Erase(KeyOf(sample.shape, copy)));
  });
  CHECK(erased.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(visited == 1);

  StateTable::ReadPosition position = sample.table.Read();
  TableRows rows;
  CHECK(*sample.table.AppendRows(&position, 10, &rows) == 10);
  sample.CountInts(1000, 1001);
  CHECK(sample.table.AppendRows(&position, 10, &rows).status().code() ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("a table is read in pieces, each entry once", "[state][unit]") {
  const bool is_fixed = GENERATE(true, false);
  const int64_t count = GENERATE(0, 5, 1234, 20'000);
  const size_t piece = GENERATE(1, 7, 16, 100, 1024);
  CAPTURE(is_fixed, count, piece);
  CountedTable sample({8, {}}, is_fixed ? kInt64 : KeyFormat::Bytes());
  sample.CountInts(0, count);
  StateTable::ReadPosition position = sample.table.Read();
  Contents contents;
  TableRows rows;
  size_t read = piece;
  while (read == piece) {
    read = *sample.table.AppendRows(&position, piece, &rows);
    REQUIRE(rows.size() == read);
    REQUIRE((is_fixed ? rows.fixed.size() : rows.keys.size()) == read);
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string key = is_fixed ? FixedKey(rows.fixed[i])
                                       : std::string(rows.keys[i].data(), rows.keys[i].size());
      contents[key] += NumberAt(rows.values[i]);
    }
    rows.Clear();
  }
  CHECK(contents == ContentsOf(sample.table));
  CHECK(contents.size() == static_cast<size_t>(count));
}

TEST_CASE("a table that expected another size holds the same", "[state][unit]") {
  const uint64_t expected = GENERATE(0u, 100u, 3000u, 1'000'000u);
  const int64_t count = GENERATE(1, 3000);
  CAPTURE(expected, count);
  CountedTable sample;
  sample.table.Expect(expected);
  sample.CountInts(0, count);
  const Contents before = ContentsOf(sample.table);
  CHECK(before.size() == static_cast<size_t>(count));
  const TableSnapshot snapshot = sample.table.Snapshot();
  sample.CountInts(0, count);
  for (int64_t key = 0; key < count; ++key) {
    REQUIRE(*sample.table.Erase(KeyOf(sample.shape, FixedKey(key))));
  }
  CHECK(sample.table.size() == 0);
  CHECK(ContentsOf(snapshot) == before);
}

TEST_CASE("keys of every length around the inline limit are told apart", "[state][unit]") {
  for (const uint32_t slot_bytes : {16u, 24u, 32u}) {
    CountedTable sample({8, {}}, KeyFormat::Bytes(slot_bytes));
    std::vector<std::string> keys;
    for (size_t size = 0; size < 80; ++size) keys.emplace_back(size, 'a');
    for (size_t size = 0; size < 80; ++size) keys.emplace_back(size, '\0');
    sample.Count(keys);
    sample.Count(keys);
    const Contents contents = ContentsOf(sample.table);
    CHECK(contents.size() == 159);  // the empty key is in both
    CHECK(contents.at("") == 4);
    CHECK(contents.at(std::string(79, '\0')) == 2);
  }
}

TEST_CASE("keys whose hashes share a group make a table of one group work", "[state][unit]") {
  CountedTable sample({8, {}}, kInt64, 1);
  sample.CountInts(0, 30'000);
  CHECK(sample.table.size() == 30'000);
  CHECK(sample.table.ByteSize() < 30'000 * 45);
}

}  // namespace
}  // namespace weir::state
