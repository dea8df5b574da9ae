// What the state table costs: updates with and without a live snapshot, the pause of a snapshot,
// bytes per key; the machine's memcpy and a bare hash probe beside it.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/base/random.h"
#include "common/state/keyed_backend.h"

namespace weir::state {
namespace {

constexpr size_t kBatchRows = 1024;
constexpr size_t kBatchCount = 2048;
constexpr uint32_t kMaxParallelism = 128;
constexpr uint64_t kSeed = 42;

enum Keys : int64_t { kInt64 = 0, kBytes16 = 1 };

// Keys spread over the whole of int64, so that neither order nor locality helps.
int64_t NthKey(uint64_t n) {
  return static_cast<int64_t>(base::MixBits(n));
}

void AddKey(Keys kind, uint64_t n, types::KeyBatch* batch) {
  const int64_t key = NthKey(n);
  if (kind == kInt64) {
    batch->fixed.push_back(key);
    batch->partition_hash.push_back(types::HashInt64Key(key));
    return;
  }
  char bytes[16];
  std::memcpy(bytes, &key, 8);
  std::memcpy(bytes + 8, &n, 8);
  batch->bytes.insert(batch->bytes.end(), bytes, bytes + sizeof(bytes));
  batch->offsets.push_back(static_cast<uint32_t>(batch->bytes.size()));
  batch->partition_hash.push_back(types::HashKeyBytes(StringView(bytes, sizeof(bytes))));
}

template <class Nth>
types::KeyBatch MakeBatch(Keys kind, size_t rows, Nth nth) {
  types::KeyBatch batch;
  batch.is_fixed = kind == kInt64;
  if (kind != kInt64) batch.offsets.push_back(0);
  for (size_t i = 0; i < rows; ++i) AddKey(kind, nth(i), &batch);
  return batch;
}

// A table of `key_count` keys and random batches over them; made once per size and kept.
class Filled {
 public:
  Filled(Keys kind, uint64_t key_count) : kind_(kind), key_count_(key_count) {
    const KeyFormat format = kind == kInt64 ? KeyFormat::Fixed8() : KeyFormat::Bytes();
    table_ = std::make_unique<StateTable>(
        memory_, TableShape{{0, kMaxParallelism - 1},
                            kMaxParallelism,
                            std::make_shared<TableLayout>(format, ValueLayout{8, {}})});
    for (uint64_t first = 0; first < key_count; first += kBatchRows) {
      const size_t rows = std::min<uint64_t>(kBatchRows, key_count - first);
      Update(MakeBatch(kind, rows, [&](size_t i) { return first + i; }));
    }
    base::Random random(kSeed);
    for (size_t i = 0; i < kBatchCount; ++i) {
      batches_.push_back(
          MakeBatch(kind, kBatchRows, [&](size_t) { return random.Below(key_count); }));
    }
  }

  static Filled& Get(Keys kind, uint64_t key_count) {
    static std::unique_ptr<Filled> kept;
    if (kept == nullptr || kept->kind_ != kind || kept->key_count_ != key_count) {
      kept.reset();
      kept = std::make_unique<Filled>(kind, key_count);
    }
    return *kept;
  }

  void Update(const types::KeyBatch& batch) {
    if (!table_->ProbeOrInsert(batch, &values_, &inserted_).ok()) std::abort();
    for (std::byte* value : values_) {
      int64_t count;
      std::memcpy(&count, value, sizeof(count));
      ++count;
      std::memcpy(value, &count, sizeof(count));
    }
  }
  void UpdateNext() { Update(batches_[next_++ % kBatchCount]); }
  StateTable& table() { return *table_; }
  VersionedMemory& memory() { return *memory_; }

 private:
  const Keys kind_;
  const uint64_t key_count_;
  const std::shared_ptr<VersionedMemory> memory_ = std::make_shared<VersionedMemory>();
  std::unique_ptr<StateTable> table_;
  std::vector<types::KeyBatch> batches_;
  size_t next_ = 0;
  types::PodVector<std::byte*> values_;
  types::PodVector<uint8_t> inserted_;
};

void ReportBytes(benchmark::State& state, Filled& filled) {
  const double keys = static_cast<double>(filled.table().size());
  state.counters["B/key"] = static_cast<double>(filled.memory().bytes_in_use()) / keys;
  state.counters["reserved_B/key"] = static_cast<double>(filled.memory().bytes_reserved()) / keys;
}

void BM_Memcpy(benchmark::State& state) {
  std::vector<char> from(64 << 20, 'x');
  std::vector<char> to(from.size(), 'y');
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(from.size()));
}
BENCHMARK(BM_Memcpy);

// The least a hash count can cost: one flat array of {key, count} below 60 % load, batches of 32
// prefetched, no groups, versions or growth.
void BM_BareProbe(benchmark::State& state) {
  struct Slot {
    int64_t key;
    int64_t count;
  };
  const uint64_t key_count = static_cast<uint64_t>(state.range(0));
  const uint64_t mask = std::bit_ceil(key_count * 5 / 3) - 1;
  std::vector<Slot> slots(mask + 1, Slot{0, 0});
  const auto place = [&](int64_t key) {
    uint64_t at = base::MixBits(static_cast<uint64_t>(key)) & mask;
    while (slots[at].count != 0 && slots[at].key != key) at = (at + 1) & mask;
    return at;
  };
  for (uint64_t n = 0; n < key_count; ++n) {
    const uint64_t at = place(NthKey(n));
    slots[at] = {NthKey(n), 1};
  }
  base::Random random(kSeed);
  std::vector<int64_t> keys(kBatchRows * kBatchCount);
  for (int64_t& key : keys) key = NthKey(random.Below(key_count));
  size_t next = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < kBatchRows; i += 32, next = (next + 32) % keys.size()) {
      for (size_t j = 0; j < 32; ++j) {
        const uint64_t hash = base::MixBits(static_cast<uint64_t>(keys[next + j]));
        __builtin_prefetch(&slots[hash & mask], 1);
      }
      for (size_t j = 0; j < 32; ++j) ++slots[place(keys[next + j])].count;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatchRows));
}
BENCHMARK(BM_BareProbe)->Arg(1'000'000)->Arg(10'000'000);

