// What must hold: namespaces are tables of their own, dropped whole, and a snapshot keeps the ones
// it saw, with their contents.
#include "common/state/namespaced_table.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/state/table_samples.h"

namespace weir::state {
namespace {

using Namespaces = std::map<int64_t, Contents>;

Namespaces ContentsOf(const NamespacedSnapshot& snapshot) {
  Namespaces all;
  for (size_t i = 0; i < snapshot.namespace_count(); ++i) {
    all[snapshot.namespace_at(i)] = ContentsOf(snapshot.table_at(i));
  }
  return all;
}
Namespaces ContentsOf(const NamespacedTable& table) {
  Namespaces all;
  for (const auto& [name, one] : table.tables()) all[name] = ContentsOf(*one);
  return all;
}

struct Sample {
  std::shared_ptr<VersionedMemory> memory = std::make_shared<VersionedMemory>();
  TableShape shape = ShapeOf(KeyFormat::Fixed8(), {8, {}}, 4);
  NamespacedTable table{memory, shape};

  void Set(int64_t name, int64_t key, uint64_t number) {
    StateTable& one = table.Namespace(name);
    SetNumber(*one.FindOrInsert(KeyOf(shape, FixedKey(key))), number);
  }
};

TEST_CASE("namespaces are live in order until they are dropped", "[state][unit]") {
  Sample sample;
  sample.Set(300, 1, 1);
  sample.Set(-100, 1, 2);
  sample.Set(200, 1, 3);
  CHECK(ContentsOf(sample.table) == Namespaces{{-100, {{FixedKey(1), 2}}},
                                               {200, {{FixedKey(1), 3}}},
                                               {300, {{FixedKey(1), 1}}}});
  CHECK(sample.table.Find(200) == &sample.table.Namespace(200));
  CHECK(sample.table.Drop(200));
  CHECK_FALSE(sample.table.Drop(200));
  CHECK(sample.table.Find(200) == nullptr);
  CHECK(sample.table.size() == 2);
}

TEST_CASE("a snapshot keeps dropped namespaces and knows nothing of new ones", "[state][unit]") {
  Sample sample;
  for (int64_t name = 0; name < 20; ++name) sample.Set(name, name, 1);
  const Namespaces before = ContentsOf(sample.table);
  NamespacedSnapshot snapshot = sample.table.Snapshot();
  for (int64_t name = 0; name < 10; ++name) REQUIRE(sample.table.Drop(name));
  for (int64_t name = 5; name < 40; ++name) sample.Set(name, name, 2);
  CHECK(ContentsOf(snapshot) == before);
  snapshot.Release();
  snapshot.Release();
  CHECK(snapshot.namespace_count() == 0);
}

TEST_CASE("a cleared namespace is empty in the next snapshot", "[state][unit]") {
  Sample sample;
  sample.Set(1, 1, 1);
  sample.table.Namespace(1).Clear();
  CHECK(ContentsOf(sample.table.Snapshot()) == Namespaces{{1, {}}});
  sample.Set(1, 2, 2);
  CHECK(ContentsOf(sample.table.Snapshot()) == Namespaces{{1, {{FixedKey(2), 2}}}});
}

TEST_CASE("dropped namespaces give their memory back bit by bit", "[state][unit]") {
  Sample sample;
  sample.Set(0, 0, 0);
  const size_t bytes_before = sample.memory->bytes_in_use();
  for (int64_t key = 0; key < 5000; ++key) sample.Set(1, key, 1);
  {
    const NamespacedSnapshot snapshot = sample.table.Snapshot();
    sample.table.Drop(1);
    sample.Set(0, 0, 0);
    CHECK(sample.memory->bytes_in_use() > bytes_before + 5000 * 16);
  }
  for (int i = 0; i < 10; ++i) sample.Set(0, 0, 0);
  CHECK(sample.memory->bytes_in_use() <= bytes_before + 1024);
}

TEST_CASE("random namespaces and their snapshots equal plain maps", "[state][unit]") {
  const uint64_t seed = TestSeed(11);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  Sample sample;
  Namespaces model;
  std::vector<std::pair<NamespacedSnapshot, Namespaces>> live;
  for (int step = 0; step < 30'000; ++step) {
    const int64_t name = static_cast<int64_t>(random.Below(30)) - 15;
    if (random.OneIn(30)) {
      REQUIRE(sample.table.Drop(name) == (model.erase(name) == 1));
    } else if (random.OneIn(100) && live.size() < 4) {
      live.emplace_back(sample.table.Snapshot(), model);
    } else if (random.OneIn(100) && !live.empty()) {
      const size_t index = random.Below(live.size());
      REQUIRE(ContentsOf(live[index].first) == live[index].second);
      live.erase(live.begin() + static_cast<ptrdiff_t>(index));
    } else {
      const int64_t key = static_cast<int64_t>(random.Below(50));
      const uint64_t number = random.Next();
      sample.Set(name, key, number);
      model[name][FixedKey(key)] = number;
    }
  }
  CHECK(ContentsOf(sample.table) == model);
}

}  // namespace
}  // namespace weir::state
