// What must hold: a snapshot of a state table keeps what it saw, at a price that does not grow with
// the table, and gives back what it held.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/counted_table.h"

namespace weir::state {
namespace {

TEST_CASE("a snapshot keeps 1000 keys of 10 groups while the table goes on", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 1000);
  const Contents before = ContentsOf(sample.table);
  TableSnapshot snapshot = sample.table.Snapshot();
  sample.CountInts(500, 2000);
  for (int64_t key = 0; key < 300; ++key) {
    REQUIRE(*sample.table.Erase(KeyOf(sample.shape, FixedKey(key))));
  }
  CHECK(snapshot.size() == 1000);
  CHECK(ContentsOf(snapshot) == before);
  uint64_t in_groups = 0;
  for (uint32_t group = 0; group < 10; ++group) {
    uint64_t visited = 0;
    snapshot.ForEachInGroup(group, [&](StringView, const std::byte*) { ++visited; });
    CHECK(visited == snapshot.GroupSize(group));
    in_groups += visited;
  }
  CHECK(in_groups == 1000);
  CHECK(snapshot.GroupSize(10) == 0);
  CHECK(sample.table.size() == 1700);
}

TEST_CASE("releasing a snapshot twice is harmless and frees what it held", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 2000);
  TableSnapshot snapshot = sample.table.Snapshot();
  CHECK(sample.memory->live_snapshot_count() == 1);
  sample.CountInts(0, 2000);
  CHECK(sample.memory->waiting_block_count() > 0);
  snapshot.Release();
  snapshot.Release();
  CHECK(snapshot.size() == 0);
  CHECK(ContentsOf(snapshot).empty());
  sample.memory->Reclaim(1'000'000);
  CHECK(sample.memory->live_snapshot_count() == 0);
  CHECK(sample.memory->waiting_block_count() == 0);
}

TEST_CASE("a newer snapshot does not hold what only an older one saw", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 2000);
  TableSnapshot older = sample.table.Snapshot();
  sample.CountInts(0, 2000);
  const TableSnapshot newer = sample.table.Snapshot();
  CHECK(sample.memory->waiting_block_count() > 0);
  older.Release();
  sample.memory->Reclaim(1'000'000);
  CHECK(sample.memory->live_snapshot_count() == 1);
  CHECK(sample.memory->waiting_block_count() == 0);
}

TEST_CASE("a chunk is copied once for a snapshot and in place without one", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 5000);
  const size_t bytes_before = sample.memory->bytes_in_use();
  sample.CountInts(0, 5000);
  CHECK(sample.memory->bytes_in_use() == bytes_before);
  const TableSnapshot snapshot = sample.table.Snapshot();
  sample.CountInts(0, 5000);
  const size_t bytes_copied = sample.memory->bytes_in_use();
  CHECK(bytes_copied > bytes_before);
  CHECK(bytes_copied <= 2 * bytes_before);
  sample.CountInts(0, 5000);
  CHECK(sample.memory->bytes_in_use() == bytes_copied);
}

// A table of one group with small chunks and the keys 0, 1, ... in it.
struct DeepSample {
  std::shared_ptr<VersionedMemory> memory = std::make_shared<VersionedMemory>();
  TableShape shape{{0, 0}, 1, std::make_shared<TableLayout>(kInt64, ValueLayout{8, {}}, 1024)};
  StateTable table{memory, shape};
  int64_t key_count = 0;

  void Set(int64_t key, uint64_t number) {
    SetNumber(*table.FindOrInsert({0, FixedKey(key)}), number);
    key_count = std::max(key_count, key + 1);
  }
  // Whether exactly the keys below `count` are there, all with `number`.
  bool Holds(const TableSnapshot& snapshot, int64_t count, uint64_t number) const {
    int64_t seen = 0;
    for (TableCursor cursor = snapshot.Read({0, 0}); cursor.Next(); ++seen) {
      if (NumberAt(cursor.value()) != number) return false;
    }
    return seen == count;
  }
};

