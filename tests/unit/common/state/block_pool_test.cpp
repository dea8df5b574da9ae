// What must hold: blocks do not overlap, are aligned, and a freed one serves the next of its size.
#include "common/state/block_pool.h"

#include <cstring>

#include <catch2/catch.hpp>

#include "tests/unit/common/state/table_samples.h"

namespace weir::state {
namespace {

struct Held {
  unsigned char* block;
  size_t bytes;
  unsigned char fill;
};

bool IsIntact(const Held& held) {
  for (size_t i = 0; i < held.bytes; ++i) {
    if (held.block[i] != held.fill) return false;
  }
  return true;
}

TEST_CASE("random blocks keep their bytes and their alignment", "[state][unit]") {
  const uint64_t seed = TestSeed(3);
  INFO("WEIR_TEST_SEED=" << seed);
  base::Random random(seed);
  BlockPool pool;
  std::vector<Held> held;
  for (int step = 0; step < 20'000; ++step) {
    if (!held.empty() && (held.size() > 300 || random.OneIn(3))) {
      const size_t index = random.Below(held.size());
      REQUIRE(IsIntact(held[index]));
      pool.Free(held[index].block, held[index].bytes);
      held[index] = held.back();
      held.pop_back();
      continue;
    }
    const size_t bytes = 1 + random.Below(random.OneIn(100) ? 3'000'000 : 3000);
    unsigned char* block = static_cast<unsigned char*>(pool.Allocate(bytes));
    REQUIRE(reinterpret_cast<uintptr_t>(block) % (bytes % 64 == 0 ? 64 : 16) == 0);
    held.push_back({block, bytes, static_cast<unsigned char>(step)});
    std::memset(block, held.back().fill, bytes);
  }
  for (const Held& one : held) {
    REQUIRE(IsIntact(one));
    pool.Free(one.block, one.bytes);
  }
  CHECK(pool.bytes_in_use() == 0);
}

TEST_CASE("what a pool takes from the system is told to its budget, and given back",
          "[state][unit]") {
  const auto budget = std::make_shared<MemoryBudget>(3 << 20);
  {
    BlockPool pool(budget);
    void* small = pool.Allocate(100);
    CHECK(budget->used() == pool.bytes_reserved());
    CHECK(budget->Check().ok());
    void* large = pool.Allocate(4 << 20);
    CHECK(budget->used() == pool.bytes_reserved());
    CHECK(absl::IsResourceExhausted(budget->Check()));
    pool.Free(large, 4 << 20);
    CHECK(budget->Check().ok());
    pool.Free(small, 100);
  }
  CHECK(budget->used() == 0);
}

TEST_CASE("the sizes around each class's bounds hold what is asked for", "[state][unit]") {
  BlockPool pool;
  for (size_t power = 3; power <= 20; ++power) {
    for (const size_t bytes :
         {(size_t{1} << power) - 1, size_t{1} << power, (size_t{1} << power) + 1,
          (size_t{1} << power) + 64, (size_t{1} << power) + 65}) {
      const size_t before = pool.bytes_in_use();
      std::memset(pool.Allocate(bytes), 1, bytes);
      CHECK(pool.bytes_in_use() - before >= bytes);
      CHECK(pool.bytes_in_use() - before <= bytes + bytes / 4 + 128);
    }
  }
}

TEST_CASE("a freed block serves the next request of its size", "[state][unit]") {
  BlockPool pool;
  void* block = pool.Allocate(8256);
  const size_t reserved = pool.bytes_reserved();
  pool.Free(block, 8256);
  for (int i = 0; i < 100; ++i) {
    void* again = pool.Allocate(8256);
    CHECK(again == block);
    pool.Free(again, 8256);
  }
  CHECK(pool.bytes_reserved() == reserved);
}

TEST_CASE("a chunk's block wastes nothing", "[state][unit]") {
  BlockPool pool;
  for (size_t bytes = 1024 + 64; bytes <= 512 * 1024 + 64; bytes = (bytes - 64) * 2 + 64) {
    const size_t before = pool.bytes_in_use();
    REQUIRE(pool.Allocate(bytes) != nullptr);
    CHECK(pool.bytes_in_use() - before == bytes);
  }
}

}  // namespace
}  // namespace weir::state