void BM_Update(benchmark::State& state) {
  Filled& filled =
      Filled::Get(static_cast<Keys>(state.range(0)), static_cast<uint64_t>(state.range(1)));
  for (auto _ : state) filled.UpdateNext();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatchRows));
  ReportBytes(state, filled);
}

// The first million updates after a snapshot that stays alive meanwhile: every chunk is copied.
void BM_UpdateAfterSnapshot(benchmark::State& state) {
  Filled& filled =
      Filled::Get(static_cast<Keys>(state.range(0)), static_cast<uint64_t>(state.range(1)));
  constexpr int kBatches = 1'000'000 / kBatchRows;
  for (auto _ : state) {
    const TableSnapshot snapshot = filled.table().Snapshot();
    for (int i = 0; i < kBatches; ++i) filled.UpdateNext();
  }
  state.SetItemsProcessed(state.iterations() * int64_t{kBatches} * int64_t{kBatchRows});
  ReportBytes(state, filled);
}

// Once the chunks are copied, with the snapshot still alive.
void BM_UpdateWithLiveSnapshot(benchmark::State& state) {
  Filled& filled =
      Filled::Get(static_cast<Keys>(state.range(0)), static_cast<uint64_t>(state.range(1)));
  const TableSnapshot snapshot = filled.table().Snapshot();
  for (size_t i = 0; i < kBatchCount; ++i) filled.UpdateNext();
  for (auto _ : state) filled.UpdateNext();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatchRows));
}

// The synchronous part alone, on a table that has changed since the snapshot before.
void BM_SnapshotPause(benchmark::State& state) {
  Filled& filled =
      Filled::Get(static_cast<Keys>(state.range(0)), static_cast<uint64_t>(state.range(1)));
  double pause_max = 0;
  for (auto _ : state) {
    for (int i = 0; i < 16; ++i) filled.UpdateNext();
    const auto start = std::chrono::steady_clock::now();
    const TableSnapshot snapshot = filled.table().Snapshot();
    const std::chrono::duration<double> pause = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(pause.count());
    pause_max = std::max(pause_max, pause.count());
  }
  state.counters["max_us"] = pause_max * 1e6;
}

// The slowest batch of 1024 updates in the million after a snapshot.
void BM_WorstBatchAfterSnapshot(benchmark::State& state) {
  Filled& filled =
      Filled::Get(static_cast<Keys>(state.range(0)), static_cast<uint64_t>(state.range(1)));
  for (auto _ : state) {
    const TableSnapshot snapshot = filled.table().Snapshot();
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto start = std::chrono::steady_clock::now();
      filled.UpdateNext();
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      worst = std::max(worst, taken.count());
    }
    state.SetIterationTime(worst);
  }
}

void BM_Insert(benchmark::State& state) {
  const Keys kind = static_cast<Keys>(state.range(0));
  const uint64_t key_count = static_cast<uint64_t>(state.range(1));
  for (auto _ : state) {
    const Filled filled(kind, key_count);
    benchmark::DoNotOptimize(&filled);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(key_count));
}

constexpr int64_t kMillion = 1'000'000;

BENCHMARK(BM_Update)
    ->Args({kInt64, 10'000})
    ->Args({kInt64, kMillion})
    ->Args({kInt64, 10 * kMillion});
BENCHMARK(BM_UpdateWithLiveSnapshot)->Args({kInt64, 10 * kMillion});
BENCHMARK(BM_UpdateAfterSnapshot)->Args({kInt64, 10 * kMillion})->Iterations(5);
BENCHMARK(BM_WorstBatchAfterSnapshot)
    ->Args({kInt64, 10 * kMillion})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_SnapshotPause)
    ->Args({kInt64, 10 * kMillion})
    ->Args({kInt64, kMillion})
    ->Args({kInt64, 100'000})
    ->Args({kInt64, 10'000})
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Update)->Args({kBytes16, 10 * kMillion});
BENCHMARK(BM_UpdateAfterSnapshot)->Args({kBytes16, 10 * kMillion})->Iterations(5);
BENCHMARK(BM_Insert)->Args({kInt64, 10 * kMillion})->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir::state

BENCHMARK_MAIN();