TEST_CASE("a directory that doubles under a snapshot leaves its chunks alone", "[state][unit]") {
  // Several directory nodes are replaced at once when one insert takes much more than a chunk.
  constexpr size_t kDoublingBytes = 9000;
  int64_t doubling_key = 0;
  {
    DeepSample sample;
    while (doubling_key == 0) {
      const size_t before = sample.memory->bytes_in_use();
      sample.Set(sample.key_count, 1);
      if (sample.memory->bytes_in_use() > before + kDoublingBytes) {
        doubling_key = sample.key_count - 1;
      }
    }
  }
  DeepSample sample;
  while (sample.key_count < doubling_key) sample.Set(sample.key_count, 1);
  const TableSnapshot snapshot = sample.table.Snapshot();
  for (int64_t key = doubling_key; key >= 0; --key) sample.Set(key, 2);
  CHECK(sample.Holds(snapshot, doubling_key, 1));
  CHECK(sample.Holds(sample.table.Snapshot(), doubling_key + 1, 2));
}

TEST_CASE("a snapshot outlives its table", "[state][unit]") {
  auto sample = std::make_unique<CountedTable>();
  sample->CountInts(0, 1000);
  const Contents before = ContentsOf(sample->table);
  const TableSnapshot snapshot = sample->table.Snapshot();
  sample.reset();
  CHECK(ContentsOf(snapshot) == before);
}

TEST_CASE("clearing empties the table but not its snapshot", "[state][unit]") {
  CountedTable sample;
  sample.CountInts(0, 1000);
  const Contents before = ContentsOf(sample.table);
  TableSnapshot snapshot = sample.table.Snapshot();
  sample.table.Clear();
  CHECK(sample.table.size() == 0);
  sample.CountInts(0, 5);
  CHECK(ContentsOf(sample.table).size() == 5);
  CHECK(ContentsOf(snapshot) == before);
}

TEST_CASE("blobs of a snapshot stay while the table replaces its own", "[state][unit]") {
  CountedTable sample({16, {8}});
  const std::string one = FixedKey(1);
  const TableKey key = KeyOf(sample.shape, one);
  sample.table.SetBlob(*sample.table.FindOrInsert(key), 0, "first");
  const TableSnapshot first = sample.table.Snapshot();
  std::byte* value = *sample.table.FindOrInsert(key);
  const std::span<std::byte> bytes = sample.table.MutableBlob(value, 0, 6);
  bytes[5] = std::byte{'!'};
  const TableSnapshot second = sample.table.Snapshot();
  sample.table.ClearBlob(*sample.table.FindOrInsert(key), 0);

  const auto blob_of = [&](const TableSnapshot& snapshot) {
    TableCursor cursor = snapshot.Read({0, 9});
    REQUIRE(cursor.Next());
    return std::string(sample.table.GetBlob(cursor.value(), 0));
  };
  CHECK(blob_of(first) == "first");
  CHECK(blob_of(second) == "first!");
  CHECK_FALSE(sample.table.HasBlob(*sample.table.Find(key), 0));
}

TEST_CASE("a blob is copied at most once for a live snapshot", "[state][unit]") {
  CountedTable sample({8, {0}});
  const std::string one = FixedKey(1);
  const TableKey key = KeyOf(sample.shape, one);
  sample.table.SetBlob(*sample.table.FindOrInsert(key), 0, std::string(1000, 'x'));
  const TableSnapshot snapshot = sample.table.Snapshot();
  std::byte* value = *sample.table.FindOrInsert(key);
  const std::byte* copied = sample.table.MutableBlob(value, 0, 1000).data();
  CHECK(sample.table.MutableBlob(value, 0, 1000).data() == copied);
  sample.table.SetBlob(value, 0, std::string(1000, 'y'));
  CHECK(sample.table.MutableBlob(value, 0, 1000).data() == copied);
}

}  // namespace
}  // namespace weir::state
